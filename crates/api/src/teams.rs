//! Teams in requests.

use fieldhouse_domain::ids::{DivisionId, SeasonId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::teams::TeamSort;

use crate::request::RecordListQuery;

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
