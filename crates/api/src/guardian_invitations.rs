//! Invitations to be a child's guardian in requests and responses. They show ids of children, and never a name. Accepting one is in
//! `invitations.rs`.

use fieldhouse_domain::ids::{ChildId, GuardianInvitationId, RelationId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::invitations::{InvitationStatus, Inviter};

pub use fieldhouse_domain::children::guardian_invitations::NewGuardianInvitation;

/// An invitation to be a child's guardian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct GuardianInvitation {
    /// The id.
    pub id: GuardianInvitationId,
    /// The child.
    pub child_id: ChildId,
    /// The invited address.
    pub email: String,
    /// Who invited them.
    pub invited_by: Inviter,
    /// The status now.
    pub status: InvitationStatus,
    /// When its link was last mailed.
    pub sent_at: Timestamp,
    /// When it expires.
    pub expires_at: Timestamp,
    /// When it was accepted.
    pub accepted_at: Option<Timestamp>,
    /// The relation that was proposed when it was accepted.
    pub relation_id: Option<RelationId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
