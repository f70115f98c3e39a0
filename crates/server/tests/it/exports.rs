//! Exports: requesting one, opening its link once, and importing the archive into an empty organization.

pub(crate) mod archives;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use fieldhouse_imports::archive::Archive;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::json;

use crate::shapes::is_problem;
use crate::support::fixtures::exported;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const EXPORTS: &str = "/api/v1/exports";

fn content(id: &str, token: &str) -> String {
    format!("{EXPORTS}/{id}/content?token={token}")
}

/// The archive behind a link.
async fn downloaded(person: &Person, id: &str, token: &str) -> Archive {
    let response = person.request(Method::GET, &content(id, token)).send().await.expect("a response");
    assert_eq!(response.status(), 200);
    assert_eq!(response.headers()["content-type"], "application/gzip");
    assert_eq!(response.headers()["cache-control"], "private, no-store");
    let bytes = response.bytes().await.expect("a body");
    fieldhouse_imports::archive::read(&bytes[..]).expect("an archive")
}

async fn archive_of(club: &Club) -> Archive {
    let (id, token) = exported(club).await;
    downloaded(&club.anonymous(), &id, &token).await
}

async fn requested(person: &Person) -> Answer {
    person.post(EXPORTS, &json!({"kind": "organization"})).await
}

#[tokio::test]
async fn a_link_opens_once_for_a_day_and_only_while_its_owner_is_one() {
    on_both_in_held_time(async |club| {
        let (owner, anyone) = (club.member(Role::Owner), club.anonymous());
        let export = requested(owner).await;
        assert_eq!(export.status, 201, "{}", export.text);
        let data = &export.body["data"];
        let token = data["token"].as_str().expect("a token");
        assert_eq!((data["status"].as_str(), data["kind"].as_str()), (Some("ready"), Some("organization")));
        assert_eq!(data["content_url"], format!("{}{}", club.base_url, content(export.id(), token)));
        let read = async || owner.get(&format!("{EXPORTS}/{}", export.id())).await;
        assert!(!read().await.text.contains(token), "the token is shown once");
        let wrong =
            [format!("{token}x"), token[..token.len() - 1].to_owned(), "fhx_".to_owned(), "é".to_owned()];
        for wrong in wrong {
            let refused = anyone.get(&content(export.id(), &wrong)).await;
            is_problem(&refused, Code::LinkExpired, &wrong);
        }
        is_problem(
            &anyone.get(&format!("{EXPORTS}/{}/content", export.id())).await,
            Code::InvalidParameter,
            "no token",
        );
        let other = requested(owner).await;
        is_problem(
            &anyone.get(&content(other.id(), token)).await,
            Code::LinkExpired,
            "the token of another export",
        );
        assert_eq!(read().await.body["data"]["status"], "ready");
        downloaded(&anyone, export.id(), token).await;
        is_problem(&anyone.get(&content(export.id(), token)).await, Code::LinkExpired, "it works once");
        assert_eq!(read().await.body["data"]["status"], "opened");
        let log = owner.get("/api/v1/audit-log?limit=2").await;
        let operations: Vec<_> = log.body["data"]
            .as_array()
            .expect("entries")
            .iter()
            .map(|entry| entry["operation"].clone())
            .collect();
        assert_eq!(operations[0], "exports.content", "{}", log.text);
        // A link that was not opened in time.
        club.pass(SignedDuration::from_hours(24));
        let late = other.body["data"]["token"].as_str().expect("a token").to_owned();
        is_problem(&anyone.get(&content(other.id(), &late)).await, Code::LinkExpired, "a day later");
    })
    .await;
}

/// The address of the member with a role.
async fn address(club: &Club, role: &str) -> String {
    let members = club.member(Role::Admin).get("/api/v1/members").await;
    let members = members.body["data"].as_array().expect("members");
    let member = members.iter().find(|member| member["role"] == role).expect("a member");
    format!("/api/v1/members/{}", member["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_demoted_or_removed_owner_has_no_link() {
    on_both(async |club| {
        let (first, second) = (address(&club, "owner").await, address(&club, "admin").await);
        let (id, token) = exported(&club).await;
        let promoted = club.member(Role::Owner).patch(&second, &json!({"role": "owner"})).await;
        assert_eq!(promoted.status, 200, "{}", promoted.text);
        let second = club.another_session(Role::Admin).await;
        let demoted = second.patch(&first, &json!({"role": "admin"})).await;
        assert_eq!(demoted.status, 200, "{}", demoted.text);
        let refused = club.anonymous().get(&content(&id, &token)).await;
        is_problem(&refused, Code::LinkExpired, "they are an admin now");
        let removed = second.delete(&first).await;
        assert_eq!(removed.status, 200, "{}", removed.text);
        let refused = club.anonymous().get(&content(&id, &token)).await;
        is_problem(&refused, Code::LinkExpired, "they are no longer a member");
    })
    .await;
}

#[tokio::test]
async fn only_json_with_a_known_kind_is_taken_and_nothing_is_stored_for_its_key() {
    on_both(async |club| {
        let owner = &club.another_session(Role::Owner).await;
        let refused = owner.post(EXPORTS, &json!({"kind": "children"})).await;
        is_problem(&refused, Code::ValidationFailed, "another kind");
        let with_key = || {
            owner
                .request(Method::POST, EXPORTS)
                .json(&json!({"kind": "organization"}))
                .header("idempotency-key", "one")
        };
        let (first, again) = (send(with_key()).await, send(with_key()).await);
        assert_eq!(first.status, 201);
        is_problem(&again, Code::AlreadyCreated, "a token is not stored");
        assert_eq!(again.body["id"], first.id());
    })
    .await;
}
