//! `fieldhouse admin`: administration.

use clap::Subcommand;

use super::{api_keys, audit, mail};
use crate::context::Context;

/// Administration.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Keys for scripts, servers and agents
    #[command(subcommand)]
    ApiKeys(api_keys::Options),
    /// Who changed what in the organization
    #[command(subcommand)]
    Audit(audit::Options),
    /// The messages of the server
    #[command(subcommand)]
    Mail(mail::Options),
}

/// Runs an administrative command.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    match options {
        Options::ApiKeys(options) => api_keys::run(context, options).await,
        Options::Audit(options) => audit::run(context, options).await,
        Options::Mail(options) => mail::run(context, options).await,
    }
}
