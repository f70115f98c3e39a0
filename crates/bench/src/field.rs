//! The running servers of one engine: Fieldhouse on copies of the data sets, and the limit.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_server::Clock;
use fieldhouse_testing::clubs::NOW;
use jiff::{SignedDuration, Unit};
use tempfile::TempDir;

use crate::dataset::{self, DataSet, Database, Size};
use crate::identities::microseconds;
use crate::options::{Common, Engine};
use crate::postgres::Postgres;
use crate::servers::{self, Server, Start};
use crate::site::Site;
use crate::tools;
use crate::workload::On;

/// The databases that a run changes on PostgreSQL start with this.
const CHANGED: &str = "bench_run";
/// The time zone of the games.
const ZONE: &str = "Australia/Melbourne";
/// Keeps no responses in memory. Verified callers stay there.
pub(crate) const UNCACHED: [&str; 2] = ["--cache-bytes", "0"];

/// Where benchmarks keep their files.
pub(crate) fn root() -> Result<PathBuf> {
    let root = tools::target().join("bench");
    fs::create_dir_all(&root)?;
    Ok(root.canonicalize()?)
}

/// The servers of one engine. Their data is removed when this is dropped.
pub(crate) struct Field {
    /// The engine.
    pub(crate) engine: Engine,
    sites: Vec<(On, Site)>,
    /// Dropped after the servers.
    pub(crate) folder: TempDir,
}

impl Field {
    /// Starts the servers that are needed.
    pub(crate) async fn start(engine: Engine, common: &Common, needed: &[On]) -> Result<Self> {
        let root = root()?;
        let folder = tempfile::Builder::new().prefix("run-").tempdir_in(&root)?;
        let mut field = Self { engine, sites: Vec::new(), folder };
        let postgres = common.postgres.clone().map(Postgres);
        for on in needed {
            // PostgreSQL's server keeps no responses, so that one server is both.
            if engine == Engine::Postgres && *on == On::Uncached && field.site(On::Default).is_ok() {
                continue;
            }
            let site = field.add(&root, common, *on, postgres.as_ref()).await?;
            field.sites.push((*on, site));
        }
        for (_, site) in &field.sites {
            site.server.settle()?;
        }
        Ok(field)
    }

    async fn add(&self, root: &Path, common: &Common, on: On, postgres: Option<&Postgres>) -> Result<Site> {
        let size = match on {
            On::Default | On::Uncached => Size::Small,
            On::One => Size::One,
            On::Large => Size::Large,
        };
        let data = DataSet::prepare(root, self.engine, size, postgres).await?;
        // The large one is not copied, because only reads run on it.
        let folder = match on {
            On::Large => data.folder.clone(),
            _ => self.copy(&data, on)?,
        };
        let own = match on {
            On::Large => dataset::name(size),
            _ => format!("{CHANGED}_{}", size.name()),
        };
        if let Some(postgres) = postgres.filter(|_| on != On::Large && self.engine == Engine::Postgres) {
            postgres.copy(&dataset::name(size), &own).await?;
        }
        if on != On::Large {
            bring_forward(&Database::of(self.engine, &folder, &own, postgres)?).await?;
        }
        let url = postgres.filter(|_| self.engine == Engine::Postgres).map(|server| server.url(&own));
        let program = common.program.clone().unwrap_or_else(servers::release);
        let more: &[&str] = if on == On::Default { &[] } else { &UNCACHED };
        let start = Start { program: &program, folder: &folder, database: url.as_deref(), more };
        let server = Server::fieldhouse(&start)?;
        Site::new((server, url), &data.manifest, data.size, &folder)
    }

    fn copy(&self, data: &DataSet, on: On) -> Result<PathBuf> {
        let folder = self.folder.path().join(format!("{on:?}").to_lowercase());
        copy_folder(&data.folder, &folder)?;
        Ok(folder)
    }

    /// The server of a workload.
    pub(crate) fn site(&self, on: On) -> Result<&Site> {
        let is =
            |known: On| known == on || (self.engine == Engine::Postgres && is_small(known) && is_small(on));
        let found = self.sites.iter().find(|(known, _)| is(*known));
        found.map(|(_, site)| site).context("the server was not started")
    }
}

fn is_small(on: On) -> bool {
    matches!(on, On::Default | On::Uncached)
}

/// Copies the files of a data set. They are flushed here, and not by the first checkpoint of the measured server.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            let copy = to.join(entry.file_name());
            fs::copy(entry.path(), &copy)?;
            fs::File::open(copy)?.sync_all()?;
        }
    }
    Ok(())
}

/// Moves all games to the days after now, so that they are upcoming. Their local start moves with them, because a job of the server moves a
/// game whose start and local start differ. Another job renders them again.
async fn bring_forward(database: &Database) -> Result<()> {
    let mut connection = database.connect().await?;
    let first = Clock::system().now().checked_add(SignedDuration::from_hours(24))?.round(Unit::Hour)?;
    let zone = TimeZoneName::stored(ZONE.to_owned());
    for game in 0..dataset::GAMES {
        let (before, after) = (dataset::start(NOW, game)?, dataset::start(first, game)?);
        let (before, after, local) = (microseconds(before), microseconds(after), zone.local(after));
        connection
            .run(&format!(
                "UPDATE games SET starts_at = {after}, local_start = '{local}', shown = '' WHERE starts_at = {before}"
            ))
            .await?;
    }
    connection.close().await?;
    database.settle().await
}
