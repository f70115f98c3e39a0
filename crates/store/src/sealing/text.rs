//! Sealed text, as the ledger stores images and reasons about children: `sealed:<the child's UUID>:<base64>`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use fieldhouse_domain::ids::{ChildId, Id};
use uuid::Uuid;

use super::{ChildKey, Place, SealError};

const PREFIX: &str = "sealed:";

/// Sealed text. It is not shown, although it is not readable.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealedText {
    pub(crate) child: ChildId,
    sealed: Vec<u8>,
}

impl std::fmt::Debug for SealedText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SealedText({})", self.child)
    }
}

impl SealedText {
    /// Parses stored text. `None` for plain text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (child, sealed) = text.strip_prefix(PREFIX)?.split_once(':')?;
        Some(Self {
            child: ChildId::from_uuid(Uuid::parse_str(child).ok()?),
            sealed: STANDARD_NO_PAD.decode(sealed).ok()?,
        })
    }

    /// Opens it.
    pub(crate) fn open(&self, key: &ChildKey, place: Place<'_>) -> Result<String, SealError> {
        let plain = key.open(place, &self.sealed)?;
        std::str::from_utf8(&plain).map(str::to_owned).map_err(|_| SealError::Damaged)
    }
}

impl ChildKey {
    /// Seals text.
    pub(crate) fn seal_text(&self, place: Place<'_>, plain: &str) -> Result<String, SealError> {
        let sealed = self.seal(place, plain.as_bytes())?;
        Ok(format!("{PREFIX}{}:{}", self.child.uuid(), STANDARD_NO_PAD.encode(sealed)))
    }
}
