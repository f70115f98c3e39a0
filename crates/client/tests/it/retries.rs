//! Which requests are retried.

use std::time::{Duration, Instant};

use fieldhouse_client::api::auth::Login;
use fieldhouse_client::api::seasons::{ChangeSeason, NewSeason};
use fieldhouse_client::{Client, Method};
use serde_json::{Value, json};

use crate::support::{Reply, Stub};
use crate::{SEASON, client, code, season};

fn create() -> NewSeason {
    let zone = "Australia/Melbourne".parse().expect("a zone");
    NewSeason::new("Winter".parse().expect("a name"), "basketball".parse().expect("a sport"), zone)
}

/// Busy first, then a closed connection, then success.
fn shaky() -> Stub {
    Stub::new(|seen| match seen.nth {
        0 => Reply::problem(503, "overloaded").header("retry-after", "0"),
        1 => Reply::none(),
        _ => Reply::json(200, &json!({"data": season("Winter")})),
    })
}

#[tokio::test]
async fn a_retry_has_the_same_idempotency_key_and_body() {
    let stub = shaky();
    assert_eq!(client(&stub).seasons().create(&create()).await.expect("a season").name, "Winter");
    let seen = stub.seen();
    assert_eq!(seen.len(), 3);
    let key = seen[0].header("idempotency-key").expect("a key");
    assert_eq!(key.len(), 36);
    assert!(seen.iter().all(|it| it.header("idempotency-key") == Some(key) && it.body == seen[0].body));

    client(&stub).seasons().create(&create()).await.expect("a season");
    assert_ne!(stub.seen()[3].header("idempotency-key"), Some(key), "another call, another key");
}

#[tokio::test]
async fn a_given_key_is_used_and_a_change_is_a_merge_patch() {
    let stub = shaky();
    let id = SEASON.parse().expect("an id");
    let change = ChangeSeason { name: "Winter".parse().ok(), ..ChangeSeason::default() };
    client(&stub).seasons().change(id, &change).idempotency_key("mine").await.expect("a season");
    assert_eq!(stub.seen().len(), 3);
    for seen in stub.seen() {
        assert_eq!(seen.call, format!("PATCH /api/v1/seasons/{SEASON}"));
        assert_eq!(seen.header("idempotency-key"), Some("mine"));
        assert_eq!(seen.header("content-type"), Some("application/merge-patch+json"));
        assert_eq!(seen.body, r#"{"name":"Winter"}"#);
    }
}

#[tokio::test]
async fn unsafe_requests_are_not_retried() {
    let stub = Stub::new(|_| Reply::problem(503, "overloaded"));
    let login = Login {
        email: "a@b.org".parse().expect("an address"),
        password: "secret".into(),
        organization: None,
    };
    assert_eq!(code(client(&stub).auth().login(&login).await.map(|_| ())), "overloaded");
    let seen = stub.seen();
    assert_eq!(seen.len(), 1);
    assert_eq!((seen[0].header("idempotency-key"), seen[0].header("x-api-key")), (None, None));
}

#[tokio::test]
async fn repetitions_end() {
    let stub = Stub::new(|_| Reply::problem(503, "unavailable"));
    let client = Client::builder(stub.url()).retries(1).build().expect("a client");
    let answer = client.request::<Value>(Method::GET, "/x").send_raw().await.expect("an answer");
    assert_eq!((answer.status.as_u16(), stub.seen().len()), (503, 2));
}

#[tokio::test]
async fn retry_after_is_followed() {
    let stub = Stub::new(|seen| match seen.nth {
        0 => Reply::problem(429, "rate_limited").header("retry-after", "1"),
        _ => Reply::json(200, &json!({"data": season("Winter")})),
    });
    let started = Instant::now();
    client(&stub).seasons().read(SEASON.parse().expect("an id")).await.expect("a season");
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn long_waits_and_final_failures_are_returned() {
    let long = Stub::new(|_| Reply::problem(429, "rate_limited").header("retry-after", "3600"));
    let vain = Stub::new(|_| {
        let problem = json!({"code": "too_many_open", "status": 429, "retryable": false});
        Reply::json(429, &problem)
    });
    for (stub, wanted) in [(long, "rate_limited"), (vain, "too_many_open")] {
        assert_eq!(code(client(&stub).profile().me().await), wanted);
        assert_eq!(stub.seen().len(), 1);
    }
}

#[tokio::test]
async fn an_unreachable_server_is_reported() {
    let client = Client::builder("http://127.0.0.1:9").retries(0).build().expect("a client");
    let error = client.service().health().await.expect_err("no server");
    assert!(error.is_unreachable(), "{error:?}");
}
