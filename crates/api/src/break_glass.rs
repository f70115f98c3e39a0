//! Break-glass grants in requests and responses. They show ids of children, and never a name.

use fieldhouse_domain::ids::{BreakGlassGrantId, ChildId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::relations::RelatedUser;

pub use fieldhouse_domain::children::break_glass::{
    EmergencyReason, NewBreakGlassGrant, NewReview, ReviewOutcome,
};

/// A break-glass grant. It opens the classes roster, contact, emergency and medical of one child to its holder for 60 minutes, for reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BreakGlassGrant {
    /// The id.
    pub id: BreakGlassGrantId,
    /// The child.
    pub child_id: ChildId,
    /// Its holder.
    pub user: RelatedUser,
    /// Why.
    pub reason_code: EmergencyReason,
    /// The reason in words.
    pub reason: String,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends by itself.
    pub ends_at: Timestamp,
    /// When it was ended early.
    pub ended_at: Option<Timestamp>,
    /// When the guardians were told. Null if there is none whom the server can tell.
    pub told_at: Option<Timestamp>,
    /// The review. Null until another person has reviewed it.
    pub review: Option<BreakGlassReview>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The review of a break-glass grant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BreakGlassReview {
    /// Who reviewed it.
    pub by: Option<UserId>,
    /// When.
    pub at: Timestamp,
    /// The result.
    pub outcome: ReviewOutcome,
    /// What they noted.
    pub note: Option<String>,
}
