//! `fieldhouse export organization` and `fieldhouse import organization`: the archive of a whole organization.

use std::fs::File;
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use fieldhouse_client::api::exports::{ExportKind, ExportLink, NewExport};
use fieldhouse_client::api::operator::ArchiveImport;
use fieldhouse_client::{Client, Download};
use fieldhouse_domain::organizations::Slug;
use fieldhouse_imports::archive;
use tempfile::NamedTempFile;

use crate::arguments::value;
use crate::context::Context;
use crate::database::Database;
use crate::failure::Failure;
use crate::output::{Output, note};
use crate::progress;

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
    #[arg(long, value_name = "SLUG", value_parser = value::<Slug>)]
    organization: Slug,
    /// Check everything, but store nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    database: Database,
}

/// Downloads the archive of the organization, and checks it.
pub(crate) async fn export(context: &Context, options: ExportOptions) -> anyhow::Result<()> {
    let file = &options.file;
    let unwritable = || format!("{} cannot be written", file.display());
    let mut part = new_file(file, options.force)?;
    let bar = progress::spinner(progress::BYTES, "Exporting".to_owned());
    let mut download = requested(&context.signed_in()?).await?;
    while let Some(chunk) = download.next().await? {
        part.write_all(&chunk).with_context(unwritable)?;
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    part.as_file().sync_all().with_context(unwritable)?;
    let written = File::open(part.path()).with_context(unwritable)?;
    let archive = archive::read(BufReader::new(written)).map_err(|bad| Failure::new(bad.to_string()))?;
    part.persist(file).with_context(unwritable)?;
    Ok(context.output.counts(&archive.counts)?)
}

/// A new file beside the one to write, which it replaces when it is complete. Readable by its owner only, and deleted unless it is kept.
pub(super) fn new_file(file: &Path, force: bool) -> anyhow::Result<NamedTempFile> {
    if file.exists() && !force {
        return Err(Failure::usage(format!("{} exists", file.display()))
            .next("choose another file, or replace it with --force")
            .into());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let part = tempfile::Builder::new().prefix(".new-").tempfile_in(folder);
    part.with_context(|| format!("{} cannot be written", file.display()))
}

async fn requested(client: &Client) -> anyhow::Result<Download> {
    let exports = client.exports();
    let requested = exports.create(&NewExport { kind: ExportKind::Organization }).await?;
    Ok(exports.content(requested.export.id, &ExportLink { token: requested.token }).download().await?)
}

/// Imports an archive into an organization, on the server's machine, whether a server runs or not.
pub(crate) async fn import(output: &Output, options: ImportOptions) -> anyhow::Result<()> {
    let file = options.file.display();
    let unreadable = || format!("{file} cannot be read");
    let packed = std::fs::read(&options.file).with_context(unreadable)?;
    let operating = options.database.operate(None).await?;
    let organization = operating.organization(&options.organization).await?;
    let import = ArchiveImport {
        organization_id: organization.id,
        archive: STANDARD.encode(packed),
        dry_run: options.dry_run.then_some(true),
    };
    let spinner = progress::spinner(progress::ELAPSED, format!("Importing {file}"));
    let imported = operating.client.operator().import_organization(&import).await;
    spinner.finish_and_clear();
    let report = imported.with_context(|| format!("nothing of {file} was imported"))?;
    operating.end().await?;
    if options.dry_run {
        note("Dry run: nothing was stored.");
    } else if report.counts.members > 0 {
        note("People who had no account on this server set their password on its page /forgot-password.");
    }
    Ok(output.counts(&report.counts)?)
}
