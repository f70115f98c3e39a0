//! Accepting an invitation: as a new person, with an account, and with a session.

use fieldhouse_domain::roles::Role;
use serde_json::json;

use super::{accept, invited, preview};
use crate::support::mail::sent_nothing;
use crate::support::{Club, PASSWORD, on_both};

const PROFILE: &str = "/api/v1/profile/me";

async fn members(club: &Club) -> Vec<serde_json::Value> {
    let listed = club.member(Role::Owner).get("/api/v1/members?limit=100").await;
    listed.body["data"].as_array().expect("members").clone()
}

#[tokio::test]
async fn a_new_person_chooses_a_name_and_a_password_and_is_signed_in() {
    on_both(async |club| {
        let (invitation, letter) = invited(&club, "robin@parents.example", "coach").await;
        let anyone = club.anonymous();
        let bare = accept(&anyone, &json!({"token": letter.token()})).await;
        let pointers: Vec<_> =
            bare.body["errors"].as_array().expect("errors").iter().map(|error| &error["pointer"]).collect();
        assert_eq!((bare.status, pointers), (422, vec![&json!("/name"), &json!("/password")]));
        let weak = json!({"token": letter.token(), "name": "Robin", "password": "short"});
        assert_eq!(accept(&anyone, &weak).await.body["errors"][0]["pointer"], "/password");
        let body =
            json!({"token": letter.token(), "name": "Robin Parent", "password": "four words in a row"});
        let accepted = accept(&anyone, &body).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text);
        let (member, tokens) = (&accepted.body["data"]["member"], &accepted.body["data"]["tokens"]);
        assert_eq!((&member["role"], &member["source"]), (&json!("coach"), &json!("invited")));
        assert_eq!(member["user"]["name"], "Robin Parent");
        let robin = club.with_token(tokens["access_token"].as_str().expect("a token"));
        assert_eq!(robin.get(PROFILE).await.body["data"]["role"], "coach");
        let login = json!({"email": "Robin@parents.example", "password": "four words in a row"});
        assert_eq!(anyone.post("/api/v1/auth/login", &login).await.status, 200);
        assert_eq!(accept(&anyone, &body).await.code(), "link_expired", "it works once");
        let path = format!("/api/v1/invitations/{}", invitation.id());
        let shown = club.member(Role::Admin).get(&path).await;
        assert_eq!(
            (&shown.body["data"]["status"], &shown.body["data"]["member_id"]),
            (&json!("accepted"), &member["id"])
        );
        assert_eq!(club.member(Role::Admin).delete(&path).await.code(), "state");
        let log = club.member(Role::Admin).get("/api/v1/audit-log?limit=1").await;
        assert_eq!(log.body["data"][0]["actor"]["name"], "Robin Parent", "{}", log.text);
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn a_removed_member_returns_as_the_same_user_with_the_same_password() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let key = club.with_key(&coach.issue_key(&json!({"name": "Scoreboard"})).await);
        let before =
            members(&club).await.into_iter().find(|member| member["role"] == "coach").expect("the coach");
        let path = format!("/api/v1/members/{}", before["id"].as_str().expect("an id"));
        assert_eq!(club.member(Role::Owner).delete(&path).await.status, 200);
        assert_eq!(key.get(PROFILE).await.code(), "key_revoked");
        assert_eq!(coach.get(PROFILE).await.status, 401);
        let (_, letter) = invited(&club, &coach.email, "member").await;
        assert_eq!(preview(&club, &letter.token()).await.body["data"]["has_account"], true);
        let anyone = club.anonymous();
        let wrong = accept(&anyone, &json!({"token": letter.token(), "password": "another password"})).await;
        assert_eq!(
            (wrong.status, wrong.code()),
            (401, "invalid_credentials"),
            "the link alone is not the account"
        );
        let accepted = accept(&anyone, &json!({"token": letter.token(), "password": PASSWORD})).await;
        assert_eq!(accepted.status, 200, "{}", accepted.text);
        let member = &accepted.body["data"]["member"];
        assert_eq!((&member["user"], &member["role"]), (&before["user"], &json!("member")), "the same user");
        assert_ne!(member["id"], before["id"], "a new membership");
        assert_eq!(key.get(PROFILE).await.code(), "key_revoked", "old keys stay revoked");
        assert_eq!(coach.get(PROFILE).await.status, 401, "and old sessions ended");
    })
    .await;
}

#[tokio::test]
async fn a_signed_in_user_joins_another_organization_as_themselves_only() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let (_, letter) = invited(&club, &neighbour.email, "manager").await;
        let token = json!({"token": letter.token()});
        let stranger = accept(club.member(Role::Viewer), &token).await;
        assert_eq!((stranger.status, stranger.code()), (403, "wrong_account"));
        let too_much = json!({"token": letter.token(), "name": "Other", "password": "four words in a row"});
        let refused = accept(&neighbour, &too_much).await;
        assert_eq!((refused.status, refused.body["errors"].as_array().map(Vec::len)), (422, Some(2)));
        let key = club.with_key(&neighbour.issue_key(&json!({"name": "Script"})).await);
        assert_eq!(accept(&key, &token).await.code(), "session_required");
        let accepted = accept(&neighbour, &token).await;
        assert_eq!(
            (accepted.status, &accepted.body["data"]["tokens"]),
            (200, &json!(null)),
            "{}",
            accepted.text
        );
        let profile = neighbour.get(PROFILE).await;
        assert_eq!(
            profile.body["data"]["organization"]["slug"], "neighbour-club",
            "the session stays in one"
        );
        assert_eq!(profile.body["data"]["memberships"].as_array().map(Vec::len), Some(2));
        let key = club.with_key(&neighbour.issue_key(&json!({"name": "Other"})).await);
        assert_eq!(
            key.get("/api/v1/organization").await.body["data"]["slug"],
            "neighbour-club",
            "and a key too"
        );
        let login = json!({"email": neighbour.email, "password": PASSWORD, "organization": "riverside-club"});
        let here = club.anonymous().post("/api/v1/auth/login", &login).await;
        assert_eq!(here.body["data"]["role"], "manager", "{}", here.text);
    })
    .await;
}
