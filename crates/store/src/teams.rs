//! Teams in the store.

use constcat::concat;
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::teams::Team;

use crate::access::OrgWrite;
use crate::engine::{Reader, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    OF_SEASON "teams.of_season" concat!("SELECT ", Team::COLUMNS, " FROM teams t WHERE t.org_id = $1 AND t.season_id = $2");
}

/// The teams of a season.
pub async fn of_season<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, season: SeasonId) -> Result<Vec<Team>> {
    tx.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}
