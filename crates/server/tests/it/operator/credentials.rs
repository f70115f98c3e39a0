//! The operator's credential is separate from all others, and valid on the server's own machine only.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::Request;
use fieldhouse_api::operations::rows;
use fieldhouse_domain::policy::Credential;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::auth::operators;
use fieldhouse_server::call::Peer;
use fieldhouse_server::{Clock, KeyRing, router};
use fieldhouse_testing::databases::both;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::Value;
use tower::ServiceExt;
use uuid::Uuid;

use super::ORGANIZATIONS;
use crate::support::{Answer, Club, on_both, on_both_in_held_time, operator_token, send};

async fn with_token(club: &Club, token: &str) -> Answer {
    club.with_token(token).get(ORGANIZATIONS).await
}

fn is_refused(answer: &Answer, why: &str) {
    assert_eq!((answer.status, answer.code()), (401, "invalid_credentials"), "{why}");
}

#[tokio::test]
async fn a_token_is_valid_once_and_in_one_process() {
    on_both(async |club| {
        let app = &club.app;
        let id = || Uuid::from_bytes(app.clock.random());
        let token = operator_token(app);
        assert_eq!(with_token(&club, &token).await.status, 200);
        is_refused(&with_token(&club, &token).await, "a second use");
        let other = operators::token(&app.key_ring, id(), app.clock.now(), id());
        is_refused(&with_token(&club, &other).await, "another process");
        let folder = tempfile::tempdir().expect("a folder");
        let ring = KeyRing::open(folder.path(), &app.clock).expect("a key ring");
        let forged = operators::token(&ring, app.process, app.clock.now(), id());
        is_refused(&with_token(&club, &forged).await, "another key ring");
        for broken in
            ["fho_", "fho_AAAA", &operator_token(app)[..60], &format!("{}A", operator_token(app)), ""]
        {
            is_refused(&with_token(&club, broken).await, broken);
        }
    })
    .await;
}

#[tokio::test]
async fn a_token_is_valid_for_a_minute() {
    on_both_in_held_time(async |club| {
        let (early, late) = (operator_token(&club.app), operator_token(&club.app));
        club.pass(SignedDuration::from_secs(59));
        assert_eq!(with_token(&club, &early).await.status, 200);
        club.pass(SignedDuration::from_secs(1));
        is_refused(&with_token(&club, &late).await, "expired");
        let future = club.app.clock.now() + SignedDuration::from_secs(5);
        let id = Uuid::from_bytes(club.app.clock.random());
        let long = operators::token(&club.app.key_ring, club.app.process, future, id);
        is_refused(&with_token(&club, &long).await, "valid for longer");
    })
    .await;
}

#[tokio::test]
async fn a_token_opens_nothing_else() {
    on_both(async |club| {
        let mut tried = 0;
        for row in rows() {
            if matches!(row.requirement.credential, Credential::Public | Credential::Operator) {
                continue;
            }
            let method: Method = row.method.name().parse().expect("a method");
            let answer = send(club.operator().request(method, row.path)).await;
            is_refused(&answer, row.id);
            tried += 1;
        }
        assert!(tried > 50, "{tried} operations");
    })
    .await;
}

#[tokio::test]
async fn other_credentials_do_not_act_as_the_operator() {
    on_both(async |club| {
        let anonymous = club.anonymous().get(ORGANIZATIONS).await;
        assert_eq!((anonymous.status, anonymous.code()), (401, "unauthenticated"));
        let owner = club.member(Role::Owner);
        is_refused(&owner.get(ORGANIZATIONS).await, "an owner's session");
        let key = owner.issue_key(&serde_json::json!({"name": "Script"})).await;
        is_refused(&club.with_key(&key).get(ORGANIZATIONS).await, "an owner's key");
        let both = club.operator().request(Method::GET, ORGANIZATIONS).header("x-api-key", &key);
        let both = send(both).await;
        assert_eq!((both.status, both.code()), (400, "ambiguous_credentials"));
    })
    .await;
}

/// The response to a request with a valid token, from an address; as the request says, it was forwarded for this machine.
async fn from(club: &Club, peer: Option<&str>, path: &str) -> (u16, Value) {
    let request = Request::builder()
        .uri(path)
        .header("authorization", format!("Bearer {}", operator_token(&club.app)))
        .header("x-forwarded-for", "127.0.0.1")
        .header("forwarded", "for=127.0.0.1")
        .header("x-request-id", "same");
    let mut request = request.body(Body::empty()).expect("a request");
    if let Some(peer) = peer {
        let address: SocketAddr = peer.parse().expect("an address");
        request.extensions_mut().insert(Peer(address));
    }
    let router = router::router(club.app.clone()).expect("a router");
    let response = router.oneshot(request).await.expect("a response");
    let status = response.status().as_u16();
    let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
    (status, serde_json::from_slice(&body).expect("JSON"))
}

#[tokio::test]
async fn for_other_machines_the_paths_do_not_exist() {
    on_both(async |club| {
        for local in ["127.0.0.1:5000", "127.8.8.8:5000", "[::1]:5000", "[::ffff:127.0.0.1]:5000"] {
            assert_eq!(from(&club, Some(local), ORGANIZATIONS).await.0, 200, "{local}");
        }
        let unknown = from(&club, Some("192.0.2.1:5000"), "/operator/nothing").await;
        assert_eq!(unknown.0, 404);
        for remote in [Some("192.0.2.1:5000"), Some("10.0.0.1:5000"), Some("[2001:db8::1]:5000"), None] {
            assert_eq!(from(&club, remote, ORGANIZATIONS).await, unknown, "{remote:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn only_refused_requests_of_operators_are_limited() {
    let few = std::num::NonZeroU32::new(3).expect("not zero");
    for database in both() {
        let limits = LimitOptions { address: few, ..LimitOptions::default() };
        let club = Club::open(database, limits, Clock::system()).await;
        for _ in 0..3 {
            is_refused(&with_token(&club, "fho_guessed").await, "a guess");
        }
        let limited = with_token(&club, "fho_guessed").await;
        assert_eq!((limited.status, limited.code()), (429, "rate_limited"));
        for _ in 0..10 {
            let admitted = club.operator().get(ORGANIZATIONS).await;
            assert_eq!((admitted.status, admitted.header("ratelimit")), (200, ""));
        }
    }
}
