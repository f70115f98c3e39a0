//! Checks which store a key ring belongs to.
//!
//! A store remembers a fingerprint of every secret that it was used with. A ring belongs to it if, for each purpose, they have a secret in
//! common. A rotated ring still belongs; another ring, or a new one that replaces a lost one, does not. A ring must also have every secret
//! that wraps keys of children, because the server cannot issue these again.

use std::path::Path;

use fieldhouse_store::key_ring::{self, Fingerprint};
use fieldhouse_store::{Store, Tx};

use super::{KeyRing, KeyRingError, PURPOSES, Purpose};
use crate::clock::Clock;

/// The message that fingerprints sign. No token, key or cursor starts with it.
const LABEL: &[u8] = b"\0fieldhouse: fingerprint of a secret";

impl KeyRing {
    /// Opens the key ring of a data folder for a store. Creates one only if the store has never been used with one.
    pub async fn open_for(store: &Store, folder: &Path, clock: &Clock) -> Result<Self, KeyRingError> {
        let known = key_ring::read(&mut &*store).await?;
        match Self::read(&folder.join(Self::FILE))? {
            Some(ring) => refuse_other(&ring.fingerprints(), &known)?,
            None if known.is_empty() => {}
            None => return Err(KeyRingError::Missing(folder.join(Self::FILE))),
        }
        Self::open(folder, clock)
    }

    /// Refuses a ring that does not belong to the store.
    pub async fn check(&self, store: &Store) -> Result<(), KeyRingError> {
        refuse_other(&self.fingerprints(), &key_ring::read(&mut &*store).await?)
    }

    /// Refuses a ring that does not belong to the store; otherwise the store remembers its secrets.
    pub async fn bind(&self, store: &Store) -> Result<(), KeyRingError> {
        let own = self.fingerprints();
        store
            .write("key_ring.bind", async move |tx: &mut Tx<'_>| {
                let known = key_ring::read(tx).await?;
                refuse_other(&own, &known)?;
                for fingerprint in own.iter().filter(|fingerprint| !known.contains(fingerprint)) {
                    key_ring::remember(tx, fingerprint).await?;
                }
                Ok(())
            })
            .await
    }

    fn fingerprints(&self) -> Vec<Fingerprint> {
        let of = |purpose: Purpose| {
            let purpose_name = purpose.name().to_owned();
            self.macs(purpose, LABEL)
                .map(move |(_, digest)| Fingerprint { purpose: purpose_name.clone(), digest })
        };
        PURPOSES.into_iter().flat_map(of).collect()
    }
}

fn refuse_other(own: &[Fingerprint], known: &[Fingerprint]) -> Result<(), KeyRingError> {
    for purpose in PURPOSES {
        let known = || known.iter().filter(|fingerprint| fingerprint.purpose == purpose.name());
        let (stored, missing) = (known().count(), known().filter(|one| !own.contains(one)).count());
        if stored > 0 && missing == stored {
            return Err(KeyRingError::Other(purpose));
        }
        if purpose == Purpose::ChildKey && missing > 0 {
            return Err(KeyRingError::Incomplete { purpose, missing, stored });
        }
    }
    Ok(())
}
