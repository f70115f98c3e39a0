//! Sealing of children's data: AES-256-GCM-SIV (RFC 8452) with a key for each child, which a secret of the key ring wraps.
//!
//! The database has only wrapped keys and sealed data. Destroying a child's key erases what it sealed, in every copy of the database that
//! was made without the key. Nonces come from the operating system at each sealing. Plain data is padded, so that its length does not show
//! whether a field is empty.

mod cells;
pub(crate) mod keys;
mod text;

use std::sync::Arc;

use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use aws_lc_rs::rand;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ChildId, EntryId, Id, OrganizationId};
use uuid::Uuid;
use zeroize::Zeroizing;

pub(crate) use cells::{CHILD, Opening, child_at, names_its_child, seal_all};
pub(crate) use text::SealedText;

/// The first byte of what is wrapped or sealed: the format.
const FORMAT: u8 = 1;
/// The number of bytes that prove that sealed data was not changed.
const TAG: usize = 16;
/// Data is padded to a multiple of this length, in bytes.
const BLOCK: usize = 64;
/// The byte between data and the zeros that pad it.
const END: u8 = 0x80;

/// Why data cannot be sealed or opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// It is damaged, of another place, or of a newer format.
    #[error("sealed data cannot be opened: it is damaged, or belongs to another record")]
    Damaged,
    /// No secret of the key ring opens the wrapped key: one is missing, or the wrapped key is damaged.
    #[error("no secret of the key ring opens the key of this child")]
    NoSecret,
    /// The store was opened without secrets.
    #[error("the store was opened without the key ring, which children's data needs")]
    NoSealer,
    /// The child has no key: its data was erased.
    #[error("the child has no key: its data was erased")]
    Erased,
    /// The operating system has no random numbers.
    #[error("the operating system provides no random numbers")]
    NoRandomness,
}

/// Wraps and opens the keys of children. Cheap to clone. The default has no secrets, and returns [`SealError::NoSealer`].
#[derive(Clone, Default)]
pub struct Sealer(Arc<[Zeroizing<[u8; 32]>]>);

impl std::fmt::Debug for Sealer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Sealer({} secrets)", self.0.len())
    }
}

impl Sealer {
    /// A sealer with secrets of the key ring, the newest first. The newest wraps new keys.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a [u8; 32]>) -> Self {
        Self(secrets.into_iter().map(|secret| Zeroizing::new(*secret)).collect())
    }

    /// Creates a key for a child. Returns it with its wrapped form, which opens only for this child.
    fn create(&self, (organization, child): Of) -> Result<(ChildKey, Vec<u8>), SealError> {
        let secret = self.0.first().ok_or(SealError::NoSealer)?;
        let mut bytes = Zeroizing::new([0; 32]);
        rand::fill(bytes.as_mut_slice()).map_err(|_| SealError::NoRandomness)?;
        let wrapped = seal_with(&key(secret)?, &Place::Key.name(organization, child), bytes.as_slice())?;
        Ok((ChildKey { organization, child, key: key(&bytes)? }, wrapped))
    }

    /// Opens a child's wrapped key.
    pub(crate) fn open(&self, (organization, child): Of, wrapped: &[u8]) -> Result<ChildKey, SealError> {
        if self.0.is_empty() {
            return Err(SealError::NoSealer);
        }
        let place = Place::Key.name(organization, child);
        let open = |secret: &Zeroizing<[u8; 32]>| open_with(&key(secret).ok()?, &place, wrapped).ok();
        let bytes = self.0.iter().find_map(open).ok_or(SealError::NoSecret)?;
        let bytes = bytes.first_chunk::<32>().filter(|_| bytes.len() == 32).ok_or(SealError::Damaged)?;
        Ok(ChildKey { organization, child, key: key(bytes)? })
    }
}

/// The organization and the child to which a key belongs.
pub(crate) type Of = (OrganizationId, ChildId);

/// A child's key, in the clear.
pub(crate) struct ChildKey {
    organization: OrganizationId,
    child: ChildId,
    key: RandomizedNonceKey,
}

impl ChildKey {
    /// Seals data, which opens only at its place.
    pub(crate) fn seal(&self, place: Place<'_>, plain: &[u8]) -> Result<Vec<u8>, SealError> {
        let length = (plain.len() + 1).next_multiple_of(BLOCK);
        let mut padded = Zeroizing::new(Vec::with_capacity(length));
        padded.extend_from_slice(plain);
        padded.push(END);
        padded.resize(length, 0);
        seal_with(&self.key, &place.name(self.organization, self.child), &padded)
    }

    /// Opens sealed data.
    pub(crate) fn open(&self, place: Place<'_>, sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
        let mut plain = open_with(&self.key, &place.name(self.organization, self.child), sealed)?;
        let end = plain.iter().rposition(|byte| *byte != 0).filter(|end| plain[*end] == END);
        plain.truncate(end.ok_or(SealError::Damaged)?);
        Ok(plain)
    }
}

/// What is sealed. Together with the organization and the child it is the additional data, so that sealed data that was moved does not open.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    /// The child's key.
    Key,
    /// A field of a record that has the UUID of the child.
    Field(Kind, &'a str),
    /// A field of one of a child's records of a kind.
    FieldOf(Kind, &'a str, Uuid),
    /// An image of a record in the ledger.
    Image(Kind, Uuid),
    /// The reason of an entry of the ledger.
    Reason(EntryId),
}

impl Place<'_> {
    /// The ids have a fixed length and names no zero bytes, so that no two places have the same name.
    fn name(self, organization: OrganizationId, child: ChildId) -> Vec<u8> {
        let (organization, child) = (organization.uuid(), child.uuid());
        let entry;
        let rest: [&[u8]; 3] = match self {
            Self::FieldOf(kind, field, ref record) => {
                entry = [field.as_bytes(), &[0], record.as_bytes()].concat();
                [b"field", kind.name().as_bytes(), &entry]
            }
            Self::Key => [b"key", b"", b""],
            Self::Field(kind, field) => [b"field", kind.name().as_bytes(), field.as_bytes()],
            Self::Image(kind, ref record) => [b"image", kind.name().as_bytes(), record.as_bytes()],
            Self::Reason(id) => {
                entry = id.uuid().as_bytes().to_vec();
                [b"reason", b"", &entry]
            }
        };
        [&organization.as_bytes()[..], &child.as_bytes()[..], &rest.join(&0)].concat()
    }
}

fn key(bytes: &[u8; 32]) -> Result<RandomizedNonceKey, SealError> {
    RandomizedNonceKey::new(&AES_256_GCM_SIV, bytes).map_err(|_| SealError::Damaged)
}

/// The format, the nonce, the sealed data and its tag.
fn seal_with(key: &RandomizedNonceKey, place: &[u8], plain: &[u8]) -> Result<Vec<u8>, SealError> {
    let mut data = plain.to_vec();
    let nonce =
        key.seal_in_place_append_tag(Aad::from(place), &mut data).map_err(|_| SealError::NoRandomness)?;
    Ok([&[FORMAT][..], nonce.as_ref(), &data].concat())
}

fn open_with(key: &RandomizedNonceKey, place: &[u8], sealed: &[u8]) -> Result<Zeroizing<Vec<u8>>, SealError> {
    let (format, rest) = sealed.split_first().ok_or(SealError::Damaged)?;
    let (nonce, data) = rest.split_first_chunk::<NONCE_LEN>().ok_or(SealError::Damaged)?;
    if *format != FORMAT || data.len() < TAG {
        return Err(SealError::Damaged);
    }
    let mut data = Zeroizing::new(data.to_vec());
    let nonce = Nonce::assume_unique_for_key(*nonce);
    let length = key.open_in_place(nonce, Aad::from(place), &mut data).map_err(|_| SealError::Damaged)?.len();
    data.truncate(length);
    Ok(data)
}

#[cfg(test)]
mod tests;
