//! Duties of members in the store.

use constcat::concat;
use fieldhouse_domain::duties::{Duty, DutyKind, DutyState};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{DutyId, Id, OrganizationId, SeasonId, UserId};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{id, values};

/// Duties with the names of their holders.
const LISTED: &str = concat!(
    "SELECT ",
    Duty::COLUMNS,
    ", u.name FROM duties y JOIN users u ON u.id = y.user_id WHERE y.org_id = $1"
);

queries! {
    /// The state at the time $2, as in [`Duty::state_at`].
    LIST "duties.list" concat!(LISTED, " AND (CAST($3 AS UUID) IS NULL OR y.user_id = $3) AND (CAST($4 AS TEXT) IS NULL OR y.kind = $4)
        AND (CAST($5 AS TEXT) IS NULL OR CASE WHEN y.state <> 'revoked' AND y.ends_at <= $2 THEN 'ended' ELSE y.state END = $5)
        AND (y.created_at, y.id) < ($6, $7) ORDER BY y.created_at DESC, y.id DESC LIMIT $8");
    READ "duties.read" concat!(LISTED, " AND y.id = $2");
    OF_SEASON "duties.of_season" concat!("SELECT ", Duty::COLUMNS, " FROM duties y WHERE y.org_id = $1 AND y.season_id = $2");
    OF_USER "duties.of_user" concat!("SELECT ", Duty::COLUMNS, " FROM duties y WHERE y.org_id = $1 AND y.user_id = $2
        ORDER BY y.created_at, y.id");
    CREATE_TEAM "duties.create_team" "INSERT INTO duty_teams (org_id, duty_id, team_id) VALUES ($1, $2, $3)";
    PROPOSER "duties.proposer" "SELECT o.name, o.time_zone, u.name FROM duties y JOIN orgs o ON o.id = $1
        LEFT JOIN users u ON u.id = y.proposed_by WHERE y.org_id = $1 AND y.id = $2";
}

/// A duty with the name of its holder.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The duty.
    pub duty: Duty,
    /// The holder's name.
    pub name: String,
}

/// Filters of duties.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only duties of this user.
    pub user: Option<UserId>,
    /// Only duties of this kind.
    pub kind: Option<DutyKind>,
    /// Only duties in this state now.
    pub state: Option<DutyState>,
}

/// The organization and the proposer of a duty, for a message about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposing {
    /// The organization's name.
    pub organization: String,
    /// The organization's time zone.
    pub time_zone: TimeZoneName,
    /// The name of the person who proposed it.
    pub proposer: Option<String>,
}

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { duty: row.record()?, name: row.next()? })
}

/// Duties that match a filter now, newest first, from a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let (kind, state) = (filter.kind.map(DutyKind::name), filter.state.map(DutyState::name));
    let user = filter.user.map(Id::uuid);
    reader
        .rows(LIST, values![id(proof.organization()), now, user, kind, state, at, last, limit], listed)
        .await
}

/// One duty.
pub async fn read<R: Reader>(reader: &mut R, proof: &impl Proof<R>, duty: DutyId) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(duty)], listed).await
}

/// The duties that are limited to a season.
pub async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<Duty>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}

/// The duties of the acting user that are not over, earliest first.
pub async fn own<R: Reader>(reader: &mut R, proof: &impl Proof<R>, now: Timestamp) -> Result<Vec<Duty>> {
    let values = values![id(proof.organization()), id(proof.owner())];
    let duties: Vec<Duty> = reader.rows(OF_USER, values, record).await?;
    Ok(duties.into_iter().filter(|duty| !duty.state_at(now).is_over()).collect())
}

/// All duties of a user in an organization.
pub(crate) async fn of_user(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Vec<Duty>> {
    tx.rows(OF_USER, values![id(organization), id(user)], record).await
}

/// The duty that a message is about, before there is a caller.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    duty: DutyId,
) -> Result<Option<(Listed, Proposing)>> {
    let values = values![id(organization), id(duty)];
    let Some(found) = first(reader, READ, values, listed).await? else { return Ok(None) };
    let proposing = first(reader, PROPOSER, values, |row| {
        Ok(Proposing { organization: row.next()?, time_zone: row.next()?, proposer: row.next()? })
    })
    .await?;
    Ok(proposing.map(|proposing| (found, proposing)))
}

/// Writes the teams of a new duty. They never change.
pub(crate) async fn write_teams(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effect: &Effect,
) -> Result<()> {
    let (None, Some(AnyRecord::Duty(duty))) = (&effect.before, &effect.after) else { return Ok(()) };
    for team in &duty.team_ids {
        tx.run(CREATE_TEAM, values![id(organization), id(duty.id), id(*team)]).await?;
    }
    Ok(())
}
