//! Seasons in requests and responses.

use fieldhouse_domain::divisions::DivisionGender;
use fieldhouse_domain::ids::{DivisionId, SeasonId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::seasons::{SeasonStatus, Tiebreaker};
use fieldhouse_domain::sports::Sport;
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::seasons::contents::SeasonCounts;
pub use fieldhouse_domain::seasons::{ChangeSeason, NewSeason, Scoring};

use crate::request::RecordListQuery;

/// A season of one sport.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Season {
    /// The id.
    pub id: SeasonId,
    /// Its name.
    pub name: String,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// Its status.
    pub status: SeasonStatus,
    /// Its first day.
    pub starts_on: Option<Date>,
    /// Its last day.
    pub ends_on: Option<Date>,
    /// The IANA time zone of its local times.
    pub time_zone: String,
    /// Its divisions, by name.
    pub divisions: Vec<SeasonDivision>,
    /// The points for each result.
    pub scoring: Scoring,
    /// The criteria that rank teams with equal points, in order.
    pub tiebreakers: Vec<Tiebreaker>,
    /// The id that another system gave it.
    pub external_id: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// A division, as part of its season.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SeasonDivision {
    /// The id.
    pub id: DivisionId,
    /// Its name.
    pub name: String,
    /// The age group, such as `U12`.
    pub age_group: Option<String>,
    /// Who plays in it.
    pub gender: Option<DivisionGender>,
}

/// The confirmation of a purge.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "SeasonPurge")]
pub struct PurgeSeason {
    /// The `digest` of what is deleted, from the refusal of `DELETE /seasons/{id}`.
    pub confirm: String,
}

/// A season that was deleted with everything that belonged to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PurgedSeason {
    /// The id of the season.
    pub id: SeasonId,
    /// Always true.
    pub deleted: bool,
    /// How many records were deleted with it.
    pub counts: SeasonCounts,
}

/// Filters of the list of seasons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct SeasonListQuery {
    /// Only seasons with this status.
    pub status: Option<SeasonStatus>,
    /// Only seasons of this sport, in any spelling.
    pub sport: Option<Sport>,
    /// Only seasons with at least one day in this year: 1900 to 2199.
    #[body(min = 1900, max = 2199)]
    pub year: Option<i16>,
    /// The parameters of every list of records.
    #[body(flatten)]
    pub records: RecordListQuery,
}
