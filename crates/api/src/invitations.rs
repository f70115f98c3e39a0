//! Invitations in requests and responses.

use fieldhouse_domain::ids::{InvitationId, MemberId, RelationId, UserId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Name;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::invitations::{InvitationKind, InvitationStatus, NewInvitation};

use crate::auth::Tokens;
use crate::members::Member;
use crate::organization::OrganizationRef;

/// An invitation to join the organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Invitation {
    /// The id.
    pub id: InvitationId,
    /// What it is for.
    pub kind: InvitationKind,
    /// The invited address.
    pub email: String,
    /// The role that the person will have.
    pub role: Role,
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
    /// The membership that it led to.
    pub member_id: Option<MemberId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The user who invited someone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Inviter {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
}

/// The query parameters of the list of invitations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct InvitationListQuery {
    /// Only invitations with this status now.
    pub status: Option<InvitationStatus>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The token of an invitation's link.
#[derive(Clone, Body)]
pub struct InvitationToken {
    /// The token in the link.
    pub token: String,
}

/// Accepts an invitation.
#[derive(Clone, Body)]
pub struct InvitationAcceptance {
    /// The token in the link.
    pub token: String,
    /// The person's name, for a new account. An existing account keeps its name. Leave it out with a session.
    pub name: Option<Name>,
    /// The password of the account, or of the new account: then at least 12 characters. Leave it out with a session.
    pub password: Option<String>,
}

/// An invitation, as the holder of its link sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct InvitationPreview {
    /// What it is for.
    pub kind: InvitationKind,
    /// The organization.
    pub organization: OrganizationRef,
    /// The role that the person gets. An existing member keeps their role.
    pub role: Role,
    /// The invited address.
    pub email: String,
    /// The name of the person who invited.
    pub invited_by: String,
    /// Whether the address has an account with a password, which is then needed to accept.
    pub has_account: bool,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The result of accepting an invitation.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
pub struct AcceptedInvitation {
    /// The membership. It is new, unless the person was already a member.
    pub member: Member,
    /// The person's relation to a child that they accepted to be the guardian of. It opens nothing until a second person confirms it. Null
    /// for other invitations.
    pub relation_id: Option<RelationId>,
    /// The tokens of a session in the organization. Null if the request had a session: sign in to the organization.
    pub tokens: Option<Tokens>,
}
