//! Forgotten passwords.

use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use crate::support::mail::{sent, sent_nothing};
use crate::support::{Answer, Club, PASSWORD, on_both, on_both_in_held_time};

const REQUEST: &str = "/api/v1/auth/password-resets";
const COMPLETE: &str = "/api/v1/auth/password-resets/complete";
const NEW: &str = "four words in a row";

async fn request(club: &Club, email: &str) -> Answer {
    club.anonymous().post(REQUEST, &json!({"email": email})).await
}

async fn complete(club: &Club, token: &str, password: &str) -> Answer {
    club.anonymous().post(COMPLETE, &json!({"token": token, "new_password": password})).await
}

async fn login(club: &Club, email: &str, password: &str) -> u16 {
    club.anonymous().post("/api/v1/auth/login", &json!({"email": email, "password": password})).await.status
}

#[tokio::test]
async fn a_link_sets_a_new_password_once_and_ends_all_sessions() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        assert_eq!(request(&club, &coach.email.to_uppercase()).await.status, 202);
        let letter = sent(&club).await.pop().expect("a message");
        let weak = complete(&club, &letter.token(), "short").await;
        assert_eq!((weak.status, &weak.body["errors"][0]["pointer"]), (422, &json!("/new_password")));
        let done = complete(&club, &letter.token(), NEW).await;
        assert_eq!(
            (done.status, &done.body),
            (200, &json!({"data": {"sessions_ended": 1}})),
            "{}",
            done.text
        );
        assert_eq!(coach.get("/api/v1/profile/me").await.code(), "token_expired");
        assert_eq!(
            (login(&club, &coach.email, PASSWORD).await, login(&club, &coach.email, NEW).await),
            (401, 200)
        );
        assert_eq!(complete(&club, &letter.token(), "another four words").await.code(), "link_expired");
        let told = sent(&club).await.pop().expect("the user is told");
        assert_eq!((&*told.to, &*told.subject), (&*coach.email, "Your password was changed"));
        let log = club
            .member(Role::Admin)
            .get("/api/v1/audit-log?limit=1&operation=auth.password_resets.complete")
            .await;
        assert_eq!(log.body["data"][0]["operation"], "auth.password_resets.complete", "{}", log.text);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_address_gets_the_same_response_and_no_message() {
    on_both(async |club| {
        let known = request(&club, &club.member(Role::Coach).email).await;
        assert_eq!(sent(&club).await.len(), 1);
        let unknown = request(&club, "stranger@people.example").await;
        assert_eq!((known.status, &known.body), (202, &unknown.body));
        sent_nothing(&club).await;
    })
    .await;
}

#[tokio::test]
async fn a_later_request_a_new_password_and_time_void_a_link() {
    on_both_in_held_time(async |club| {
        let coach = &club.member(Role::Coach).email;
        let link = async || {
            assert_eq!(request(&club, coach).await.status, 202);
            sent(&club).await.pop().expect("a message").token()
        };
        let first = link().await;
        assert_eq!(request(&club, coach).await.status, 202);
        sent_nothing(&club).await;
        club.pass(SignedDuration::from_mins(1));
        let second = link().await;
        assert_eq!(complete(&club, &first, NEW).await.code(), "link_expired", "replaced");
        club.pass(SignedDuration::from_secs(1));
        let body = json!({"current_password": PASSWORD, "new_password": "another four words"});
        assert_eq!(club.member(Role::Coach).post("/api/v1/auth/password", &body).await.status, 200);
        assert_eq!(complete(&club, &second, NEW).await.code(), "link_expired", "the password was changed");
        sent(&club).await;
        club.pass(SignedDuration::from_mins(1));
        let third = link().await;
        club.pass(SignedDuration::from_mins(60));
        assert_eq!(complete(&club, &third, NEW).await.code(), "link_expired", "an hour has passed");
        assert_eq!(login(&club, coach, "another four words").await, 200);
    })
    .await;
}
