//! Members of the caller's organization on the wire.

use fieldhouse_domain::ids::{MemberId, UserId};
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::members::ChangeMember;

/// A user's role in the organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// The id.
    pub id: MemberId,
    /// The user.
    pub user: MemberUser,
    /// The role.
    pub role: Role,
    /// When the user joined.
    pub joined_at: Timestamp,
    /// Since when the membership opens nothing.
    pub suspended_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// The user behind a membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemberUser {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
    /// The address that signs in.
    pub email: String,
}
