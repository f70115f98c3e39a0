//! `fieldhouse key-ring`: the server's secrets, on the server's machine.

use clap::{Args, Subcommand, ValueEnum};
use fieldhouse_server::key_ring::Purpose;
use fieldhouse_server::{Clock, KeyRing};
use fieldhouse_store::FolderLock;

use crate::database::Database;
use crate::output::note;

#[derive(Subcommand)]
pub(crate) enum Options {
    /// Add a new secret; keys and tokens that older secrets signed stay valid
    Rotate(Rotate),
}

#[derive(Args)]
pub(crate) struct Rotate {
    /// The purpose of the secret
    #[arg(value_enum)]
    purpose: PurposeName,
    #[command(flatten)]
    database: Database,
}

#[derive(Clone, Copy, ValueEnum)]
enum PurposeName {
    /// HMAC of API keys
    ApiKeyPepper,
    /// HMAC of cursors
    Cursor,
    /// HMAC of refresh tokens and guests' tokens
    Token,
    /// The key that signs access tokens
    AccessToken,
    /// HMAC of the tokens of commands on the server's machine
    Operator,
}

pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let Options::Rotate(Rotate { purpose, database }) = options;
    database.must_exist()?;
    let _lock = FolderLock::take(database.folder())?;
    let purpose = match purpose {
        PurposeName::ApiKeyPepper => Purpose::ApiKeyPepper,
        PurposeName::Cursor => Purpose::Cursor,
        PurposeName::Token => Purpose::Token,
        PurposeName::AccessToken => Purpose::AccessToken,
        PurposeName::Operator => Purpose::Operator,
    };
    KeyRing::rotate_file(database.folder(), purpose, &Clock::system())?;
    note("Rotated. The server uses the new secret after its next start.");
    Ok(())
}
