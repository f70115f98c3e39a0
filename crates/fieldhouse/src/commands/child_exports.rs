//! `fieldhouse children export`: a copy of what the club stores about a child, in a file.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use fieldhouse_client::api::exports::ExportLink;
use fieldhouse_domain::ids::ChildId;
use serde::Serialize;

use super::archive::new_file;
use crate::context::Context;
use crate::output::note;
use crate::progress;

#[derive(Args)]
pub(crate) struct Options {
    /// The child's id
    child: ChildId,
    /// The file to write, such as kim.json
    file: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

/// How much the copy has of what comes in lists.
#[derive(Serialize)]
struct Counts {
    relations: usize,
    consents: usize,
    registrations: usize,
    roster: usize,
    favorites: usize,
    access_log: usize,
}

/// Requests the copy, waits for it and writes it.
pub(super) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options { child, file, force } = options;
    let unwritable = || format!("{} cannot be written", file.display());
    let mut part = new_file(&file, force)?;
    let client = context.signed_in()?;
    let spinner = progress::spinner(progress::ELAPSED, "Exporting".to_owned());
    let exports = client.exports();
    let requested = exports.create_of_child(child).await?;
    let link = ExportLink { token: requested.token };
    let copy = exports.content_of_child(child, requested.export.id, &link).await?;
    spinner.finish_and_clear();
    serde_json::to_writer_pretty(&mut part, &copy).with_context(unwritable)?;
    part.write_all(b"\n").with_context(unwritable)?;
    part.as_file().sync_all().with_context(unwritable)?;
    part.persist(&file).with_context(unwritable)?;
    context.output.counts(&Counts {
        relations: copy.relations.len(),
        consents: copy.consents.len(),
        registrations: copy.registrations.len(),
        roster: copy.roster.len(),
        favorites: copy.favorites.len(),
        access_log: copy.access_log.len(),
    })?;
    note(&format!("Wrote {}. It has personal data: only you can read it.", file.display()));
    Ok(())
}
