//! Data sets: organizations with seasons in a database, made once and kept in `target/bench`.
//!
//! One organization is created through the store (`dataset/template.rs`), and the others are copies of its rows in SQL
//! (`dataset/copies.rs`), because ten million seasons must take minutes. Then the database is settled (`dataset/database.rs`). A data set
//! says in a file what it was made from; one of another format or schema is made again. To measure something of another kind of record, add
//! it to the template, add its table to the copies and raise [`FORMAT`].

mod copies;
mod database;
mod template;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use fieldhouse_server::{Clock, KeyRing};
use fieldhouse_store::{Store, migrations};
use serde::{Deserialize, Serialize};

use crate::identities::Identity;
use crate::options::Engine;
use crate::postgres::Postgres;
pub(crate) use database::Database;
pub(crate) use template::{GAMES, SEASONS, start};

/// The version of what this module makes.
const FORMAT: u32 = 5;
/// The file that says what a data set was made from.
const MANIFEST: &str = "dataset.json";

/// The size of a data set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// 20 seasons in one organization.
    One,
    /// 100,000 seasons in 5,000 organizations.
    Small,
    /// 10,000,000 seasons in 500,000 organizations.
    Large,
}

impl Size {
    /// Its name in files and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Small => "small",
            Self::Large => "large",
        }
    }

    /// The number of organizations.
    pub(crate) fn organizations(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Small => 5_000,
            Self::Large => 500_000,
        }
    }
}

/// What a data set was made from, and what its requests need.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    schema: i64,
    organizations: u32,
    /// How long it took to make.
    pub(crate) seconds: f64,
    /// The id of a season that every organization has.
    pub(crate) season: String,
    /// A guardian of two children.
    pub(crate) guardian: Identity,
    /// A coach who sees some of 1,000 children.
    pub(crate) coach: Identity,
    /// A manager of an organization whose seasons no one lists.
    pub(crate) writer: Identity,
}

/// A data set that exists.
pub(crate) struct DataSet {
    /// Its size.
    pub(crate) size: Size,
    /// Its folder, with the key ring and, on SQLite, the database.
    pub(crate) folder: PathBuf,
    /// What it was made from.
    pub(crate) manifest: Manifest,
}

impl DataSet {
    /// Finds the data set, or makes it.
    pub(crate) async fn prepare(
        root: &Path,
        engine: Engine,
        size: Size,
        postgres: Option<&Postgres>,
    ) -> Result<Self> {
        let folder = root.join(format!("{}-{}", engine.name(), size.name()));
        let database = Database::of(engine, &folder, &name(size), postgres)?;
        if let Some(manifest) = current(&folder, size).filter(|_| engine == Engine::Sqlite) {
            return Ok(Self { size, folder, manifest });
        }
        if let (Some(manifest), Some(postgres)) = (current(&folder, size), postgres)
            && postgres.has(&name(size)).await?
        {
            return Ok(Self { size, folder, manifest });
        }
        println!("Making the data set {} on {}, once.", size.name(), engine.name());
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        if let Some(postgres) = postgres.filter(|_| engine == Engine::Postgres) {
            postgres.create(&name(size)).await?;
        }
        let started = Instant::now();
        let mut manifest = make(&database, &folder, size).await?;
        manifest.seconds = started.elapsed().as_secs_f64();
        fs::write(folder.join(MANIFEST), serde_json::to_vec_pretty(&manifest)?)?;
        println!("It took {:.0} s.", manifest.seconds);
        Ok(Self { size, folder, manifest })
    }
}

/// The name of the database on PostgreSQL.
pub(crate) fn name(size: Size) -> String {
    format!("bench_{}", size.name())
}

/// What an existing data set was made from, if it is what this program makes.
fn current(folder: &Path, size: Size) -> Option<Manifest> {
    let manifest: Manifest = serde_json::from_slice(&fs::read(folder.join(MANIFEST)).ok()?).ok()?;
    let is_current = manifest.format == FORMAT
        && manifest.schema == newest_schema()
        && manifest.organizations == size.organizations();
    is_current.then_some(manifest)
}

fn newest_schema() -> i64 {
    migrations::ALL.last().map_or(0, |migration| migration.number)
}

async fn make(database: &Database, folder: &Path, size: Size) -> Result<Manifest> {
    fs::create_dir_all(folder)?;
    let mut store = Store::open(&database.options()).await?;
    migrations::run(&store).await?;
    let ring = KeyRing::open_for(&store, folder, &Clock::system()).await?;
    ring.bind(&store).await?;
    store.seal_with(ring.sealer());
    let template = template::create(&store).await?;
    store.post_everything().await?;
    drop(store);
    let mut connection = database.connect().await?;
    copies::make(&mut connection, &ring, &template, size).await.context("the copies cannot be made")?;
    connection.close().await?;
    database.settle().await?;
    Ok(Manifest {
        format: FORMAT,
        schema: newest_schema(),
        organizations: size.organizations(),
        seconds: 0.0,
        season: template.season.to_string(),
        guardian: template.guardian,
        coach: template.coach,
        writer: template.writer,
    })
}
