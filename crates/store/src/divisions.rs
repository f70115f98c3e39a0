//! Divisions in the store. Lists of seasons read their divisions in `seasons.rs`.

use constcat::concat;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::ids::SeasonId;

use crate::access::Proof;
use crate::engine::Reader;
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    OF_SEASON "divisions.of_season"
        concat!("SELECT ", Division::COLUMNS, " FROM divisions d WHERE d.org_id = $1 AND d.season_id = $2");
}

/// The divisions of a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Division>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}
