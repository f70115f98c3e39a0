//! The caller's own profile in requests and responses.

use fieldhouse_domain::children::relations::RelationKind;
use fieldhouse_domain::ids::{ApiKeyId, ChildId, MemberId, SessionId, TeamId, UserId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::duties::OwnDuty;
use crate::organization::OrganizationRef;

pub use fieldhouse_domain::users::ChangeProfile;

/// Requests a change of the caller's e-mail address.
#[derive(Clone, Body)]
pub struct EmailChange {
    /// The new address.
    pub email: Email,
    /// The caller's password.
    pub current_password: String,
}

/// The result of requesting a change of the e-mail address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmailChangeRequested {
    /// When the two links expire.
    pub expires_at: Timestamp,
}

/// Confirms a change of the e-mail address.
#[derive(Clone, Body)]
pub struct EmailConfirmation {
    /// The token in the link.
    pub token: String,
}

/// The result of confirming a change of the e-mail address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EmailConfirmed {
    /// The e-mail address that the user signs in with now.
    pub email: String,
    /// Whether it has changed. If not, the other address has yet to confirm.
    pub changed: bool,
}

/// The caller: the user, their organizations and the credential of the request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// The user.
    pub id: UserId,
    /// The e-mail address that the user signs in with.
    pub email: String,
    /// The person's name.
    pub name: String,
    /// BCP 47 language tag.
    pub locale: Option<String>,
    /// The IANA time zone in which the user wants to see times.
    pub time_zone: Option<String>,
    /// The organization that this credential is for.
    pub organization: OrganizationRef,
    /// The effective role. With a key, the lower of the user's role now and the key's.
    pub role: Role,
    /// All organizations that the user belongs to.
    pub memberships: Vec<Membership>,
    /// The caller's own children: themselves as a child, and those whose guardian they are now. A key needs the scope `children:read`.
    pub children: Vec<ChildRelation>,
    /// The teams on whose staff the caller is now.
    pub teams: Vec<TeamId>,
    /// The caller's duties that are not over.
    pub duties: Vec<OwnDuty>,
    /// The credential of this request.
    pub auth: Auth,
    /// When the user's record was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// One of the user's organizations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Membership {
    /// The id.
    pub id: MemberId,
    /// The organization.
    pub organization: OrganizationRef,
    /// The user's role in it.
    pub role: Role,
}

/// A child of the caller's family.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildRelation {
    /// The child.
    pub child_id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
    /// What the caller is to the child.
    pub relation: RelationKind,
    /// When the relation began.
    pub since: Timestamp,
}

/// The credential of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Auth {
    /// The kind of credential.
    pub method: AuthMethod,
    /// The API key's record.
    pub key_id: Option<ApiKeyId>,
    /// The session.
    pub session_id: Option<SessionId>,
    /// The scopes the key is limited to. If empty, it may do everything that its role permits.
    pub scopes: Vec<String>,
    /// When the credential expires.
    pub expires_at: Timestamp,
}

/// A kind of credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AuthMethod {
    /// A session's access token.
    Session,
    /// An API key.
    ApiKey,
}
