//! The client with a stub server: what it sends, what it retries, and how it reads responses.

#[path = "../support/mod.rs"]
mod support;

mod changesets;
mod guests;
mod lists;
mod requests;
mod retries;
mod sessions;

use fieldhouse_client::{Client, Error};
use serde_json::{Value, json};
use support::{Reply, Stub};

const SEASON: &str = "sea_01h2xcejqtf2nbrexx3vqjhp41";

/// A season in the server's JSON.
fn season(name: &str) -> Value {
    json!({
        "id": SEASON, "name": name, "sport": "basketball", "status": "active", "starts_on": null, "ends_on": null,
        "time_zone": "Australia/Melbourne", "divisions": [], "scoring": {"win": 3, "draw": 1, "loss": 0},
        "tiebreakers": ["head_to_head"], "external_id": null, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

/// One page of seasons.
fn page(names: &[&str], next_cursor: Option<&str>) -> Value {
    let data: Vec<_> = names.iter().map(|name| season(name)).collect();
    json!({"data": data, "page": {"limit": 25, "has_more": next_cursor.is_some(), "next_cursor": next_cursor}})
}

/// A client with a key.
fn client(stub: &Stub) -> Client {
    Client::builder(stub.url()).api_key("fhk_key").build().expect("a client")
}

/// A stub that always returns the same response.
fn always(status: u16, body: Value) -> Stub {
    Stub::new(move |_| Reply::json(status, &body))
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Error>) -> String {
    outcome.expect_err("a problem").problem().expect("a problem").code.to_string()
}
