//! State shared by all requests.

use std::sync::Arc;

use fieldhouse_store::Store;
use fieldhouse_store::access_log::AccessLog;
use jiff::SignedDuration;
use uuid::Uuid;

use crate::auth::attempts::Running;
use crate::auth::callers::Callers;
use crate::auth::limits::{LimitOptions, Limits};
use crate::auth::operators::UsedTokens;
use crate::auth::passwords::Passwords;
use crate::auth::tokens::AccessTokens;
use crate::clock::Clock;
use crate::erasures::Erasures;
use crate::key_ring::KeyRing;
use crate::responses::Responses;
use crate::workers::KeyUse;

/// State shared by all requests. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Shared>);

/// See [`App`].
pub struct Shared {
    /// The store.
    pub store: Arc<Store>,
    /// Time and randomness.
    pub clock: Clock,
    /// The server's secrets.
    pub key_ring: KeyRing,
    /// Issues and verifies access tokens.
    pub tokens: AccessTokens,
    /// Makes and checks password hashes.
    pub passwords: Passwords,
    /// Sign-in attempts that run or wait.
    pub attempts: Running,
    /// Callers whose credential was verified.
    pub callers: Callers,
    /// Responses that are kept in memory.
    pub responses: Responses,
    /// Limits the rate of requests.
    pub limits: Limits,
    /// Collects the times of keys' last use.
    pub key_use: KeyUse,
    /// Collects who saw children's data.
    pub access_log: AccessLog,
    /// The list of erased children.
    pub erasures: Erasures,
    /// The id of this process, for which operators' tokens are signed.
    pub process: Uuid,
    /// The operators' tokens that were used.
    pub operator_tokens: UsedTokens,
    /// The URL under which clients reach the server, without a slash at the end.
    pub base_url: String,
    /// How long messages about changed games are held.
    pub notify_hold: SignedDuration,
}

impl App {
    /// Creates the state. Fails if the signing keys of the key ring are invalid.
    pub fn new(
        store: Arc<Store>,
        key_ring: KeyRing,
        base_url: &str,
        limits: LimitOptions,
        clock: Clock,
        notify_hold: SignedDuration,
    ) -> Result<Self, String> {
        let base_url = base_url.trim_end_matches('/').to_owned();
        let tokens = AccessTokens::new(&key_ring, &base_url)?;
        let passwords = Passwords::new(&clock);
        let (callers, responses) = (Callers::new(limits.keeps_callers), Responses::new(limits.cache_bytes));
        let (limits, key_use, attempts) = (Limits::new(limits), KeyUse::default(), Running::default());
        let process = Uuid::from_bytes(clock.random());
        Ok(Self(Arc::new(Shared {
            process,
            operator_tokens: UsedTokens::default(),
            store,
            clock,
            key_ring,
            tokens,
            passwords,
            attempts,
            callers,
            responses,
            limits,
            key_use,
            access_log: AccessLog::default(),
            erasures: Erasures::default(),
            base_url,
            notify_hold,
        })))
    }
}

impl std::ops::Deref for App {
    type Target = Shared;
    fn deref(&self) -> &Shared {
        &self.0
    }
}
