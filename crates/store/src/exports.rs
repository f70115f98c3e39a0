//! The records of a whole organization, for its archive: streamed from one snapshot, parents before children.

use constcat::concat;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::exports::Export;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::{ExportId, OrganizationId};
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::staff::Staff;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::venues::Venue;

use crate::access::{Operator, OrgWrite, Proof};
use crate::engine::stream::{Part, Rows};
use crate::engine::{Reader, Store, first};
use crate::error::Result;
use crate::members::{self, Listed};
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

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
    IS_IN_USE "exports.is_in_use" "SELECT id FROM seasons WHERE org_id = $1 UNION ALL SELECT id FROM venues WHERE org_id = $1
        UNION ALL SELECT id FROM invitations WHERE org_id = $1 LIMIT 1";
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
