//! `fieldhouse admin`: administration.

use clap::Subcommand;

use super::api_keys;
use crate::context::Context;

/// Administration.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// Keys for scripts, servers and agents
    #[command(subcommand)]
    ApiKeys(api_keys::Options),
}

/// Runs an administrative command.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let Options::ApiKeys(options) = options;
    api_keys::run(context, options).await
}
