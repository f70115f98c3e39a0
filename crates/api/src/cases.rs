//! Safeguarding cases in requests and responses. They show ids of children, and never a name.

use fieldhouse_domain::ids::{ChildId, SafeguardingCaseId, UserId};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::children::cases::{CaseState, CloseSafeguardingCase, NewSafeguardingCase};

/// A safeguarding case. While it is open, it opens the classes roster, profile, identity and contact of its children to its leads, who
/// need the duty for as long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SafeguardingCase {
    /// The id.
    pub id: SafeguardingCaseId,
    /// What it is called.
    pub title: String,
    /// The children whom it opens.
    pub child_ids: Vec<ChildId>,
    /// The safeguarding leads to whom it opens them.
    pub lead_ids: Vec<UserId>,
    /// The state now.
    pub state: CaseState,
    /// Who proposed it.
    pub opened_by: Option<UserId>,
    /// When it was proposed.
    pub opened_at: Timestamp,
    /// Who confirmed it last.
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed last.
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    pub confirmed_alone: bool,
    /// When it ends by itself: 90 days after it was last confirmed.
    pub ends_at: Option<Timestamp>,
    /// Who closed it.
    pub closed_by: Option<UserId>,
    /// When it was closed.
    pub closed_at: Option<Timestamp>,
    /// How it was closed.
    pub note: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}
