//! Who calls: an anonymous client, a guest, an API key or a session; and how a session's tokens are renewed.

use std::io;
use std::sync::Arc;

use fieldhouse_api::auth::{Refresh, Tokens};
use fieldhouse_api::op;
use fieldhouse_api::request::{NoParameter, NoQuery};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

use crate::client::Client;
use crate::errors::Error;

/// What a client calls as.
#[derive(Debug)]
pub(crate) enum Caller {
    /// An anonymous client, or the guest of the client's guest token.
    Anonymous,
    /// The user of an API key.
    ApiKey(SecretString),
    /// The user of a session.
    Session(Arc<Session>),
}

/// A session's two tokens. They are not shown by `Debug`.
#[derive(Clone, Debug)]
pub struct SessionTokens {
    access: SecretString,
    refresh: SecretString,
}

impl SessionTokens {
    /// The tokens that were kept from an earlier run.
    pub fn new(access_token: impl Into<SecretString>, refresh_token: impl Into<SecretString>) -> Self {
        Self { access: access_token.into(), refresh: refresh_token.into() }
    }

    /// The access token: a JWT, good for some minutes.
    pub fn access_token(&self) -> &SecretString {
        &self.access
    }

    /// The refresh token: opaque, good once.
    pub fn refresh_token(&self) -> &SecretString {
        &self.refresh
    }

    fn has_access(&self, token: &SecretString) -> bool {
        self.access.expose_secret() == token.expose_secret()
    }
}

impl From<Tokens> for SessionTokens {
    fn from(tokens: Tokens) -> Self {
        Self::new(tokens.access_token, tokens.refresh_token)
    }
}

/// Where a session's tokens are kept between runs, and perhaps shared by several processes.
///
/// A refresh token is valid once, and using it twice ends the session. So a process that renews the session first waits for its turn, then
/// checks whether another process has renewed it, and gives the turn back only when the new tokens are stored.
pub trait SessionStore: Send + Sync {
    /// Waits for this process's turn. May block; it is called where that is allowed.
    fn turn(&self) -> io::Result<Box<dyn Turn>>;
}

/// A turn at the session's tokens; dropping it ends it.
pub trait Turn: Send {
    /// The tokens as they are kept now, if they are.
    fn tokens(&mut self) -> Option<SessionTokens>;
    /// Keeps new tokens.
    fn keep(&mut self, tokens: &SessionTokens) -> io::Result<()>;
}

/// The store of a program that only wants to be told.
pub(crate) struct Tell<F>(pub(crate) Arc<F>);

impl<F: Fn(&SessionTokens) + Send + Sync + 'static> SessionStore for Tell<F> {
    fn turn(&self) -> io::Result<Box<dyn Turn>> {
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }
}

impl<F: Fn(&SessionTokens) + Send + Sync> Turn for Tell<F> {
    fn tokens(&mut self) -> Option<SessionTokens> {
        None
    }
    fn keep(&mut self, tokens: &SessionTokens) -> io::Result<()> {
        (self.0)(tokens);
        Ok(())
    }
}

/// A session: its tokens now, behind a lock that is held while they are renewed, so that concurrent calls share one renewal.
pub(crate) struct Session {
    tokens: Mutex<SessionTokens>,
    store: Option<Arc<dyn SessionStore>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").finish_non_exhaustive()
    }
}

impl Session {
    pub(crate) fn new(tokens: SessionTokens, store: Option<Arc<dyn SessionStore>>) -> Self {
        Self { tokens: Mutex::new(tokens), store }
    }

    /// The access token now; waits while it is being renewed.
    pub(crate) async fn access(&self) -> SecretString {
        self.tokens.lock().await.access.clone()
    }

    /// Sees to it that the access token is another than `stale`. Runs in a task of its own: a caller that goes away between the server's
    /// answer and the keeping of it would otherwise lose the session.
    pub(crate) async fn renew(self: &Arc<Self>, client: &Client, stale: SecretString) -> Result<(), Error> {
        let (session, client) = (Arc::clone(self), client.clone());
        let renewal = tokio::spawn(async move { session.renew_once(&client, &stale).await });
        renewal.await.unwrap_or_else(|error| Err(Error::SessionStore(io::Error::other(error))))
    }

    async fn renew_once(&self, client: &Client, stale: &SecretString) -> Result<(), Error> {
        let mut tokens = self.tokens.lock().await;
        if !tokens.has_access(stale) {
            return Ok(());
        }
        let mut turn = self.turn().await.map_err(Error::SessionStore)?;
        if let Some(kept) = turn.as_mut().and_then(|turn| turn.tokens()) {
            let renewed = !kept.has_access(stale);
            *tokens = kept;
            if renewed {
                return Ok(());
            }
        }
        let refresh = Refresh { refresh_token: tokens.refresh.expose_secret().to_owned() };
        *tokens = client.call::<op::AuthRefresh>(NoParameter, &NoQuery {}, &refresh).await?.into();
        match &mut turn {
            Some(turn) => turn.keep(&tokens).map_err(Error::SessionStore),
            None => Ok(()),
        }
    }

    async fn turn(&self) -> io::Result<Option<Box<dyn Turn>>> {
        let Some(store) = self.store.clone() else { return Ok(None) };
        tokio::task::spawn_blocking(move || store.turn()).await.map_err(io::Error::other)?.map(Some)
    }
}
