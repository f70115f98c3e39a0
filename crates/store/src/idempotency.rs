//! Responses stored for a day under the client's idempotency key, in the transaction of the write, so that a repeated request has no second
//! effect.
//!
//! On PostgreSQL, a transaction that looks for a key and does not find it collides with every other one that stores a key on the same page of
//! the index. So a key is not looked for: its row is inserted, and read only if it exists.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::record::Bytes;
use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::{Engine, Reader as _, Store, Tx, first};
use crate::error::Result;
use crate::query::{Query, queries};
use crate::value::{Value, values};

queries! {
    FIND "idempotency.find" "SELECT request_digest, status, headers, body, made_id, created_at FROM idempotency_keys
        WHERE org_id = $1 AND caller = $2 AND operation = $3 AND idempotency_key = $4";
    INSERT "idempotency.insert" "INSERT INTO idempotency_keys
            (org_id, caller, operation, idempotency_key, request_digest, status, headers, body, made_id, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (org_id, caller, operation, idempotency_key) DO UPDATE
        SET request_digest = $5, status = $6, headers = $7, body = $8, made_id = $9, created_at = $10";
    PURGE "idempotency.purge" "DELETE FROM idempotency_keys WHERE created_at < $1";
}

/// What an idempotency key is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The caller's organization. `None` if they have none.
    pub organization: Option<OrganizationId>,
    /// A digest of the caller.
    pub caller: [u8; 32],
    /// The operation's id.
    pub operation: &'static str,
    /// The client's key.
    pub key: String,
}

/// Stores a row for a key, if there is none. Its digest is of no request, so that it would be no one's response.
const RESERVE: &Query = &Query::new(
    "idempotency.reserve",
    "INSERT INTO idempotency_keys (org_id, caller, operation, idempotency_key, request_digest, status, headers, created_at)
        VALUES ($1, $2, $3, $4, $2, 0, '[]', $5) ON CONFLICT (org_id, caller, operation, idempotency_key) DO NOTHING",
);
/// Removes the row of a key.
const RELEASE: &Query = &Query::new(
    "idempotency.release",
    "DELETE FROM idempotency_keys WHERE org_id = $1 AND caller = $2 AND operation = $3 AND idempotency_key = $4",
);
/// The queries that only PostgreSQL has.
pub(crate) const POSTGRES_QUERIES: &[&Query] = &[RESERVE, RELEASE];

impl Slot {
    fn org(&self) -> Value<'_> {
        Value::from(self.organization.map_or(Uuid::nil(), fieldhouse_domain::ids::Id::uuid))
    }
}

/// A stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// The digest of its request.
    pub request_digest: [u8; 32],
    /// The HTTP status.
    pub status: i64,
    /// The headers, as JSON.
    pub headers: String,
    /// The body. `None` if it contained a secret.
    pub body: Option<Vec<u8>>,
    /// The id of the created record.
    pub created_id: Option<String>,
    /// When it was stored.
    pub created_at: Timestamp,
}

/// Returns the response stored under a key. If there is none, the transaction must end with [`insert`] or [`release`], or fail.
pub async fn find(tx: &mut Tx<'_>, slot: &Slot, now: Timestamp) -> Result<Option<StoredResponse>> {
    if tx.engine() == Engine::Postgres {
        let values = values![slot.org(), &slot.caller, slot.operation, &slot.key, now];
        if tx.run(RESERVE, values).await? == 1 {
            return Ok(None);
        }
    }
    first(tx, FIND, values![slot.org(), &slot.caller, slot.operation, &slot.key], |row| {
        Ok(StoredResponse {
            request_digest: row.next()?,
            status: row.next()?,
            headers: row.next()?,
            body: row.next::<Option<Bytes>>()?.map(|body| body.0),
            created_id: row.next()?,
            created_at: row.next()?,
        })
    })
    .await
}

/// Stores a response. Replaces an expired one.
pub async fn insert(tx: &mut Tx<'_>, slot: &Slot, stored: &StoredResponse) -> Result<()> {
    let values = values![
        slot.org(),
        &slot.caller,
        slot.operation,
        &slot.key,
        &stored.request_digest,
        stored.status,
        &stored.headers,
        stored.body.as_deref(),
        stored.created_id.as_ref(),
        stored.created_at,
    ];
    tx.run_one(INSERT, values, Uuid::nil()).await
}

/// Stores no response for a request that was carried out and has none.
pub async fn release(tx: &mut Tx<'_>, slot: &Slot) -> Result<()> {
    match tx.engine() {
        Engine::Sqlite => Ok(()),
        Engine::Postgres => {
            let values = values![slot.org(), &slot.caller, slot.operation, &slot.key];
            tx.run(RELEASE, values).await.map(drop)
        }
    }
}

impl Store {
    /// Deletes the responses stored before a time, and returns their number.
    pub async fn purge_idempotency_keys(&self, before: Timestamp) -> Result<u64> {
        self.write("idempotency.purge", async move |tx| tx.run(PURGE, values![before]).await).await
    }
}
