//! Databases for tests: migrated once, copied for each test, gone afterwards, and what crashed runs left is swept.
//!
//! A test asks for [`sqlite`], [`postgres`] or [`both`] and keeps the [`Database`] for as long as it uses it. PostgreSQL is always
//! wanted: `cargo xtask test` starts one, and without it a test fails and says so.

use std::path::Path;

use fieldhouse_store::{Engine, Options, Store};
use tempfile::TempDir;

use crate::postgres::Copy;

/// An empty database with the newest schema, for one test. It goes when this is dropped.
#[derive(Debug)]
pub struct Database {
    options: Options,
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
        Self { options, keeper: Keeper::Folder(folder) }
    }

    pub(crate) fn on_server(copy: Copy) -> Self {
        let options =
            Options::Postgres { url: copy.url(), root_certificates: None, connections: CONNECTIONS };
        Self { options, keeper: Keeper::Server(copy) }
    }

    /// What opens it.
    pub fn options(&self) -> Options {
        self.options.clone()
    }

    /// Opens it.
    ///
    /// # Panics
    /// Where it cannot be opened.
    pub async fn open(&self) -> Store {
        Store::open(&self.options).await.expect("the test's database opens")
    }

    /// Its folder, where it is on SQLite.
    pub fn folder(&self) -> Option<&Path> {
        match &self.keeper {
            Keeper::Folder(folder) => Some(folder.path()),
            Keeper::Server(_) => None,
        }
    }

    /// Its address, where it is on PostgreSQL.
    pub fn url(&self) -> Option<String> {
        match &self.keeper {
            Keeper::Folder(_) => None,
            Keeper::Server(copy) => Some(copy.url()),
        }
    }

    /// Its address by TLS and the file of the certificate authority, where it is on PostgreSQL.
    ///
    /// # Panics
    /// Where the tests were not told that address.
    pub fn url_by_tls(&self) -> Option<(String, std::path::PathBuf)> {
        match &self.keeper {
            Keeper::Folder(_) => None,
            Keeper::Server(copy) => Some(copy.url_by_tls()),
        }
    }

    /// Runs statements as another program would, past the store.
    ///
    /// # Panics
    /// Where the database refuses them.
    pub fn execute(&self, sql: &str) {
        match &self.keeper {
            Keeper::Folder(folder) => crate::sqlite::execute(folder.path(), sql),
            Keeper::Server(copy) => copy.execute(sql),
        }
    }

    /// On which engine it is.
    pub fn engine(&self) -> Engine {
        match &self.keeper {
            Keeper::Folder(_) => Engine::Sqlite,
            Keeper::Server(_) => Engine::Postgres,
        }
    }
}

impl Drop for Database {
    /// A test that runs on both engines says on which of them it failed.
    fn drop(&mut self) {
        if std::thread::panicking() {
            #[expect(clippy::print_stderr, reason = "cargo shows it with the output of the test that failed")]
            {
                eprintln!("The test failed on {:?}.", self.engine());
            }
        }
    }
}

/// How many connections a store of a test has: enough to collide, few enough for many tests at once.
const CONNECTIONS: usize = 8;

/// A database on SQLite, in a temporary folder.
///
/// # Panics
/// Where it cannot be made.
pub fn sqlite() -> Database {
    Database::in_folder(crate::sqlite::copy())
}

/// A database on the PostgreSQL that the tests were given.
///
/// # Panics
/// Where none was given, or the database cannot be made.
pub fn postgres() -> Database {
    Database::on_server(crate::postgres::copy())
}

/// One database on each engine.
///
/// # Panics
/// Where one of them cannot be made.
pub fn both() -> [Database; 2] {
    [sqlite(), postgres()]
}

/// A folder or a PostgreSQL database without any schema.
///
/// # Panics
/// Where one of them cannot be made.
pub fn both_blank() -> [Database; 2] {
    [Database::in_folder(crate::sqlite::blank()), Database::on_server(crate::postgres::blank())]
}
