//! What children show of their places in teams, in a column of their row, so that a list reads no other row. The store writes it after every
//! change of a roster entry, or of a team's name.

use std::collections::BTreeSet;

use fieldhouse_domain::children::shown::{self, ChildTeam, Place};
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId};
use uuid::Uuid;

use crate::engine::{Reader, Store, Tx};
use crate::error::{Error, Result};
use crate::query::queries;
use crate::row::Row;
use crate::value::{Value, id, values};

queries! {
    OF_CHILD "children.places" "SELECT e.starts_on, e.ends_on, t.id, t.name, e.jersey_number, e.position FROM roster_entries e
        JOIN teams t ON t.org_id = $1 AND t.id = e.team_id WHERE e.org_id = $1 AND e.child_id = $2 ORDER BY t.name, t.id, e.starts_on, e.id";
    IN_TEAM "children.in_team" "SELECT child_id FROM roster_entries WHERE org_id = $1 AND team_id = $2";
    SHOW_PLACES "children.show_places" "UPDATE children SET places = $3 WHERE org_id = $1 AND id = $2 AND places <> $3";
    OUTDATED "children.outdated" "SELECT id FROM children WHERE org_id = $1 AND id > $2
        AND places <> '[]' AND substr(places, 1, 1) <> $3 ORDER BY id LIMIT $4";
}

/// How many children are rendered again in one transaction.
const BATCH: u32 = 100;

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
    /// children there were. What is shown does not change.
    pub async fn render_children(&self, organization: OrganizationId) -> Result<usize> {
        let (mut rendered, mut after) = (0, Some(Uuid::nil()));
        while let Some(last) = after {
            if outdated(&mut &*self, organization, last).await?.is_empty() {
                break;
            }
            let found = self.write("children.render", async move |tx| {
                let found = outdated(tx, organization, last).await?;
                write(tx, organization, found.iter().copied()).await?;
                Ok::<_, Error>(found)
            });
            let found = found.await?;
            rendered += found.len();
            after = found.last().map(|child| child.uuid());
        }
        Ok(rendered)
    }
}

/// Children whose places another version of Fieldhouse has written, after an id.
async fn outdated(
    reader: &mut impl Reader,
    organization: OrganizationId,
    after: Uuid,
) -> Result<Vec<ChildId>> {
    let shape = shown::SHAPE.to_string();
    reader.rows(OUTDATED, values![id(organization), after, shape.as_str(), BATCH], |row| row.next()).await
}
