//! Callers whose credential was verified, kept in memory. A kept caller is used only while the generation of their organization proves that
//! nothing has been written there since their facts were read, so that what is revoked is refused on the next request.

use std::sync::Arc;

use fieldhouse_domain::ids::{OrganizationId, SessionId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::{Caller, LocalGeneration, RawCredential, Store, access};
use jiff::Timestamp;
use quick_cache::sync::Cache;

/// The maximum number of callers that are kept, about half a kilobyte each.
const KEPT: usize = 50_000;

/// What identifies a credential: the whole API key, as its digest, or the session and the end of its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Identity {
    ApiKey([u8; 32]),
    Session(OrganizationId, SessionId, Timestamp),
}

impl Identity {
    fn of(sent: &RawCredential) -> Option<Self> {
        match sent {
            RawCredential::ApiKey { digests, .. } => digests.first().map(|(_, digest)| Self::ApiKey(*digest)),
            RawCredential::Session { organization, id, expires_at } => {
                Some(Self::Session(*organization, *id, *expires_at))
            }
        }
    }
}

#[derive(Clone)]
struct Kept {
    /// Taken before the facts were read.
    generation: LocalGeneration,
    caller: Arc<Caller>,
}

/// The callers that are kept.
pub struct Callers(Option<Cache<Identity, Kept>>);

impl Callers {
    /// Keeps callers, or none.
    pub fn new(keeps: bool) -> Self {
        Self(keeps.then(|| Cache::new(KEPT)))
    }

    /// The caller with a credential, from memory if that is current.
    pub async fn identify(
        &self,
        store: &Store,
        sent: &RawCredential,
        now: Timestamp,
    ) -> fieldhouse_store::Result<Result<Arc<Caller>, Denial>> {
        let place = self.0.as_ref().zip(Identity::of(sent));
        let kept = place.and_then(|(callers, identity)| callers.get(&identity));
        let organization = kept.as_ref().map(|kept| kept.caller.organization());
        let mut generation = organization.and_then(|organization| store.local_generation(organization));
        if let Some(kept) = kept.filter(|kept| generation == Some(kept.generation)) {
            return Ok(kept.caller.authenticate(now).map(|()| kept.caller));
        }
        let mut caller = match access::identify(&mut &*store, sent, now).await? {
            Ok(caller) => caller,
            Err(denial) => return Ok(Err(denial)),
        };
        if organization != Some(caller.organization()) {
            // Only the facts say whose generation counts, and it must be taken before they are read.
            generation = store.local_generation(caller.organization());
            if place.is_some() && generation.is_some() {
                caller = match access::identify(&mut &*store, sent, now).await? {
                    Ok(caller) => caller,
                    Err(denial) => return Ok(Err(denial)),
                };
            }
        }
        if let (Some((callers, identity)), Some(generation)) = (place, generation) {
            callers.insert(identity, Kept { generation, caller: caller.clone() });
        }
        Ok(Ok(caller))
    }
}
