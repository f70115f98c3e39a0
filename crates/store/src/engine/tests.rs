//! Tests of transactions on both engines that need shorter time limits or queries of their own.

mod deadlines;
mod facts;
mod reads;
mod savepoints;
mod single_rows;
mod streams;

use std::time::Instant;

use fieldhouse_testing::databases::{self, Database};

use super::*;
use crate::deadline::TRANSACTION_TIME;
use crate::query::queries;
use crate::value::values;

queries! {
    PUT "tests.engine.put" "INSERT INTO login_failures (subject, source, failures, last_failed_at) VALUES ($1, $1, $2, 0)";
    PUT_BACK "tests.engine.put_back" "INSERT INTO login_failures (subject, source, failures, last_failed_at) VALUES ($1, $1, $2, 0) RETURNING failures";
    COUNT_UP "tests.engine.count_up" "WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < $1)
        SELECT i FROM n";
    DRAW "tests.engine.draw" @read_once "SELECT CAST(random() AS TEXT) WHERE NOT EXISTS (SELECT 1 FROM login_failures WHERE failures < 0)";
    CHANGE "tests.engine.change" "UPDATE login_failures SET failures = $2 WHERE subject = $1";
    NUMBERS "tests.engine.numbers" "SELECT failures FROM login_failures ORDER BY failures";
}

/// A store on each engine, with its database.
async fn both() -> [(Store, Database); 2] {
    let [sqlite, postgres] = databases::both();
    [(open(&sqlite).await, sqlite), (open(&postgres).await, postgres)]
}

async fn open(database: &Database) -> Store {
    let options = match database.folder() {
        Some(folder) => Options::Sqlite { folder: folder.to_owned() },
        None => Options::Postgres {
            url: database.url().expect("an address"),
            root_certificates: None,
            connections: 4,
        },
    };
    Store::open(&options).await.expect("a store")
}

async fn put(tx: &mut Tx<'_>, number: i64) -> Result<()> {
    tx.run(PUT, values![&number.to_be_bytes()[..], number]).await.map(drop)
}

async fn numbers(reader: &mut impl Reader) -> Result<Vec<i64>> {
    reader.rows(NUMBERS, values![], |row| row.next()).await
}
