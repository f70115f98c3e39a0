//! Databases for tests: migrated once, copied for each test and dropped after it. Databases left by crashed runs are dropped too.
//!
//! A test calls [`sqlite`], [`postgres`] or [`both`] and keeps the [`Database`] while it uses it. PostgreSQL is always required: `cargo
//! xtask test` starts it, and without it the tests fail.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use fieldhouse_store::{Engine, Options, Sealer, Store};
use tempfile::TempDir;

use crate::postgres::Copy;

/// The rows of each table: the values of the columns as text.
pub type Dump = BTreeMap<String, Vec<TextRow>>;
/// A row: the values of its columns as text.
pub type TextRow = BTreeMap<String, String>;

/// An empty database with the newest schema, for one test. It is removed when this is dropped.
#[derive(Debug)]
pub struct Database {
    options: Options,
    /// On SQLite, the connection for queries past the store.
    connection: Mutex<Option<rusqlite::Connection>>,
    keeper: Keeper,
}

#[derive(Debug)]
enum Keeper {
    Folder(TempDir),
    Server(Copy),
}

impl Database {
    pub(crate) fn in_folder(folder: TempDir) -> Self {
        let options = Options::Sqlite { folder: folder.path().to_owned() };
        Self { options, connection: Mutex::default(), keeper: Keeper::Folder(folder) }
    }

    pub(crate) fn on_server(copy: Copy) -> Self {
        let options =
            Options::Postgres { url: copy.url(), root_certificates: None, connections: CONNECTIONS };
        Self { options, connection: Mutex::default(), keeper: Keeper::Server(copy) }
    }

    /// The options that open it.
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// Opens it.
    ///
    /// # Panics
    /// If it cannot be opened.
    pub async fn open(&self) -> Store {
        open(&self.options).await
    }

    /// Its folder, if it is on SQLite.
    pub fn folder(&self) -> Option<&Path> {
        match &self.keeper {
            Keeper::Folder(folder) => Some(folder.path()),
            Keeper::Server(_) => None,
        }
    }

    /// Its URL, if it is on PostgreSQL.
    pub fn url(&self) -> Option<String> {
        match &self.keeper {
            Keeper::Folder(_) => None,
            Keeper::Server(copy) => Some(copy.url()),
        }
    }

    /// Its URL for TLS and the file of the certificate authority, if it is on PostgreSQL.
    ///
    /// # Panics
    /// If the environment of the tests does not contain that URL.
    pub fn url_by_tls(&self) -> Option<(String, std::path::PathBuf)> {
        match &self.keeper {
            Keeper::Folder(_) => None,
            Keeper::Server(copy) => Some(copy.url_by_tls()),
        }
    }

    /// Runs statements as another program would, past the store.
    ///
    /// # Panics
    /// If the database refuses them.
    pub fn execute(&self, sql: &str) {
        match &self.keeper {
            Keeper::Folder(folder) => crate::sqlite::execute(folder.path(), sql),
            Keeper::Server(copy) => copy.execute(sql),
        }
    }

    /// The names of the tables in which a string of ASCII characters is stored, in upper or lower case, as text or as bytes.
    ///
    /// # Panics
    /// If the database cannot be read.
    pub fn tables_with(&self, text: &str) -> Vec<String> {
        let text = text.to_ascii_lowercase();
        match &self.keeper {
            Keeper::Folder(folder) => crate::sqlite::tables_with(folder.path(), &text),
            Keeper::Server(copy) => copy.tables_with(&text),
        }
    }

    /// Every row of every table: the columns and their values as text, in any order.
    ///
    /// # Panics
    /// If the database cannot be read.
    pub fn dump(&self) -> Dump {
        match &self.keeper {
            Keeper::Folder(folder) => crate::sqlite::dump(folder.path()),
            Keeper::Server(copy) => copy.dump(),
        }
    }

    /// The rows of queries, past the store, with the values of the columns as text. The connection stays open.
    ///
    /// # Panics
    /// If the database refuses one of them.
    pub fn queries(&self, queries: &[String]) -> Vec<Vec<TextRow>> {
        match &self.keeper {
            Keeper::Folder(folder) => {
                let mut connection = self.connection.lock().expect("no query has panicked");
                let connection = connection.get_or_insert_with(|| crate::sqlite::connect(folder.path()));
                queries.iter().map(|query| crate::sqlite::rows(connection, query)).collect()
            }
            Keeper::Server(copy) => copy.queries(queries),
        }
    }

    /// A copy of it, which no one may use meanwhile.
    ///
    /// # Panics
    /// If it cannot be copied.
    pub fn copied(&self) -> Self {
        match &self.keeper {
            Keeper::Folder(folder) => Self::in_folder(crate::sqlite::copy_of(folder.path())),
            Keeper::Server(copy) => Self::on_server(copy.copied()),
        }
    }

    /// The files or tables that contain a string, in upper or lower case, as someone would find it who has the files or every table.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn places_with(&self, text: &str) -> Vec<String> {
        let text = text.to_ascii_lowercase();
        match &self.keeper {
            Keeper::Folder(folder) => crate::sqlite::files_with(folder.path(), &text),
            Keeper::Server(copy) => copy.tables_with(&text),
        }
    }

    /// A new database on SQLite that was restored from a copy of one.
    ///
    /// # Panics
    /// If the copy cannot be read.
    pub fn restored(copy: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::copy(copy, folder.path().join(Store::FILES[0])).expect("the copy is restored");
        Self::in_folder(folder)
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        match &self.keeper {
            Keeper::Folder(_) => Engine::Sqlite,
            Keeper::Server(_) => Engine::Postgres,
        }
    }
}

impl Drop for Database {
    /// Prints the engine when a test fails, because many tests run on both.
    fn drop(&mut self) {
        if std::thread::panicking() {
            #[expect(clippy::print_stderr, reason = "cargo shows it with the output of the test that failed")]
            {
                eprintln!("The test failed on {:?}.", self.engine());
            }
        }
    }
}

/// The secret that wraps the keys of children in tests.
const SECRET: [u8; 32] = [99; 32];
/// The number of connections of a store in a test: enough for collisions, few enough for many tests at once.
const CONNECTIONS: usize = 8;

/// Opens the database of a test, in another process too.
///
/// # Panics
/// If it cannot be opened.
pub async fn open(options: &Options) -> Store {
    let mut store = Store::open(options).await.expect("the test's database opens");
    store.seal_with(Sealer::new([&SECRET]));
    store
}

/// A database on SQLite, in a temporary folder.
///
/// # Panics
/// If it cannot be created.
pub fn sqlite() -> Database {
    Database::in_folder(crate::sqlite::copy())
}

/// A database on the PostgreSQL server of the tests.
///
/// # Panics
/// If there is no server, or the database cannot be created.
pub fn postgres() -> Database {
    Database::on_server(crate::postgres::copy())
}

/// One database on each engine.
///
/// # Panics
/// If one of them cannot be created.
pub fn both() -> [Database; 2] {
    [sqlite(), postgres()]
}

/// Databases without a schema, one on each engine.
///
/// # Panics
/// If one of them cannot be created.
pub fn both_blank() -> [Database; 2] {
    [Database::in_folder(crate::sqlite::blank()), Database::on_server(crate::postgres::blank())]
}
