//! Staff of teams in the store.

use constcat::concat;
use fieldhouse_domain::ids::{OrganizationId, SeasonId, StaffId, TeamId, UserId};
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{id, values};

/// Staff with their names.
const LISTED: &str = concat!(
    "SELECT ",
    Staff::COLUMNS,
    ", u.name FROM staff f JOIN users u ON u.id = f.user_id WHERE f.org_id = $1"
);

queries! {
    LIST "staff.list" concat!(LISTED, " AND f.team_id = $2 AND (f.created_at, f.id) > ($3, $4) ORDER BY f.created_at, f.id LIMIT $5");
    READ "staff.read" concat!(LISTED, " AND f.id = $2");
    OF_SEASON "staff.of_season" concat!("SELECT ", Staff::COLUMNS, " FROM teams t JOIN staff f ON f.org_id = $1 AND f.team_id = t.id
        WHERE t.org_id = $1 AND t.season_id = $2");
    /// SQLite reads the organization after the entries, which most people have none of.
    TEAMS "staff.teams" concat!("SELECT o.time_zone, ", Staff::COLUMNS, " FROM staff f CROSS JOIN orgs o
        WHERE f.org_id = $1 AND f.user_id = $2 AND o.id = $1 ORDER BY f.team_id");
    OF_USER "staff.of_user" concat!("SELECT ", Staff::COLUMNS, " FROM staff f WHERE f.org_id = $1 AND f.user_id = $2");
    OF_GAME "staff.of_game" concat!("SELECT g.time_zone, ", Staff::COLUMNS, " FROM games g
        LEFT JOIN staff f ON f.org_id = $1 AND f.user_id = $3 AND f.team_id IN (g.home_team_id, g.away_team_id)
        WHERE g.org_id = $1 AND g.id = $2");
}

/// A staff entry with the person's name.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The entry.
    pub staff: Staff,
    /// The person's name.
    pub name: String,
}

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { staff: row.record()?, name: row.next()? })
}

/// The staff of a team, earliest entry first, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    team: TeamId,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, last) = after.unwrap_or((Timestamp::MIN, Uuid::nil()));
    reader.rows(LIST, values![id(proof.organization()), id(team), at, last, limit], listed).await
}

/// One entry.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    staff: StaffId,
) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(staff)], listed).await
}

/// The staff of all teams of a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Staff>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}

/// The teams on whose staff the acting user is on the day of `now` in the organization's time zone.
pub async fn teams<R: Reader>(reader: &mut R, proof: &impl Proof<R>, now: Timestamp) -> Result<Vec<TeamId>> {
    let values = values![id(proof.organization()), id(proof.owner())];
    let entries =
        reader.rows(TEAMS, values, |row| Ok((row.next::<TimeZoneName>()?, row.record::<Staff>()?))).await?;
    let open = entries.iter().filter(|(zone, staff)| staff.is_open_on(zone.date(now)));
    Ok(open.map(|(_, staff)| staff.team_id).collect())
}

/// All entries of a user in an organization.
pub(crate) async fn of_user(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Vec<Staff>> {
    tx.rows(OF_USER, values![id(organization), id(user)], record).await
}

/// Whether a user is staff of a team of a game on the day of `now` at the game. `None` if there is no such game.
pub(crate) async fn of_game(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    (game, user): (Uuid, UserId),
    now: Timestamp,
) -> Result<Option<bool>> {
    let values = values![id(organization), game, id(user)];
    let found = tx.rows(OF_GAME, values, |row| {
        let zone: TimeZoneName = row.next()?;
        let staff = row.optional_record::<Staff>()?;
        Ok(staff.is_some_and(|staff| staff.is_open_on(zone.date(now))))
    });
    let found = found.await?;
    Ok((!found.is_empty()).then(|| found.contains(&true)))
}
