//! `fieldhouse key-ring`: the server's secrets, on the server's machine.

use clap::{Args, Subcommand, ValueEnum};
use fieldhouse_server::key_ring::Purpose;
use fieldhouse_server::{Clock, KeyRing};
use fieldhouse_store::FolderLock;

use crate::database::{Database, SharedKeyRing};
use crate::failure::Failure;
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
    /// The key that wraps the keys of children's data
    ChildKey,
}

pub(crate) fn run(options: Options) -> anyhow::Result<()> {
    let Options::Rotate(Rotate { purpose, database }) = options;
    let purpose = match purpose {
        PurposeName::ApiKeyPepper => Purpose::ApiKeyPepper,
        PurposeName::Cursor => Purpose::Cursor,
        PurposeName::Token => Purpose::Token,
        PurposeName::AccessToken => Purpose::AccessToken,
        PurposeName::Operator => Purpose::Operator,
        PurposeName::ChildKey => Purpose::ChildKey,
    };
    let (file, _lock) = match SharedKeyRing::of_environment() {
        Some(SharedKeyRing::Text(_)) => return Err(only_text().into()),
        // The data folder has no part in it, so that its server can run.
        Some(SharedKeyRing::File(file)) => (file, None),
        None => {
            database.must_exist()?;
            (database.folder().join(KeyRing::FILE), Some(FolderLock::take(database.folder())?))
        }
    };
    KeyRing::rotate_file(&file, purpose, &Clock::system())?;
    note(&format!("Rotated in {}. The server uses the new secret after its next start.", file.display()));
    Ok(())
}

fn only_text() -> Failure {
    let what = "the key ring is the text of FIELDHOUSE_KEY_RING, which this command cannot change";
    Failure::new(what).next(
        "write it to a file of mode 0600, unset the variable, rotate with FIELDHOUSE_KEY_RING_FILE=FILE, and set the variable to the file's new content",
    )
}
