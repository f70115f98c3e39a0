//! What children show of their places in teams, in a column of their row, so that a list reads no other row. The store writes it after every
//! change of a roster entry, or of a team's name.

use std::collections::BTreeSet;

use fieldhouse_domain::children::shown::{self, ChildTeam, Place};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId};
use uuid::Uuid;

use crate::engine::{Reader, Store, Tx};
use crate::error::Result;
use crate::query::{Query, queries};
use crate::rendered::{BATCH, Outdated};
use crate::row::Row;
use crate::value::{Value, id, values};
use crate::visits::having;

queries! {
    OF_CHILD "children.places" "SELECT e.starts_on, e.ends_on, t.id, t.name, e.jersey_number, e.position FROM roster_entries e
        JOIN teams t ON t.org_id = $1 AND t.id = e.team_id WHERE e.org_id = $1 AND e.child_id = $2 ORDER BY t.name, t.id, e.starts_on, e.id";
    IN_TEAM "children.in_team" "SELECT child_id FROM roster_entries WHERE org_id = $1 AND team_id = $2";
    SHOW_PLACES "children.show_places" "UPDATE children SET places = $3 WHERE org_id = $1 AND id = $2 AND places <> $3";
    OUTDATED "children.outdated" "SELECT id FROM children WHERE org_id = $1 AND id > $2
        AND places <> '[]' AND substr(places, 1, 1) <> $3 ORDER BY id LIMIT $4";
    WITH_OUTDATED "children.with_outdated" having!("children r WHERE r.org_id = h.org_id AND r.places <> '[]' AND substr(r.places, 1, 1) <> $3");
}

/// What a child shows of its places, as it is stored.
pub(super) async fn places(
    reader: &mut impl Reader,
    organization: OrganizationId,
    child: ChildId,
) -> Result<String> {
    let place = |row: &mut Row<'_>| {
        let (starts_on, ends_on, id, name) = (row.next()?, row.next()?, row.next()?, row.next()?);
        let (jersey_number, position) = (row.next()?, row.next()?);
        Ok(Place { starts_on, ends_on, team: ChildTeam { id, name, jersey_number, position } })
    };
    Ok(shown::stored(&reader.rows(OF_CHILD, values![id(organization), id(child)], place).await?))
}

/// Writes what children show of their places, after effects on roster entries and teams.
pub(crate) async fn show_places(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    effects: &[Effect],
) -> Result<()> {
    let mut children: BTreeSet<ChildId> = BTreeSet::new();
    for effect in effects {
        match (&effect.before, &effect.after) {
            (Some(AnyRecord::RosterEntry(entry)), _) | (None, Some(AnyRecord::RosterEntry(entry))) => {
                children.insert(entry.child_id);
            }
            (Some(AnyRecord::Team(before)), Some(AnyRecord::Team(team))) if before.name != team.name => {
                let values = values![id(organization), id(team.id)];
                children.extend(tx.rows(IN_TEAM, values, |row| row.next::<ChildId>()).await?);
            }
            _ => {}
        }
    }
    write(tx, organization, children).await
}

async fn write(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    children: impl IntoIterator<Item = ChildId>,
) -> Result<()> {
    let mut rows: Vec<Vec<Value<'_>>> = Vec::new();
    for child in children {
        let places = places(tx, organization, child).await?;
        rows.push(values![id(organization), id(child), places].to_vec());
    }
    tx.run_each(SHOW_PLACES, &rows).await
}

impl Store {
    /// Renders again what another version of Fieldhouse has written of the places of an organization's children, and returns how many
    /// children there were.
    pub async fn render_children(&self, organization: OrganizationId) -> Result<usize> {
        self.render_again::<OutOfDate>(organization).await
    }
}

/// A child whose places another version of Fieldhouse has written.
pub(crate) struct OutOfDate(ChildId);

impl Outdated for OutOfDate {
    const TRANSACTION: &'static str = "children.render";
    const SHAPE: char = shown::SHAPE;
    const ORGANIZATIONS: &'static Query = WITH_OUTDATED;

    fn id(&self) -> Uuid {
        self.0.uuid()
    }

    async fn find(reader: &mut impl Reader, organization: OrganizationId, after: Uuid) -> Result<Vec<Self>> {
        let shape = Self::SHAPE.to_string();
        let values = values![id(organization), after, shape.as_str(), BATCH];
        reader.rows(OUTDATED, values, |row| row.next().map(Self)).await
    }

    async fn render(tx: &mut Tx<'_>, organization: OrganizationId, found: &[Self]) -> Result<()> {
        let children: Vec<_> = found.iter().map(|child| child.0).collect();
        write(tx, organization, children).await
    }
}
