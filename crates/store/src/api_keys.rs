//! API keys in the store. How a key is checked stands in `access.rs`.

use constcat::concat;
use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::ids::{ApiKeyId, UserId};
use fieldhouse_domain::record::Record as _;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    LIST "api_keys.list" concat!("SELECT ", ApiKey::COLUMNS, " FROM api_keys k
        WHERE k.org_id = $1 AND (k.created_at, k.id) < ($2, $3) ORDER BY k.created_at DESC, k.id DESC LIMIT $4");
    LIST_OWN "api_keys.list_own" concat!("SELECT ", ApiKey::COLUMNS, " FROM api_keys k
        WHERE k.org_id = $1 AND k.user_id = $2 AND (k.created_at, k.id) < ($3, $4) ORDER BY k.created_at DESC, k.id DESC LIMIT $5");
    READ "api_keys.read" ApiKey::TABLE.read;
    ACTIVE "api_keys.active" concat!("SELECT ", ApiKey::COLUMNS, " FROM api_keys k
        WHERE k.org_id = $1 AND k.user_id = $2 AND k.revoked_at IS NULL AND k.expires_at > $3 ORDER BY k.created_at, k.id");
    USED "api_keys.used" "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
}

/// Whose keys are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// The caller's.
    Own,
    /// Everybody's in the organization.
    Everybodys,
}

/// Keys, the newest first, from a point in that order.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    whose: Whose,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<ApiKey>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let org = scope.organization();
    match whose {
        Whose::Own => {
            reader.rows(LIST_OWN, values![id(org), id(scope.user()), at, last, limit], record).await
        }
        Whose::Everybodys => reader.rows(LIST, values![id(org), at, last, limit], record).await,
    }
}

/// One key of the organization, whosever it is: the caller must check that.
pub async fn read(reader: &mut impl Reader, scope: &OrgScope, key_id: ApiKeyId) -> Result<Option<ApiKey>> {
    first(reader, READ, values![id(scope.organization()), id(key_id)], record).await
}

/// A user's keys in the organization that can be used.
pub async fn active<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    user: UserId,
    now: Timestamp,
) -> Result<Vec<ApiKey>> {
    tx.rows(ACTIVE, values![id(proof.organization()), id(user), now], record).await
}

impl Store {
    /// Notes that keys were used. This is bookkeeping, not a change: it has no version and leaves no audit event.
    pub async fn note_key_use(&self, mut used: Vec<(ApiKeyId, Timestamp)>) -> Result<()> {
        if used.is_empty() {
            return Ok(());
        }
        // In the same order on every node, so that two of them never wait for each other's rows.
        used.sort_unstable();
        self.write("api_keys.note_use", async move |tx| {
            for (key_id, at) in &used {
                tx.run(USED, values![id(*key_id), *at]).await?;
            }
            Ok(())
        })
        .await
    }
}
