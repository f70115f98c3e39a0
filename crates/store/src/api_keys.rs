//! API keys in the store. How a key is checked stands in `access.rs`.

use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::ids::{ApiKeyId, Id, OrganizationId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::Scope;
use fieldhouse_domain::text::Name;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{self, Row};
use crate::value::{id, values};

queries! {
    LIST "api_keys.list" "SELECT id, user_id, name, kind, public_id, last4, digest, pepper_id, role, scopes, allowed_ips, created_at,
            expires_at, last_used_at, revoked_at, updated_at, version
        FROM api_keys WHERE org_id = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4";
    LIST_OWN "api_keys.list_own" "SELECT id, user_id, name, kind, public_id, last4, digest, pepper_id, role, scopes, allowed_ips,
            created_at, expires_at, last_used_at, revoked_at, updated_at, version
        FROM api_keys WHERE org_id = $1 AND user_id = $2 AND (created_at, id) < ($3, $4)
        ORDER BY created_at DESC, id DESC LIMIT $5";
    READ "api_keys.read" "SELECT id, user_id, name, kind, public_id, last4, digest, pepper_id, role, scopes, allowed_ips, created_at,
            expires_at, last_used_at, revoked_at, updated_at, version
        FROM api_keys WHERE org_id = $1 AND id = $2";
    ACTIVE "api_keys.active" "SELECT id, user_id, name, kind, public_id, last4, digest, pepper_id, role, scopes, allowed_ips,
            created_at, expires_at, last_used_at, revoked_at, updated_at, version
        FROM api_keys WHERE org_id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > $3 ORDER BY created_at, id";
    USED "api_keys.used" "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";
    INSERT "api_keys.insert" "INSERT INTO api_keys (id, org_id, user_id, name, kind, public_id, last4, digest, pepper_id, role, scopes,
            allowed_ips, created_at, expires_at, last_used_at, revoked_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)";
    UPDATE "api_keys.update" "UPDATE api_keys SET name = $3, expires_at = $4, revoked_at = $5, updated_at = $6, version = $7
        WHERE id = $1 AND org_id = $2 AND version = $7 - 1";
}

fn key(row: &mut Row<'_>) -> Result<ApiKey> {
    Ok(ApiKey {
        id: row.id()?,
        user_id: row.id()?,
        name: Name::stored(row.next()?),
        kind: row.parsed()?,
        public_id: row.next()?,
        last4: row.next()?,
        digest: row.next()?,
        pepper_id: row.next()?,
        role: row.through(Role::from_rank)?,
        scopes: row.list(Scope::parse)?,
        allowed_ips: row.list(str::parse::<std::net::IpAddr>)?,
        created_at: row.next()?,
        expires_at: row.next()?,
        last_used_at: row.next()?,
        revoked_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
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
        Whose::Own => reader.rows(LIST_OWN, values![id(org), id(scope.user()), at, last, limit], key).await,
        Whose::Everybodys => reader.rows(LIST, values![id(org), at, last, limit], key).await,
    }
}

/// One key of the organization, whosever it is: the caller must check that.
pub async fn read(reader: &mut impl Reader, scope: &OrgScope, key_id: ApiKeyId) -> Result<Option<ApiKey>> {
    first(reader, READ, values![id(scope.organization()), id(key_id)], key).await
}

/// A user's keys in the organization that can be used.
pub async fn active<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    user: UserId,
    now: Timestamp,
) -> Result<Vec<ApiKey>> {
    tx.rows(ACTIVE, values![id(proof.organization()), id(user), now], key).await
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

pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, new: bool, key: &ApiKey) -> Result<u64> {
    if !new {
        let (name, ends, revoked) = (key.name.as_str(), key.expires_at, key.revoked_at);
        return tx
            .run(UPDATE, values![id(key.id), id(org), name, ends, revoked, key.updated_at, key.version])
            .await;
    }
    let values = values![
        id(key.id),
        id(org),
        key.user_id.uuid(),
        key.name.as_str(),
        key.kind.name(),
        &key.public_id,
        &key.last4,
        &key.digest,
        &key.pepper_id,
        key.role.rank(),
        row::list(&key.scopes),
        row::list(&key.allowed_ips),
        key.created_at,
        key.expires_at,
        key.last_used_at,
        key.revoked_at,
        key.updated_at,
        key.version,
    ];
    tx.run(INSERT, values).await
}
