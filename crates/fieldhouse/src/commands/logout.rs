//! `fieldhouse logout`: ends the session on the server and removes it here; an API key is only removed here.

use anyhow::Context as _;
use fieldhouse_client::Error;
use serde_json::json;

use crate::context::{Context, client_of, read, remove_damaged_file};
use crate::contexts::{Contexts, Credential};
use crate::credentials::{API_KEY_VARIABLE, Store, key_of_environment};
use crate::output::note;

/// Signs out. The credential is always removed, even if the server cannot be reached; its context stays.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    remove_damaged_file()?;
    let place = context.place()?;
    let mut was = false;
    if let Some(name) = &place.context {
        let ended = end_session(&read()?, name).await;
        Store::of_user()?.update(|stored| {
            was = stored.named.get_mut(name).is_some_and(|it| it.credential.take().is_some());
        })?;
        ended.context(
            "the credential was removed here, but the session is still valid on the server until it expires",
        )?;
    }
    let base_url = place.base_url;
    let sentence = if was { "Signed out of" } else { "You were not signed in to" };
    let answer = json!({"base_url": base_url, "signed_out": was});
    context.output.sentence(&answer, &format!("{sentence} {base_url}."))?;
    if key_of_environment().is_some() {
        note(&format!("{API_KEY_VARIABLE} is still set and used by other commands: unset it."));
    }
    Ok(())
}

/// Ends the session of a context on its server. A key stays valid.
pub(super) async fn end_session(stored: &Contexts, name: &str) -> anyhow::Result<()> {
    let Some(Credential::Session { .. }) = stored.named.get(name).and_then(|it| it.credential.as_ref())
    else {
        return Ok(());
    };
    match client_of(stored, name)?.auth().logout().await {
        // A session that has already ended is fine.
        Err(error) if !has_ended(&error) => Err(error.into()),
        _ => Ok(()),
    }
}

fn has_ended(error: &Error) -> bool {
    error.status().is_some_and(|status| status == 401)
}
