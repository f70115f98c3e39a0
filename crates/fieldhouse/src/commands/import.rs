//! `fieldhouse import`: imports of files. A new kind of file gets a file here and a variant of [`Options`].

use clap::Subcommand;

use super::{archive, catalogue, league};
use crate::context::Context;

/// Imports.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Import a league file: seasons, divisions, teams, venues and games
    League(league::Options),
    /// List the formats of league files
    Formats,
    /// Import the archive of an organization (on the server's machine)
    Organization(archive::ImportOptions),
    /// Import a file of the college catalogue (on the server's machine)
    Colleges(catalogue::Options),
}

/// Imports a file.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::League(options) => league::run(context, options).await,
        Options::Formats => league::formats(context).await,
        Options::Organization(options) => archive::import(&context.output, options).await,
        Options::Colleges(options) => catalogue::run(&context.output, options).await,
    }
}
