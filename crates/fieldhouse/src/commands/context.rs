//! `fieldhouse context`: named contexts, each a server, an organization on it and a credential.

use clap::Subcommand;
use fieldhouse_client::api::organization::OrganizationRef;
use jiff::Timestamp;
use serde::Serialize;

use super::logout::end_session;
use crate::context::{self, Context};
use crate::contexts::{Contexts, Credential, Named};
use crate::credentials::Store;
use crate::failure::Failure;
use crate::output::{Column, Width, note, or_dash};

/// Contexts.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List contexts; * is the current one
    List,
    /// Make a context the current one
    Use {
        /// The context's name, as in `list`
        #[arg(id = "context_name", value_name = "NAME", add = crate::completion::context_names())]
        name: String,
    },
    /// Show a context
    Show {
        /// The context's name [default: the one that commands use now]
        #[arg(id = "context_name", value_name = "NAME", add = crate::completion::context_names())]
        name: Option<String>,
    },
    /// Remove a context, and end its session
    Remove {
        /// The context's name, as in `list`
        #[arg(id = "context_name", value_name = "NAME", add = crate::completion::context_names())]
        name: String,
    },
}

/// A context without its secrets.
#[derive(Serialize)]
struct Shown {
    name: String,
    current: bool,
    base_url: String,
    organization: Option<OrganizationRef>,
    method: Option<&'static str>,
    session_expires_at: Option<Timestamp>,
}

const COLUMNS: &[Column<Shown>] = &[
    ("NAME", Width::Whole, |it| it.name.clone()),
    ("CURRENT", Width::Whole, |it| if it.current { "*" } else { "" }.to_owned()),
    ("SERVER", Width::Least(24), |it| it.base_url.clone()),
    ("ORGANIZATION", Width::Least(12), |it| or_dash(it.organization.as_ref().map(|it| &it.name))),
    ("SIGNED IN WITH", Width::Whole, |it| {
        or_dash(it.method.map(|it| it.replace('_', " ").replace("api", "API")))
    }),
    ("UNTIL", Width::Whole, |it| or_dash(it.session_expires_at)),
];

/// Lists, shows, chooses or removes contexts.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let stored = context::read()?;
    match options {
        Options::List => list(context, &stored),
        Options::Use { name } => choose(context, &stored, &name),
        Options::Show { name } => {
            let name = match name {
                Some(name) => name,
                None => stored.place(context.asked())?.context.ok_or_else(none_yet)?,
            };
            Ok(context.output.one(&shown(&stored, &name, stored.find(&name)?), COLUMNS)?)
        }
        Options::Remove { name } => remove(context, &stored, &name).await,
    }
}

fn none_yet() -> Failure {
    Failure::new("there is no context yet").next("sign in, which creates one: fieldhouse login <email>")
}

fn list(context: &Context, stored: &Contexts) -> anyhow::Result<()> {
    let all: Vec<_> = stored.named.iter().map(|(name, named)| shown(stored, name, named)).collect();
    Ok(context.output.list(&all, COLUMNS)?)
}

fn choose(context: &Context, stored: &Contexts, name: &str) -> anyhow::Result<()> {
    let named = stored.find(name)?;
    Store::of_user()?.update(|stored| stored.current = Some(name.to_owned()))?;
    let place = named.organization.as_ref().map(|it| format!(" for {}", it.name)).unwrap_or_default();
    let sentence = format!("Commands now use {name}: {}{place}.", named.base_url);
    let now = Shown { current: true, ..shown(stored, name, named) };
    Ok(context.output.sentence(&now, &sentence)?)
}

/// The context is removed even if its session cannot be ended on the server.
async fn remove(context: &Context, stored: &Contexts, name: &str) -> anyhow::Result<()> {
    let named = stored.find(name)?;
    let ended = end_session(stored, name).await;
    Store::of_user()?.update(|stored| {
        stored.named.remove(name);
        stored.current.take_if(|current| current == name);
    })?;
    context.output.sentence(&shown(stored, name, named), &format!("Removed the context {name}."))?;
    if let Err(error) = ended {
        note(&format!("Its session is still valid on the server until it expires: {error}"));
    }
    if stored.current.as_deref() == Some(name) && stored.named.len() > 1 {
        note("It was the current one: choose another with `fieldhouse context use NAME`.");
    }
    Ok(())
}

fn shown(stored: &Contexts, name: &str, named: &Named) -> Shown {
    let (method, session_expires_at) = match &named.credential {
        None => (None, None),
        Some(Credential::ApiKey { .. }) => (Some("api_key"), None),
        Some(Credential::Session { session_expires_at, .. }) => (Some("session"), *session_expires_at),
    };
    Shown {
        name: name.to_owned(),
        current: stored.current.as_deref() == Some(name),
        base_url: named.base_url.clone(),
        organization: named.organization.clone(),
        method,
        session_expires_at,
    }
}
