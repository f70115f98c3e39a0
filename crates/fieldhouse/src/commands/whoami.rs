//! `fieldhouse whoami`: who is signed in, on which server, and with which credential.

use fieldhouse_client::api::Code;
use fieldhouse_client::api::api_keys::ApiKey;
use fieldhouse_client::api::profile::{Auth, AuthMethod, Profile};
use jiff::Timestamp;

use crate::context::Context;
use crate::credentials::key_of_environment;
use crate::output::note;

/// Asks the server who the caller is.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    match client.profile().me().await {
        Ok(profile) => show(context, &profile),
        // A key may lack permission to read the profile, but it can always read its own record.
        Err(error) if error.code() == Some(Code::ScopeInsufficient) => {
            show_key(context, &client.api_keys().current().await?)
        }
        Err(error) => Err(error.into()),
    }
}

fn show(context: &Context, profile: &Profile) -> anyhow::Result<()> {
    let mut rows = vec![
        ("e-mail", profile.email.clone()),
        ("organization", profile.organization.name.clone()),
        ("role", profile.role.to_string()),
        ("signed in with", credential(&profile.auth)),
    ];
    rows.extend(until(context, &profile.auth)?.map(|end| ("until", end.to_string())));
    rows.extend(place(context)?);
    Ok(context.output.record(profile, &rows)?)
}

fn show_key(context: &Context, key: &ApiKey) -> anyhow::Result<()> {
    let mut rows = vec![
        ("user", key.user_id.to_string()),
        ("organization", key.organization_id.to_string()),
        ("role", format!("{} or lower", key.role)),
        ("signed in with", format!("API key {} ({}), for {}", key.id, key.name, key.scopes.join(", "))),
        ("until", key.expires_at.to_string()),
    ];
    rows.extend(place(context)?);
    context.output.record(key, &rows)?;
    note("The e-mail address is not shown: this key lacks the scope profile:read.");
    Ok(())
}

/// The server, and the context if the credential is from one.
fn place(context: &Context) -> anyhow::Result<Vec<(&'static str, String)>> {
    let place = context.place()?;
    let named = place.context.filter(|_| key_of_environment().is_none());
    let named = named.map(|name| ("context", name));
    Ok([("server", place.base_url)].into_iter().chain(named).collect())
}

/// When a credential expires. The server reports the access token's expiry, but that is renewed automatically; users want to know when they
/// have to sign in again.
pub(crate) fn until(context: &Context, auth: &Auth) -> anyhow::Result<Option<Timestamp>> {
    match auth.session_id {
        Some(session) => context.session_end(session),
        None => Ok(Some(auth.expires_at)),
    }
}

/// A description of a credential.
pub(crate) fn credential(auth: &Auth) -> String {
    match auth.method {
        AuthMethod::Session => "e-mail address and password".to_owned(),
        AuthMethod::ApiKey => {
            let id = auth.key_id.map(|id| format!(" {id}")).unwrap_or_default();
            let scopes = auth.scopes.join(", ");
            let narrowed = if scopes.is_empty() { scopes } else { format!(", for {scopes}") };
            format!("API key{id}{narrowed}")
        }
    }
}
