//! Why a command was not carried out.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::policy::Denial;

/// Why a command was not carried out. Errors of the store keep their type: it decides whether the transaction is run again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A rule refuses it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The caller may not do it.
    #[error("permission denied: {0:?}")]
    Denied(Denial),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] fieldhouse_store::Error),
}

impl From<Denial> for Error {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl Error {
    /// No such record, or none that the caller may see.
    pub fn not_found() -> Self {
        Self::Refused(Refusal::NotFound)
    }
}
