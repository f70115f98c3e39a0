//! Divisions in requests.

use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::record::Body;

use crate::request::RecordListQuery;

/// Filters of the list of divisions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct DivisionListQuery {
    /// Only divisions of this season.
    pub season_id: Option<SeasonId>,
    /// The parameters of every list of records.
    #[body(flatten)]
    pub records: RecordListQuery,
}
