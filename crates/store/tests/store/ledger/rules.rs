//! The four rules of the journal (PostgreSQL), each compared with a variant that breaks it: one row per transaction, as its last
//! statement, numbered one by one, in a SERIALIZABLE transaction.
//!
//! The transactions are plain SQL, so that a rule can be broken. Two sessions take turns in a fixed order, and [`fault`] checks the rows
//! in the order of posting. `order.rs` tests that the store follows the rules.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_testing::databases::{self, Database};
use serde::{Deserialize, Serialize};
use tokio_postgres::{Client, Error};

use crate::raw;

/// A change of a record from one version to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Step {
    pub(super) transaction: String,
    pub(super) record: String,
    pub(super) before: i64,
    pub(super) after: i64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The changes of a transaction are separated by another one.
    Split,
    /// A change comes before one that it saw.
    BeforeItsCause,
    /// A change did not see the one before it.
    Lost,
}

/// Returns the first fault in this order of changes.
pub(super) fn fault(rows: &[Vec<Step>]) -> Option<Fault> {
    let mut ended = BTreeSet::new();
    let mut versions: BTreeMap<&str, i64> = BTreeMap::new();
    for row in rows {
        for step in row {
            let version = versions.insert(&step.record, step.after).unwrap_or_default();
            match step.before.cmp(&version) {
                std::cmp::Ordering::Less => return Some(Fault::Lost),
                std::cmp::Ordering::Greater => return Some(Fault::BeforeItsCause),
                std::cmp::Ordering::Equal => {}
            }
        }
        if row.first().is_some_and(|step| !ended.insert(&step.transaction)) {
            return Some(Fault::Split);
        }
    }
    None
}

/// Where a transaction writes its row.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    First,
    AfterEachChange,
    Last,
}

#[derive(Clone, Copy)]
struct Rules {
    cache: u32,
    isolation: &'static str,
    place: Place,
}

const RULES: Rules = Rules { cache: 1, isolation: "SERIALIZABLE", place: Place::Last };

const SCHEMA: &str = "CREATE TABLE records (name TEXT PRIMARY KEY, version BIGINT NOT NULL);
    INSERT INTO records VALUES ('x', 0), ('y', 0);";

/// A database in which two sessions write with some rules.
struct Sessions {
    rules: Rules,
    _database: Database,
    a: Client,
    b: Client,
}

impl Sessions {
    async fn open(rules: Rules) -> Self {
        let database = databases::postgres();
        let (a, b) = (raw::postgres(&database).await, raw::postgres(&database).await);
        let cache = rules.cache;
        let journal = format!(
            "CREATE TABLE waiting (n BIGINT GENERATED ALWAYS AS IDENTITY (CACHE {cache}) PRIMARY KEY, entry TEXT)"
        );
        a.batch_execute(&format!("{SCHEMA} {journal}")).await.unwrap();
        for client in [&a, &b] {
            // With an index scan, a transaction collides only with those that use the same records.
            client.batch_execute("SET enable_seqscan = off").await.unwrap();
        }
        Self { rules, _database: database, a, b }
    }

    async fn begin<'a>(&self, client: &'a Client, name: &str) -> Transaction<'a> {
        let Rules { isolation, place, .. } = self.rules;
        client.batch_execute(&format!("BEGIN ISOLATION LEVEL {isolation}")).await.unwrap();
        let mut transaction =
            Transaction { client, name: name.to_owned(), place, row: None, steps: Vec::new() };
        if place == Place::First {
            let row = client.query_one("INSERT INTO waiting (entry) VALUES ('[]') RETURNING n", &[]).await;
            transaction.row = Some(row.unwrap().get(0));
        }
        transaction
    }

    /// Runs a transaction that changes one record.
    async fn change(&self, client: &Client, name: &str, record: &str) {
        let mut transaction = self.begin(client, name).await;
        let version = transaction.read(record).await;
        transaction.change(record, version).await.unwrap();
        transaction.commit().await.unwrap();
    }

    /// Returns the first fault in the order of the row numbers.
    async fn fault(&self) -> Option<Fault> {
        let rows = self.a.query("SELECT entry FROM waiting ORDER BY n", &[]).await.unwrap();
        let rows: Vec<Vec<Step>> = rows.iter().map(|row| serde_json::from_str(row.get(0)).unwrap()).collect();
        assert!(rows.len() >= 2, "both transactions wrote");
        fault(&rows)
    }
}

struct Transaction<'a> {
    client: &'a Client,
    name: String,
    place: Place,
    row: Option<i64>,
    steps: Vec<Step>,
}

impl Transaction<'_> {
    async fn read(&self, record: &str) -> i64 {
        let read = "SELECT version FROM records WHERE name = $1";
        self.client.query_one(read, &[&record]).await.unwrap().get(0)
    }

    /// Changes a record from the version that was read.
    async fn change(&mut self, record: &str, before: i64) -> Result<(), Error> {
        let after = before + 1;
        let change = "UPDATE records SET version = $2 WHERE name = $1";
        self.client.execute(change, &[&record, &after]).await?;
        let (transaction, record) = (self.name.clone(), record.to_owned());
        self.steps.push(Step { transaction, record, before, after });
        if self.place == Place::AfterEachChange {
            self.write().await?;
        }
        Ok(())
    }

    async fn write(&mut self) -> Result<(), Error> {
        let entry = serde_json::to_string(&std::mem::take(&mut self.steps)).unwrap();
        match self.row {
            Some(row) => {
                self.client.execute("UPDATE waiting SET entry = $1 WHERE n = $2", &[&entry, &row]).await
            }
            None => self.client.execute("INSERT INTO waiting (entry) VALUES ($1)", &[&entry]).await,
        }
        .map(drop)
    }

    async fn commit(mut self) -> Result<(), Error> {
        if !self.steps.is_empty() {
            self.write().await?;
        }
        self.client.batch_execute("COMMIT").await
    }
}

/// B gets a row number before A does, and later changes the record that A changed.
async fn interleaved(rules: Rules) -> Option<Fault> {
    let sessions = Sessions::open(rules).await;
    sessions.change(&sessions.b, "B early", "y").await;
    sessions.change(&sessions.a, "A", "x").await;
    sessions.change(&sessions.b, "B late", "x").await;
    sessions.fault().await
}

/// A runs between two changes of B, whose second one is of `record`. B is run again if the database requires it.
async fn nested(rules: Rules, record: &str) -> Option<Fault> {
    let sessions = Sessions::open(rules).await;
    let mut b = sessions.begin(&sessions.b, "B").await;
    b.change("y", 0).await.unwrap();
    sessions.change(&sessions.a, "A", "x").await;
    let version = b.read(record).await;
    if b.change(record, version).await.is_ok() {
        b.commit().await.unwrap();
    } else {
        again(&sessions, &["y", record]).await;
    }
    sessions.fault().await
}

/// B reads a record, A changes it, and B changes it from the version that it read.
async fn change_after_a_stale_read(rules: Rules) -> Option<Fault> {
    let sessions = Sessions::open(rules).await;
    let mut b = sessions.begin(&sessions.b, "B").await;
    let read = b.read("x").await;
    sessions.change(&sessions.a, "A", "x").await;
    if b.change("x", read).await.is_ok() {
        b.commit().await.unwrap();
    } else {
        again(&sessions, &["x"]).await;
    }
    sessions.fault().await
}

async fn again(sessions: &Sessions, records: &[&str]) {
    sessions.b.batch_execute("ROLLBACK").await.unwrap();
    let mut b = sessions.begin(&sessions.b, "B").await;
    for record in records {
        let version = b.read(record).await;
        b.change(record, version).await.unwrap();
    }
    b.commit().await.unwrap();
}

#[tokio::test]
async fn cached_numbers_put_a_change_before_one_that_it_saw() {
    assert_eq!(interleaved(RULES).await, None);
    let broken = Rules { cache: 50, ..RULES };
    assert_eq!(interleaved(broken).await, Some(Fault::BeforeItsCause));
}

#[tokio::test]
async fn a_row_that_is_not_written_last_comes_before_a_change_that_its_transaction_saw() {
    let read_committed = Rules { isolation: "READ COMMITTED", ..RULES };
    let broken = Rules { place: Place::First, ..read_committed };
    assert_eq!(nested(broken, "x").await, Some(Fault::BeforeItsCause));
    // Either rule suffices here: SERIALIZABLE runs the transaction again, and a last statement is numbered after all it saw.
    assert_eq!(nested(read_committed, "x").await, None);
    assert_eq!(nested(Rules { place: Place::First, ..RULES }, "x").await, None);
    assert_eq!(nested(RULES, "x").await, None);
}

#[tokio::test]
async fn several_rows_of_a_transaction_can_be_separated_by_another() {
    assert_eq!(nested(RULES, "y").await, None);
    let broken = Rules { place: Place::AfterEachChange, ..RULES };
    assert_eq!(nested(broken, "y").await, Some(Fault::Split));
}

#[tokio::test]
async fn below_serializable_a_change_may_not_see_the_one_before_it() {
    assert_eq!(change_after_a_stale_read(RULES).await, None);
    let broken = Rules { isolation: "READ COMMITTED", ..RULES };
    assert_eq!(change_after_a_stale_read(broken).await, Some(Fault::Lost));
}
