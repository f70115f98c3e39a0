//! Consents about children in requests and responses.

use fieldhouse_domain::ids::{ChildId, ConsentId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::children::consents::{ConsentMethod, ConsentStatus, NewConsent, Purpose};

/// A consent about a child. It is valid from the moment it was given until it ends or is withdrawn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Consent {
    /// The id.
    pub id: ConsentId,
    /// The child.
    pub child_id: ChildId,
    /// What it is for.
    pub purpose: Purpose,
    /// The status now.
    pub status: ConsentStatus,
    /// How it was given.
    pub method: ConsentMethod,
    /// The version of the notice that the person read.
    pub notice_version: String,
    /// Who gave it.
    pub granted_by: Option<UserId>,
    /// When it was given.
    pub granted_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Who withdrew it.
    pub withdrawn_by: Option<UserId>,
    /// When it was withdrawn.
    pub withdrawn_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
