//! `fieldhouse backup`: copies the embedded database, while a server uses it or not.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_server::{KeyRing, erasures};
use indicatif::HumanBytes;

use crate::database::Database;
use crate::failure::Failure;
use crate::output::note;
use crate::progress;

#[derive(Args)]
pub(crate) struct Options {
    /// The file to write; it must not exist yet
    file: PathBuf,
    #[command(flatten)]
    database: Database,
}

/// Copies the database and verifies the copy.
pub(crate) async fn run(options: Options) -> anyhow::Result<()> {
    let Options { file, database } = options;
    if database.is_postgres() {
        let what = "this command copies the embedded database, not PostgreSQL";
        return Err(Failure::usage(what)
            .next("use pg_dump --format=custom, and copy the key ring: key-ring.json in the data folder, or FIELDHOUSE_KEY_RING")
            .into());
    }
    database.must_exist()?;
    database.must_hold_data()?;
    if file.exists() {
        let what = format!("{} exists already", file.display());
        return Err(Failure::new(what).next("choose another file, or remove this one").into());
    }
    let spinner = progress::spinner(progress::ELAPSED, "Copying and verifying the database".to_owned());
    let (folder, target) = (database.folder().to_owned(), file.clone());
    let copied = tokio::task::spawn_blocking(move || fieldhouse_store::back_up(&folder, &target)).await?;
    spinner.finish_and_clear();
    let size = copied.with_context(|| format!("{} could not be backed up", database.folder().display()))?;
    note(&format!("Copied the database to {} and verified the copy: {}.", file.display(), HumanBytes(size)));
    let ring = database.folder().join(KeyRing::FILE);
    let ring = if ring.exists() { ring.display().to_string() } else { "FIELDHOUSE_KEY_RING".to_owned() };
    let list = database.folder().join(erasures::FILE);
    if list.exists() {
        let list = list.display();
        note(&format!(
            "Back up the list of erased children too ({list}): a restored database has them again."
        ));
    }
    note(&format!("Back up the key ring too ({ring}): without it, every API key and session is invalid."));
    Ok(())
}
