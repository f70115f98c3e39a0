//! Rosters in requests and responses.

use fieldhouse_domain::ids::{ChildId, RosterEntryId, TeamId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::envelope::PageInfo;
use crate::request::ListQuery;

pub use fieldhouse_domain::rosters::{ChangeRosterEntry, NewRosterEntry};

/// The query parameters of a roster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct RosterQuery {
    /// The day; today by default. Who may see a child does not depend on it.
    pub on: Option<Date>,
    /// The page.
    #[body(flatten)]
    pub page: ListQuery,
}

/// The children of a team on a day, as far as a relation of the caller opens them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Roster {
    /// The lines, in order.
    pub data: Vec<RosterEntry>,
    /// More about the roster.
    pub meta: RosterMeta,
    /// The position of the page in its list.
    pub page: PageInfo,
}

/// More about a roster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RosterMeta {
    /// The day.
    pub on: Date,
    /// For managers: how many children the team has on that day, also those whom no relation opens to the caller.
    pub count: Option<i64>,
}

/// A child in a team.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RosterEntry {
    /// The id.
    pub id: RosterEntryId,
    /// The team.
    pub team_id: TeamId,
    /// The child.
    pub child: RosterChild,
    /// The number on the shirt.
    pub jersey_number: Option<i64>,
    /// The position.
    pub position: Option<String>,
    /// The first day.
    pub starts_on: Date,
    /// The last day. An entry that ended on its first day has the day before.
    pub ends_on: Option<Date>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The child of a roster entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RosterChild {
    /// The id.
    pub id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
}
