//! The options of commands that open the store themselves, on the server's machine, and how they open it.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use fieldhouse_server::{Clock, KeyRing};
use fieldhouse_store::{FolderLock, Options, Store, migrations};

use crate::failure::Failure;

/// Where the records and the server's secrets are.
#[derive(Args, Clone)]
pub(crate) struct Database {
    /// The folder of the embedded database and the key ring; fieldhouse-data unless said otherwise
    #[arg(long, env = "FIELDHOUSE_DATA_DIR", value_name = "FOLDER")]
    pub(crate) data_dir: Option<PathBuf>,
    /// A PostgreSQL database to use instead, as in `postgres://user:password@host/database?sslmode=require`
    #[arg(
        long = "database-url",
        env = "FIELDHOUSE_DATABASE_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    url: Option<String>,
    /// Certificates (PEM) to trust PostgreSQL's server by, instead of the well-known ones
    #[arg(long = "database-ca", env = "FIELDHOUSE_DATABASE_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// How many connections to PostgreSQL at most
    #[arg(
        long = "database-connections",
        env = "FIELDHOUSE_DATABASE_CONNECTIONS",
        default_value_t = 16,
        value_name = "NUMBER"
    )]
    connections: usize,
}

/// An open store. The data folder is this process's alone as long as it lives.
pub(crate) struct Opened {
    pub(crate) store: Store,
    pub(crate) key_ring: KeyRing,
    pub(crate) lock: FolderLock,
}

impl Database {
    /// Takes the data folder, opens the store and the key ring, and brings the schema up to this program.
    pub(crate) async fn open(&self) -> anyhow::Result<Opened> {
        let lock = FolderLock::take(self.folder())?;
        let store = Store::open(&self.options()).await.context("the database could not be opened")?;
        migrations::run(&store).await.context("the database could not be brought up to this version")?;
        let key_ring = self.key_ring()?;
        Ok(Opened { store, key_ring, lock })
    }

    /// Refuses a data folder that is not there, for commands that only look, or change what there is: a typing error would make an empty
    /// one. Beside PostgreSQL the usual folder may be missing, for the records are elsewhere.
    pub(crate) fn must_exist(&self) -> Result<(), Failure> {
        let folder = self.folder();
        if folder.is_dir() || (self.url.is_some() && self.data_dir.is_none()) {
            return Ok(());
        }
        let what = format!("there is no data folder {}", folder.display());
        Err(Failure::new(what).next("`fieldhouse init` makes one; --data-dir names another"))
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.data_dir.as_deref().unwrap_or(Path::new("fieldhouse-data"))
    }

    /// Which engine, and where.
    pub(crate) fn options(&self) -> Options {
        match &self.url {
            Some(url) => Options::Postgres {
                url: url.clone(),
                root_certificates: self.ca.clone(),
                connections: self.connections,
            },
            None => Options::Sqlite { folder: self.folder().to_owned() },
        }
    }

    /// The key ring: from the environment where several nodes share it, else of the data folder.
    fn key_ring(&self) -> anyhow::Result<KeyRing> {
        if let Ok(text) = std::env::var("FIELDHOUSE_KEY_RING") {
            return Ok(KeyRing::from_text(&text)?);
        }
        if let Some(file) = std::env::var_os("FIELDHOUSE_KEY_RING_FILE") {
            let text = std::fs::read_to_string(&file)
                .with_context(|| format!("the key ring {} cannot be read", file.display()))?;
            return Ok(KeyRing::from_text(&text)?);
        }
        Ok(KeyRing::open(self.folder(), &Clock::system())?)
    }
}
