//! `fieldhouse login`: signs in with e-mail address and password, or with an API key.

use clap::Args;
use fieldhouse_client::api::Code;
use fieldhouse_client::api::auth::{Login, Tokens};
use fieldhouse_client::api::organization::OrganizationRef;
use fieldhouse_client::api::profile::Profile;
use fieldhouse_client::{Client, Error};
use fieldhouse_domain::text::Email;
use serde::Serialize;

use crate::context::{Context, remove_damaged_file};
use crate::credentials::{API_KEY_VARIABLE, Credential, Server, key_of_environment};
use crate::failure::Failure;
use crate::output::note;
use crate::secrets;

/// Signs in.
#[derive(Args)]
pub(crate) struct Options {
    /// Your e-mail address
    #[arg(required_unless_present_any = ["api_key", "api_key_stdin"], conflicts_with_all = ["api_key", "api_key_stdin"])]
    email: Option<Email>,
    /// Your password; if omitted, you are asked for it, so that it does not appear in the shell's history
    #[arg(conflicts_with = "password_stdin")]
    password: Option<String>,
    /// Read the password from standard input
    #[arg(long, requires = "email")]
    password_stdin: bool,
    /// The organization's slug or id, if you belong to several
    #[arg(long, value_name = "SLUG", requires = "email")]
    org: Option<String>,
    /// Sign in with this API key
    #[arg(long, value_name = "KEY", conflicts_with = "api_key_stdin")]
    api_key: Option<String>,
    /// Read the API key from standard input
    #[arg(long)]
    api_key_stdin: bool,
}

/// The result of signing in.
#[derive(Serialize)]
struct SignedIn {
    base_url: String,
    method: &'static str,
    email: Option<String>,
    organization: Option<OrganizationRef>,
    role: Option<String>,
}

/// Signs in, and stores the credential for later commands.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    remove_damaged_file()?;
    let signed_in = if let Some(email) = options.email {
        let password = match options.password {
            Some(password) => password,
            None if options.password_stdin => secrets::piped()?,
            None => {
                secrets::ask("Password", "write it after the address, or pipe it in with --password-stdin")?
            }
        };
        with_password(context, Login { email, password, organization: options.org }).await?
    } else {
        with_key(context, options.api_key.map_or_else(secrets::piped, Ok)?).await?
    };
    let who = signed_in.email.as_deref().unwrap_or("the owner of the key");
    let place = signed_in.organization.as_ref().map(|it| format!(" of {}", it.name)).unwrap_or_default();
    let role = signed_in.role.as_deref().map(|role| format!(", {role}{place}")).unwrap_or_default();
    context.output.sentence(&signed_in, &format!("Signed in to {} as {who}{role}.", signed_in.base_url))?;
    mention_claim(&context.stored()?);
    if key_of_environment().is_some() {
        note(&format!("{API_KEY_VARIABLE} is set and takes precedence over this sign-in: unset it."));
    }
    Ok(())
}

async fn with_password(context: &Context, login: Login) -> anyhow::Result<SignedIn> {
    let client = context.builder()?.build()?;
    let tokens = client.auth().login(&login).await.map_err(|error| explain_choice(&error, &login))?;
    let Tokens { access_token, refresh_token, organization, role, session_id, session_expires_at, .. } =
        tokens;
    context.sign_in(Credential::Session {
        session_id: session_id.to_string(),
        access_token,
        refresh_token,
        session_expires_at: Some(session_expires_at),
    })?;
    Ok(SignedIn {
        base_url: context.base_url()?,
        method: "session",
        email: Some(login.email.to_string()),
        organization: Some(organization),
        role: Some(role.to_string()),
    })
}

async fn with_key(context: &Context, key: String) -> anyhow::Result<SignedIn> {
    let client = context.builder()?.api_key(key.clone()).build()?;
    let profile = owner(&client).await?;
    context.sign_in(Credential::ApiKey { key })?;
    Ok(SignedIn {
        base_url: context.base_url()?,
        method: "api_key",
        email: profile.as_ref().map(|it| it.email.clone()),
        role: profile.as_ref().map(|it| it.role.to_string()),
        organization: profile.map(|it| it.organization),
    })
}

/// The key's owner. Unknown if the key is valid but its scopes do not include the profile.
async fn owner(client: &Client) -> Result<Option<Profile>, Failure> {
    match client.profile().me().await {
        Ok(profile) => Ok(Some(profile)),
        Err(error) if error.code() == Some(Code::ScopeInsufficient) => Ok(None),
        Err(error) => Err(explain(&error)),
    }
}

/// The user must choose an organization, and only the server knows which ones.
fn explain_choice(error: &Error, login: &Login) -> Failure {
    let failure = explain(error);
    let theirs = error.problem().and_then(|problem| problem.more.get("organizations")).cloned();
    let Some(theirs) = theirs.and_then(|theirs| serde_json::from_value::<Vec<String>>(theirs).ok()) else {
        return failure;
    };
    let what = match &login.organization {
        Some(named) => format!("you do not belong to the organization {named}"),
        None => "you belong to several organizations".to_owned(),
    };
    failure.saying(what).next(format!("choose one with --org: {}", theirs.join(", ")))
}

/// The advice after a refused sign-in must not be to sign in.
fn explain(error: &Error) -> Failure {
    let failure = Failure::from(error);
    match error.code() {
        Some(Code::InvalidCredentials) => {
            failure.next("check for typos, and whether --base-url is the right server")
        }
        Some(code) if failure.is_authentication() => failure.next(code.advice()),
        _ => failure,
    }
}

fn mention_claim(server: &Server) {
    if server.guest_token.is_some() {
        note(
            "Programs were saved here without signing in; add them to your list: fieldhouse colleges favorites claim",
        );
    }
}
