//! Divisions in the store. Lists of seasons read their divisions in `seasons.rs`.

use constcat::concat;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::ids::{DivisionId, Id, OrganizationId, SeasonId};
use fieldhouse_domain::seasons::shown::SeasonDivision;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::ledger::Listing;
use crate::ledger::reading::{listing, positioned};
use crate::query::queries;
use crate::row::{Row, record};
use crate::search::{self, name_matches};
use crate::value::{Value, id, values};

queries! {
    LIST "divisions.list" positioned!(Division::COLUMNS, concat!("divisions d WHERE org_id = $1 AND (name_folded, id) > ($2, $3)
        AND (CAST($4 AS UUID) IS NULL OR season_id = $4)", name_matches!("6" "7" "8" "9" "10" "11"),
        " ORDER BY name_folded, id LIMIT $5"));
    OF_SEASON "divisions.of_season"
        concat!("SELECT ", Division::COLUMNS, " FROM divisions d WHERE d.org_id = $1 AND d.season_id = $2 ORDER BY d.name_folded");
    DEPENDENTS "divisions.dependents" "SELECT (SELECT COUNT(*) FROM teams WHERE org_id = $1 AND division_id = $2)
        + (SELECT COUNT(*) FROM games WHERE org_id = $1 AND division_id = $2)
        + (SELECT COUNT(*) FROM registrations WHERE org_id = $1 AND division_id = $2 AND status <> 'withdrawn')";
}

/// Divisions whose folded name contains words that start with these, in the order of their folded names, after one of them.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    (season, words): (Option<SeasonId>, &[String]),
    after: Option<&(String, Uuid)>,
    limit: u32,
) -> Result<Listing<Division>> {
    let (name, last) = after.map_or(("", Uuid::nil()), |(name, last)| (name.as_str(), *last));
    let mut values = values![id(proof.organization()), name, last, season.map(Id::uuid), limit].to_vec();
    values.extend(search::patterns(words).map(Value::from));
    listing(reader, LIST, proof.organization(), &values).await
}

/// The divisions of a season, by folded name.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Division>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}

/// What a season shows of its divisions, read from their table.
pub(crate) async fn shown(
    reader: &mut impl Reader,
    organization: OrganizationId,
    season: SeasonId,
) -> Result<Vec<SeasonDivision>> {
    let read = |row: &mut Row<'_>| {
        let Division { id, name, age_group, gender, .. } = row.record()?;
        Ok(SeasonDivision { id, name: name.into(), age_group: age_group.map(String::from), gender })
    };
    reader.rows(OF_SEASON, values![id(organization), id(season)], read).await
}

/// The number of teams, games and registrations that refer to a division. Withdrawn registrations do not count.
pub async fn dependents<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    division: DivisionId,
) -> Result<i64> {
    let count =
        first(reader, DEPENDENTS, values![id(proof.organization()), id(division)], |row| row.next()).await?;
    Ok(count.unwrap_or_default())
}
