//! Requests about children's data in requests and responses. They show ids of children, and never a name.

use fieldhouse_domain::ids::{ChildId, PrivacyRequestId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::privacy_requests::{
    NewPrivacyDecision, NewPrivacyRequest, PrivacyDecision, PrivacyRequestKind, PrivacyRequestState,
};

/// A request of a family about a child's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PrivacyRequest {
    /// The id.
    pub id: PrivacyRequestId,
    /// The child. After an erasure, it no longer exists.
    pub child_id: ChildId,
    /// What is requested.
    pub kind: PrivacyRequestKind,
    /// What is wrong, or what else the club should know. Removed when the child is erased.
    pub details: Option<String>,
    /// Who requests it.
    pub requested_by: UserId,
    /// When the club must have decided.
    pub due_at: Timestamp,
    /// The state.
    pub state: PrivacyRequestState,
    /// Who decided.
    pub decided_by: Option<UserId>,
    /// When they decided.
    pub decided_at: Option<Timestamp>,
    /// Whether an owner decided because no other member could.
    pub decided_alone: bool,
    /// Why it was decided so. Removed when the child is erased.
    pub reason: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
