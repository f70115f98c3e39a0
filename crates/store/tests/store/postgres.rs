//! The PostgreSQL driver: encrypted connections, no open transaction in the pool, retries after conflicts.

use std::future::poll_fn;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;
use std::time::{Duration, Instant};

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_store::idempotency::{self, Slot, StoredResponse};
use fieldhouse_store::{Change, Error, Options, Store, Tx, seasons};
use fieldhouse_testing::clubs;
use fieldhouse_testing::databases;
use fieldhouse_testing::leagues::{division, parsed, season};
use tokio::sync::{Barrier, Notify};

use crate::raw;
use crate::writes::{Played, one_more, with_one_connection};

async fn connect(url: String, root_certificates: Option<PathBuf>) -> Result<Store, Error> {
    Store::open(&Options::Postgres { url, root_certificates, connections: 1 }).await
}

fn reason(refused: Result<Store, Error>) -> String {
    match refused {
        Err(Error::Unavailable(reason)) => reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was connected"),
    }
}

#[tokio::test]
async fn connections_are_encrypted_to_servers_with_a_trusted_certificate() {
    let database = databases::postgres();
    let (url, authority) = database.url_by_tls().expect("an address");
    let _store = connect(url.clone(), Some(authority)).await.unwrap();
    let encrypted = "SELECT COUNT(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
        WHERE ssl AND datname = current_database() AND application_name = 'fieldhouse'";
    let row = raw::postgres(&database).await.query_one(encrypted, &[]).await.unwrap();
    assert_eq!(row.get::<_, i64>(0), 1);

    let another = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/store/another-authority.pem");
    let refused = reason(connect(url.clone(), Some(another)).await);
    assert!(refused.contains("UnknownIssuer"), "another authority: {refused}");
    let refused = reason(connect(url.clone(), None).await);
    assert!(refused.contains("UnknownIssuer"), "the well-known authorities: {refused}");
    let refused = reason(connect(url.clone(), Some("/nowhere/ca.pem".into())).await);
    assert!(refused.contains("/nowhere/ca.pem"), "{refused}");
    let empty = tempfile::NamedTempFile::new().unwrap();
    let refused = reason(connect(url, Some(empty.path().to_owned())).await);
    assert!(refused.contains("the file contains none"), "{refused}");
}

#[tokio::test]
async fn a_server_that_does_not_respond_is_unavailable_with_the_reason() {
    let refused = reason(connect("postgres://postgres@127.0.0.1:1/x".to_owned(), None).await);
    assert!(refused.contains("refused"), "{refused}");
    let refused = reason(connect("mysql://".to_owned(), None).await);
    assert!(refused.contains("address"), "{refused}");
}

/// Polls a future some times, then drops it.
async fn poll_times<F: Future>(future: F, times: u32) -> Option<F::Output> {
    let mut future = pin!(future);
    let mut polls = 0;
    poll_fn(move |context| {
        polls += 1;
        match future.as_mut().poll(context) {
            Poll::Ready(output) => Poll::Ready(Some(output)),
            Poll::Pending if polls == times => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

#[tokio::test]
async fn a_write_can_be_dropped_at_any_await_and_the_pool_stays_clean() {
    let database = databases::postgres();
    let played = with_one_connection(&database).await;
    let list = async || {
        let filter = seasons::Filter::default();
        seasons::list(&mut &*played.store, &*played.scope, &filter, None, 100).await.unwrap().records
    };
    let (mut dropped, mut finished) = (0, 0);
    for times in 1.. {
        let made = season(&format!("Dropped after {times}"));
        let effects = vec![
            Effect::create(AnyRecord::from(made.clone())),
            Effect::create(AnyRecord::from(division(&made, "U12"))),
        ];
        match poll_times(clubs::apply(&played.store, played.club.id(), effects), times).await {
            Some(applied) => {
                applied.unwrap();
                finished += 1;
            }
            None => dropped += 1,
        }
        for season in parsed(&list().await).iter().filter(|season| season.id == made.id) {
            assert_eq!(season.divisions.len(), 1, "all of it or nothing, after {times} polls");
        }
        if finished == 3 {
            break;
        }
    }
    assert!(dropped > 6, "a write awaits more often than {dropped} times");
    let half = "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'";
    let client = raw::postgres(&database).await;
    let begun = Instant::now();
    // A dropped session ends when the server notices.
    while client.query_one(half, &[]).await.unwrap().get::<_, i64>(0) > 0 {
        assert!(begun.elapsed() < Duration::from_secs(5), "transactions were left open");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn kill_all_sessions(database: &databases::Database) {
    let kill = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    raw::postgres(database).await.query(kill, &[]).await.unwrap();
}

#[tokio::test]
async fn a_killed_session_is_unavailable_and_the_pool_recovers() {
    let database = databases::postgres();
    let played = with_one_connection(&database).await;
    let (reached, go_on) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (reach, wait) = (reached.clone(), go_on.clone());
    let write = clubs::write(&played.store, played.club.id(), async move |tx, proof| {
        let moment = clubs::moment();
        let change =
            Change { moment: &moment, operation: "seasons.create", request_id: "test", reason: None };
        tx.apply(proof, change, &[Effect::create(AnyRecord::from(season("First")))]).await?;
        reach.notify_one();
        wait.notified().await;
        tx.apply(proof, change, &[Effect::create(AnyRecord::from(season("Second")))]).await
    });
    let kill = async {
        reached.notified().await;
        kill_all_sessions(&database).await;
        go_on.notify_one();
    };
    let (written, ()) = tokio::join!(write, kill);
    assert!(matches!(written, Err(Error::Unavailable(_))), "{written:?}");
    clubs::apply(&played.store, played.club.id(), vec![one_more(played.read().await)]).await.unwrap();

    kill_all_sessions(&database).await;
    // The pool notices a moment later.
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(played.read().await.version, 2, "an idle session that was killed is replaced");
}

#[tokio::test]
async fn a_transaction_with_a_conflict_is_run_again_on_current_data() {
    let database = databases::postgres();
    let played = Played::found(database.open().await).await;
    let (first_read, changed) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let attempts = Arc::new(AtomicU32::new(0));
    let body = (played.scope.clone(), played.season, first_read.clone(), changed.clone(), attempts.clone());
    let slow = clubs::write(&played.store, played.club.id(), async move |tx, proof| {
        let (scope, season, first_read, changed, attempts) = &body;
        let read = seasons::read(tx, &**scope, *season).await?.expect("the season").season;
        if attempts.fetch_add(1, Ordering::Relaxed) == 0 {
            first_read.notify_one();
            changed.notified().await;
        }
        let moment = clubs::moment();
        let change =
            Change { moment: &moment, operation: "seasons.update", request_id: "test", reason: None };
        // The transaction is run again even if the body maps its error.
        let applied = tx.apply(proof, change, &[one_more(read)]).await;
        applied.map_err(|_| Error::Overloaded("the body's own words"))
    });
    let fast = async {
        first_read.notified().await;
        let raised = clubs::apply(&played.store, played.club.id(), vec![one_more(played.read().await)]).await;
        changed.notify_one();
        raised
    };
    let (slow, fast) = tokio::join!(slow, fast);
    assert!(slow.is_ok() && fast.is_ok(), "{slow:?} {fast:?}");
    let stored = played.read().await;
    assert_eq!((attempts.load(Ordering::Relaxed), stored.version, stored.scoring.win), (2, 3, 5));
}

/// Each finds that its key is unused before any of them stores a response, which would be on one page of the index.
#[tokio::test]
async fn transactions_with_keys_of_their_own_do_not_collide() {
    let database = databases::postgres();
    let url = database.url().expect("an address");
    let options = Options::Postgres { url, root_certificates: None, connections: 8 };
    let store = Store::open(&options).await.expect("a store");
    let (runs, all_have_looked) = (Arc::new(AtomicU32::new(0)), Arc::new(Barrier::new(4)));
    let one = async |number: u8| {
        let key = format!("key {number}");
        let slot = Slot { organization: None, caller: [number; 32], operation: "seasons.create", key };
        let stored = StoredResponse {
            request_digest: [0; 32],
            status: 201,
            headers: "[]".to_owned(),
            body: None,
            created_id: None,
            created_at: clubs::NOW,
        };
        let (own, kept) = (slot.clone(), stored.clone());
        let (runs, all_have_looked) = (runs.clone(), all_have_looked.clone());
        let written = store.write("testing.keys", async move |tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            assert_eq!(idempotency::find(tx, &own, clubs::NOW).await?, None);
            // One that runs again does not wait for the others.
            let _ = tokio::time::timeout(Duration::from_secs(1), all_have_looked.wait()).await;
            idempotency::insert(tx, &own, &kept).await
        });
        written.await.expect("a response is stored");
        let again = async move |tx: &mut Tx<'_>| idempotency::find(tx, &slot, clubs::NOW).await;
        let again = store.write("testing.again", again).await.expect("a transaction");
        assert_eq!(again, Some(stored));
    };
    tokio::join!(one(1), one(2), one(3), one(4));
    assert_eq!(runs.load(Ordering::Relaxed), 4, "each runs once");
}
