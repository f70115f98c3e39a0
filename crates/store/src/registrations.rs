//! Registrations of children in the store. What names a child needs a proof that a relation opens it: see [`crate::access::children`].

use constcat::concat;
use fieldhouse_domain::ids::{ChildId, DivisionId, OrganizationId, RegistrationId, SeasonId};
use fieldhouse_domain::registrations::{Registration, RegistrationStatus, SEEN_AS};
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::access::children::{ChildAccess, ChildScope, Class, Roster, Use, read_capacity, visible};
use crate::children::Opened;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{Value, id, values};

queries! {
    /// Registrations for the season $10 with the status $11, if it is not null, after the position $12, $13. A registrar sees those of the
    /// season of the duty.
    LIST "registrations.list" concat!("SELECT v.capacity, ", Registration::COLUMNS, ", c.display_name FROM (", visible!(""), ") v
        CROSS JOIN registrations g CROSS JOIN children c
        WHERE g.org_id = $1 AND g.child_id = v.child_id AND g.season_id = $10 AND c.org_id = $1 AND c.id = v.child_id
            AND (v.capacity <> 8 OR EXISTS (SELECT 1 FROM duties y WHERE ", crate::access::children::ON_DUTY, "
                AND y.kind = 'registrar' AND y.season_id = $10))
            AND (CAST($11 AS TEXT) IS NULL OR g.status = $11) AND (g.created_at, g.id) > ($12, $13)
        ORDER BY g.created_at, g.id LIMIT $14");
    CHILD_OF "registrations.child_of" "SELECT child_id FROM registrations WHERE org_id = $1 AND id = $2";
    READ "registrations.read" concat!("SELECT ", Registration::COLUMNS, " FROM registrations g
        WHERE g.org_id = $1 AND g.child_id = $2 AND g.id = $3");
    CURRENT "registrations.current" concat!("SELECT ", Registration::COLUMNS, " FROM registrations g
        WHERE g.org_id = $1 AND g.child_id = $2 AND g.season_id = $3 AND g.status <> 'withdrawn'");
    OF_SEASON "registrations.of_season" concat!("SELECT ", Registration::COLUMNS, " FROM registrations g
        WHERE g.org_id = $1 AND g.season_id = $2");
    OF_DIVISION "registrations.of_division" concat!("SELECT ", Registration::COLUMNS, " FROM registrations g
        WHERE g.org_id = $1 AND g.division_id = $2");
}

/// A registration with the name by which the child is known.
#[derive(Clone, PartialEq)]
pub struct Listed {
    /// The registration.
    pub registration: Registration,
    /// The name by which the child is known in its teams.
    pub display_name: String,
}

impl std::fmt::Debug for Listed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Listed({})", self.registration.id)
    }
}

fn listed(row: &mut Row<'_>) -> Result<Opened<Listed>> {
    let capacity = read_capacity(row.next()?)?;
    Ok(Opened { capacity, data: Listed { registration: row.record()?, display_name: row.next()? } })
}

/// The registrations for a season of children whom the caller may register, or of the caller, earliest first, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    scope: &ChildScope<Roster>,
    (season, status): (SeasonId, Option<RegistrationStatus>),
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Opened<Listed>>> {
    let (at, last) = after.unwrap_or((Timestamp::MIN, Uuid::nil()));
    let mut values = scope.values_as(&SEEN_AS);
    let status = Value::from(status.map(RegistrationStatus::name));
    values.extend([id(season), status, Value::from(at), Value::from(last), Value::from(limit)]);
    reader.rows(LIST, &values, listed).await
}

/// The child of a registration, to ask which relation opens it.
pub async fn child_of<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    registration: RegistrationId,
) -> Result<Option<ChildId>> {
    first(reader, CHILD_OF, values![id(proof.organization()), id(registration)], |row| row.next()).await
}

/// A registration of a child.
pub async fn read<'tx, C: Class, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, C, V>,
    registration: RegistrationId,
) -> Result<Option<Registration>> {
    let values = values![id(access.organization()), id(access.child()), id(registration)];
    first(tx, READ, values, record).await
}

/// The registration of a child for a season that is not withdrawn.
pub async fn current<'tx, C: Class, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, C, V>,
    season: SeasonId,
) -> Result<Option<Registration>> {
    let values = values![id(access.organization()), id(access.child()), id(season)];
    first(tx, CURRENT, values, record).await
}

/// All registrations for a season.
pub(crate) async fn of_season<R: Reader>(
    reader: &mut R,
    organization: OrganizationId,
    season: SeasonId,
) -> Result<Vec<Registration>> {
    reader.rows(OF_SEASON, values![id(organization), id(season)], record).await
}

/// All registrations for a division.
pub(crate) async fn of_division(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    division: DivisionId,
) -> Result<Vec<Registration>> {
    tx.rows(OF_DIVISION, values![id(organization), id(division)], record).await
}
