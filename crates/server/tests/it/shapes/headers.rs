//! The headers of every response.

use fieldhouse_api::Operation;
use fieldhouse_api::rows::Method;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Resource;

use super::request;
use crate::support::{Answer, on_both, row, send};

#[track_caller]
fn has_common_headers(answer: &Answer, what: &str) {
    assert!(!answer.header("x-request-id").is_empty(), "{what}");
    assert_eq!(answer.header("api-version"), "1.0.0", "{what}");
    let mut vary = answer.headers.get_all("vary").iter();
    assert!(vary.any(|vary| vary == "Authorization, X-Api-Key, X-Guest-Token"), "{what}");
    assert_eq!(answer.header("x-content-type-options"), "nosniff", "{what}");
    assert!(!answer.header("cache-control").is_empty(), "{what}");
}

#[track_caller]
fn has_rate_limit_headers(answer: &Answer, what: &str) {
    for name in ["ratelimit-policy", "ratelimit"] {
        assert!(answer.header(name).starts_with('"'), "{what}: {name} {:?}", answer.headers);
    }
    let number = |name: &str| answer.header(name).parse::<u64>().unwrap_or_else(|_| panic!("{what}: {name}"));
    assert!(number("x-ratelimit-remaining") <= number("x-ratelimit-limit"), "{what}");
    // The windows are a minute, and an hour for new guests.
    assert!(number("x-ratelimit-reset") <= 3600, "{what}");
}

#[tokio::test]
async fn every_response_of_every_operation_has_the_common_headers() {
    on_both(async |club| {
        let (anonymous, owner) = (club.anonymous(), club.member(Role::Owner));
        for &operation in Operation::ROUTES {
            let id = operation.id();
            let answer = send(request(&anonymous, operation, "")).await;
            has_common_headers(&answer, id);
            if operation == Operation::Health || operation == Operation::Ready {
                assert_eq!(answer.header("ratelimit"), "", "{id} is not counted");
                continue;
            }
            has_rate_limit_headers(&answer, id);
            if row(operation).method == Method::GET {
                let answer = send(request(owner, operation, "")).await;
                has_common_headers(&answer, id);
                has_rate_limit_headers(&answer, id);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn refusals_before_the_operation_have_the_common_headers_too() {
    on_both(async |club| {
        let anonymous = club.anonymous();
        has_common_headers(&anonymous.get("/api/v1/nothing").await, "an unknown path");
        has_common_headers(&anonymous.delete("/api/v1/seasons").await, "another method");
        let answer = club.with_key("fhk_not_a_key").get("/api/v1/seasons").await;
        has_common_headers(&answer, "a bad key");
        has_rate_limit_headers(&answer, "a bad key");
        let both = club.member(Role::Owner).request(reqwest::Method::GET, "/api/v1/seasons");
        let answer = send(both.header("x-api-key", "fhk_not_a_key")).await;
        has_common_headers(&answer, "two credentials");
        has_rate_limit_headers(&answer, "two credentials");
    })
    .await;
}

#[tokio::test]
async fn a_response_has_the_clients_request_id_if_it_is_short_and_plain() {
    on_both(async |club| {
        let ask = async |id: &str| {
            let request = club.anonymous().request(reqwest::Method::GET, "/healthz");
            send(request.header("x-request-id", id)).await.header("x-request-id").to_owned()
        };
        for id in ["a", "7c2f-Job_4.retry", &"x".repeat(128)] {
            assert_eq!(ask(id).await, *id);
        }
        for id in ["", "two words", "a/b", "a\"b", &"x".repeat(129)] {
            let given = ask(id).await;
            assert!(given != *id && given.len() == 32, "{id:?} became {given:?}");
        }
        assert_ne!(ask("").await, ask("").await, "each request has an id of its own");
    })
    .await;
}

#[tokio::test]
async fn caching_depends_on_the_subject_of_a_response() {
    on_both(async |club| {
        for &operation in Operation::ROUTES.iter().filter(|operation| row(*operation).method == Method::GET) {
            let answer = send(request(&club.permitted(operation), operation, "")).await;
            if answer.status != 200 {
                assert_eq!(answer.header("cache-control"), "private, no-store", "{}", operation.id());
                continue;
            }
            let expected = match row(operation).requirement.scope.resource {
                Resource::Seasons
                | Resource::Teams
                | Resource::Venues
                | Resource::Games
                | Resource::Colleges => "private, no-cache",
                Resource::Service if operation != Operation::Health && operation != Operation::Ready => {
                    "public, max-age=300"
                }
                _ => "private, no-store",
            };
            assert_eq!(answer.header("cache-control"), expected, "{}", operation.id());
            if expected == "private, no-cache" {
                assert!(answer.header("etag").starts_with('"'), "{}", operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_head_request_gets_the_headers_and_no_body() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let read = owner.get("/api/v1/seasons").await;
        let answer = send(owner.request(reqwest::Method::HEAD, "/api/v1/seasons")).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, ""));
        assert_eq!(answer.header("etag"), read.header("etag"));
        assert_eq!(answer.header("content-type"), "application/json");
    })
    .await;
}
