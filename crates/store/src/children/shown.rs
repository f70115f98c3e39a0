//! What children show of their places in teams, in a column of their row, so that a list reads no other row. The store writes it after every
//! change of a roster entry, or of a team's name.

use std::borrow::Cow;
use std::collections::BTreeSet;

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId, TeamId};
use fieldhouse_domain::rendered;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Place;
use crate::engine::{Reader as _, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    OF_CHILD "children.places" "SELECT t.id, t.name, e.jersey_number, e.position, e.starts_on, e.ends_on FROM roster_entries e
        JOIN teams t ON t.org_id = $1 AND t.id = e.team_id WHERE e.org_id = $1 AND e.child_id = $2 ORDER BY t.name, t.id, e.starts_on, e.id";
    IN_TEAM "children.in_team" "SELECT child_id FROM roster_entries WHERE org_id = $1 AND team_id = $2";
    SHOW_PLACES "children.show_places" "UPDATE children SET places = $3 WHERE org_id = $1 AND id = $2 AND places <> $3";
}

/// A place: the team and its name, the number on the shirt, the position, and the first and the last day. Days are texts, which compare as days
/// do.
#[derive(Deserialize, Serialize)]
struct Shown<'a>(
    Uuid,
    #[serde(borrow)] Cow<'a, str>,
    Option<i64>,
    Option<String>,
    #[serde(borrow)] Cow<'a, str>,
    #[serde(borrow)] Option<Cow<'a, str>>,
);

impl Shown<'_> {
    fn is_on(&self, day: &str) -> bool {
        let Shown(.., first, last) = self;
        **first <= *day && last.as_deref().is_none_or(|last| day <= last)
    }
}

/// The places that a child has on a day, from the column that has all of them.
pub(super) fn on(row: &mut Row<'_>, day: &str) -> Result<Vec<Place>> {
    row.parsed(|json| {
        let places: Vec<Shown<'_>> = serde_json::from_str(json)?;
        let places = places.into_iter().filter(|place| place.is_on(day));
        let place = |Shown(team, name, jersey_number, position, ..)| Place {
            team: TeamId::from_uuid(team),
            name: name.into_owned(),
            jersey_number,
            position,
        };
        Ok::<_, serde_json::Error>(places.map(place).collect())
    })
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
    let place = |row: &mut Row<'_>| {
        let (team, name) = (row.next()?, row.next::<String>()?.into());
        let (jersey_number, position) = (row.next()?, row.next()?);
        let (first, last) = (row.next::<Date>()?, row.next::<Option<Date>>()?);
        let last = last.map(|last| last.to_string().into());
        Ok(Shown(team, name, jersey_number, position, first.to_string().into(), last))
    };
    let mut rows = Vec::new();
    for child in children {
        let places = tx.rows(OF_CHILD, values![id(organization), id(child)], place).await?;
        rows.push(values![id(organization), id(child), rendered::json(&places)].to_vec());
    }
    tx.run_each(SHOW_PLACES, &rows).await
}
