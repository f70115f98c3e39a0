//! Problems: their pages, and the refusals that are the same everywhere.

use fieldhouse_api::Code;
use fieldhouse_api::Operation;
use fieldhouse_domain::policy::Credential;
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::json;

use super::{is_problem, request};
use crate::support::{on_both, row, send};

#[tokio::test]
async fn every_code_has_a_page() {
    on_both(async |club| {
        for code in Code::ALL {
            let answer = club.anonymous().get(&format!("/problems/{code}")).await;
            assert_eq!(answer.status, 200, "{code}");
            assert_eq!(answer.header("content-type"), "text/html; charset=utf-8", "{code}");
            assert!(answer.text.contains(code.name()) && answer.text.contains("</html>"), "{code}");
        }
        is_problem(&club.anonymous().get("/problems/no_such_code").await, Code::NotFound, "an unknown code");
    })
    .await;
}

#[tokio::test]
async fn the_type_of_a_problem_is_the_url_of_its_page() {
    on_both(async |club| {
        let refused = club.anonymous().get("/api/v1/seasons").await;
        let page = refused.body["type"].as_str().expect("an address").to_owned();
        let path = page.strip_prefix(&club.base_url).expect("an address of this server");
        assert_eq!(club.anonymous().get(path).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_missing_credential_is_reported_with_the_accepted_ones() {
    on_both(async |club| {
        for &operation in Operation::ROUTES {
            let wanted = matches!(
                row(operation).requirement.credential,
                Credential::Required(_) | Credential::Operator
            );
            let answer = send(request(&club.anonymous(), operation, "")).await;
            assert_eq!(wanted, answer.code() == "unauthenticated", "{}: {}", operation.id(), answer.text);
            if wanted {
                is_problem(&answer, Code::Unauthenticated, operation.id());
                assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"fieldhouse\"");
            }
        }
        let answer = club.with_key("fhk_short").get("/api/v1/seasons").await;
        is_problem(&answer, Code::InvalidCredentials, "a bad key");
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"fieldhouse\", error=\"invalid_token\"");
        let login = json!({"email": "unknown@club.example", "password": "a wrong password"});
        let answer = club.anonymous().post("/api/v1/auth/login", &login).await;
        is_problem(&answer, Code::InvalidCredentials, "a wrong password");
        assert!(!answer.header("www-authenticate").is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_invalid_credential_is_refused_even_if_it_is_optional() {
    on_both(async |club| {
        for &operation in Operation::ROUTES {
            if matches!(row(operation).requirement.credential, Credential::Optional(_)) {
                let answer = send(request(&club.with_key("fhk_short"), operation, "")).await;
                is_problem(&answer, Code::InvalidCredentials, operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_response_is_not_available_in_another_media_type() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let ask = async |path: &str, accept: &str| {
            send(owner.request(Method::GET, path).header("accept", accept)).await
        };
        for accept in ["text/html", "image/*", "application/xml, text/plain"] {
            is_problem(&ask("/api/v1/seasons", accept).await, Code::NotAcceptable, accept);
        }
        for accept in ["*/*", "application/*", "text/html, application/json;q=0.5", "APPLICATION/JSON"] {
            assert_eq!(ask("/api/v1/seasons", accept).await.status, 200, "{accept}");
        }
        assert_eq!(ask("/docs", "text/html").await.status, 200);
        is_problem(&ask("/docs", "application/json").await, Code::NotAcceptable, "a page as JSON");
    })
    .await;
}
