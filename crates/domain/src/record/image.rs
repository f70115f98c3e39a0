//! Rebuilding records from their images, as the ledger stores them.

use serde_json::{Map, Value as Json};

use super::Field;
use crate::kinds::Kind;

/// Why a record cannot be rebuilt from its image. No value is in it: an image may be about a child.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Images leave secrets out.
    #[error("a record of the kind {0} has secrets, which its image leaves out")]
    Secret(Kind),
    /// No record of this kind has an image.
    #[error("a record of the kind {0} has no image")]
    NoRecord(Kind),
    /// The image is older than a required field.
    #[error("the image of a {kind} has no {field}")]
    Missing {
        /// The kind.
        kind: Kind,
        /// The field.
        field: &'static str,
    },
    /// A value is not one of its field.
    #[error("the image of a {kind} has a {field} that cannot be read")]
    Unreadable {
        /// The kind.
        kind: Kind,
        /// The field.
        field: &'static str,
    },
}

/// An image whose fields are read. Fields that the record no longer has are ignored.
#[derive(Clone, Copy)]
pub struct Image<'a> {
    kind: Kind,
    values: &'a Map<String, Json>,
}

impl<'a> Image<'a> {
    /// An image of a record.
    pub fn new(kind: Kind, values: &'a Map<String, Json>) -> Self {
        Self { kind, values }
    }

    /// The value of a field. `missing` is that of a field that was added later, unless it is required.
    pub fn field<F: Field>(
        self,
        field: &'static str,
        missing: impl FnOnce() -> Option<F>,
    ) -> Result<F, ImageError> {
        let kind = self.kind;
        match self.values.get(field) {
            Some(value) => super::read_value(value).map_err(|_| ImageError::Unreadable { kind, field }),
            None => missing().ok_or(ImageError::Missing { kind, field }),
        }
    }
}
