//! The context of every command: the common options, the server, and a client for it.

use std::io::ErrorKind;

use fieldhouse_client::{Builder, Client, SessionTokens};
use fieldhouse_domain::ids::SessionId;
use jiff::Timestamp;
use secrecy::ExposeSecret;

use crate::credentials::{Credential, Server, Store, StoredCredentials, StoredSession, key_of_environment};
use crate::failure::Failure;
use crate::global::{DEFAULT_URL, Global};
use crate::output::{Output, note};
use crate::zone::Zone;

const USER_AGENT: &str = concat!("fieldhouse/", env!("CARGO_PKG_VERSION"));

/// The context of a command.
pub(crate) struct Context {
    /// Where to print results.
    pub(crate) output: Output,
    base_url: Option<String>,
    zone: Zone,
}

impl Context {
    /// The context for these options.
    pub(crate) fn new(global: Global) -> Self {
        let zone = Zone::default();
        let output = Output::new(global.printing, zone.clone());
        Self { output, base_url: global.base_url.filter(|url| !url.is_empty()), zone }
    }

    /// The server's URL.
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

    /// A client with the available credential: the environment's key, or else the stored credential, or else the guest's token.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        let stored = self.stored()?;
        let client = match key_of_environment() {
            Some(key) => self.as_guest(&stored)?.api_key(key).build()?,
            None => self.client_of(stored)?,
        };
        self.zone.ask_with(&client);
        Ok(client)
    }

    /// A client with a credential, or the failure "not signed in".
    pub(crate) fn signed_in(&self) -> anyhow::Result<Client> {
        if key_of_environment().is_none() && self.stored()?.credential.is_none() {
            return Err(Failure::not_signed_in(&self.base_url()?).into());
        }
        self.client()
    }

    /// A client with the stored credential.
    pub(crate) fn client_of(&self, server: Server) -> anyhow::Result<Client> {
        let builder = self.as_guest(&server)?;
        let builder = match server.credential {
            None => builder,
            Some(Credential::ApiKey { key }) => builder.api_key(key),
            Some(Credential::Session { session_id, access_token, refresh_token, .. }) => {
                let (store, base_url) = (Store::of_user()?, self.base_url()?);
                builder
                    .session(SessionTokens::new(access_token, refresh_token))
                    .session_store(StoredSession { store, base_url, session_id })
            }
        };
        Ok(builder.build()?)
    }

    /// The stored data of this server.
    pub(crate) fn stored(&self) -> anyhow::Result<Server> {
        let base_url = self.base_url()?;
        Ok(read(&Store::of_user()?)?.servers.remove(&base_url).unwrap_or_default())
    }

    /// Changes the stored data of this server.
    pub(crate) fn update_stored(&self, change: impl FnOnce(&mut Server)) -> anyhow::Result<()> {
        let base_url = self.base_url()?;
        Ok(Store::of_user()?.update(|stored| change(stored.servers.entry(base_url).or_default()))?)
    }

    /// Stores a credential, and makes this the default server.
    pub(crate) fn sign_in(&self, credential: Credential) -> anyhow::Result<()> {
        let base_url = self.base_url()?;
        Ok(Store::of_user()?.update(|stored| {
            stored.servers.entry(base_url.clone()).or_default().credential = Some(credential);
            stored.current = Some(base_url);
        })?)
    }

    /// Stores the token of the guest that the server created for this client.
    pub(crate) fn keep_guest(&self, client: &Client) -> anyhow::Result<()> {
        let Some(token) = client.guest_token() else { return Ok(()) };
        self.update_stored(|server| server.guest_token = Some(token.expose_secret().to_owned()))
    }

    /// When the stored session expires. The access token expires much earlier.
    pub(crate) fn session_end(&self, session: SessionId) -> anyhow::Result<Option<Timestamp>> {
        Ok(match self.stored()?.credential {
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

/// Reads the stored data. If the file is damaged, signing in again replaces it.
fn read(store: &Store) -> anyhow::Result<StoredCredentials> {
    store.read().map_err(|error| match error.kind() {
        ErrorKind::InvalidData => Failure::new(error.to_string())
            .next("sign in again, which replaces it: fieldhouse login <email>")
            .into(),
        _ => error.into(),
    })
}

/// Removes a damaged file, for commands that store other data instead.
pub(crate) fn remove_damaged_file() -> anyhow::Result<()> {
    if let Some(damage) = Store::of_user()?.remove_if_damaged()? {
        note(&format!("{damage}. It was removed: sign in again on every server."));
    }
    Ok(())
}
