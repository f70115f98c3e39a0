//! Fingerprints of the key ring that the store is used with, one for each secret. The secrets themselves are not stored here.

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
    /// The purpose of the secret.
    pub purpose: String,
    /// The fingerprint.
    pub digest: [u8; 32],
}

/// The fingerprints of all secrets that were used with this store. Empty if it has never been used with a key ring.
pub async fn read(reader: &mut impl Reader) -> Result<Vec<Fingerprint>> {
    reader.rows(READ, values![], |row| Ok(Fingerprint { purpose: row.next()?, digest: row.next()? })).await
}

/// Stores a fingerprint.
pub async fn remember(tx: &mut Tx<'_>, fingerprint: &Fingerprint) -> Result<()> {
    tx.run(INSERT, values![&fingerprint.purpose, &fingerprint.digest]).await.map(drop)
}
