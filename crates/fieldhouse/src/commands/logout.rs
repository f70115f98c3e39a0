//! `fieldhouse logout`: ends the session on the server and forgets it; a key is only forgotten.

use anyhow::Context as _;
use fieldhouse_client::Error;
use serde_json::json;

use crate::context::{Context, mend};
use crate::credentials::{API_KEY_VARIABLE, Credential, Server, key_of_environment};
use crate::output::note;

/// Signs out. What is kept goes in any case, even where the server cannot be told.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    mend()?;
    let server = context.kept()?;
    let told = match &server.credential {
        Some(Credential::Session { .. }) => end_session(context, server.clone()).await,
        _ => Ok(()),
    };
    context.keep(|kept| kept.credential = None)?;
    told.context(
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
        // A session that has ended already needs no ending.
        Err(error) if !is_over(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

fn is_over(error: &Error) -> bool {
    error.status().is_some_and(|status| status == 401)
}
