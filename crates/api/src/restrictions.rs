//! Restrictions on children's data in requests and responses. They show ids of children, and never a name.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::ids::{ChildId, RestrictionId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::relations::RelatedUser;

pub use fieldhouse_domain::children::restrictions::{NewRestriction, RestrictionKind};

/// A restriction. From its start until it is lifted, it closes classes of a child's data to a person or to everyone, whatever else opens
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Restriction {
    /// The id.
    pub id: RestrictionId,
    /// The child.
    pub child_id: ChildId,
    /// The person. Everyone, if empty.
    pub user: Option<RelatedUser>,
    /// The classes that are closed. All, if empty.
    pub classes: Vec<DataClass>,
    /// Why.
    pub kind: RestrictionKind,
    /// The reason in words.
    pub reason: String,
    /// Where the document is kept.
    pub document_ref: Option<String>,
    /// When it starts.
    pub starts_at: Timestamp,
    /// Who entered it.
    pub entered_by: Option<UserId>,
    /// When it was lifted.
    pub lifted_at: Option<Timestamp>,
    /// Who lifted it.
    pub lifted_by: Option<UserId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
