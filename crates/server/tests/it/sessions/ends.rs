//! How sessions end: by signing out, by a new password, or one by one.

use fieldhouse_domain::roles::Role;
use fieldhouse_server::auth::attempts::attempted;
use jiff::SignedDuration;
use serde_json::json;

use super::{HERE, PROFILE, SESSIONS, email, fail, login, refresh, text};
use crate::support::fixtures::Fixture;
use crate::support::{PASSWORD, on_both};

#[tokio::test]
async fn signing_out_ends_this_session_and_no_other() {
    on_both(async |club| {
        let one = club.another_session(Role::Coach).await;
        let other = club.member(Role::Coach);
        let out = one.post("/api/v1/auth/logout", &json!(null)).await;
        assert_eq!((out.status, &out.body), (200, &json!({"data": {"sessions_ended": 1}})));
        assert_eq!(one.get(PROFILE).await.code(), "token_expired");
        assert_eq!(one.post("/api/v1/auth/logout", &json!(null)).await.code(), "token_expired");
        assert_eq!(refresh(&club, &one.refresh_token).await.code(), "token_expired");
        assert_eq!(other.get(PROFILE).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    on_both(async |club| {
        let new = "four words in a row";
        let here = club.another_session(Role::Coach).await;
        let elsewhere = club.member(Role::Coach);
        let change = async |current: &str, new: &str| {
            let body = json!({"current_password": current, "new_password": new});
            here.post("/api/v1/auth/password", &body).await
        };
        assert_eq!(change("not the password", new).await.code(), "invalid_credentials");
        fail(&club, &email(Role::Coach), (HERE, 50), club.app.clock.now()).await;
        assert_eq!(
            login(&club, &email(Role::Coach), PASSWORD).await.code(),
            "rate_limited",
            "as an outsider"
        );
        for unfit in ["tiny-word", &email(Role::Coach).to_uppercase(), &"long".repeat(300)] {
            let refused = change(PASSWORD, unfit).await;
            assert_eq!(
                (refused.status, &refused.body["errors"][0]["pointer"]),
                (422, &json!("/new_password"))
            );
            assert!(!refused.text.contains(unfit), "a password is never shown");
        }
        assert_eq!(elsewhere.get(PROFILE).await.status, 200, "nothing has changed yet");
        let changed = change(PASSWORD, new).await;
        assert_eq!((changed.status, &changed.body), (200, &json!({"data": {"sessions_ended": 1}})));
        assert_eq!(here.get(PROFILE).await.status, 200);
        assert_eq!(elsewhere.get(PROFILE).await.code(), "token_expired");
        assert_eq!(refresh(&club, &elsewhere.refresh_token).await.status, 401);
        let forgiven = attempted(&club.app, &email(Role::Coach), HERE);
        club.app.store.note_sign_in(forgiven, club.app.clock.now()).await.expect("failures are cleared");
        assert_eq!(login(&club, &email(Role::Coach), PASSWORD).await.code(), "invalid_credentials");
        assert_eq!(login(&club, &email(Role::Coach), new).await.status, 200);
        assert_eq!(club.member(Role::Admin).get(PROFILE).await.status, 200, "others are not touched");
    })
    .await;
}

#[tokio::test]
async fn a_new_password_ends_the_sessions_in_other_organizations_too() {
    on_both(async |club| {
        let neighbours = club.neighbours().await.get("/api/v1/organization").await;
        let coach = club.member(Role::Coach);
        let user = coach.get(PROFILE).await.id().parse().expect("an id");
        let other = neighbours.id().parse().expect("an id");
        let mut fixture = Fixture::in_organization(&club, other, SignedDuration::ZERO).await;
        fixture.membership(user, Role::Viewer);
        let there = fixture.session(user);
        fixture.write().await;
        let there = club.with_token(&there.access_token);
        assert_eq!(there.get(PROFILE).await.status, 200);
        let body = json!({"current_password": PASSWORD, "new_password": "four words in a row"});
        let changed = coach.post("/api/v1/auth/password", &body).await;
        assert_eq!(changed.body, json!({"data": {"sessions_ended": 1}}));
        assert_eq!(there.get(PROFILE).await.code(), "token_expired");
        assert_eq!(coach.get(PROFILE).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_user_lists_and_ends_their_own_sessions() {
    on_both(async |club| {
        let first = club.member(Role::Coach);
        let second = club.sign_in(Role::Coach).await;
        let list = second.get(SESSIONS).await;
        let sessions = list.body["data"].as_array().expect("sessions");
        assert_eq!(sessions.len(), 2);
        let current: Vec<_> = sessions.iter().map(|session| session["current"].clone()).collect();
        assert_eq!(current, [true, false], "the newest first");
        assert_eq!((&sessions[0]["method"], &sessions[0]["ip"]), (&json!("password"), &json!("127.0.0.1")));
        for secret in [&first.refresh_token, &second.refresh_token] {
            assert!(!list.text.contains(secret.as_str()));
        }
        let path = format!("{SESSIONS}/{}", sessions[1]["id"].as_str().expect("an id"));
        for stranger in [club.member(Role::Owner), &club.neighbours().await] {
            assert_eq!(stranger.delete(&path).await.code(), "not_found", "not even for an owner");
        }
        assert_eq!(first.get(PROFILE).await.status, 200);
        assert_eq!(second.delete(&path).await.status, 200);
        assert_eq!(first.get(PROFILE).await.code(), "token_expired");
        assert_eq!(second.get(SESSIONS).await.body["data"].as_array().map(Vec::len), Some(1));
        let own = format!("{SESSIONS}/{}", sessions[0]["id"].as_str().expect("an id"));
        assert_eq!(second.delete(&own).await.status, 200);
        assert_eq!(second.get(PROFILE).await.code(), "token_expired");
    })
    .await;
}

#[tokio::test]
async fn sessions_are_listed_in_pages() {
    on_both(async |club| {
        for _ in 0..4 {
            club.another_session(Role::Coach).await;
        }
        let coach = club.member(Role::Coach);
        let mut path = format!("{SESSIONS}?limit=2");
        let mut seen = Vec::new();
        loop {
            let page = coach.get(&path).await;
            assert_eq!(page.status, 200, "{}", page.body);
            for session in page.body["data"].as_array().expect("sessions") {
                seen.push((session["created_at"].to_string(), session["id"].to_string()));
            }
            let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
            path = format!("{SESSIONS}?limit=2&cursor={cursor}");
        }
        assert_eq!(seen.len(), 5);
        assert!(seen.is_sorted_by(|one, other| one > other), "{seen:?}");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_sign_in_does_not_show_its_tokens_again() {
    on_both(async |club| {
        let body = json!({"email": email(Role::Coach), "password": PASSWORD});
        let again = async || {
            let request = club.anonymous().request(reqwest::Method::POST, super::LOGIN).json(&body);
            crate::support::send(request.header("idempotency-key", "sign-in-1")).await
        };
        let first = again().await;
        assert_eq!(first.status, 200);
        let repeated = again().await;
        assert_eq!((repeated.status, repeated.code()), (409, "already_created"));
        assert_eq!(repeated.body["id"], text(&first, "session_id"));
        assert!(!repeated.text.contains(text(&first, "refresh_token")));
    })
    .await;
}

#[tokio::test]
async fn guessing_the_own_password_has_to_wait_and_outsiders_do_not_count() {
    on_both(async |club| {
        let here = club.another_session(Role::Coach).await;
        let change = async |current: &str| {
            let body = json!({"current_password": current, "new_password": "four words in a row"});
            here.post("/api/v1/auth/password", &body).await
        };
        for _ in 0..3 {
            assert_eq!(change("not the password").await.code(), "invalid_credentials");
        }
        let hasty = change(PASSWORD).await;
        assert_eq!((hasty.status, hasty.header("retry-after")), (429, "1"), "{}", hasty.text);
        let elsewhere = club.another_session(Role::Coach).await;
        let body = json!({"current_password": PASSWORD, "new_password": "four words in a row"});
        assert_eq!(elsewhere.post("/api/v1/auth/password", &body).await.status, 200, "another session");
    })
    .await;
}
