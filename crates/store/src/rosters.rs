//! Rosters in the store. What names a child needs a proof that a relation opens it: see [`crate::access::children`].

use constcat::concat;
use fieldhouse_domain::ids::{ChildId, OrganizationId, RosterEntryId, SeasonId, TeamId};
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::time::TimeZoneName;
use jiff::civil::Date;
use uuid::Uuid;

use crate::access::Proof;
use crate::access::children::{ChildAccess, ChildScope, Roster, Use, read_capacity, visible};
use crate::children::Opened;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{Value, id, values};

queries! {
    /// The lines of the team $10 on the day $11, by name, after the entry $12 or from the first if it is null. A cursor holds an id, because a
    /// name must not be in an address.
    LIST "roster.list" concat!("SELECT v.capacity, ", RosterEntry::COLUMNS, ", c.display_name FROM (", visible!(""), ") v
        CROSS JOIN roster_entries e CROSS JOIN children c
        WHERE e.org_id = $1 AND e.child_id = v.child_id AND e.team_id = $10 AND e.starts_on <= $11
            AND (e.ends_on IS NULL OR e.ends_on >= $11) AND c.org_id = $1 AND c.id = v.child_id
            AND (CAST($12 AS UUID) IS NULL OR (c.name_folded, e.id) > ((SELECT p.name_folded FROM roster_entries q
                JOIN children p ON p.org_id = $1 AND p.id = q.child_id WHERE q.org_id = $1 AND q.id = $12), $12))
        ORDER BY c.name_folded, e.id LIMIT $13");
    EXISTS "roster.exists" "SELECT id FROM roster_entries WHERE org_id = $1 AND team_id = $2 AND id = $3";
    COUNT "roster.count" "SELECT COUNT(*) FROM roster_entries WHERE org_id = $1 AND team_id = $2 AND starts_on <= $3
        AND (ends_on IS NULL OR ends_on >= $3)";
    CHILD_OF "roster.child_of" "SELECT child_id FROM roster_entries WHERE org_id = $1 AND team_id = $2 AND id = $3";
    PLACE_OF "roster.place_of" "SELECT team_id, child_id FROM roster_entries WHERE org_id = $1 AND id = $2";
    OF_CHILD "roster.of_child" concat!("SELECT ", RosterEntry::COLUMNS, " FROM roster_entries e
        WHERE e.org_id = $1 AND e.child_id = $2 AND e.team_id = $3 ORDER BY e.starts_on, e.id");
    OF_REGISTRATION "roster.of_registration" concat!("SELECT o.time_zone, ", RosterEntry::COLUMNS, " FROM roster_entries e
        JOIN teams t ON t.org_id = $1 AND t.id = e.team_id JOIN orgs o ON o.id = $1
        WHERE e.org_id = $1 AND e.child_id = $2 AND t.season_id = $3 ORDER BY e.starts_on, e.id");
    OF_TEAM "roster.of_team" concat!("SELECT ", RosterEntry::COLUMNS, " FROM roster_entries e WHERE e.org_id = $1 AND e.team_id = $2");
    OF_SEASON "roster.of_season" concat!("SELECT ", RosterEntry::COLUMNS, " FROM teams t
        JOIN roster_entries e ON e.org_id = $1 AND e.team_id = t.id WHERE t.org_id = $1 AND t.season_id = $2");
}

/// A roster entry with the name by which the child is known.
#[derive(Clone, PartialEq)]
pub struct Listed {
    /// The entry.
    pub entry: RosterEntry,
    /// The name by which the child is known in its teams.
    pub display_name: String,
}

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listed({})", self.entry.id)
    }
}

fn listed(row: &mut Row<'_>) -> Result<Opened<Listed>> {
    let capacity = read_capacity(row.next()?)?;
    Ok(Opened { capacity, data: Listed { entry: row.record()?, display_name: row.next()? } })
}

/// The children who are in a team on a day and whom a relation opens to the caller now, by name, after an entry. `None` if that entry no
/// longer exists.
pub async fn list<R: Reader>(
    reader: &mut R,
    scope: &ChildScope<Roster>,
    (team, day): (TeamId, Date),
    after: Option<Uuid>,
    limit: u32,
) -> Result<Option<Vec<Opened<Listed>>>> {
    let mut values = scope.values();
    values.extend([id(team), Value::from(day), Value::from(after), Value::from(limit)]);
    let found = reader.rows(LIST, &values, listed).await?;
    if let (true, Some(after)) = (found.is_empty(), after) {
        let of = values![id(scope.organization()), id(team), after];
        let exists = first(reader, EXISTS, of, |row| row.next::<Uuid>()).await?;
        return Ok(exists.map(|_| found));
    }
    Ok(Some(found))
}

/// How many children are in a team on a day.
pub async fn count<R: Reader>(reader: &mut R, proof: &impl Proof<R>, team: TeamId, day: Date) -> Result<i64> {
    let values = values![id(proof.organization()), id(team), day];
    let count = first(reader, COUNT, values, |row| row.next()).await?;
    Ok(count.unwrap_or_default())
}

/// The child of an entry of a team, to ask which relation opens it.
pub async fn child_of<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    team: TeamId,
    entry: RosterEntryId,
) -> Result<Option<ChildId>> {
    first(reader, CHILD_OF, values![id(proof.organization()), id(team), id(entry)], |row| row.next()).await
}

/// The team and the child of an entry, to ask which relation opens it.
pub async fn place_of<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    entry: RosterEntryId,
) -> Result<Option<(TeamId, ChildId)>> {
    let values = values![id(proof.organization()), id(entry)];
    first(reader, PLACE_OF, values, |row| Ok((row.next()?, row.next()?))).await
}

/// The entries of a child in a team, earliest first.
pub async fn of_child<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Roster, V>,
    team: TeamId,
) -> Result<Vec<RosterEntry>> {
    tx.rows(OF_CHILD, values![id(access.organization()), id(access.child()), id(team)], record).await
}

/// The entries of a child in the teams of a season, each with the organization's time zone, which says what day it is.
pub(crate) async fn of_registration(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    child: ChildId,
    season: SeasonId,
) -> Result<Vec<(TimeZoneName, RosterEntry)>> {
    let entry = |row: &mut Row<'_>| Ok((row.next::<TimeZoneName>()?, row.record::<RosterEntry>()?));
    tx.rows(OF_REGISTRATION, values![id(organization), id(child), id(season)], entry).await
}

/// All entries of a team.
pub(crate) async fn of_team(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    team: TeamId,
) -> Result<Vec<RosterEntry>> {
    tx.rows(OF_TEAM, values![id(organization), id(team)], record).await
}

/// All entries of the teams of a season.
pub(crate) async fn of_season<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    season: SeasonId,
) -> Result<Vec<RosterEntry>> {
    reader.rows(OF_SEASON, values![id(proof.organization()), id(season)], record).await
}
