//! The content of requests, and how responses are read.

use fieldhouse_client::api::Data;
use fieldhouse_client::api::seasons::{ChangeSeason, Season};
use fieldhouse_client::{Client, Error, Method, SessionTokens};
use fieldhouse_domain::text::Name;
use serde_json::{Value, json};

use crate::support::{Reply, Stub};
use crate::{SEASON, always, client, code, season};

#[tokio::test]
async fn a_version_is_read_and_sent_with_a_change() {
    let stub = Stub::new(|seen| match seen.header("if-none-match") {
        Some(_) => Reply::json(304, &Value::Null),
        None => Reply::json(200, &json!({"data": season("Winter")})).header("etag", "\"1-abc\""),
    });
    let client = client(&stub);
    let id = SEASON.parse().expect("an id");
    let read = client.seasons().read(id).versioned().await.expect("a season");
    let version = read.etag.expect("a version");
    assert_eq!(client.seasons().read(id).if_none_match(&version).await.expect("an answer"), None);
    let change = ChangeSeason::default();
    client.seasons().change(id, &change).if_match(&version).validate_only().await.expect("a season");
    let change = &stub.seen()[2];
    assert_eq!((change.header("if-match"), change.query.as_str()), (Some("\"1-abc\""), "validate_only=true"));
}

#[tokio::test]
async fn any_path_can_be_requested_typed_or_raw() {
    let stub = always(200, json!({"data": season("Winter")}));
    let client = client(&stub);
    let path = format!("api/v1/seasons/{SEASON}?a=1");
    let typed: Data<Season> = client
        .request(Method::PATCH, &path)
        .query(&[("b", "2")])
        .body(&json!({}))
        .send()
        .await
        .expect("a season");
    assert_eq!(typed.data.name, "Winter");
    let raw = client.request::<Value>(Method::POST, "/x").header("x-api-key", "fhk_other").send_raw().await;
    assert_eq!(raw.expect("an answer").status, 200);
    let seen = stub.seen();
    assert_eq!((seen[0].query.as_str(), seen[0].header("x-api-key")), ("a=1&b=2", Some("fhk_key")));
    assert_eq!(seen[0].header("content-type"), Some("application/merge-patch+json"));
    assert_eq!(seen[1].header("x-api-key"), Some("fhk_other"));
    assert!(seen[1].header("idempotency-key").is_some());
}

#[tokio::test]
async fn errors_are_distinguished() {
    let stub = Stub::new(|seen| match seen.nth {
        0 => Reply::problem(418, "short_and_stout"),
        1 => Reply::json(431, &Value::Null).header("x-request-id", "req-9"),
        _ => Reply::json(200, &json!({"data": {"id": 7}})),
    });
    let client = client(&stub);
    assert_eq!(code(client.profile().me().await), "short_and_stout");
    let bare = client.profile().me().await.expect_err("a refusal");
    assert_eq!((bare.status().map(|it| it.as_u16()), bare.request_id()), (Some(431), Some("req-9")));
    assert!(matches!(client.profile().me().await, Err(Error::Decode(_))));
}

#[tokio::test]
async fn invalid_requests_are_not_sent() {
    let stub = always(200, json!({}));
    let client = client(&stub);
    assert!(matches!(client.service().docs_asset("..").await, Err(Error::Request(_))));
    let odd = client.request::<Value>(Method::GET, "/x").header("a b", "c").send().await;
    assert!(matches!(odd, Err(Error::Request(_))));
    let broken = Client::builder(stub.url()).api_key("fhk\n").build().expect("a client");
    assert!(matches!(broken.profile().me().await, Err(Error::Request(_))));
    assert!(stub.seen().is_empty());
}

#[test]
fn debug_shows_no_secret() {
    let builder = || Client::builder("http://a.test").guest_token("s3cret");
    let key = builder().api_key("s3cret").build().expect("a client");
    let session = builder().session(SessionTokens::new("s3cret", "s3cret")).build().expect("a client");
    let request = key.request::<Value>(Method::POST, "/x").header("authorization", "s3cret").body(&"s3cret");
    let shown = format!("{:?} {key:?} {session:?} {request:?}", builder().api_key("s3cret"));
    assert!(!shown.contains("s3cret"), "{shown}");
}

#[tokio::test]
async fn a_body_that_is_too_large_is_not_sent() {
    let stub = always(200, json!({"data": season("Winter")}));
    let client = client(&stub);
    let id = SEASON.parse().expect("an id");
    let change = ChangeSeason { name: Some(Name::stored("a".repeat(1 << 20))), ..ChangeSeason::default() };
    let typed = client.seasons().change(id, &change).await;
    assert!(matches!(typed, Err(Error::BodyTooLarge { limit: 1_048_576, .. })), "{typed:?}");
    let request = client.request::<Value>(Method::POST, "/x").body(&"a".repeat(16 << 20)).send().await;
    assert!(matches!(request, Err(Error::BodyTooLarge { limit: 16_777_216, .. })), "{request:?}");
    assert!(stub.seen().is_empty());
}
