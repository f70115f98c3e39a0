//! Members of the caller's organization in requests and responses.

use fieldhouse_domain::ids::{MemberId, UserId};
use fieldhouse_domain::members::MemberSort;
use fieldhouse_domain::record::Body;
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::ListQuery;

pub use fieldhouse_domain::members::{ChangeMember, MemberSource};

/// Filters and order of the list of members.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct MemberListQuery {
    /// Only members whose name or e-mail address contains these words or prefixes of words, in any order.
    pub q: Option<String>,
    /// Only members with this role.
    pub role: Option<Role>,
    /// The order: `joined_at` (the default) or `name`; `-` reverses it.
    pub sort: Option<MemberSort>,
    /// The page.
    #[body(flatten)]
    pub page: ListQuery,
}

/// A user's role in the organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Member {
    /// The id.
    pub id: MemberId,
    /// The user.
    pub user: MemberUser,
    /// The role.
    pub role: Role,
    /// How the user became a member.
    pub source: MemberSource,
    /// When the user joined.
    pub joined_at: Timestamp,
    /// When the membership was suspended.
    pub suspended_at: Option<Timestamp>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The user behind a membership.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MemberUser {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
    /// The e-mail address that the user signs in with.
    pub email: String,
}
