//! Divisions in requests.

use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::record::Body;

use crate::request::RecordListQuery;
use crate::spreadsheet::Sheet;

/// The columns of the list of divisions as CSV.
pub const SHEET: Sheet = Sheet::of_page(&[
    "id",
    "season_id",
    "name",
    "age_group",
    "gender",
    "external_id",
    "created_at",
    "updated_at",
    "version",
]);

/// Filters of the list of divisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct DivisionListQuery {
    /// Only divisions of this season.
    pub season_id: Option<SeasonId>,
    /// The parameters of every list of records.
    #[body(flatten)]
    pub records: RecordListQuery,
}
