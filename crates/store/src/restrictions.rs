//! Restrictions on children's data in the store. Only a safeguarding lead who is not of the child's family reads and writes them. Reading one
//! opens no data of the child.

use constcat::concat;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::ids::{ChildId, Id as _, RestrictionId, UserId};
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::sealing::Sealer;
use crate::value::{id, values};

/// A duty of a safeguarding lead that the user $2 has at the time $3.
pub(crate) const LEAD: &str = concat!(
    "SELECT y.id FROM duties y WHERE ",
    crate::access::children::ON_DUTY,
    " AND y.kind = 'safeguarding_lead' LIMIT 1"
);

queries! {
    /// Those of the child $4, before the position $5, $6. A row without a child if it does not exist, and one without a restriction if none
    /// follows. No row if the user is no lead, or is or was of the child's family.
    LIST "restrictions.list" concat!("SELECT l.id, k.child_id, k.wrapped, ", Restriction::COLUMNS, ", u.name FROM (", LEAD, ") l
        LEFT JOIN child_keys k ON k.org_id = $1 AND k.child_id = $4
        LEFT JOIN restrictions x ON x.org_id = $1 AND x.child_id = k.child_id AND (x.created_at, x.id) < ($5, $6)
        LEFT JOIN users u ON u.id = x.user_id
        WHERE NOT EXISTS (SELECT 1 FROM relations r WHERE r.org_id = $1 AND r.child_id = $4 AND r.user_id = $2
            AND ", crate::relations::FAMILY, ")
        ORDER BY x.created_at DESC, x.id DESC LIMIT $7");
    READ "restrictions.read" concat!("SELECT k.wrapped, ", Restriction::COLUMNS, ", u.name FROM restrictions x
        JOIN child_keys k ON k.org_id = $1 AND k.child_id = x.child_id LEFT JOIN users u ON u.id = x.user_id
        WHERE x.org_id = $1 AND x.id = $2");
    NAMED "restrictions.named" "SELECT user_id FROM restrictions WHERE org_id = $1 AND child_id = $2 AND user_id IS NOT NULL
        AND starts_at <= $3 AND lifted_at IS NULL";
}

/// A restriction with the name of its person.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The restriction.
    pub restriction: Restriction,
    /// The person's name. `None` if it is for everyone.
    pub name: Option<String>,
}

/// What a safeguarding lead finds.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// Nothing: the caller has no such duty, or may not use it for this child.
    NotOnDuty,
    /// No child.
    NoChild,
    /// The child's restrictions.
    Restrictions(Vec<Listed>),
}

/// The restrictions on a child's data, newest first, from a position.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    child: ChildId,
    now: Timestamp,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Found> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let (organization, sealer) = (scope.organization(), reader.sealer().clone());
    let values = values![id(organization), id(scope.user()), now, id(child), at, last, limit];
    let row = |row: &mut Row<'_>| {
        row.skip(1);
        let exists = row.next::<Option<Uuid>>()?.is_some();
        let restriction = row.optional_sealed_record(&sealer, organization)?;
        let name = row.next()?;
        Ok((exists, restriction.map(|restriction| Listed { restriction, name })))
    };
    let rows = reader.rows(LIST, values, row).await?;
    Ok(match rows.first() {
        None => Found::NotOnDuty,
        Some((false, _)) => Found::NoChild,
        Some((true, _)) => Found::Restrictions(rows.into_iter().filter_map(|(_, listed)| listed).collect()),
    })
}

/// One restriction, to change it. Whether the caller may know of it is for the command to say.
pub async fn read<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    restriction: RestrictionId,
) -> Result<Option<Listed>> {
    let (organization, sealer): (_, Sealer) = (proof.organization(), tx.sealer().clone());
    first(tx, READ, values![id(organization), id(restriction)], |row| {
        let restriction = row.sealed_record(&sealer, organization)?;
        Ok(Listed { restriction, name: row.next()? })
    })
    .await
}

/// The people to whom restrictions close data of a child now. What is closed to everyone names no one.
pub async fn named<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    child: ChildId,
    now: Timestamp,
) -> Result<Vec<UserId>> {
    let values = values![id(proof.organization()), id(child), now];
    tx.rows(NAMED, values, |row| row.next::<Uuid>().map(UserId::from_uuid)).await
}
