//! `fieldhouse whoami`: who is signed in, where, and with what.

use fieldhouse_client::api::profile::{Auth, AuthMethod};
use jiff::Timestamp;

use crate::context::Context;

/// Asks the server who the caller is.
pub(crate) async fn run(context: &Context) -> anyhow::Result<()> {
    let profile = context.signed_in()?.profile().me().await?;
    let mut rows = vec![
        ("e-mail", profile.email.clone()),
        ("organization", profile.organization.name.clone()),
        ("role", profile.role.to_string()),
        ("signed in with", credential(&profile.auth)),
    ];
    rows.extend(until(context, &profile.auth)?.map(|end| ("until", end.to_string())));
    rows.push(("server", context.base_url()?));
    Ok(context.output.record(&profile, &rows)?)
}

/// When a credential ends. The server tells it of the access token, which is renewed by itself; what a person wants to know is when he
/// has to sign in again.
pub(crate) fn until(context: &Context, auth: &Auth) -> anyhow::Result<Option<Timestamp>> {
    match auth.session_id {
        Some(session) => context.session_end(session),
        None => Ok(Some(auth.expires_at)),
    }
}

/// A credential in words.
pub(crate) fn credential(auth: &Auth) -> String {
    match auth.method {
        AuthMethod::Session => "e-mail and password".to_owned(),
        AuthMethod::ApiKey => {
            let id = auth.key_id.map(|id| format!(" {id}")).unwrap_or_default();
            let scopes = auth.scopes.join(", ");
            let narrowed = if scopes.is_empty() { scopes } else { format!(", for {scopes}") };
            format!("API key{id}{narrowed}")
        }
    }
}
