//! Teams in the store.

use constcat::concat;
use fieldhouse_domain::ids::{DivisionId, Id, SeasonId, TeamId};
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::teams::{Team, TeamSort};
use jiff::Timestamp;
use jiff::civil::Date;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::ledger::Listing;
use crate::ledger::reading::{listing, positioned};
use crate::query::queries;
use crate::records;
use crate::row::record;
use crate::search::{self, name_matches};
use crate::value::{Value, id, values};

/// Teams that match the filters $4, $5 and $7 to $12, in an order of their folded names, after the position $2, $3.
macro_rules! page {
    ($after:literal, $order:literal) => {
        positioned!(
            Team::COLUMNS,
            concat!(
                "teams t WHERE org_id = $1 AND (name_folded, id) ",
                $after,
                " ($2, $3) AND (CAST($4 AS UUID) IS NULL OR season_id = $4) AND (CAST($5 AS UUID) IS NULL OR division_id = $5)",
                name_matches!("7" "8" "9" "10" "11" "12"),
                $order,
                " LIMIT $6"
            )
        )
    };
}

queries! {
    LIST "teams.list" page!(">", " ORDER BY name_folded, id");
    LIST_REVERSED "teams.list_reversed" page!("<", " ORDER BY name_folded DESC, id DESC");
    OF_SEASON "teams.of_season" concat!("SELECT ", Team::COLUMNS, " FROM teams t WHERE t.org_id = $1 AND t.season_id = $2");
    DEPENDENTS "teams.dependents" "SELECT COUNT(*) FROM (SELECT id FROM games WHERE org_id = $1 AND home_team_id = $2
        UNION SELECT id FROM games WHERE org_id = $1 AND away_team_id = $2
        UNION SELECT id FROM staff WHERE org_id = $1 AND team_id = $2
        UNION SELECT y.id FROM duty_teams n JOIN duties y ON y.org_id = $1 AND y.id = n.duty_id
            WHERE n.org_id = $1 AND n.team_id = $2 AND y.state NOT IN ('ended', 'revoked') AND y.ends_at > $3
        UNION SELECT id FROM roster_entries WHERE org_id = $1 AND team_id = $2 AND (ends_on IS NULL OR ends_on >= $4)) of_team";
}

/// Filters and order of teams.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only teams of this season.
    pub season: Option<SeasonId>,
    /// Only teams of this division.
    pub division: Option<DivisionId>,
    /// Only teams whose folded name contains words that start with these.
    pub words: Vec<String>,
    /// The order; by name if there is none.
    pub sort: Option<TeamSort>,
}

/// Teams by name, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    after: Option<&(String, Uuid)>,
    limit: u32,
) -> Result<Listing<Team>> {
    let (query, start) = match filter.sort {
        Some(TeamSort::NameReversed) => (LIST_REVERSED, ("\u{10ffff}", Uuid::max())),
        _ => (LIST, ("", Uuid::nil())),
    };
    let (name, last) = after.map_or(start, |(name, last)| (name.as_str(), *last));
    let (season, division) = (filter.season.map(Id::uuid), filter.division.map(Id::uuid));
    let mut values = values![id(proof.organization()), name, last, season, division, limit].to_vec();
    values.extend(search::patterns(&filter.words).map(Value::from));
    listing(reader, query, proof.organization(), &values).await
}

/// The teams of a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Team>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}

/// The number of games, staff entries, duties and roster entries of a team. Duties and roster entries that are over do not count.
pub async fn dependents<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    team: TeamId,
    now: Timestamp,
) -> Result<i64> {
    let organization: Option<Organization> = records::read(reader, proof, proof.organization()).await?;
    let today = organization.map_or(Date::MIN, |organization| organization.time_zone.date(now));
    let values = values![id(proof.organization()), id(team), now, today];
    let count = first(reader, DEPENDENTS, values, |row| row.next()).await?;
    Ok(count.unwrap_or_default())
}
