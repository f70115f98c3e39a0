//! Answers kept for a day under the key that the client sent, in the transaction of the write, so that a repeated request does
//! nothing twice.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::record::Bytes;
use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::{Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::{Value, values};

queries! {
    FIND "idempotency.find" "SELECT request_digest, status, headers, body, made_id, created_at FROM idempotency_keys
        WHERE org_id = $1 AND caller = $2 AND operation = $3 AND idempotency_key = $4";
    KEEP "idempotency.keep" "INSERT INTO idempotency_keys
            (org_id, caller, operation, idempotency_key, request_digest, status, headers, body, made_id, created_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (org_id, caller, operation, idempotency_key) DO UPDATE
        SET request_digest = $5, status = $6, headers = $7, body = $8, made_id = $9, created_at = $10";
    PURGE "idempotency.purge" "DELETE FROM idempotency_keys WHERE created_at < $1";
}

/// To what an idempotency key is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The caller's organization; none: he belongs to none.
    pub organization: Option<OrganizationId>,
    /// A digest of who calls.
    pub caller: [u8; 32],
    /// The operation's id.
    pub operation: &'static str,
    /// The key that the client sent.
    pub key: String,
}

impl Slot {
    fn org(&self) -> Value<'_> {
        Value::from(self.organization.map_or(Uuid::nil(), fieldhouse_domain::ids::Id::uuid))
    }
}

/// A kept answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The digest of the request that it answers.
    pub request_digest: [u8; 32],
    /// The HTTP status.
    pub status: i64,
    /// The headers that belong to it, as JSON.
    pub headers: String,
    /// The body; none: it held a secret.
    pub body: Option<Vec<u8>>,
    /// The id of what was made.
    pub made_id: Option<String>,
    /// When it was kept.
    pub created_at: Timestamp,
}

/// The answer that is kept under a key.
pub async fn find(tx: &mut Tx<'_>, slot: &Slot) -> Result<Option<Kept>> {
    first(tx, FIND, values![slot.org(), &slot.caller, slot.operation, &slot.key], |row| {
        Ok(Kept {
            request_digest: row.next()?,
            status: row.next()?,
            headers: row.next()?,
            body: row.next::<Option<Bytes>>()?.map(|body| body.0),
            made_id: row.next()?,
            created_at: row.next()?,
        })
    })
    .await
}

/// Keeps an answer, in place of one that is too old to count.
pub async fn keep(tx: &mut Tx<'_>, slot: &Slot, kept: &Kept) -> Result<()> {
    let values = values![
        slot.org(),
        &slot.caller,
        slot.operation,
        &slot.key,
        &kept.request_digest,
        kept.status,
        &kept.headers,
        kept.body.as_deref(),
        kept.made_id.as_ref(),
        kept.created_at,
    ];
    tx.run(KEEP, values).await.map(drop)
}

impl Store {
    /// Forgets answers that were kept before a time: how many.
    pub async fn purge_idempotency_keys(&self, before: Timestamp) -> Result<u64> {
        self.write("idempotency.purge", async move |tx| tx.run(PURGE, values![before]).await).await
    }
}
