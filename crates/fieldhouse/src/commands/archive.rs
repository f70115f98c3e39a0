//! `fieldhouse export organization` and `fieldhouse import organization`: the archive of a whole organization.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::exports::{ArchiveCounts, ExportKind, ExportLink, NewExport};
use fieldhouse_client::{Client, Download};
use fieldhouse_server::Clock;
use fieldhouse_server::archive::{self, BadArchive};
use fieldhouse_server::operator::OperatorError;
use fieldhouse_store::organizations;
use indicatif::ProgressBar;

use crate::context::Context;
use crate::database::Database;
use crate::failure::Failure;
use crate::output::{Output, note};

#[derive(Args)]
pub(crate) struct ExportOptions {
    /// The file to write, such as club.jsonl.gz
    file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

#[derive(Args)]
pub(crate) struct ImportOptions {
    /// The archive
    file: PathBuf,
    /// The short name of the organization to import into; it may have members, but no seasons, venues or invitations
    #[arg(long, value_name = "SLUG")]
    organization: String,
    /// Check everything, but store nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    database: Database,
}

/// Downloads the archive of the organization, and checks it.
pub(crate) async fn export(context: &Context, options: ExportOptions) -> anyhow::Result<()> {
    let file = &options.file;
    if file.exists() && !options.force {
        return Err(Failure::usage(format!("{} exists", file.display()))
            .next("choose another file, or replace it with --force")
            .into());
    }
    // Readable by its owner only, and deleted unless it is complete.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let unwritable = || format!("{} cannot be written", file.display());
    let mut part = tempfile::Builder::new().prefix(".new-").tempfile_in(folder).with_context(unwritable)?;
    let bar = progress_bar();
    let mut download = requested(&context.signed_in()?).await?;
    while let Some(chunk) = download.next().await? {
        part.write_all(&chunk).with_context(unwritable)?;
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    part.as_file().sync_all().with_context(unwritable)?;
    let archive = read(part.path())?;
    part.persist(file).with_context(unwritable)?;
    shown(&context.output, &archive.counts)
}

async fn requested(client: &Client) -> anyhow::Result<Download> {
    let exports = client.exports();
    let requested = exports.create(&NewExport { kind: ExportKind::Organization }).await?;
    Ok(exports.content(requested.export.id, &ExportLink { token: requested.token }).download().await?)
}

/// Imports an archive into an organization, on the server's machine.
pub(crate) async fn import(output: &Output, options: ImportOptions) -> anyhow::Result<()> {
    let file = options.file.display();
    let archive = read(&options.file).with_context(|| format!("{file} cannot be imported"))?;
    let opened = options.database.open_existing().await?;
    let slug = &options.organization;
    let organization = organizations::by_slug(&mut &opened.store, slug).await?.ok_or_else(|| {
        Failure::new(format!("there is no organization {slug}")).next("create it with `fieldhouse init`")
    })?;
    let bar = spinner(format!("Importing {} records", archive.counts.all()));
    let imported =
        archive::import(&opened.store, &Clock::system(), organization, archive, options.dry_run).await;
    bar.finish_and_clear();
    let counts = imported.map_err(|error| match error {
        OperatorError::Refused(refusal) => Failure::new(format!("nothing was imported: {refusal}")).into(),
        error => anyhow::Error::from(error),
    })?;
    if options.dry_run {
        note("Dry run: nothing was stored.");
    } else if counts.members > 0 {
        note("People who had no account on this server set their password on its page /forgot-password.");
    }
    shown(output, &counts)
}

fn shown(output: &Output, counts: &ArchiveCounts) -> anyhow::Result<()> {
    Ok(output.counts(counts)?)
}

fn read(file: &Path) -> anyhow::Result<fieldhouse_imports::archive::Archive> {
    let opened = File::open(file).with_context(|| format!("{} cannot be read", file.display()))?;
    archive::read(BufReader::new(opened)).map_err(|bad: BadArchive| Failure::new(bad.to_string()).into())
}

/// The number of received bytes, only on a terminal.
fn progress_bar() -> ProgressBar {
    let bar = spinner("Exporting".to_owned());
    if let Ok(style) = indicatif::ProgressStyle::with_template("{spinner} {msg}: {bytes}") {
        bar.set_style(style);
    }
    bar
}

fn spinner(message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
