//! Consents about children in the store. Only the family reads and writes them.

use constcat::concat;
use fieldhouse_domain::children::consents::Consent;
use fieldhouse_domain::ids::{ChildId, ConsentId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::children::{ChildAccess, ChildScope, Records, Use, visible};
use crate::engine::{Reader, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{Value, id, values};

queries! {
    LIST "consents.list" concat!("SELECT v.capacity, n.id, ", Consent::COLUMNS, " FROM (", visible!(" AND child_id = $10"),
        ") v LEFT JOIN consents n ON n.org_id = $1 AND n.child_id = v.child_id AND (n.created_at, n.id) < ($11, $12)
        ORDER BY n.created_at DESC, n.id DESC LIMIT $13");
    OF_CHILD "consents.of_child" concat!("SELECT ", Consent::COLUMNS, " FROM consents n WHERE n.org_id = $1 AND n.child_id = $2
        ORDER BY n.created_at, n.id");
}

/// A row. It has no consent if the child is open to the caller and has none.
fn listed(row: &mut Row<'_>) -> Result<Option<Consent>> {
    row.skip(1);
    match row.next::<Option<ConsentId>>()? {
        Some(_) => row.record().map(Some),
        None => Ok(None),
    }
}

/// The consents about a child, newest first, from a position. `None` if the caller may not read them.
pub async fn list(
    reader: &mut impl Reader,
    scope: &ChildScope<Records>,
    child: ChildId,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Option<Vec<Consent>>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let mut values = scope.values();
    values.extend([id(child), Value::from(at), Value::from(last), Value::from(limit)]);
    let rows = reader.rows(LIST, &values, listed).await?;
    let is_open = !rows.is_empty();
    Ok(is_open.then(|| rows.into_iter().flatten().collect()))
}

/// All consents about a child, earliest first.
pub async fn of_child<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Records, V>,
) -> Result<Vec<Consent>> {
    tx.rows(OF_CHILD, values![id(access.organization()), id(access.child())], record).await
}
