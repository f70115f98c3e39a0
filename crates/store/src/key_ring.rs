//! Which key ring the store is used with: a fingerprint of each of its secrets. The secrets themselves are never stored here.

use crate::engine::{Reader, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::value::values;

queries! {
    READ "key_ring.read" "SELECT purpose, fingerprint FROM key_ring_fingerprints";
    INSERT "key_ring.insert" "INSERT INTO key_ring_fingerprints (purpose, fingerprint) VALUES ($1, $2)
        ON CONFLICT (purpose, fingerprint) DO NOTHING";
}

/// The fingerprint of one secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    /// What the secret is for.
    pub purpose: String,
    /// The fingerprint itself.
    pub digest: [u8; 32],
}

/// The fingerprints of all secrets that were ever used with this store; empty if it has not been used with a key ring yet.
pub async fn read(reader: &mut impl Reader) -> Result<Vec<Fingerprint>> {
    reader.rows(READ, values![], |row| Ok(Fingerprint { purpose: row.next()?, digest: row.next()? })).await
}

/// Remembers a fingerprint.
pub async fn remember(tx: &mut Tx<'_>, fingerprint: &Fingerprint) -> Result<()> {
    tx.run(INSERT, values![&fingerprint.purpose, &fingerprint.digest]).await.map(drop)
}
