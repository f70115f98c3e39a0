//! SQLite databases for tests: one is migrated per process, and its file is copied for each test.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use fieldhouse_store::{Options, Store, migrations};
use rusqlite::types::ValueRef;
use tempfile::TempDir;

use crate::databases::{Dump, TextRow};

/// The files of the migrated database, by name.
static TEMPLATE: OnceLock<Vec<(OsString, Vec<u8>)>> = OnceLock::new();

pub(crate) fn blank() -> TempDir {
    tempfile::Builder::new().prefix("fieldhouse-test-").tempdir().expect("a temporary folder")
}

pub(crate) fn copy() -> TempDir {
    let folder = blank();
    for (name, bytes) in TEMPLATE.get_or_init(migrate) {
        fs::write(folder.path().join(name), bytes).expect("the copy of the database is written");
    }
    folder
}

/// A copy of the files of a database.
pub(crate) fn copy_of(folder: &Path) -> TempDir {
    let copy = blank();
    for name in Store::FILES.iter().filter(|name| folder.join(name).exists()) {
        fs::copy(folder.join(name), copy.path().join(name)).expect("the database is copied");
    }
    copy
}

pub(crate) fn connect(folder: &Path) -> rusqlite::Connection {
    let database = rusqlite::Connection::open(folder.join(Store::FILES[0])).expect("the database opens");
    database.busy_timeout(std::time::Duration::from_secs(30)).expect("the database waits");
    database
}

pub(crate) fn execute(folder: &Path, sql: &str) {
    let database = rusqlite::Connection::open(folder.join(Store::FILES[0])).expect("the database opens");
    database.execute_batch(sql).expect("the statements are carried out");
}

/// The tables that have a cell with a string in lower case.
pub(crate) fn tables_with(folder: &Path, text: &str) -> Vec<String> {
    let database = rusqlite::Connection::open(folder.join(Store::FILES[0])).expect("the database opens");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
    let mut names = database.prepare(names).expect("the tables are listed");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("the tables are listed");
    names.map(|name| name.expect("a name")).filter(|name| table_has(&database, name, text)).collect()
}

pub(crate) fn dump(folder: &Path) -> Dump {
    let database = rusqlite::Connection::open(folder.join(Store::FILES[0])).expect("the database opens");
    let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let mut names = database.prepare(names).expect("the tables are listed");
    let names = names.query_map([], |row| row.get::<_, String>(0)).expect("the tables are listed");
    let all = |name: String| {
        let rows = rows(&database, &format!("SELECT * FROM \"{name}\""));
        (name, rows)
    };
    names.map(|name| name.expect("a name")).map(all).collect()
}

pub(crate) fn rows(database: &rusqlite::Connection, query: &str) -> Vec<TextRow> {
    let mut all = database.prepare_cached(query).expect("the query is possible");
    let columns: Vec<String> = all.column_names().map(str::to_owned).collect();
    let mut rows = all.query([]).expect("the table is read");
    let mut read = Vec::new();
    while let Some(row) = rows.next().expect("the table is read") {
        let cell = |at: usize| match row.get_ref(at).expect("a cell") {
            ValueRef::Null => String::new(),
            ValueRef::Integer(number) => number.to_string(),
            ValueRef::Real(number) => number.to_string(),
            ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
            ValueRef::Blob(bytes) => {
                bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
            }
        };
        read.push(columns.iter().enumerate().map(|(at, name)| (name.clone(), cell(at))).collect());
    }
    read
}

fn table_has(database: &rusqlite::Connection, table: &str, text: &str) -> bool {
    let mut all = database.prepare(&format!("SELECT * FROM \"{table}\"")).expect("the table is read");
    let columns = all.column_count();
    let mut rows = all.query([]).expect("the table is read");
    while let Some(row) = rows.next().expect("the table is read") {
        for column in 0..columns {
            let bytes = match row.get_ref(column).expect("a cell") {
                ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes.to_ascii_lowercase(),
                _ => continue,
            };
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                return true;
            }
        }
    }
    false
}

fn migrate() -> Vec<(OsString, Vec<u8>)> {
    let folder = blank();
    let options = Options::Sqlite { folder: folder.path().to_owned() };
    let migrated = crate::postgres::finish(async move {
        let store = Store::open(&options).await.expect("a new database opens");
        migrations::run(&store).await.expect("a new database is migrated");
    });
    migrated.expect("a new database is migrated; the error is above");
    let files = fs::read_dir(folder.path()).expect("the temporary folder is read");
    files
        .map(|file| {
            let file = file.expect("the temporary folder is read");
            (file.file_name(), fs::read(file.path()).expect("the new database is read"))
        })
        .collect()
}

/// The files of a database that contain a string.
pub(crate) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let contains = |name: &&str| {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_default().to_ascii_lowercase();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    };
    Store::FILES.iter().copied().filter(contains).map(str::to_owned).collect()
}
