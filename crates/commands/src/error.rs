//! Why a command failed.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::policy::Denial;

/// Why a command failed. Errors of the store keep their type, which decides whether the transaction is run again.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A rule refuses it.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The caller may not run it.
    #[error("permission denied: {0:?}")]
    Denied(Denial),
    /// Records that its plan rests on have changed since it was made.
    #[error("records changed while it was being prepared")]
    Stale,
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
    /// The record does not exist, or is hidden from the caller.
    pub fn not_found() -> Self {
        Self::Refused(Refusal::NotFound)
    }
}
