//! Teams in requests.

use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::ids::{DivisionId, SeasonId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::teams::TeamSort;
use jiff::Timestamp;

use crate::request::RecordListQuery;
use crate::spreadsheet::{ListFormat, Sheet};

/// The columns of the list of teams as CSV.
pub const SHEET: Sheet = Sheet::of_page(&[
    "id",
    "season_id",
    "division_id",
    "name",
    "short_name",
    "external_id",
    "created_at",
    "updated_at",
    "version",
]);

/// Filters and order of the list of teams.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct TeamListQuery {
    /// Only teams of this season.
    pub season_id: Option<SeasonId>,
    /// Only teams of this division.
    pub division_id: Option<DivisionId>,
    /// The order: `name` (the default) or `-name`, which reverses it.
    pub sort: Option<TeamSort>,
    /// The parameters of every list of records.
    #[body(flatten)]
    pub records: RecordListQuery,
}

/// Filters of a team's schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ScheduleQuery {
    /// Only games that start at this time or later.
    pub from: Option<Timestamp>,
    /// Only games that start before this time.
    pub to: Option<Timestamp>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
    /// `csv` returns CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}
