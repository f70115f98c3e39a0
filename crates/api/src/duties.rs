//! Duties of members in requests and responses.

use fieldhouse_domain::ids::{DutyId, SeasonId, TeamId, UserId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::request::ListQuery;

pub use fieldhouse_domain::duties::{DutyKind, DutyState, NewDuty};

/// The query parameters of the list of duties.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct DutyListQuery {
    /// Only duties of this user.
    pub user_id: Option<UserId>,
    /// Only duties of this kind.
    pub kind: Option<DutyKind>,
    /// Only duties in this state now.
    pub state: Option<DutyState>,
    /// The page.
    #[body(flatten)]
    pub page: ListQuery,
}

/// A duty of a member. It is open, and opens children's data within its teams and season, while it is accepted, from its start to its
/// end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Duty {
    /// The id.
    pub id: DutyId,
    /// Its holder.
    pub user: DutyHolder,
    /// What it is.
    pub kind: DutyKind,
    /// The teams that it is limited to. If empty: all teams of its season, or of the organization.
    pub team_ids: Vec<TeamId>,
    /// The season that it is limited to.
    pub season_id: Option<SeasonId>,
    /// The state now.
    pub state: DutyState,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
    /// Why the holder needs it.
    pub reason: String,
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
    /// When its holder accepted it.
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

/// The holder of a duty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DutyHolder {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
}

/// A duty of the caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnDuty {
    /// The id.
    pub id: DutyId,
    /// What it is.
    pub kind: DutyKind,
    /// The teams that it is limited to. If empty: all teams of its season, or of the organization.
    pub team_ids: Vec<TeamId>,
    /// The season that it is limited to.
    pub season_id: Option<SeasonId>,
    /// The state now. The caller accepts a duty that is `confirmed`.
    pub state: DutyState,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
}
