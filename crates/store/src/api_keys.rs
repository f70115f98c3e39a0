//! API keys in the store. `access.rs` checks keys.

use constcat::concat;
use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::ids::{ApiKeyId, OrganizationId, UserId};
use fieldhouse_domain::policy::{outranks, sees_others_keys};
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

/// Keys with their owners' memberships, if they have not left.
const HELD: &str = " FROM api_keys k LEFT JOIN members m ON m.org_id = k.org_id AND m.user_id = k.user_id";

/// How many uses of keys are noted in one transaction, so that others do not wait for all of them.
const USED_TOGETHER: usize = 200;

queries! {
    LIST "api_keys.list" concat!("SELECT ", ApiKey::COLUMNS, HELD, " WHERE k.org_id = $1 AND (m.role IS NULL OR m.role <= $2)
        AND (k.created_at, k.id) < ($3, $4) ORDER BY k.created_at DESC, k.id DESC LIMIT $5");
    READ "api_keys.read" concat!("SELECT ", ApiKey::COLUMNS, ", m.role", HELD, " WHERE k.org_id = $1 AND k.id = $2");
    LIST_OWN "api_keys.list_own" concat!("SELECT ", ApiKey::COLUMNS, " FROM api_keys k
        WHERE k.org_id = $1 AND k.user_id = $2 AND (k.created_at, k.id) < ($3, $4) ORDER BY k.created_at DESC, k.id DESC LIMIT $5");
    ACTIVE "api_keys.active" concat!("SELECT ", ApiKey::COLUMNS, " FROM api_keys k
        WHERE k.org_id = $1 AND k.user_id = $2 AND k.revoked_at IS NULL AND k.expires_at > $3 ORDER BY k.created_at, k.id");
    USED "api_keys.used" "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
}

/// A key that the acting user may know of.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The key.
    pub key: ApiKey,
    /// Whether its owner has a higher role than the acting user, who then can neither see nor revoke it.
    pub is_protected: bool,
}

/// A key by its id: the one that the request came with, the acting user's own, and for an admin everyone's. `None` for any other.
pub async fn read<R: Reader>(reader: &mut R, proof: &impl Proof<R>, key: ApiKeyId) -> Result<Option<Held>> {
    let values = values![id(proof.organization()), id(key)];
    let found =
        first(reader, READ, values, |row| Ok((row.record::<ApiKey>()?, row.next::<Option<Role>>()?))).await?;
    Ok(found.and_then(|(key, role)| match proof.through() {
        Some(through) => (through == key.id).then_some(Held { key, is_protected: false }),
        None if proof.owner() == Some(key.user_id) => Some(Held { key, is_protected: false }),
        None if sees_others_keys(proof.role()) => {
            Some(Held { key, is_protected: outranks(role, proof.role()) })
        }
        None => None,
    }))
}

/// The keys that the acting user may see, newest first, from a position: their own, and for an admin also those of everyone who does not
/// have a higher role.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<ApiKey>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let org = id(proof.organization());
    if sees_others_keys(proof.role()) {
        return reader.rows(LIST, values![org, proof.role().rank(), at, last, limit], record).await;
    }
    reader.rows(LIST_OWN, values![org, id(proof.owner()), at, last, limit], record).await
}

/// The active keys of the acting user.
pub async fn active<R: Reader>(reader: &mut R, proof: &impl Proof<R>, now: Timestamp) -> Result<Vec<ApiKey>> {
    reader.rows(ACTIVE, values![id(proof.organization()), id(proof.owner()), now], record).await
}

/// The active keys of a member, which the end of the membership revokes.
pub(crate) async fn active_of(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: UserId,
    now: Timestamp,
) -> Result<Vec<ApiKey>> {
    tx.rows(ACTIVE, values![id(organization), id(user), now], record).await
}

impl Store {
    /// Records that keys were used. This is bookkeeping, not a change: it has no version and no ledger entry.
    pub async fn note_key_use(&self, mut used: Vec<(ApiKeyId, Timestamp)>) -> Result<()> {
        // In the same order on every node, so that nodes never deadlock.
        used.sort_unstable();
        for some in used.chunks(USED_TOGETHER) {
            let some = some.to_vec();
            let write = self.write("api_keys.note_use", async move |tx| {
                let rows: Vec<_> = some.iter().map(|(key, at)| values![id(*key), *at].to_vec()).collect();
                tx.run_each(USED, &rows).await
            });
            write.await?;
        }
        Ok(())
    }
}
