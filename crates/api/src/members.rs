//! Members of the caller's organization on the wire.

use fieldhouse_domain::ids::{MemberId, UserId};
use fieldhouse_domain::members;
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::patch;

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

/// What is to change about a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberChange {
    /// The new role. Nobody raises anyone above himself; the last owner stays one.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub role: Option<Role>,
    /// Whether the membership is suspended.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub suspended: Option<bool>,
}

impl MemberChange {
    /// The domain's command.
    pub fn command(&self) -> members::ChangeMember {
        members::ChangeMember { role: self.role, suspended: self.suspended }
    }
}
