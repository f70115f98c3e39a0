//! What every command starts from: the options that all commands have, the server that they mean, and a client of it.

use std::io::ErrorKind;

use clap::Args;
use fieldhouse_client::{Builder, Client, SessionTokens, server_address};
use fieldhouse_domain::ids::SessionId;
use jiff::Timestamp;
use secrecy::ExposeSecret;

use crate::credentials::{Credential, Kept, KeptSession, Server, Store, key_of_environment};
use crate::failure::Failure;
use crate::output::{Format, Output, note};

/// Where a server listens that was started without options.
const DEFAULT_URL: &str = "http://127.0.0.1:8080";
/// Where options that all commands have stand in a command's help: after its own.
const LAST: usize = 900;
const USER_AGENT: &str = concat!("fieldhouse/", env!("CARGO_PKG_VERSION"));

/// The options that all commands have.
#[derive(Args)]
pub(crate) struct Global {
    /// Print records as tables for people or as JSON for programs
    #[arg(long, global = true, value_enum, default_value_t, value_name = "FORMAT", display_order = LAST)]
    output: Format,
    /// The server's address [default: the server last signed in to]
    #[arg(long, global = true, env = "FIELDHOUSE_URL", value_name = "URL", value_parser = address, display_order = LAST)]
    base_url: Option<String>,
}

/// Reads a server's address. An empty one is none: so a variable is switched off.
fn address(text: &str) -> Result<String, String> {
    if text.is_empty() {
        return Ok(String::new());
    }
    server_address(text).map_err(|_| {
        let whole = format!("http://{text}");
        let lacks_a_scheme =
            !text.contains("//") && text.contains(['.', ':']) && server_address(&whole).is_ok();
        format!("write {}", if lacks_a_scheme { &whole } else { DEFAULT_URL })
    })
}

/// What a command works with.
pub(crate) struct Context {
    /// Where its results go.
    pub(crate) output: Output,
    base_url: Option<String>,
}

impl Context {
    /// The context of these options.
    pub(crate) fn new(global: Global) -> Self {
        Self { output: Output::new(global.output), base_url: global.base_url.filter(|url| !url.is_empty()) }
    }

    /// The server's address.
    pub(crate) fn base_url(&self) -> anyhow::Result<String> {
        match &self.base_url {
            Some(url) => Ok(url.clone()),
            None => Ok(read(&Store::of_user()?)?.current.unwrap_or_else(|| DEFAULT_URL.to_owned())),
        }
    }

    /// A client without a credential.
    pub(crate) fn builder(&self) -> anyhow::Result<Builder> {
        Ok(Client::builder(self.base_url()?).user_agent(USER_AGENT))
    }

    /// A client with whatever credential there is: the environment's key, else what is kept, else none but the guest's token.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        let kept = self.kept()?;
        match key_of_environment() {
            Some(key) => Ok(self.as_guest(&kept)?.api_key(key).build()?),
            None => self.client_of(kept),
        }
    }

    /// A client with a credential, or the failure that tells the person to sign in.
    pub(crate) fn signed_in(&self) -> anyhow::Result<Client> {
        if key_of_environment().is_none() && self.kept()?.credential.is_none() {
            return Err(Failure::not_signed_in(&self.base_url()?).into());
        }
        self.client()
    }

    /// A client with what is kept.
    pub(crate) fn client_of(&self, server: Server) -> anyhow::Result<Client> {
        let builder = self.as_guest(&server)?;
        let builder =
            match server.credential {
                None => builder,
                Some(Credential::ApiKey { key }) => builder.api_key(key),
                Some(Credential::Session { session_id, access_token, refresh_token, .. }) => {
                    let (store, base_url) = (Store::of_user()?, self.base_url()?);
                    builder
                        .session(SessionTokens::new(access_token, refresh_token))
                        .session_store(KeptSession { store, base_url, session_id })
                }
            };
        Ok(builder.build()?)
    }

    /// What is kept for this server.
    pub(crate) fn kept(&self) -> anyhow::Result<Server> {
        let base_url = self.base_url()?;
        Ok(read(&Store::of_user()?)?.servers.remove(&base_url).unwrap_or_default())
    }

    /// Changes what is kept for this server.
    pub(crate) fn keep(&self, change: impl FnOnce(&mut Server)) -> anyhow::Result<()> {
        let base_url = self.base_url()?;
        Ok(Store::of_user()?.update(|kept| change(kept.servers.entry(base_url).or_default()))?)
    }

    /// Keeps a credential and makes this the server that is meant from now on.
    pub(crate) fn sign_in(&self, credential: Credential) -> anyhow::Result<()> {
        let base_url = self.base_url()?;
        Ok(Store::of_user()?.update(|kept| {
            kept.servers.entry(base_url.clone()).or_default().credential = Some(credential);
            kept.current = Some(base_url);
        })?)
    }

    /// Keeps the token of the guest that an anonymous client became.
    pub(crate) fn keep_guest(&self, client: &Client) -> anyhow::Result<()> {
        let Some(token) = client.guest_token() else { return Ok(()) };
        self.keep(|server| server.guest_token = Some(token.expose_secret().to_owned()))
    }

    /// When the session ends that the caller has here. The access token that the server is asked with ends long before.
    pub(crate) fn session_end(&self, session: SessionId) -> anyhow::Result<Option<Timestamp>> {
        Ok(match self.kept()?.credential {
            Some(Credential::Session { session_id, session_expires_at, .. })
                if session_id == session.to_string() =>
            {
                session_expires_at
            }
            _ => None,
        })
    }

    fn as_guest(&self, server: &Server) -> anyhow::Result<Builder> {
        let builder = self.builder()?;
        Ok(match &server.guest_token {
            Some(token) => builder.guest_token(token.clone()),
            None => builder,
        })
    }
}

/// Reads what is kept. Where that is damaged, signing in again is the way out.
fn read(store: &Store) -> anyhow::Result<Kept> {
    store.read().map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Failure::new(error.to_string())
            .next("sign in again, which replaces it: fieldhouse login <email>")
            .into(),
        _ => error.into(),
    })
}

/// Removes what is kept where it cannot be read: for commands that keep something else in its place.
pub(crate) fn mend() -> anyhow::Result<()> {
    if let Some(damage) = Store::of_user()?.remove_if_damaged()? {
        note(&format!("{damage}. It was removed: sign in again on every server."));
    }
    Ok(())
}
