//! The context of a running command: its output, its server, and a client for it.

use std::io::ErrorKind;

use fieldhouse_client::api::organization::OrganizationRef;
use fieldhouse_client::{Builder, Client, SessionTokens};
use fieldhouse_domain::ids::SessionId;
use jiff::Timestamp;
use secrecy::ExposeSecret;

use crate::contexts::{Contexts, Credential, Named};
use crate::credentials::{Store, StoredSession, key_of_environment};
use crate::failure::Failure;
use crate::global::Global;
use crate::output::{Output, note};
use crate::place::{Asked, Place};
use crate::zone::Zone;

const USER_AGENT: &str = concat!("fieldhouse/", env!("CARGO_PKG_VERSION"));

/// The context of a command.
pub(crate) struct Context {
    /// Where to print results.
    pub(crate) output: Output,
    asked: Asked,
    zone: Zone,
}

impl Context {
    /// The context for these options.
    pub(crate) fn new(global: Global) -> anyhow::Result<Self> {
        let zone = Zone::default();
        let asked = global.asked()?;
        Ok(Self { output: Output::new(global.printing, zone.clone()), asked, zone })
    }

    /// The context or server that the user has asked for.
    pub(crate) fn asked(&self) -> &Asked {
        &self.asked
    }

    /// The server's URL.
    pub(crate) fn base_url(&self) -> anyhow::Result<String> {
        Ok(self.place()?.base_url)
    }

    /// The server, and the named context if there is one.
    pub(crate) fn place(&self) -> anyhow::Result<Place> {
        Ok(read()?.place(&self.asked)?)
    }

    /// The server to sign in to, and the name of the context if the user has chosen one.
    pub(crate) fn place_of_login(&self) -> anyhow::Result<Place> {
        Ok(read()?.place_of_login(&self.asked))
    }

    /// A client with the available credential: the environment's key, or else the stored credential, or else the guest's token.
    pub(crate) fn client(&self) -> anyhow::Result<Client> {
        let stored = read()?;
        let place = stored.place(&self.asked)?;
        let client = match (key_of_environment(), &place.context) {
            (Some(key), _) => as_guest(&stored, &place.base_url).api_key(key).build()?,
            (None, Some(name)) => client_of(&stored, name)?,
            (None, None) => as_guest(&stored, &place.base_url).build()?,
        };
        self.zone.ask_with(&client);
        Ok(client)
    }

    /// A client with a credential, or the failure "not signed in".
    pub(crate) fn signed_in(&self) -> anyhow::Result<Client> {
        if key_of_environment().is_none() && self.stored()?.is_none_or(|it| it.credential.is_none()) {
            return Err(Failure::not_signed_in(&self.base_url()?).into());
        }
        self.client()
    }

    /// The stored context of this command.
    pub(crate) fn stored(&self) -> anyhow::Result<Option<Named>> {
        let mut stored = read()?;
        let place = stored.place(&self.asked)?;
        Ok(place.context.and_then(|name| stored.named.remove(&name)))
    }

    /// Stores the token of the guest that the server created for this client.
    pub(crate) fn keep_guest(&self, client: &Client) -> anyhow::Result<()> {
        let Some(token) = client.guest_token() else { return Ok(()) };
        let (base_url, token) = (self.base_url()?, token.expose_secret().to_owned());
        Ok(Store::of_user()?.update(|stored| drop(stored.guests.insert(base_url, token)))?)
    }

    /// Removes the guest's token, whose programs are in the user's list.
    pub(crate) fn remove_guest(&self) -> anyhow::Result<()> {
        let base_url = self.base_url()?;
        Ok(Store::of_user()?.update(|stored| drop(stored.guests.remove(&base_url)))?)
    }

    /// When the stored session expires. The access token expires much earlier.
    pub(crate) fn session_end(&self, session: SessionId) -> anyhow::Result<Option<Timestamp>> {
        Ok(match self.stored()?.and_then(|it| it.credential) {
            Some(Credential::Session { session_id, session_expires_at, .. })
                if session_id == session.to_string() =>
            {
                session_expires_at
            }
            _ => None,
        })
    }
}

/// Stores a credential in this context or in that of its organization, and makes it the current one. Returns its name.
pub(crate) fn sign_in(
    place: Place,
    organization: Option<OrganizationRef>,
    credential: Credential,
) -> anyhow::Result<String> {
    let Place { context, base_url } = place;
    let mut stored_as = String::new();
    Store::of_user()?.update(|stored| {
        let name = context.unwrap_or_else(|| stored.name_for(&base_url, organization.as_ref()));
        let named = Named { base_url, organization, credential: Some(credential) };
        stored.named.insert(name.clone(), named);
        stored.current = Some(name.clone());
        stored_as = name;
    })?;
    Ok(stored_as)
}

/// Whether programs were saved on this server without signing in.
pub(crate) fn was_guest(base_url: &str) -> anyhow::Result<bool> {
    Ok(read()?.guests.contains_key(base_url))
}

/// A client without a credential of the server at this URL.
pub(crate) fn builder(base_url: &str) -> Builder {
    Client::builder(base_url).user_agent(USER_AGENT)
}

/// A client with the credential of a named context.
pub(crate) fn client_of(stored: &Contexts, name: &str) -> anyhow::Result<Client> {
    let named = stored.find(name)?.clone();
    let builder = as_guest(stored, &named.base_url);
    let builder =
        match named.credential {
            None => builder,
            Some(Credential::ApiKey { key }) => builder.api_key(key),
            Some(Credential::Session { session_id, access_token, refresh_token, .. }) => {
                let (store, context) = (Store::of_user()?, name.to_owned());
                builder
                    .session(SessionTokens::new(access_token, refresh_token))
                    .session_store(StoredSession { store, context, session_id })
            }
        };
    Ok(builder.build()?)
}

fn as_guest(stored: &Contexts, base_url: &str) -> Builder {
    match stored.guests.get(base_url) {
        Some(token) => builder(base_url).guest_token(token.clone()),
        None => builder(base_url),
    }
}

/// Reads the stored data. If the file is damaged, signing in again replaces it.
pub(crate) fn read() -> anyhow::Result<Contexts> {
    Store::of_user()?.read().map_err(|error| match error.kind() {
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
