//! The chain: each entry's digest covers the previous entry, so that changes of stored entries are detected.
//!
//! Images and reasons are covered by separate digests with random salts. So they can be cleared without breaking the chain, and the digests
//! that stay cannot be compared with guesses.

use fieldhouse_domain::ids::{Id, OrganizationId};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::entries::{Salt, Written, WrittenEffect};

/// A digest: a link of the chain, or of what it covers.
pub(crate) type Link = [u8; 32];

/// The link before the first entry of an organization.
pub(crate) fn genesis(organization: OrganizationId) -> Link {
    let mut chain = Chain::default();
    chain.part(Some(b"fieldhouse ledger"));
    chain.uuid(Some(organization.uuid()));
    chain.finish()
}

/// The digest of an effect's images.
pub(crate) fn images(salt: &Salt, before: Option<&str>, after: Option<&str>) -> Link {
    salted(salt, &[before, after])
}

/// The digest of a reason.
pub(crate) fn reason(salt: &Salt, reason: &str) -> Link {
    salted(salt, &[Some(reason)])
}

fn salted(salt: &Salt, texts: &[Option<&str>]) -> Link {
    // HMAC accepts keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(salt) else { return [0; 32] };
    for text in texts {
        mac.update(&length(text.map(str::as_bytes)));
        mac.update(text.unwrap_or_default().as_bytes());
    }
    mac.finalize().into_bytes().into()
}

/// The link of an entry. It covers the previous link, the entry's columns in the order of the schema, and its effects.
pub(crate) fn link<'a>(
    previous: &Link,
    organization: OrganizationId,
    place: (i64, i64),
    entry: &Written,
    reason_digest: Option<&Link>,
    effects: impl Iterator<Item = (&'a WrittenEffect, &'a Link)>,
) -> Link {
    let (seq, posted_at) = place;
    let mut chain = Chain::default();
    chain.part(Some(previous));
    chain.uuid(Some(organization.uuid()));
    chain.int(Some(seq));
    chain.uuid(Some(entry.id));
    chain.int(Some(entry.at));
    chain.int(Some(posted_at));
    chain.uuid(entry.user_id);
    chain.uuid(entry.key_id);
    chain.uuid(entry.on_behalf_of);
    chain.part(Some(entry.operation.as_bytes()));
    chain.part(Some(entry.request_id.as_bytes()));
    chain.uuid(entry.changeset_id);
    chain.part(reason_digest.map(<[u8; 32]>::as_slice));
    for (effect, digest) in effects {
        chain.part(Some(effect.kind.as_bytes()));
        chain.uuid(Some(effect.record_id));
        chain.part(Some(effect.verb.as_bytes()));
        chain.int(Some(effect.version));
        chain.int(effect.clears_to);
        chain.part(Some(effect.changed.as_bytes()));
        chain.part(Some(digest));
    }
    chain.finish()
}

/// Hashes parts one after the other.
#[derive(Default)]
struct Chain(Sha256);

impl Chain {
    fn part(&mut self, part: Option<&[u8]>) {
        self.0.update(length(part));
        self.0.update(part.unwrap_or_default());
    }

    fn uuid(&mut self, id: Option<Uuid>) {
        self.part(id.as_ref().map(|id| id.as_bytes().as_slice()));
    }

    fn int(&mut self, value: Option<i64>) {
        self.part(value.map(i64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice));
    }

    fn finish(self) -> Link {
        self.0.finalize().into()
    }
}

/// The length of a part, so that no two lists of parts have the same hash. NULL has a length that no part can have.
fn length(part: Option<&[u8]>) -> [u8; 8] {
    part.map_or(u64::MAX, |part| part.len() as u64).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_differs_from_empty_and_parts_are_separated() {
        let salt = [7; 16];
        let digests = [
            images(&salt, None, None),
            images(&salt, Some(""), None),
            images(&salt, None, Some("")),
            images(&salt, Some("ab"), Some("c")),
            images(&salt, Some("a"), Some("bc")),
            images(&[8; 16], Some("a"), Some("bc")),
            reason(&salt, "a"),
        ];
        for (at, one) in digests.iter().enumerate() {
            assert!(!digests[at + 1..].contains(one), "digest {at}");
        }
    }
}
