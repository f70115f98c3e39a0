//! `fieldhouse export`: exports to files. A new kind of export gets a variant of [`Options`].

use clap::Subcommand;

use super::archive;
use crate::context::Context;

/// Exports.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Export the whole organization to an archive, which can be imported on another server
    Organization(archive::ExportOptions),
}

/// Writes an export.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::Organization(options) => archive::export(context, options).await,
    }
}
