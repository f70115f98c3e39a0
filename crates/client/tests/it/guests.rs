//! How a client without a credential becomes a guest, and how a user claims the list.

use fieldhouse_client::Client;
use fieldhouse_client::api::favorites::FavoriteListQuery;
use secrecy::ExposeSecret;
use serde_json::json;

use crate::support::{Reply, Seen, Stub};

fn answer(seen: &Seen) -> Reply {
    let empty = json!({"data": [], "page": {"limit": 200, "has_more": false, "next_cursor": null}});
    let claimed = json!({"data": {"copied": 2, "merged": 0}});
    match seen.call.as_str() {
        "POST /api/v1/colleges/favorites/claim" => Reply::json(200, &claimed),
        _ => Reply::json(200, &empty).header("x-guest-token", "guest-1"),
    }
}

#[tokio::test]
async fn the_guest_token_identifies_the_guest() {
    let stub = Stub::new(answer);
    let client = Client::builder(stub.url()).build().expect("a client");
    let favorites = client.colleges().favorites();
    for _ in 0..2 {
        favorites.list(&FavoriteListQuery::default()).await.expect("a list");
    }
    let seen = stub.seen();
    assert_eq!((seen[0].header("x-guest-token"), seen[1].header("x-guest-token")), (None, Some("guest-1")));
    assert_eq!(client.guest_token().expect("a token").expose_secret(), "guest-1");
}

#[tokio::test]
async fn with_a_credential_the_guest_token_is_sent_only_to_claim_the_list() {
    let stub = Stub::new(answer);
    let client =
        Client::builder(stub.url()).api_key("fhk_key").guest_token("guest-7").build().expect("a client");
    let favorites = client.colleges().favorites();
    favorites.list(&FavoriteListQuery::default()).await.expect("a list");
    assert_eq!(favorites.claim().await.expect("a claim").copied, 2);
    let seen = stub.seen();
    assert_eq!((seen[0].header("x-guest-token"), seen[1].header("x-guest-token")), (None, Some("guest-7")));
    assert!(seen.iter().all(|it| it.header("x-api-key") == Some("fhk_key")));
}
