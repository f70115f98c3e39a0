//! Callers who are kept in memory: identified once, and then proved current, so that what is revoked is refused on the next request.
//!
//! On SQLite the generation of the facts behind credentials proves it, for reads and, with what the open batch has written, in
//! transactions. On PostgreSQL, where other nodes write too, nothing in memory can: see [`Confirmation`](super::Confirmation).

use std::sync::Arc;

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::policy::Denial;
use jiff::Timestamp;

use super::{Caller, OrgScope, RawCredential, identify_with};
use crate::engine::{Store, Tx};
use crate::error::Result;
use crate::sqlite::LocalGeneration;

impl Store {
    /// Reads the facts behind a credential, for a caller who is kept in memory. `organization` is the credential's, if that is known from an
    /// earlier time.
    pub async fn identify(
        &self,
        sent: &RawCredential,
        organization: Option<OrganizationId>,
        now: Timestamp,
    ) -> Result<std::result::Result<Arc<Caller>, Denial>> {
        let known = sent.organization().or(organization);
        let identified = self.identify_in(known, sent, now).await?;
        match identified {
            // Only the facts say whose generation counts, and it must be taken before they are read.
            Ok(caller) if self.sqlite().is_some() && known != Some(caller.organization()) => {
                self.identify_in(Some(caller.organization()), sent, now).await
            }
            identified => Ok(identified),
        }
    }

    async fn identify_in(
        &self,
        organization: Option<OrganizationId>,
        sent: &RawCredential,
        now: Timestamp,
    ) -> Result<std::result::Result<Arc<Caller>, Denial>> {
        let generation = organization.and_then(|organization| self.credentials(organization));
        let identified = identify_with(&mut &*self, sent, now, true).await?;
        Ok(identified.map(|caller| {
            let generation = generation.filter(|_| organization == Some(caller.organization()));
            Arc::new(Caller { generation, ..caller })
        }))
    }

    fn credentials(&self, organization: OrganizationId) -> Option<LocalGeneration> {
        self.sqlite().map(|sqlite| sqlite.generations.of_credentials(organization))
    }

    /// Whether the facts of a caller are current. `None` if nothing in memory can say it.
    pub fn is_current(&self, caller: &Caller) -> Option<bool> {
        let generation = caller.generation?;
        Some(self.credentials(caller.organization()) == Some(generation))
    }
}

impl Tx<'_> {
    /// The caller of a scope, as the transaction has them.
    pub(super) async fn caller(
        &mut self,
        scope: &OrgScope,
        now: Timestamp,
    ) -> Result<std::result::Result<Arc<Caller>, Denial>> {
        let caller = &scope.caller;
        let is_current = |generation| self.has_credentials_of(caller.organization(), generation);
        if caller.generation.is_some_and(is_current) {
            return Ok(caller.authenticate(now).map(|()| caller.clone()));
        }
        // In a box, because its future is much larger than this one.
        Ok(Box::pin(identify_with(self, &caller.sent, now, false)).await?.map(Arc::new))
    }
}
