//! Callers whose credential was verified, kept in memory. A kept caller is used only if their facts are proved to be current, so that what
//! is revoked is refused on the next request. On SQLite a generation of the facts behind the credentials of their organization proves that
//! none has been written since. On PostgreSQL, where other nodes write, the facts are read again in the flight of the first data
//! ([`Confirmation`](fieldhouse_store::access::Confirmation)).

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, SessionId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::{Caller, Store};
use jiff::Timestamp;
use quick_cache::sync::Cache;

use crate::app::App;
use crate::auth::credentials::Sent;
use crate::auth::limits::{CallerBuckets, Limits};
use crate::workers::KEY_USE_GRAIN;

/// The maximum number of callers that are kept, about half a kilobyte each.
const KEPT: usize = 50_000;

/// What identifies a credential: the whole API key, as its digest, or the session, whose tokens differ only in when they expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    ApiKey([u8; 32]),
    Session(OrganizationId, SessionId),
}

impl Identity {
    fn of(sent: &Sent) -> Self {
        match sent {
            Sent::ApiKey(_, digest) => Self::ApiKey(*digest),
            Sent::Session(claims) => Self::Session(claims.organization(), claims.session()),
        }
    }
}

/// A caller whose credential is valid, with the buckets that count their requests.
pub struct Identified {
    /// The caller.
    pub caller: Arc<Caller>,
    /// Their buckets.
    pub buckets: CallerBuckets,
    /// When the use of their key was noted last, in seconds since 1970.
    use_noted: AtomicI64,
}

impl Identified {
    fn new(caller: Arc<Caller>, limits: &Limits) -> Self {
        let last_used_at = caller.key().and_then(|(_, last_used_at)| last_used_at);
        let use_noted = AtomicI64::new(last_used_at.unwrap_or(Timestamp::MIN).as_second());
        Self { buckets: limits.of(&caller), caller, use_noted }
    }

    /// The caller's key, if its use must be noted now: the last note is older than a minute.
    pub fn key_to_note(&self, now: Timestamp) -> Option<ApiKeyId> {
        let (key, _) = self.caller.key()?;
        let (last, now) = (self.use_noted.load(Ordering::Relaxed), now.as_second());
        if now.saturating_sub(last) < KEY_USE_GRAIN.as_secs() {
            return None;
        }
        self.use_noted.store(now, Ordering::Relaxed);
        Some(key)
    }
}

/// What memory knows about a caller.
pub enum Known {
    /// They are current, or their credential has expired.
    Current(Result<Arc<Identified>, Denial>),
    /// They were identified once, and have to be confirmed.
    Remembered(Arc<Identified>),
    /// Nothing that is of use.
    Nothing,
}

/// The callers that are kept.
pub struct Callers(Option<Cache<Identity, Arc<Identified>>>);

impl Callers {
    /// Keeps callers, or none.
    pub fn new(keeps: bool) -> Self {
        Self(keeps.then(|| Cache::new(KEPT)))
    }

    /// What memory knows about the caller with a credential.
    pub fn known(&self, store: &Store, sent: &Sent, now: Timestamp) -> Known {
        let Some(identified) = self.kept(sent) else { return Known::Nothing };
        match store.is_current(&identified.caller) {
            None => Known::Remembered(identified),
            Some(true) => Known::Current(identified.caller.authenticate(now).map(|()| identified)),
            Some(false) => Known::Nothing,
        }
    }

    /// The caller with a credential. A token that follows another one of its session takes its place.
    fn kept(&self, sent: &Sent) -> Option<Arc<Identified>> {
        let callers = self.0.as_ref()?;
        let kept = callers.get(&Identity::of(sent))?;
        let Sent::Session(claims) = sent else { return Some(kept) };
        let Some(caller) = kept.caller.with_token(claims.expires_at()) else { return Some(kept) };
        let use_noted = AtomicI64::new(kept.use_noted.load(Ordering::Relaxed));
        let renewed = Identified { caller: Arc::new(caller), buckets: kept.buckets.clone(), use_noted };
        let renewed = Arc::new(renewed);
        callers.insert(Identity::of(sent), renewed.clone());
        Some(renewed)
    }

    /// The caller with a credential, as the store has them now.
    pub async fn identify(
        &self,
        app: &App,
        sent: &Sent,
        now: Timestamp,
    ) -> fieldhouse_store::Result<Result<Arc<Identified>, Denial>> {
        let place = self.0.as_ref().map(|callers| (callers, Identity::of(sent)));
        let kept = place.and_then(|(callers, identity)| callers.get(&identity));
        let organization = kept.map(|kept| kept.caller.organization());
        let caller = app.store.identify(&sent.raw(&app.key_ring), organization, now).await?;
        let identified = caller.map(|caller| Arc::new(Identified::new(caller, &app.limits)));
        if let Some((callers, identity)) = place {
            match &identified {
                Ok(identified) => callers.insert(identity, identified.clone()),
                Err(_) => drop(callers.remove(&identity)),
            }
        }
        Ok(identified)
    }
}
