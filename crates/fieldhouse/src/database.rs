//! The options of commands that open the store on the server's machine, and how they open it.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_server::key_ring::KeyRingError;
use fieldhouse_server::{Clock, KeyRing};
use fieldhouse_store::{Error, FolderLock, Options, Store, migrations};

use crate::arguments::count;
use crate::created::Created;
use crate::failure::{Failure, plain};
use crate::global::{DEFAULT_URL, address};

/// Where the records and the server's secrets are.
#[derive(Args, Clone)]
pub(crate) struct Database {
    /// The folder of the embedded database and the key ring [default: fieldhouse-data]
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
    /// Certificates (PEM) to trust for the PostgreSQL server, instead of the public authorities
    #[arg(long = "database-ca", env = "FIELDHOUSE_DATABASE_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
    /// Maximum number of connections to PostgreSQL; exports and reports take up to four more
    #[arg(
        long = "database-connections",
        env = "FIELDHOUSE_DATABASE_CONNECTIONS",
        default_value_t = 16,
        value_parser = |text: &str| count::<NonZeroUsize>(text).map(NonZeroUsize::get),
        value_name = "NUMBER"
    )]
    connections: usize,
}

/// The URL in links, for commands that print one.
#[derive(Args)]
pub(crate) struct PublicUrl {
    /// The URL at which clients reach the server, for links; a server that holds the data folder uses its own
    #[arg(long, env = "FIELDHOUSE_PUBLIC_URL", value_name = "URL", default_value = DEFAULT_URL, value_parser = address)]
    public_url: String,
}

impl PublicUrl {
    pub(crate) fn get(&self) -> Option<&str> {
        Some(&*self.public_url).filter(|url| !url.is_empty())
    }
}

/// An open store. The data folder is locked while it exists, unless the store is beside a server's.
pub(crate) struct Opened<S = Store> {
    pub(crate) store: S,
    /// Dropped after the store and before the lock.
    pub(crate) created: Created,
    pub(crate) lock: Option<FolderLock>,
}

impl Opened {
    /// The same with a store that can be shared.
    pub(crate) fn shared(self) -> Opened<Arc<Store>> {
        Opened { store: Arc::new(self.store), created: self.created, lock: self.lock }
    }
}

impl Database {
    /// Locks the data folder and opens the store, creating them if necessary, and migrates the schema. What was created is removed again,
    /// unless the caller keeps it.
    pub(crate) async fn open(&self) -> anyhow::Result<Opened> {
        let opened = self.connect().await?;
        migrations::run(&opened.store).await.context("the database schema could not be updated")?;
        Ok(opened)
    }

    /// Opens an existing store: a typo must not create another one.
    pub(crate) async fn open_existing(&self) -> anyhow::Result<Opened> {
        self.must_hold_data()?;
        let opened = self.connect().await?;
        if migrations::status(&opened.store).await?.applied == 0 {
            return Err(self.not_initialised().into());
        }
        migrations::run(&opened.store).await.context("the database schema could not be updated")?;
        Ok(opened)
    }

    /// Refuses a folder without an embedded database.
    pub(crate) fn must_hold_data(&self) -> Result<(), Failure> {
        let exists = self.url.is_some() || self.folder().join(Store::FILES[0]).is_file();
        if exists { Ok(()) } else { Err(self.not_initialised()) }
    }

    /// Whether the records are in PostgreSQL.
    pub(crate) fn is_postgres(&self) -> bool {
        self.url.is_some()
    }

    async fn connect(&self) -> anyhow::Result<Opened> {
        let (created, lock) = Created::lock(self.folder()).map_err(|error| self.unusable(error))?;
        let store = Store::open(&self.options()).await.map_err(|error| self.unusable(error))?;
        Ok(Opened { store, created, lock: Some(lock) })
    }

    /// Opens an existing store for one command. `None` if another process holds the data folder. PostgreSQL is opened beside a server, so
    /// its schema is not migrated.
    pub(crate) async fn open_unless_locked(&self) -> anyhow::Result<Option<Opened>> {
        if self.url.is_none() {
            return match self.open_existing().await {
                Err(error) if matches!(error.downcast_ref(), Some(Error::Locked(_))) => Ok(None),
                opened => opened.map(Some),
            };
        }
        let store = Store::open(&self.options()).await.map_err(|error| self.unusable(error))?;
        let schema = migrations::status(&store).await?;
        if schema.applied == 0 {
            return Err(self.not_initialised().into());
        }
        if schema.applied != schema.known {
            let (applied, known) = (schema.applied, schema.known);
            let what = format!(
                "the database schema is at version {applied}, and this program needs version {known}"
            );
            return Err(Failure::new(what).next("stop the servers, then run `fieldhouse migrate`").into());
        }
        Ok(Some(Opened { store, created: Created::nothing(), lock: None }))
    }

    /// The error of a database that cannot be opened, with the options to check.
    fn unusable(&self, error: Error) -> anyhow::Error {
        if !matches!(error, Error::Unavailable(_)) {
            return error.into();
        }
        let next = match (&self.url, &self.ca) {
            (Some(_), None) => "check --database-url, and whether PostgreSQL is running",
            (Some(_), Some(_)) => "check --database-url and --database-ca, and whether PostgreSQL is running",
            (None, _) => "check --data-dir",
        };
        anyhow::Error::from(Failure::new(plain(&error)).next(next))
    }

    fn not_initialised(&self) -> Failure {
        let place = match &self.url {
            Some(_) => "the PostgreSQL database".to_owned(),
            None => format!("the folder {}", self.folder().display()),
        };
        let next = "create an organization with `fieldhouse init`, choose another folder with --data-dir, or try `fieldhouse serve --demo`";
        Failure::new(format!("no Fieldhouse data in {place}")).next(next)
    }

    /// Refuses a data folder that does not exist, because a typo would create an empty one. With PostgreSQL the default folder may be
    /// missing, because the records are elsewhere.
    pub(crate) fn must_exist(&self) -> Result<(), Failure> {
        let folder = self.folder();
        if folder.is_dir() || (self.url.is_some() && self.data_dir.is_none()) {
            return Ok(());
        }
        let what = format!("the data folder {} does not exist", folder.display());
        Err(Failure::new(what).next("create one with `fieldhouse init`, or choose another with --data-dir"))
    }

    /// Whether the options or the environment say where the data is.
    pub(crate) fn is_named(&self) -> bool {
        self.data_dir.is_some() || self.url.is_some()
    }

    /// The data folder.
    pub(crate) fn folder(&self) -> &Path {
        self.data_dir.as_deref().unwrap_or(Path::new("fieldhouse-data"))
    }

    /// The engine and its location.
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

    /// The store's key ring: from the environment if several nodes share it, else from the data folder, where it is created for a new
    /// store. It seals what the store writes about children. [`bind`] makes the store remember it.
    pub(crate) async fn key_ring(&self, store: &mut Store) -> anyhow::Result<KeyRing> {
        let key_ring = if let Some(text) = shared_key_ring()? {
            let key_ring = KeyRing::from_text(&text)?;
            key_ring.check(store).await.map_err(explain)?;
            key_ring
        } else {
            KeyRing::open_for(store, self.folder(), &Clock::system()).await.map_err(explain)?
        };
        store.seal_with(key_ring.sealer());
        Ok(key_ring)
    }
}

impl Database {
    /// The key ring of a server that holds the data folder.
    pub(crate) fn key_ring_beside(&self) -> anyhow::Result<KeyRing> {
        match shared_key_ring()? {
            Some(text) => Ok(KeyRing::from_text(&text)?),
            None => Ok(KeyRing::existing(self.folder())?),
        }
    }
}

/// Makes the store remember its key ring.
pub(crate) async fn bind(key_ring: &KeyRing, store: &Store) -> anyhow::Result<()> {
    key_ring.bind(store).await.map_err(explain)
}

/// The text of a key ring that several nodes share.
fn shared_key_ring() -> anyhow::Result<Option<String>> {
    match SharedKeyRing::of_environment() {
        None => Ok(None),
        Some(SharedKeyRing::Text(text)) => Ok(Some(text)),
        Some(SharedKeyRing::File(file)) => {
            let text = std::fs::read_to_string(&file);
            text.map(Some).with_context(|| format!("the key ring {} cannot be read", file.display()))
        }
    }
}

/// A key ring that the environment names instead of the data folder.
pub(crate) enum SharedKeyRing {
    Text(String),
    File(PathBuf),
}

impl SharedKeyRing {
    pub(crate) fn of_environment() -> Option<Self> {
        let text = std::env::var("FIELDHOUSE_KEY_RING").ok().map(Self::Text);
        text.or_else(|| std::env::var_os("FIELDHOUSE_KEY_RING_FILE").map(|file| Self::File(file.into())))
    }
}

/// The advice for a key ring that does not belong to the store.
fn explain(error: KeyRingError) -> anyhow::Error {
    if !matches!(error, KeyRingError::Missing(_) | KeyRingError::Other(_) | KeyRingError::Incomplete { .. }) {
        return error.into();
    }
    let next = "restore the key ring that was backed up with this database; nodes that share a database share its key ring, too \
                (FIELDHOUSE_KEY_RING_FILE)";
    Failure::new(error.to_string()).next(next).into()
}
