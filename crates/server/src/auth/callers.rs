//! Callers whose credential was verified, kept in memory. A kept caller is used only if their facts are proved to be current, so that what
//! is revoked is refused on the next request. On SQLite the generation of their organization proves that nothing has been written there
//! since. On PostgreSQL, where other nodes write, the facts are read again in the flight of the first data
//! ([`Confirmation`](fieldhouse_store::access::Confirmation)).

use std::sync::Arc;

use fieldhouse_domain::ids::{OrganizationId, SessionId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::{Caller, LocalGeneration, Store, access};
use jiff::Timestamp;
use quick_cache::sync::Cache;

use crate::app::App;
use crate::auth::credentials::Sent;
use crate::auth::limits::CallerBuckets;

/// The maximum number of callers that are kept, about half a kilobyte each.
const KEPT: usize = 50_000;

/// What identifies a credential: the whole API key, as its digest, or the session and the end of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    ApiKey([u8; 32]),
    Session(OrganizationId, SessionId, Timestamp),
}

impl Identity {
    fn of(sent: &Sent) -> Self {
        match sent {
            Sent::ApiKey(_, digest) => Self::ApiKey(*digest),
            Sent::Session(claims) => {
                Self::Session(claims.organization(), claims.session(), claims.expires_at())
            }
        }
    }
}

/// A caller whose credential is valid, with the buckets that count their requests.
#[derive(Clone)]
pub struct Identified {
    /// The caller.
    pub caller: Arc<Caller>,
    /// Their buckets.
    pub buckets: Arc<CallerBuckets>,
}

#[derive(Clone)]
struct Kept {
    /// Taken before the facts were read. `None` on PostgreSQL.
    generation: Option<LocalGeneration>,
    identified: Identified,
}

/// What memory knows about a caller.
pub enum Known {
    /// They are current, or their credential has expired.
    Current(Result<Identified, Denial>),
    /// They were identified once, and have to be confirmed.
    Remembered(Identified),
    /// Nothing that is of use.
    Nothing,
}

/// The callers that are kept.
pub struct Callers(Option<Cache<Identity, Kept>>);

impl Callers {
    /// Keeps callers, or none.
    pub fn new(keeps: bool) -> Self {
        Self(keeps.then(|| Cache::new(KEPT)))
    }

    /// What memory knows about the caller with a credential.
    pub fn known(&self, store: &Store, sent: &Sent, now: Timestamp) -> Known {
        let kept = self.0.as_ref().and_then(|callers| callers.get(&Identity::of(sent)));
        let Some(Kept { generation, identified }) = kept else { return Known::Nothing };
        if generation.is_none() {
            return Known::Remembered(identified);
        }
        if store.local_generation(identified.caller.organization()) != generation {
            return Known::Nothing;
        }
        Known::Current(identified.caller.authenticate(now).map(|()| identified))
    }

    /// The caller with a credential, as the store has them now.
    pub async fn identify(
        &self,
        app: &App,
        sent: &Sent,
        now: Timestamp,
    ) -> fieldhouse_store::Result<Result<Identified, Denial>> {
        let (mut store, raw) = (&*app.store, sent.raw(&app.key_ring));
        let place = self.0.as_ref().map(|callers| (callers, Identity::of(sent)));
        let kept = place.and_then(|(callers, identity)| callers.get(&identity));
        let organization = kept.map(|kept| kept.identified.caller.organization());
        let mut generation = organization.and_then(|organization| store.local_generation(organization));
        let mut caller = match access::identify(&mut store, &raw, now).await? {
            Ok(caller) => caller,
            Err(denial) => {
                if let Some((callers, identity)) = place {
                    callers.remove(&identity);
                }
                return Ok(Err(denial));
            }
        };
        if organization != Some(caller.organization()) {
            // Only the facts say whose generation counts, and it must be taken before they are read.
            generation = store.local_generation(caller.organization());
            if place.is_some() && generation.is_some() {
                caller = match access::identify(&mut store, &raw, now).await? {
                    Ok(caller) => caller,
                    Err(denial) => return Ok(Err(denial)),
                };
            }
        }
        let identified = Identified { buckets: Arc::new(app.limits.of(&caller)), caller };
        if let Some((callers, identity)) = place {
            callers.insert(identity, Kept { generation, identified: identified.clone() });
        }
        Ok(Ok(identified))
    }
}
