//! Children as a roster shows them: lists by name, and the line of one.

use constcat::concat;
use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::children::shown as shapes;
use fieldhouse_domain::ids::{ChildId, OrganizationId};
use fieldhouse_domain::rendered::Rendered;
use uuid::Uuid;

use super::{NAME, shown};
use crate::access::children::{ChildScope, Roster, is_stored, read_capacity, visible};
use crate::engine::{Engine, Reader, first};
use crate::error::{Error, Result};
use crate::query::{Query, queries};
use crate::row::Row;
use crate::value::{Value, id, values};

/// A child as a roster shows it, once for each of the user's ties that open it.
const LINE_COLUMNS: &str = concat!("v.capacity", SHOWN);
const SHOWN: &str = ", c.name_folded, c.id, c.display_name, c.places";
/// From the child $10 on, by name, or from the first if it is null. A cursor holds an id, because a name must not be in an address.
const AFTER: &str = " AND (CAST($10 AS UUID) IS NULL
    OR (c.name_folded, c.id) > ((SELECT p.name_folded FROM children p WHERE p.org_id = $1 AND p.id = $10), $10))";

queries! {
    LINE "children.line" visible!(" AND child_id = $10", LINE_COLUMNS, "");
}

/// The children of a list on SQLite: a row for each tie, in any order, which takes a quarter less time than a page of them by name.
const IN_ANY_ORDER: &Query = &Query::new("children.list", visible!("", LINE_COLUMNS, AFTER));
/// The children of a list on PostgreSQL: the first $11 by name, so that it does not send all of them. The name and the places depend on the
/// child.
const BY_NAME: &Query = &Query::new(
    "children.list",
    visible!(
        "",
        concat!("MIN(v.capacity) AS capacity", SHOWN),
        concat!(
            AFTER,
            " GROUP BY c.name_folded, c.org_id, c.id ORDER BY c.name_folded, c.org_id, c.id LIMIT $11"
        )
    ),
);
/// The queries that only SQLite has.
pub(crate) const SQLITE_QUERIES: &[&Query] = &[IN_ANY_ORDER];
/// The queries that only PostgreSQL has.
pub(crate) const POSTGRES_QUERIES: &[&Query] = &[BY_NAME];

/// A child as a roster shows it, as JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct Line {
    /// The child.
    pub id: ChildId,
    /// In what capacity it was opened.
    pub capacity: Capacity,
    json: String,
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Line({})", self.id)
    }
}

impl Rendered for Line {
    type Shown = shapes::Child;

    fn json(&self) -> &str {
        &self.json
    }
}

/// The first children by name, each once and in the first capacity that opens it, from rows in any order.
struct Page {
    limit: usize,
    children: Vec<Found>,
}

/// A child of a page, as it is stored.
struct Found {
    name_folded: String,
    id: ChildId,
    capacity: i64,
    display_name: String,
    places: String,
}

impl Page {
    /// Adds a row of [`LINE_COLUMNS`].
    fn add(&mut self, row: &mut Row<'_>) -> Result<()> {
        let (capacity, name_folded, id) = (row.next()?, row.text()?, row.next()?);
        let order = |found: &Found| found.name_folded.as_str().cmp(&name_folded).then(found.id.cmp(&id));
        match self.children.binary_search_by(order) {
            Ok(at) => {
                if let Some(found) = self.children.get_mut(at) {
                    found.capacity = found.capacity.min(capacity);
                }
            }
            Err(at) if at < self.limit => {
                self.children.truncate(self.limit - 1);
                let (name_folded, display_name) = (name_folded.into_owned(), row.next()?);
                let found = Found { name_folded, id, capacity, display_name, places: row.next()? };
                self.children.insert(at, found);
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// The lines of the children, with their teams on a day. A line's JSON is empty if another version of Fieldhouse has written its places.
    fn lines(&self, today: &str) -> Result<Vec<Line>> {
        let line = |found: &Found| {
            let (id, capacity) = (found.id, read_capacity(found.capacity)?);
            let json = shapes::json(id, &found.display_name, (&found.places, today), capacity);
            Ok(Line { id, capacity, json: json.unwrap_or_default() })
        };
        self.children.iter().map(line).collect()
    }
}

/// The lines, each with its JSON. A child that was erased meanwhile is left out.
async fn rendered(
    reader: &mut impl Reader,
    organization: OrganizationId,
    mut lines: Vec<Line>,
    today: &str,
) -> Result<Vec<Line>> {
    for line in lines.iter_mut().filter(|line| line.json.is_empty()) {
        let values = values![id(organization), id(line.id)];
        let name: Option<String> = first(reader, NAME, values, |row| row.next()).await?;
        let Some(name) = name else { continue };
        let places = shown::places(reader, organization, line.id).await?;
        line.json = shapes::json(line.id, &name, (&places, today), line.capacity).unwrap_or_default();
    }
    lines.retain(|line| !line.json.is_empty());
    Ok(lines)
}

/// Runs a query with the columns of [`LINE_COLUMNS`], and keeps the first children.
async fn page(
    reader: &mut impl Reader,
    query: &'static Query,
    values: &[Value<'_>],
    limit: u32,
) -> Result<Page> {
    let limit = usize::try_from(limit).map_err(|error| Error::Internal(error.to_string()))?;
    let mut page = Page { limit, children: Vec::with_capacity(limit) };
    reader.rows(query, values, |row| page.add(row)).await?;
    Ok(page)
}

/// The children that a relation opens to the caller, by name, after a child. `None` if that child no longer exists.
pub async fn list<R: Reader>(
    reader: &mut R,
    scope: &ChildScope<Roster>,
    after: Option<Uuid>,
    limit: u32,
) -> Result<Option<Vec<Line>>> {
    let mut values = scope.values();
    values.push(Value::from(after));
    let query = match reader.engine() {
        Engine::Sqlite => IN_ANY_ORDER,
        Engine::Postgres => {
            values.push(Value::from(limit));
            BY_NAME
        }
    };
    let found = page(reader, query, &values, limit).await?;
    let today = scope.today().to_string();
    let lines = found.lines(&today)?;
    if let (true, Some(after)) = (lines.is_empty(), after) {
        return Ok(is_stored(reader, scope.organization(), after).await?.then_some(lines));
    }
    rendered(reader, scope.organization(), lines, &today).await.map(Some)
}

/// The line of one child. `None` if no relation opens it to the caller.
pub async fn read_line(
    reader: &mut impl Reader,
    scope: &ChildScope<Roster>,
    child: ChildId,
) -> Result<Option<Line>> {
    let mut values = scope.values();
    values.push(id(child));
    let today = scope.today().to_string();
    let lines = page(reader, LINE, &values, 1).await?.lines(&today)?;
    let lines = rendered(reader, scope.organization(), lines, &today).await?;
    Ok(lines.into_iter().next())
}
