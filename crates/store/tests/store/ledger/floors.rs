//! The floor of the journal (PostgreSQL): below it, no entry waits and none can still be committed.

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_store::Store;
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::venue;
use tokio_postgres::Client;

use crate::raw;

/// A store whose posters raise the floor whenever they can, instead of once a second.
struct Fixture {
    database: Database,
    client: Client,
    store: Store,
    club: Club,
}

impl Fixture {
    async fn found() -> Self {
        let database = databases::postgres();
        let store = database.open().await;
        let club = Club::found(&store, "Floors").await;
        let client = raw::postgres(&database).await;
        Self { database, client, store, club }
    }

    /// Creates a venue and posts. Returns the number of posted entries.
    async fn write(&self, name: &str) -> usize {
        let created = Effect::create(AnyRecord::from(venue(name)));
        clubs::apply(&self.store, self.club.id(), vec![created]).await.unwrap();
        let posted = self.store.post(self.club.id()).await.unwrap();
        self.client.execute("UPDATE journal_floors SET marked_at = '2000-01-01'", &[]).await.unwrap();
        posted
    }

    async fn number(&self, sql: &str) -> i64 {
        self.client.query_one(sql, &[]).await.unwrap().get(0)
    }

    async fn floor(&self) -> i64 {
        self.number("SELECT floor FROM journal_floors").await
    }

    /// Writes until the floor is above a number. Transactions of other tests on the same server can delay that.
    async fn raise_above(&self, number: i64, name: &str) {
        for attempt in 0..500 {
            if self.floor().await > number {
                return;
            }
            self.write(&format!("{name} {attempt}")).await;
        }
        panic!("the floor stays at {} and below {number}", self.floor().await);
    }
}

#[tokio::test]
async fn the_floor_rises_with_the_posted_entries() {
    let fixture = Fixture::found().await;
    for name in ["One", "Two"] {
        fixture.write(name).await;
        let last = fixture.number("SELECT last_value FROM journal_n_seq").await;
        fixture.raise_above(last - 1, name).await;
    }
}

#[tokio::test]
async fn the_floor_stays_below_a_row_that_is_not_committed_yet() {
    let fixture = Fixture::found().await;
    fixture.write("Before").await;
    let late = raw::postgres(&fixture.database).await;
    late.batch_execute("BEGIN").await.unwrap();
    let insert =
        "INSERT INTO journal (org_id, at, entry) SELECT org_id, 0, 'late' FROM ledger_heads RETURNING n";
    let number: i64 = late.query_one(insert, &[]).await.unwrap().get(0);
    for name in ["One", "Two", "Three", "Four"] {
        assert_eq!(fixture.write(name).await, 1, "the later entry does not wait for the open transaction");
    }
    assert!(fixture.floor().await < number);
    late.batch_execute("COMMIT").await.unwrap();
    assert_eq!(fixture.store.post(fixture.club.id()).await.unwrap(), 1, "the late entry is posted");
    fixture.raise_above(number, "After").await;
}

#[tokio::test]
async fn a_floor_above_a_waiting_entry_would_be_noticed() {
    let fixture = Fixture::found().await;
    fixture.write("Before").await;
    fixture.client.execute("UPDATE journal_floors SET floor = 1000000", &[]).await.unwrap();
    let generation = fixture.store.generation(fixture.club.id()).await.unwrap();
    let lost = Effect::create(AnyRecord::from(venue("Lost")));
    clubs::apply(&fixture.store, fixture.club.id(), vec![lost]).await.unwrap();
    let after = fixture.store.generation(fixture.club.id()).await.unwrap();
    assert_eq!(after, generation, "every query of the journal starts at the floor");
    assert_eq!(fixture.store.post(fixture.club.id()).await.unwrap(), 0);
    assert_eq!(fixture.number("SELECT COUNT(*) FROM journal").await, 1);
}
