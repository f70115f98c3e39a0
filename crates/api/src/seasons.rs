//! Seasons in requests and responses.

use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::record::Body;
use fieldhouse_domain::seasons::SeasonStatus;
use fieldhouse_domain::sports::Sport;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::seasons::contents::SeasonCounts;
pub use fieldhouse_domain::seasons::shown::{Season, SeasonDivision};
pub use fieldhouse_domain::seasons::{ChangeSeason, NewSeason, Scoring};

use crate::request::RecordListQuery;
use crate::spreadsheet::Sheet;

/// The columns of the list of seasons as CSV. Divisions are a list of their own.
pub const SHEET: Sheet = Sheet::of_page(&[
    "id",
    "name",
    "sport",
    "status",
    "starts_on",
    "ends_on",
    "time_zone",
    "scoring.win",
    "scoring.draw",
    "scoring.loss",
    "tiebreakers",
    "external_id",
    "created_at",
    "updated_at",
    "version",
]);

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
