//! Credentials: none, a guest's token, an API key or a session; and how a session's tokens are renewed.

use std::io;
use std::sync::Arc;

use fieldhouse_api::auth::{Refresh, Tokens};
use fieldhouse_api::op;
use fieldhouse_api::request::{NoParameter, NoQuery};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Mutex;

use crate::client::Client;
use crate::errors::Error;

/// The caller of a client.
#[derive(Debug)]
pub(crate) enum Caller {
    /// An anonymous client, or the guest of the client's guest token.
    Anonymous,
    /// The user of an API key.
    ApiKey(SecretString),
    /// The user of a session.
    Session(Arc<Session>),
    /// The operator of the server.
    Operator(OperatorTokens),
}

/// Creates a token of the operator for each attempt, because a token can be used once.
#[derive(Clone)]
pub(crate) struct OperatorTokens(pub(crate) Arc<dyn Fn() -> SecretString + Send + Sync>);

impl std::fmt::Debug for OperatorTokens {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OperatorTokens").finish_non_exhaustive()
    }
}

/// A session's two tokens. They are not shown by `Debug`.
#[derive(Clone, Debug)]
pub struct SessionTokens {
    access: SecretString,
    refresh: SecretString,
}

impl SessionTokens {
    /// Tokens that were stored by an earlier run.
    pub fn new(access_token: impl Into<SecretString>, refresh_token: impl Into<SecretString>) -> Self {
        Self { access: access_token.into(), refresh: refresh_token.into() }
    }

    /// The access token: a JWT, valid for some minutes.
    pub fn access_token(&self) -> &SecretString {
        &self.access
    }

    /// The refresh token: opaque, can be used once.
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

/// Where a session's tokens are stored between runs, possibly shared by several processes.
///
/// A refresh token can be used once, and using it twice ends the session. So a process that renews the session first takes a lock, checks
/// whether another process has renewed it, and releases the lock when the new tokens are stored.
pub trait SessionStore: Send + Sync {
    /// Takes the lock. May block; it is called where that is allowed.
    fn lock(&self) -> io::Result<Box<dyn SessionLock>>;
}

/// A lock on the session's tokens; dropping it releases it.
pub trait SessionLock: Send {
    /// The stored tokens, if there are any.
    fn tokens(&mut self) -> Option<SessionTokens>;
    /// Stores new tokens.
    fn store(&mut self, tokens: &SessionTokens) -> io::Result<()>;
}

/// The token store of a program that only wants notifications.
pub(crate) struct Notify<F>(pub(crate) Arc<F>);

impl<F: Fn(&SessionTokens) + Send + Sync + 'static> SessionStore for Notify<F> {
    fn lock(&self) -> io::Result<Box<dyn SessionLock>> {
        Ok(Box::new(Self(Arc::clone(&self.0))))
    }
}

impl<F: Fn(&SessionTokens) + Send + Sync> SessionLock for Notify<F> {
    fn tokens(&mut self) -> Option<SessionTokens> {
        None
    }
    fn store(&mut self, tokens: &SessionTokens) -> io::Result<()> {
        (self.0)(tokens);
        Ok(())
    }
}

/// A session's tokens behind a lock that is held during a renewal, so that concurrent calls share one renewal.
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

    /// The current access token; waits while it is being renewed.
    pub(crate) async fn access(&self) -> SecretString {
        self.tokens.lock().await.access.clone()
    }

    /// Makes sure that the access token is not `stale`. Runs in a task of its own, because a caller that is cancelled between the server's
    /// response and storing it would lose the session.
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
        let mut lock = self.lock().await.map_err(Error::SessionStore)?;
        if let Some(stored) = lock.as_mut().and_then(|lock| lock.tokens()) {
            let renewed = !stored.has_access(stale);
            *tokens = stored;
            if renewed {
                return Ok(());
            }
        }
        let refresh = Refresh { refresh_token: tokens.refresh.expose_secret().to_owned() };
        *tokens = client.call::<op::AuthRefresh>(NoParameter, &NoQuery {}, &refresh).await?.into();
        match &mut lock {
            Some(lock) => lock.store(&tokens).map_err(Error::SessionStore),
            None => Ok(()),
        }
    }

    async fn lock(&self) -> io::Result<Option<Box<dyn SessionLock>>> {
        let Some(store) = self.store.clone() else { return Ok(None) };
        tokio::task::spawn_blocking(move || store.lock()).await.map_err(io::Error::other)?.map(Some)
    }
}
