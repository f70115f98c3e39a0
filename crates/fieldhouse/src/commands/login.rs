//! `fieldhouse login`: signs in with e-mail address and password, or with an API key.

use std::io::{self, IsTerminal, Write};

use clap::Args;
use fieldhouse_client::api::Code;
use fieldhouse_client::api::auth::{Login, Tokens};
use fieldhouse_client::api::organization::OrganizationRef;
use fieldhouse_client::api::profile::Profile;
use fieldhouse_client::{Client, Error};
use fieldhouse_domain::text::Email;
use serde::Serialize;

use crate::context::{Context, builder, remove_damaged_file, sign_in, was_guest};
use crate::contexts::Credential;
use crate::credentials::{API_KEY_VARIABLE, key_of_environment};
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
    context: String,
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
    mention_claim(&signed_in.base_url)?;
    if key_of_environment().is_some() {
        note(&format!("{API_KEY_VARIABLE} is set and takes precedence over this sign-in: unset it."));
    }
    Ok(())
}

async fn with_password(context: &Context, mut login: Login) -> anyhow::Result<SignedIn> {
    let place = context.place_of_login()?;
    let client = builder(&place.base_url).build()?;
    let tokens = match client.auth().login(&login).await {
        Err(error) => match choose(&theirs(&error))? {
            None => return Err(explain_choice(&error, &login).into()),
            chosen => {
                login.organization = chosen;
                client.auth().login(&login).await.map_err(|error| explain_choice(&error, &login))?
            }
        },
        Ok(tokens) => tokens,
    };
    let Tokens { access_token, refresh_token, organization, role, session_id, session_expires_at, .. } =
        tokens;
    let credential = Credential::Session {
        session_id: session_id.to_string(),
        access_token,
        refresh_token,
        session_expires_at: Some(session_expires_at),
    };
    Ok(SignedIn {
        base_url: place.base_url.clone(),
        context: sign_in(place, Some(organization.clone()), credential)?,
        method: "session",
        email: Some(login.email.to_string()),
        organization: Some(organization),
        role: Some(role.to_string()),
    })
}

async fn with_key(context: &Context, key: String) -> anyhow::Result<SignedIn> {
    let place = context.place_of_login()?;
    let client = builder(&place.base_url).api_key(key.clone()).build()?;
    let profile = owner(&client).await?;
    let organization = profile.as_ref().map(|it| it.organization.clone());
    Ok(SignedIn {
        base_url: place.base_url.clone(),
        context: sign_in(place, organization.clone(), Credential::ApiKey { key })?,
        method: "api_key",
        email: profile.as_ref().map(|it| it.email.clone()),
        role: profile.map(|it| it.role.to_string()),
        organization,
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

/// The organizations among which the user must choose. Only the server knows them.
fn theirs(error: &Error) -> Vec<String> {
    let theirs = error.problem().and_then(|problem| problem.more.get("organizations")).cloned();
    theirs.and_then(|theirs| serde_json::from_value(theirs).ok()).unwrap_or_default()
}

/// Asks which organization to sign in to; none without a terminal, or if there is no choice.
fn choose(organizations: &[String]) -> anyhow::Result<Option<String>> {
    if organizations.is_empty() || !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(None);
    }
    note("You belong to several organizations:");
    for (number, organization) in (1..).zip(organizations) {
        note(&format!("  {number}  {organization}"));
    }
    write!(io::stderr(), "Sign in to which? ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    let answer = answer.trim();
    let numbered = answer.parse::<usize>().ok().and_then(|number| organizations.get(number.checked_sub(1)?));
    Ok(numbered.or_else(|| organizations.iter().find(|slug| *slug == answer)).cloned())
}

/// The failure of a sign-in, with the organizations if the user must choose one.
fn explain_choice(error: &Error, login: &Login) -> Failure {
    let (failure, theirs) = (explain(error), theirs(error));
    if theirs.is_empty() {
        return failure;
    }
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

fn mention_claim(base_url: &str) -> anyhow::Result<()> {
    if was_guest(base_url)? {
        note(
            "Programs were saved here without signing in; add them to your list: fieldhouse colleges favorites claim",
        );
    }
    Ok(())
}
