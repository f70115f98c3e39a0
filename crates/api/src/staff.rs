//! Staff of teams in requests and responses.

use fieldhouse_domain::ids::{StaffId, TeamId, UserId};
use fieldhouse_domain::staff::{StaffKind, StaffState};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::staff::{ChangeStaff, NewStaff};

/// A member of a team's staff.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Staff {
    /// The id.
    pub id: StaffId,
    /// The team.
    pub team_id: TeamId,
    /// The user.
    pub user: StaffUser,
    /// What they do for the team.
    pub kind: StaffKind,
    /// The state. The entry opens nothing until it is confirmed.
    pub state: StaffState,
    /// The first day.
    pub starts_on: Option<Date>,
    /// The last day.
    pub ends_on: Option<Date>,
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
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The user of a staff entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StaffUser {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
}
