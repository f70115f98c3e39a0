//! The records of a whole organization, for its archive: streamed from one snapshot, parents before children.

use constcat::concat;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::exports::Export;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{ChildId, ExportId, OrganizationId};
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::registrations::Registration;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;
use jiff::Timestamp;

use crate::access::children::{ChildAccess, ChildScope, Read, Records, visible};
use crate::access::{Operator, OrgWrite, Proof};
use crate::engine::stream::{Part, Rows};
use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::members::{self, Listed};
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};
use crate::{access_log, relations};

queries! {
    OF_LINK "exports.of_link" Export::TABLE.read;
    ORGANIZATION "exports.organization" Organization::TABLE.read;
    MEMBERS "exports.members" concat!(members::LISTED, " ORDER BY m.id");
    SEASONS "exports.seasons" concat!("SELECT ", Season::COLUMNS, " FROM seasons s WHERE s.org_id = $1 ORDER BY s.id");
    DIVISIONS "exports.divisions" concat!("SELECT ", Division::COLUMNS, " FROM divisions d WHERE d.org_id = $1 ORDER BY d.id");
    TEAMS "exports.teams" concat!("SELECT ", Team::COLUMNS, " FROM teams t WHERE t.org_id = $1 ORDER BY t.id");
    VENUES "exports.venues" concat!("SELECT ", Venue::COLUMNS, " FROM venues v WHERE v.org_id = $1 ORDER BY v.id");
    GAMES "exports.games" concat!("SELECT ", Game::COLUMNS, " FROM games g WHERE g.org_id = $1 ORDER BY g.id");
    /// Without entries of people who are no longer members.
    STAFF "exports.staff" concat!("SELECT ", Staff::COLUMNS, " FROM staff f JOIN members m ON m.org_id = f.org_id AND m.user_id = f.user_id
        WHERE f.org_id = $1 ORDER BY f.id");
    CHILD_EXPORT "exports.of_child" concat!("SELECT v.capacity, ", Export::COLUMNS, " FROM (", visible!(" AND child_id = $10"),
        ") v LEFT JOIN exports x ON x.org_id = $1 AND x.id = $11 AND x.child_id = v.child_id");
    CHILD_RELATIONS "exports.child_relations" concat!(relations::LISTED, " AND r.child_id = $2 ORDER BY r.created_at, r.id");
    CHILD_REGISTRATIONS "exports.child_registrations" concat!("SELECT ", Registration::COLUMNS, " FROM registrations g
        WHERE g.org_id = $1 AND g.child_id = $2 ORDER BY g.created_at, g.id");
    CHILD_ROSTER "exports.child_roster" concat!("SELECT ", RosterEntry::COLUMNS, " FROM roster_entries e
        WHERE e.org_id = $1 AND e.child_id = $2 ORDER BY e.starts_on, e.id");
    CHILD_ACCESS "exports.child_access" concat!("SELECT ", access_log::COLUMNS, ", u.name FROM access_groups g
        JOIN access_reads a ON a.org_id = $1 AND a.group_id = g.id
        LEFT JOIN users u ON u.id = a.user_id WHERE g.org_id = $1 AND g.child_id = $2 AND ", access_log::warns_no_one!("$3"), "
        ORDER BY a.at, a.id");
    IS_IN_USE "exports.is_in_use" "SELECT id FROM seasons WHERE org_id = $1 UNION ALL SELECT id FROM venues WHERE org_id = $1
        UNION ALL SELECT id FROM invitations WHERE org_id = $1 LIMIT 1";
}

/// What a club stores about a child besides the classes of its data.
#[derive(Clone, Debug, PartialEq)]
pub struct OfChild {
    /// Everyone who has or had a recorded relation to the child.
    pub relations: Vec<relations::Listed>,
    /// The registrations for seasons.
    pub registrations: Vec<Registration>,
    /// The places on rosters of teams.
    pub roster: Vec<RosterEntry>,
    /// Who saw the child's data.
    pub access_log: Vec<access_log::Event>,
}

/// What a club stores about a child besides the classes of its data, each earliest first.
pub async fn of_child<'tx>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Records, Read>,
    now: Timestamp,
) -> Result<OfChild> {
    let values = values![id(access.organization()), id(access.child())];
    let seen = values![id(access.organization()), id(access.child()), access_log::hidden_until(now)];
    Ok(OfChild {
        relations: tx.rows(CHILD_RELATIONS, values, relations::listed).await?,
        registrations: tx.rows(CHILD_REGISTRATIONS, values, record).await?,
        roster: tx.rows(CHILD_ROSTER, values, record).await?,
        access_log: tx.rows(CHILD_ACCESS, seen, access_log::listed).await?,
    })
}

/// An export of a child. `None` if the caller may not see the child's records.
pub async fn read_of_child(
    reader: &mut impl Reader,
    scope: &ChildScope<Records>,
    (child, export): (ChildId, ExportId),
) -> Result<Option<Option<Export>>> {
    let mut values = scope.values();
    values.extend([id(child), id(export)]);
    first(reader, CHILD_EXPORT, &values, |row| {
        row.skip(1);
        row.optional_record()
    })
    .await
}

/// The permission to read everything of an organization, after the transaction that granted it.
#[derive(Clone, Copy, Debug)]
pub struct Exporting(OrganizationId);

impl Exporting {
    /// Of a permission that was checked in a transaction.
    pub fn granted(proof: &OrgWrite<'_>) -> Self {
        Self(proof.organization())
    }

    /// The operator's.
    pub fn for_operator(_: &Operator, organization: OrganizationId) -> Self {
        Self(organization)
    }
}

/// What is exported, in this order.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "each member is the record of its name")]
pub enum Exported {
    Organization(Organization),
    Member(Listed),
    Season(Season),
    Division(Division),
    Team(Team),
    Venue(Venue),
    Game(Box<Game>),
    Staff(Staff),
}

/// Streams the records of an organization.
pub fn everything(store: &Store, of: Exporting) -> Result<Rows<Exported>> {
    let values = || values![id(of.0)].to_vec();
    let parts = vec![
        Part::new(ORGANIZATION, values(), |row| row.record().map(Exported::Organization)),
        Part::new(MEMBERS, values(), |row| members::listed(row).map(Exported::Member)),
        Part::new(SEASONS, values(), |row| row.record().map(Exported::Season)),
        Part::new(DIVISIONS, values(), |row| row.record().map(Exported::Division)),
        Part::new(TEAMS, values(), |row| row.record().map(Exported::Team)),
        Part::new(VENUES, values(), |row| row.record().map(Exported::Venue)),
        Part::new(GAMES, values(), |row| row.record().map(Box::new).map(Exported::Game)),
        Part::new(STAFF, values(), |row| row.record().map(Exported::Staff)),
    ];
    store.stream("exports.everything", parts)
}

/// The export of a link whose token was verified.
pub async fn of_link(
    reader: &mut impl Reader,
    organization: OrganizationId,
    export: ExportId,
) -> Result<Option<Export>> {
    first(reader, OF_LINK, values![id(organization), id(export)], record).await
}

/// Whether the organization has seasons, venues or invitations, so that no archive can be imported into it.
pub async fn is_in_use<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<bool> {
    let values = values![id(proof.organization())];
    Ok(first(reader, IS_IN_USE, values, |row| row.next::<uuid::Uuid>()).await?.is_some())
}
