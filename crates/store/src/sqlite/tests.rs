//! Tests of the SQLite driver that need its internals: binding, group commit, deadlines, the queue, readers of many stores.

mod commits;
mod limits;
mod posted;
mod readers;

use std::sync::mpsc;

use tempfile::TempDir;

use super::*;
use crate::engine::Reader as _;
use crate::query::queries;
use crate::value::values;

queries! {
    NOTE "tests.sqlite.note" "INSERT INTO notes (id, text) VALUES ($1, $2)";
    NOTES "tests.sqlite.notes" "SELECT id FROM notes ORDER BY id";
    SWAPPED "tests.sqlite.swapped" "UPDATE notes SET text = $2 WHERE id = $1";
    TEXT "tests.sqlite.text" "SELECT text FROM notes WHERE id = $1";
    MAPPED "tests.sqlite.mapped" "PRAGMA mmap_size";
    GAP "tests.sqlite.gap" "SELECT $1, $3";
    UNNUMBERED "tests.sqlite.unnumbered" "SELECT ?";
    TWICE "tests.sqlite.twice" "SELECT $1 + $1 + $2";
    ENDLESS "tests.sqlite.endless" "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT MAX(i) FROM n";
    ENDLESS_WRITE "tests.sqlite.endless_write" "WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n)
        INSERT INTO notes (id, text) SELECT i, 'x' FROM n WHERE i % 1000 = 0";
}

/// A store with one table of its own.
struct Notes {
    store: Sqlite,
    folder: Arc<TempDir>,
}

impl Notes {
    async fn open() -> Self {
        Self::of(Sqlite::open).await
    }

    async fn of(open: impl FnOnce(&Path) -> Result<Sqlite>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path()).expect("a store");
        let table = "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT";
        store.with_writer("tests.table", |writer| Ok(writer.execute_batch(table)?)).await.expect("a table");
        Self { store, folder: Arc::new(folder) }
    }

    async fn write(&self, id: i64, text: &str) -> Result<()> {
        let text = text.to_owned();
        self.store.write("tests.note", async move |tx| tx.run(NOTE, values![id, &text]).await.map(drop)).await
    }

    fn ids(&self) -> Vec<i64> {
        self.store.read(NOTES, values![], |row| row.next()).expect("the notes")
    }

    fn text(&self, id: i64) -> String {
        self.store.read(TEXT, values![id], |row| row.next::<String>()).expect("the text").concat()
    }

    /// Keeps the writer busy until the returned sender is used or dropped. Writes in the meantime are committed together.
    fn hold(&self) -> (impl Future<Output = Result<()>> + use<'_>, mpsc::Sender<()>) {
        let (go_on, wait) = mpsc::channel::<()>();
        let held = self.store.with_writer("tests.hold", move |_| {
            let _ = wait.recv();
            Ok(())
        });
        (held, go_on)
    }
}

#[tokio::test]
async fn parameters_are_bound_by_their_number() {
    let notes = Notes::open().await;
    notes.write(1, "one").await.unwrap();
    notes.write(2, "two").await.unwrap();
    let swapped = notes.store.write("tests.swap", async |tx| tx.run(SWAPPED, values![2_i64, "new"]).await);
    assert_eq!(swapped.await.unwrap(), 1);
    assert_eq!((notes.text(1), notes.text(2)), ("one".to_owned(), "new".to_owned()));
    let sum: Vec<i64> = notes.store.read(TWICE, values![20_i64, 2_i64], |row| row.next()).unwrap();
    assert_eq!(sum, [42], "a number may be used twice");
}

#[tokio::test]
async fn values_that_do_not_fit_the_parameters_are_refused() {
    let notes = Notes::open().await;
    let read = |query, values: &[Value<'_>]| match notes.store.read(query, values, |row| row.next::<i64>()) {
        Err(Error::Internal(reason)) => reason,
        other => panic!("{other:?}"),
    };
    assert!(read(TEXT, values![]).contains("0 values for 1 parameters"));
    assert!(read(TEXT, values![1_i64, 2_i64]).contains("2 values for 1 parameters"));
    assert!(read(GAP, values![1_i64, 2_i64]).contains("a parameter number is left out"));
    assert!(read(UNNUMBERED, values![1_i64]).contains("are written $1"));
}

#[tokio::test]
async fn reads_see_committed_writes_and_transactions_their_own() {
    let notes = Notes::open().await;
    let seen = notes.store.write("tests.read_back", async |tx| {
        tx.run(NOTE, values![7_i64, "x"]).await?;
        tx.rows(NOTES, values![], |row| row.next::<i64>()).await
    });
    assert_eq!(seen.await.unwrap(), [7]);
    assert_eq!(notes.ids(), [7]);
}

#[tokio::test]
async fn sqlite_numbers_the_parameters_of_every_query_as_expected() {
    let database = fieldhouse_testing::databases::sqlite();
    let connection = read_only(&database.folder().expect("a folder").join(FILE)).expect("a connection");
    for query in query::of(Engine::Sqlite).filter(|query| !query.name.starts_with("tests.")) {
        let statement = connection.prepare(query.sql).expect(query.name);
        let names = (1..=statement.parameter_count()).map(|at| statement.parameter_name(at).unwrap_or("?"));
        let expected: Vec<String> = query.parameters().iter().map(|number| format!("${number}")).collect();
        assert_eq!(names.collect::<Vec<_>>(), expected, "{}", query.name);
    }
}
