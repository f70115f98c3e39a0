//! `fieldhouse migrate`: updates the database schema to this version, on the server's machine.

use clap::Args;
use fieldhouse_store::migrations::{self, Status};
use fieldhouse_store::{FolderLock, Store};

use crate::database::Database;
use crate::output::note;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,
    /// Only print the schema version, also while a server runs
    #[arg(long)]
    status: bool,
}

pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    options.database.must_exist()?;
    if options.status {
        let Status { applied, known } = status(&options.database).await?;
        note(&format!("The schema is at version {applied} of {known}."));
        return Ok(());
    }
    let _lock = FolderLock::take(options.database.folder())?;
    let store = Store::open(&options.database.options()).await?;
    let done = migrations::run(&store).await?;
    for migration in &done {
        note(&format!("Applied {:04} {}.", migration.number, migration.name));
    }
    note(&format!("The schema is at version {}.", migrations::status(&store).await?.applied));
    Ok(())
}

/// The schema version, also while a server runs.
async fn status(database: &Database) -> anyhow::Result<Status> {
    database.must_hold_data()?;
    if database.is_postgres() {
        return Ok(migrations::status(&Store::open(&database.options()).await?).await?);
    }
    let folder = database.folder().to_owned();
    Ok(tokio::task::spawn_blocking(move || migrations::status_beside(&folder)).await??)
}
