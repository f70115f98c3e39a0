//! A suspended organization: every request of its members and keys is refused, and works again once it is resumed.

use fieldhouse_api::operations::rows;
use fieldhouse_domain::policy::{Credential, KeyUse};
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::{Value, json};

use super::{ORGANIZATIONS, suspend};
use crate::support::fixtures::{invited, reset};
use crate::support::{Answer, PASSWORD, Person, on_both, send};

fn is_suspended(answer: &Answer, why: &str) {
    assert_eq!((answer.status, answer.code()), (403, "organization_suspended"), "{why}: {}", answer.text);
}

async fn call(person: &Person, method: &str, path: &str) -> Answer {
    let method: Method = method.parse().expect("a method");
    send(person.request(method, path)).await
}

#[tokio::test]
async fn every_operation_is_refused_from_the_next_request_on() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let key = club.with_key(&owner.issue_key(&json!({"name": "Script"})).await);
        let neighbour = club.neighbours().await;
        assert_eq!(key.get("/api/v1/seasons").await.status, 200);
        suspend(&club, true).await;
        for row in rows() {
            if !matches!(row.requirement.credential, Credential::Required(_) | Credential::Optional(_)) {
                continue;
            }
            is_suspended(&call(owner, row.method.name(), row.path).await, row.id);
            if row.requirement.keys == KeyUse::Allowed {
                is_suspended(&call(&key, row.method.name(), row.path).await, row.id);
            }
        }
        assert_eq!(neighbour.get("/api/v1/seasons").await.status, 200, "another organization");
        assert_eq!(club.anonymous().get("/api/v1/colleges").await.status, 200, "without a credential");
        suspend(&club, false).await;
        assert_eq!(owner.get("/api/v1/seasons").await.status, 200, "the session has not ended");
        assert_eq!(key.get("/api/v1/seasons").await.status, 200, "nor the key");
    })
    .await;
}

#[tokio::test]
async fn no_session_is_opened_or_continued_meanwhile() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let login = json!({"email": coach.email, "password": PASSWORD});
        let refresh = json!({"refresh_token": coach.refresh_token});
        let anonymous = club.anonymous();
        suspend(&club, true).await;
        is_suspended(&anonymous.post("/api/v1/auth/login", &login).await, "sign-in");
        is_suspended(&anonymous.post("/api/v1/auth/refresh", &refresh).await, "refresh");
        let wrong = json!({"email": coach.email, "password": "not the password"});
        let wrong = anonymous.post("/api/v1/auth/login", &wrong).await;
        assert_eq!((wrong.status, wrong.code()), (401, "invalid_credentials"), "strangers learn nothing");
        suspend(&club, false).await;
        assert_eq!(anonymous.post("/api/v1/auth/refresh", &refresh).await.status, 200, "it was not used up");
        assert_eq!(anonymous.post("/api/v1/auth/login", &login).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn no_one_joins_meanwhile() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let token = invited(&club, club.organization, "robin@parents.example").await;
        let for_neighbour = invited(&club, club.organization, &neighbour.email).await;
        suspend(&club, true).await;
        let join = json!({"token": token, "name": "Robin", "password": "four words in a row"});
        is_suspended(&club.anonymous().post("/api/v1/invitations/accept", &join).await, "a new person");
        let signed_in = neighbour.post("/api/v1/invitations/accept", &json!({"token": for_neighbour})).await;
        is_suspended(&signed_in, "someone with a session elsewhere");
        let page = club.anonymous().request(Method::POST, "/accept-invitation").form(&join);
        let page = send(page).await;
        is_suspended(&page, "the form of the page");
        assert!(page.text.contains("Ask the operator of the server"), "{}", page.text);
        suspend(&club, false).await;
        assert_eq!(club.anonymous().post("/api/v1/invitations/accept", &join).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn suspensions_are_in_the_ledger_and_compare_versions() {
    on_both(async |club| {
        let path = format!("{ORGANIZATIONS}/{}", club.organization);
        let operator = club.operator();
        suspend(&club, true).await;
        let since = operator.get(ORGANIZATIONS).await.body["data"][0]["suspended_at"].clone();
        let again = operator.patch(&path, &json!({"suspended": true})).await;
        assert_eq!(
            (&again.body["data"]["suspended_at"], &again.body["data"]["version"]),
            (&since, &json!(2))
        );
        let stale = operator
            .request(Method::PATCH, &path)
            .header("if-match", "\"1\"")
            .json(&json!({"suspended": false}));
        let stale = send(stale).await;
        assert_eq!((stale.status, stale.code()), (412, "version_mismatch"));
        suspend(&club, false).await;
        let log =
            club.member(Role::Admin).get("/api/v1/audit-log?operation=operator.organizations.change").await;
        let entries = log.body["data"].as_array().expect("entries");
        let effects: Vec<_> = entries.iter().map(|entry| &entry["effects"][0]).collect();
        assert_eq!(effects.len(), 2, "{}", log.text);
        assert_eq!(
            (&effects[0]["kind"], &effects[0]["changed"]),
            (&json!("organization"), &json!(["suspended_at"]))
        );
        assert_eq!(
            (&effects[1]["before"]["suspended_at"], &effects[1]["after"]["suspended_at"]),
            (&Value::Null, &since)
        );
        assert_eq!(
            (&effects[0]["before"]["suspended_at"], &effects[0]["after"]["suspended_at"]),
            (&since, &Value::Null)
        );
        let unknown = format!("{ORGANIZATIONS}/{}", "org_01h2xcejqtf2nbrexx3vqjhp41");
        assert_eq!(operator.patch(&unknown, &json!({"suspended": true})).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_new_password_set_meanwhile_ends_the_sessions() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let token = reset(&club, &coach.email).await;
        suspend(&club, true).await;
        let wanted = json!({"token": token, "new_password": "another four words here"});
        let done = club.anonymous().post("/api/v1/auth/password-resets/complete", &wanted).await;
        assert_eq!(done.status, 200, "{}", done.text);
        suspend(&club, false).await;
        let ended = coach.get("/api/v1/seasons").await;
        assert_eq!((ended.status, ended.code()), (401, "token_expired"));
    })
    .await;
}
