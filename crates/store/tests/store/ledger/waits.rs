//! Waiting for posting (PostgreSQL): writers with many waiting entries, readers of history, and posters.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::ids::Id;
use fieldhouse_store::ledger::{self, Filter};
use fieldhouse_store::{Change, Error, Store};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::{season, venue};
use tokio::task::JoinSet;

use crate::raw;

async fn waiting(database: &Database) -> i64 {
    let client = raw::postgres(database).await;
    client.query_one("SELECT COUNT(*) FROM journal", &[]).await.unwrap().get(0)
}

#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn create_venues(store: Arc<Store>, club: Club, numbers: Range<u32>) {
    for number in numbers {
        let (operator, organization, moment) = (store.operator(), club.id(), clubs::moment());
        let made = venue(&format!("Hall {number}"));
        let created = store.write("testing.create", async move |tx| {
            let moment = moment.again();
            let proof = clubs::permitted(tx, &operator, organization).await?;
            let change = Change { moment: &moment, operation: "test", request_id: "test", reason: None };
            let effect = Effect::create(made.clone());
            tx.apply(&proof, change, &[effect]).await?;
            Ok::<_, Error>(())
        });
        created.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_writer_that_finds_more_than_1000_entries_waiting_posts_them() {
    let database = databases::postgres();
    let store = Arc::new(database.open().await);
    let club = Club::found(&store, "Crowded").await;
    // The entry that created the club is waiting too.
    let mut writers = JoinSet::new();
    for numbers in [1..251, 251..501, 501..751, 751..1000] {
        writers.spawn(create_venues(store.clone(), club.clone(), numbers));
    }
    writers.join_all().await;
    assert_eq!(waiting(&database).await, 1000, "no caller posts a queue of this length");
    create_venues(store.clone(), club.clone(), 1000..1001).await;
    assert_eq!(waiting(&database).await, 0);
    let scope = club.owner().scope(&store).await;
    assert_eq!(ledger::head(&mut &*store, &scope).await.unwrap().seq, 1001);
}

#[tokio::test]
async fn a_reader_of_history_reads_the_posted_entries_if_posting_takes_too_long() {
    let database = databases::postgres();
    let store = database.open().await;
    let club = Club::found(&store, "Patient").await;
    let scope = club.owner().scope(&store).await;
    store.post_everything().await.unwrap();
    club.create(&store, vec![AnyRecord::from(season("Waiting"))]).await;
    let other = raw::postgres(&database).await;
    other.batch_execute("BEGIN; SELECT seq FROM ledger_heads FOR NO KEY UPDATE").await.unwrap();
    let started = Instant::now();
    let is_complete = ledger::latest(&store, &scope).await.unwrap();
    let took = started.elapsed();
    assert!(!is_complete, "the waiting entry is not posted");
    assert_eq!(ledger::head(&mut &store, &scope).await.unwrap().seq, 1);
    assert!(took >= Duration::from_millis(500) && took < Duration::from_secs(4), "{took:?}");
    let entries = ledger::entries(&mut &store, &scope, &Filter::default(), None, 10).await.unwrap();
    assert_eq!(entries.len(), 1);
    other.batch_execute("COMMIT").await.unwrap();
    assert!(ledger::latest(&store, &scope).await.unwrap());
    assert_eq!(ledger::head(&mut &store, &scope).await.unwrap().seq, 2);
}

#[tokio::test]
async fn nothing_is_posted_while_changes_are_read() {
    let database = databases::postgres();
    let (store, other) = (database.open().await, database.open().await);
    let club = Club::found(&store, "Followed").await;
    let scope = club.owner().scope(&store).await;
    let mut following = ledger::following(&store, &scope).await.unwrap();
    club.create(&store, vec![AnyRecord::from(season("Meanwhile"))]).await;
    let post = other.post(club.id());
    tokio::pin!(post);
    assert!(tokio::time::timeout(Duration::from_millis(200), &mut post).await.is_err(), "it waits");
    assert_eq!(ledger::head(&mut following, &scope).await.unwrap().seq, 1);
    following.finish().await.unwrap();
    assert_eq!(post.await.unwrap(), 1);
}

/// The text of all rows of the ledger and the journal.
async fn contents(database: &Database) -> String {
    let client = raw::postgres(database).await;
    let mut all = String::new();
    for table in ["journal", "ledger_entries", "ledger_effects", "ledger_heads"] {
        let rows = client.query(&format!("SELECT t::text FROM {table} t"), &[]).await.unwrap();
        all.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    all
}

#[tokio::test]
async fn no_row_contains_an_image_that_waited_while_its_record_was_erased() {
    let database = databases::postgres();
    let store = database.open().await;
    let club = Club::found(&store, "Erasing").await;
    let secret = season("Secret");
    club.create(&store, vec![AnyRecord::from(secret.clone())]).await;
    assert!(contents(&database).await.contains("Secret"));
    let record = (Kind::Season, secret.id.uuid());
    let moment = clubs::moment();
    let erased = clubs::write(&store, club.id(), async move |tx, proof| {
        let moment = moment.again();
        let change = Change { moment: &moment, operation: "test", request_id: "test", reason: None };
        tx.apply(proof, change, &[Effect::delete(secret.clone())]).await?;
        tx.erase(proof, change, record, None);
        Ok(())
    });
    erased.await.unwrap();
    assert_eq!(waiting(&database).await, 3);
    store.post_everything().await.unwrap();
    let left = contents(&database).await;
    assert!(!left.contains("Secret"), "{left}");
}
