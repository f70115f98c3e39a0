//! What every operation declares, produced for each of them.

use std::num::NonZeroU32;

use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::children::cases::CaseState;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::policy::{Credential, KeyUse};
use fieldhouse_domain::roles::Role;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_testing::databases::both;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use super::{is_problem, request};
use crate::imports::import_coburg;
use crate::support::fixtures::Fixture;
use crate::support::{Club, on_both, row, send};

#[tokio::test]
async fn every_operation_refuses_to_respond_in_another_media_type() {
    on_both(async |club| {
        for &operation in Operation::ROUTES {
            let asked = request(&club.permitted(operation), operation, "").header("accept", "x-no/such-type");
            let answer = send(asked).await;
            // A file of the documentation page has one media type.
            if operation == Operation::DocsAsset {
                assert_eq!(answer.status, 200, "{}", answer.text);
            } else {
                is_problem(&answer, Code::NotAcceptable, operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_operation_has_a_rate_limit() {
    for database in both() {
        let one = NonZeroU32::MIN;
        let limits =
            LimitOptions { address: one, sign_in: one, refresh: one, guests: one, ..LimitOptions::default() };
        let club = Club::open(database, limits, Clock::system()).await;
        let anyone = club.anonymous();
        for &operation in Operation::ROUTES {
            let probes = matches!(operation, Operation::Health | Operation::Ready);
            // The first request of each bucket passes.
            let first = send(request(&anyone, operation, "")).await;
            assert!(!probes || first.status == 200, "{}: {}", operation.id(), first.text);
            let second = send(request(&anyone, operation, "")).await;
            if probes {
                assert_eq!(second.status, 200, "{}: {}", operation.id(), second.text);
            } else {
                is_problem(&second, Code::RateLimited, operation.id());
            }
        }
    }
}

#[tokio::test]
async fn every_operation_for_keys_except_its_revocation_refuses_a_key_from_another_address() {
    on_both(async |club| {
        let wanted = json!({"name": "Elsewhere", "allowed_ips": ["192.0.2.1"]});
        let key = club.with_key(&club.member(Role::Owner).issue_key(&wanted).await);
        for &operation in Operation::ROUTES {
            let requirement = row(operation).requirement;
            let takes_keys = matches!(requirement.keys, KeyUse::Allowed | KeyUse::Itself)
                && operation != Operation::ApiKeyRevoke;
            if takes_keys && requirement.credential != Credential::Public {
                is_problem(&send(request(&key, operation, "")).await, Code::IpNotAllowed, operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_unchanged_record_returns_304() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        import_coburg(owner).await;
        crate::colleges::load_few(&club).await;
        let issued = owner.post("/api/v1/api-keys", &json!({"name": "Script"})).await;
        let key = club.with_key(issued.body["data"]["key"].as_str().expect("a key"));
        let winter = "/api/v1/games/upcoming?from=2022-04-01T00:00:00Z&to=2022-09-20T00:00:00Z";
        let first = async |list: &str| -> Value { owner.get(list).await.body["data"][0]["id"].clone() };
        let mut read = vec![(&key, "/api/v1/api-keys/current".to_owned())];
        let invited = json!({"email": "robin@people.example", "role": "viewer"});
        assert_eq!(owner.post("/api/v1/invitations", &invited).await.status, 201);
        let without_history =
            ["/api/v1/api-keys", "/api/v1/invitations", "/api/v1/colleges", "/api/v1/colleges/programs"];
        for (list, record) in [
            (winter, "/api/v1/games"),
            ("/api/v1/divisions", "/api/v1/divisions"),
            ("/api/v1/teams", "/api/v1/teams"),
            ("/api/v1/invitations", "/api/v1/invitations"),
            ("/api/v1/seasons", "/api/v1/seasons"),
            ("/api/v1/venues", "/api/v1/venues"),
            ("/api/v1/members", "/api/v1/members"),
            ("/api/v1/api-keys", "/api/v1/api-keys"),
            ("/api/v1/colleges?q=bethel", "/api/v1/colleges"),
            ("/api/v1/colleges/programs?sport=softball", "/api/v1/colleges/programs"),
        ] {
            let id = first(list).await;
            let path = format!("{record}/{}", id.as_str().expect("an id"));
            if !without_history.contains(&record) {
                read.push((owner, format!("{path}/history")));
            }
            match record {
                "/api/v1/seasons" => {
                    read.extend(["standings", "registrations"].map(|list| (owner, format!("{path}/{list}"))));
                }
                "/api/v1/teams" => {
                    read.extend(
                        ["schedule", "staff", "roster"].map(|list| (owner, format!("{path}/{list}"))),
                    );
                }
                _ => {}
            }
            read.push((owner, path));
        }
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let duty = format!("/api/v1/duties/{}", fixture.duty().id);
        fixture.on_duty(DutyKind::SafeguardingLead, owner.user.expect("a user"));
        let other = fixture.child();
        let case = fixture.case(owner.user.expect("a user"), CaseState::Open).id;
        fixture.write().await;
        read.extend([
            (owner, format!("{duty}/history")),
            (owner, duty),
            (owner, "/api/v1/duties".to_owned()),
            (owner, format!("/api/v1/children/{other}/restrictions")),
            (owner, "/api/v1/safeguarding-cases".to_owned()),
            (owner, "/api/v1/break-glass-grants".to_owned()),
            (owner, format!("/api/v1/safeguarding-cases/{case}")),
        ]);
        let child =
            owner.post("/api/v1/children", &json!({"display_name": "Kim", "birth_date": "2014-05-06"})).await;
        let child = format!("/api/v1/children/{}", child.body["data"]["child_id"].as_str().expect("an id"));
        let classes = ["profile", "identity", "contact", "emergency", "medical", "performance"];
        let lists = ["access-log", "consents", "relations", "guardian-invitations"];
        read.extend(classes.iter().chain(&lists).map(|part| (owner, format!("{child}/{part}"))));
        let export = owner.post(&format!("{child}/exports"), &json!({})).await;
        read.push((owner, format!("{child}/exports/{}", export.id())));
        let lists = ["/api/v1/children", "/api/v1/relations", "/api/v1/privacy-requests"].map(str::to_owned);
        read.extend(lists.into_iter().chain([child]).map(|path| (owner, path)));
        let export = owner.post("/api/v1/exports", &json!({"kind": "organization"})).await;
        read.push((owner, format!("/api/v1/exports/{}", export.id())));
        let operator = club.operator();
        let message = operator.get("/operator/mail").await.body["data"][0]["id"].clone();
        read.push((&operator, format!("/operator/mail/{}", message.as_str().expect("a message"))));
        for (reader, path) in read {
            // The first request records the use of a key, which is part of the key's own record.
            let tag = reader.get(&path).await.header("etag").to_owned();
            assert!(!tag.is_empty(), "{path}");
            let again = send(reader.request(Method::GET, &path).header("if-none-match", &tag)).await;
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_link_of_an_export_with_a_malformed_id_is_not_found() {
    on_both(async |club| {
        let answer = club.anonymous().get("/api/v1/exports/exp_1/content?token=fhl_none").await;
        is_problem(&answer, Code::NotFound, "a malformed id");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_refresh_does_not_show_its_tokens_again() {
    on_both(async |club| {
        let body = json!({"refresh_token": club.member(Role::Coach).refresh_token});
        let refresh = async || {
            let request = club.anonymous().request(Method::POST, "/api/v1/auth/refresh").json(&body);
            send(request.header("idempotency-key", "k")).await
        };
        assert_eq!(refresh().await.status, 200);
        is_problem(&refresh().await, Code::AlreadyCreated, "the same refresh");
    })
    .await;
}

#[tokio::test]
async fn a_session_is_ended_only_in_its_current_version() {
    on_both(async |club| {
        let (first, second) = (club.member(Role::Coach), club.another_session(Role::Coach).await);
        let list = second.get("/api/v1/auth/sessions").await;
        let sessions = list.body["data"].as_array().expect("sessions");
        let other = sessions.iter().find(|session| session["current"] == false).expect("another session");
        let path = format!("/api/v1/auth/sessions/{}", other["id"].as_str().expect("an id"));
        let end = async |tag: &str| send(second.request(Method::DELETE, &path).header("if-match", tag)).await;
        is_problem(&end("\"7-\"").await, Code::VersionMismatch, "another version");
        assert_eq!(first.get("/api/v1/profile/me").await.status, 200);
        assert_eq!(end("\"1-\"").await.status, 200);
        is_problem(&first.get("/api/v1/profile/me").await, Code::TokenExpired, "an ended session");
    })
    .await;
}
