//! `fieldhouse migrate`: updates the database schema to this version, on the server's machine.

use clap::Args;
use fieldhouse_store::{FolderLock, Store, migrations};

use crate::database::Database;
use crate::output::note;

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    database: Database,
    /// Only print the schema version
    #[arg(long)]
    status: bool,
}

pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    options.database.must_exist()?;
    let _lock = FolderLock::take(options.database.folder())?;
    let store = Store::open(&options.database.options()).await?;
    let before = migrations::status(&store).await?;
    if options.status {
        note(&format!("The schema is at version {} of {}.", before.applied, before.known));
        return Ok(());
    }
    let done = migrations::run(&store).await?;
    for migration in &done {
        note(&format!("Applied {:04} {}.", migration.number, migration.name));
    }
    note(&format!("The schema is at version {}.", before.known));
    Ok(())
}
