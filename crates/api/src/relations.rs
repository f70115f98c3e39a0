//! Relations of people to children in requests and responses. They show ids of children, and never a name.

use fieldhouse_domain::ids::{ChildId, RelationId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::children::relations::{NewRelation, RelationKind, RelationState};

/// A relation of a person to a child. While it is active, from its start to its end, it opens the child's data to the person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Relation {
    /// The id.
    pub id: RelationId,
    /// The child.
    pub child_id: ChildId,
    /// The person.
    pub user: RelatedUser,
    /// What they are to the child.
    pub kind: RelationKind,
    /// The state now. The person accepts a relation that is `confirmed`.
    pub state: RelationState,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// Why the person needs it.
    pub reason: Option<String>,
    /// Who proposed it.
    pub proposed_by: Option<UserId>,
    /// When it was proposed.
    pub proposed_at: Timestamp,
    /// Who confirmed it.
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed.
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    pub confirmed_alone: bool,
    /// When the person accepted it.
    pub accepted_at: Option<Timestamp>,
    /// Who revoked it.
    pub revoked_by: Option<UserId>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The person of a relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RelatedUser {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
}
