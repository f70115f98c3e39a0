//! A test's database without the store, as another program sees it.

use fieldhouse_testing::databases::Database;
use rusqlite::Connection;
use tokio_postgres::{Client, NoTls};

/// A connection to a database on SQLite.
pub(crate) fn sqlite(database: &Database) -> Connection {
    Connection::open(database.folder().expect("a database on SQLite").join("fieldhouse.db")).unwrap()
}

/// A session with a database on PostgreSQL.
pub(crate) async fn postgres(database: &Database) -> Client {
    let url = database.url().expect("a database on PostgreSQL");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// Runs statements on a database of either engine.
pub(crate) async fn execute(database: &Database, sql: &str) {
    match database.folder() {
        Some(_) => sqlite(database).execute_batch(sql).unwrap(),
        None => postgres(database).await.batch_execute(sql).await.unwrap(),
    }
}
