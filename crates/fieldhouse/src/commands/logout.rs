//! `fieldhouse logout`: ends the session on the server and removes it here; an API key is only removed here.

use anyhow::Context as _;
use fieldhouse_client::Error;
use serde_json::json;

use crate::context::{Context, remove_damaged_file};
use crate::credentials::{API_KEY_VARIABLE, Credential, Server, key_of_environment};
use crate::output::note;

/// Signs out. The credential is always removed, even if the server cannot be reached.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    remove_damaged_file()?;
    let server = context.stored()?;
    let ended = match &server.credential {
        Some(Credential::Session { .. }) => end_session(context, server.clone()).await,
        _ => Ok(()),
    };
    context.update_stored(|stored| stored.credential = None)?;
    ended.context(
        "the credential was removed here, but the session is still valid on the server until it expires",
    )?;
    let base_url = context.base_url()?;
    let was = server.credential.is_some();
    let sentence = if was { "Signed out of" } else { "You were not signed in to" };
    let answer = json!({"base_url": base_url, "signed_out": was});
    context.output.sentence(&answer, &format!("{sentence} {base_url}."))?;
    if key_of_environment().is_some() {
        note(&format!("{API_KEY_VARIABLE} is still set and used by other commands: unset it."));
    }
    Ok(())
}

async fn end_session(context: &Context, server: Server) -> anyhow::Result<()> {
    match context.client_of(server)?.auth().logout().await {
        // A session that has already ended is fine.
        Err(error) if !has_ended(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

fn has_ended(error: &Error) -> bool {
    error.status().is_some_and(|status| status == 401)
}
