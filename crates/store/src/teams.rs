//! Teams in the store.

use constcat::concat;
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::teams::Team;

use crate::access::Proof;
use crate::engine::Reader;
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    OF_SEASON "teams.of_season" concat!("SELECT ", Team::COLUMNS, " FROM teams t WHERE t.org_id = $1 AND t.season_id = $2");
}

/// The teams of a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Team>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}
