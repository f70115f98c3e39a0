//! How a session is renewed.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fieldhouse_client::api::seasons::SeasonListQuery;
use fieldhouse_client::{Client, SessionLock, SessionStore, SessionTokens};
use futures_util::future::join_all;
use secrecy::ExposeSecret;
use serde_json::json;

use crate::support::{Reply, Seen, Stub};
use crate::{code, page};

/// Tokens in the server's JSON.
fn tokens(access: &str, refresh: &str) -> Reply {
    Reply::json(
        200,
        &json!({"data": {
            "access_token": access, "token_type": "Bearer", "expires_in": 600, "refresh_token": refresh,
            "session_expires_at": "2026-02-01T00:00:00Z", "session_id": "ses_01h2xcejqtf2nbrexx3vqjhp41", "role": "owner",
            "organization": {"id": "org_01h2xcejqtf2nbrexx3vqjhp41", "name": "Coburg", "slug": "coburg"},
        }}),
    )
}

/// Refreshes `refresh-1` once, to `access-2`, which is the only valid access token.
fn renewing(seen: &Seen) -> Reply {
    if seen.call == "POST /api/v1/auth/refresh" {
        std::thread::sleep(Duration::from_millis(50));
        match seen.nth {
            0 if seen.body == r#"{"refresh_token":"refresh-1"}"# => tokens("access-2", "refresh-2"),
            _ => Reply::problem(401, "invalid_credentials"),
        }
    } else if seen.header("authorization") == Some("Bearer access-2") {
        Reply::json(200, &page(&["Winter"], None))
    } else {
        Reply::problem(401, "token_expired")
    }
}

fn refreshes(stub: &Stub) -> usize {
    stub.seen().iter().filter(|seen| seen.call.ends_with("/auth/refresh")).count()
}

#[tokio::test]
async fn concurrent_calls_share_one_renewal() {
    let stub = Stub::new(renewing);
    let shown = Arc::new(Mutex::new(Vec::new()));
    let show = Arc::clone(&shown);
    let client = Client::builder(stub.url())
        .session(SessionTokens::new("access-1", "refresh-1"))
        .on_refresh(move |tokens| {
            show.lock().expect("a lock").push(tokens.refresh_token().expose_secret().to_owned());
        })
        .build()
        .expect("a client");
    let query = SeasonListQuery::default();
    let calls = (0..8).map(|_| client.seasons().list(&query).into_future());
    for answer in join_all(calls).await {
        assert_eq!(answer.expect("a page").data[0].name, "Winter");
    }
    assert_eq!(refreshes(&stub), 1);
    assert_eq!(*shown.lock().expect("a lock"), ["refresh-2"]);
}

#[tokio::test]
async fn a_failed_renewal_is_reported_once() {
    let stub = Stub::new(renewing);
    let client = Client::builder(stub.url())
        .session(SessionTokens::new("access-0", "refresh-0"))
        .build()
        .expect("a client");
    assert_eq!(code(client.profile().me().await), "invalid_credentials");
    assert_eq!(refreshes(&stub), 1);
}

/// A store in which another process has stored newer tokens.
struct Shared(Arc<AtomicUsize>);

impl SessionStore for Shared {
    fn lock(&self) -> io::Result<Box<dyn SessionLock>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }
}

impl SessionLock for Shared {
    fn tokens(&mut self) -> Option<SessionTokens> {
        Some(SessionTokens::new("access-2", "refresh-2"))
    }
    fn store(&mut self, _: &SessionTokens) -> io::Result<()> {
        Err(io::Error::other("nothing must be stored"))
    }
}

#[tokio::test]
async fn tokens_renewed_by_another_process_are_used() {
    let stub = Stub::new(renewing);
    let turns = Arc::new(AtomicUsize::new(0));
    let client = Client::builder(stub.url())
        .session(SessionTokens::new("access-1", "refresh-1"))
        .session_store(Shared(Arc::clone(&turns)))
        .build()
        .expect("a client");
    client.seasons().list(&SeasonListQuery::default()).await.expect("a page");
    assert_eq!((refreshes(&stub), turns.load(Ordering::Relaxed)), (0, 1));
}
