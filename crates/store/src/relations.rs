//! Relations of people to children in the store. They are no data of a child, but say who sees it: the family reads them through a relation,
//! everyone else only their own and, as a manager, those that wait for a second person.

use constcat::concat;
use fieldhouse_domain::children::relations::Relation;
use fieldhouse_domain::ids::{ChildId, OrganizationId, RelationId, UserId};
use fieldhouse_domain::policy;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::children::{ChildScope, Records, visible};
use crate::access::{OrgScope, OrgWrite};
use crate::duties::Proposing;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::value::{Value, id, values};

const OF: &str = concat!("SELECT ", Relation::COLUMNS, " FROM relations r WHERE r.org_id = $1");
/// The condition of a relation that makes its person one of the child's family, or made them one, as in [`Relation::made_family`].
pub(crate) const FAMILY: &str = "r.kind IN ('self', 'guardian') AND r.accepted_at IS NOT NULL
    AND (r.confirmed_at IS NOT NULL OR r.proposed_by = r.user_id OR r.state = 'proposed')";
/// Relations with the names of their people.
pub(crate) const LISTED: &str = concat!(
    "SELECT ",
    Relation::COLUMNS,
    ", u.name FROM relations r JOIN users u ON u.id = r.user_id WHERE r.org_id = $1"
);

queries! {
    /// Those of the user $2, and, if $4 is 1, those of others that wait for a second person at the time $3, except of children whose data a
    /// restriction closes to the user.
    LIST "relations.list" concat!("SELECT ", Relation::COLUMNS, ", u.name FROM (
            SELECT id FROM relations WHERE org_id = $1 AND user_id = $2 AND (created_at, id) < ($5, $6)
            UNION ALL SELECT id FROM relations WHERE org_id = $1 AND state = 'proposed' AND (created_at, id) < ($5, $6)
                AND CAST($4 AS BIGINT) = 1 AND user_id <> $2 AND (expires_at IS NULL OR expires_at > $3)
                AND NOT EXISTS (SELECT 1 FROM restrictions x WHERE x.org_id = $1 AND x.child_id = relations.child_id AND x.user_id = $2
                    AND x.starts_at <= $3 AND x.lifted_at IS NULL)
        ) l JOIN relations r ON r.org_id = $1 AND r.id = l.id JOIN users u ON u.id = r.user_id
        ORDER BY r.created_at DESC, r.id DESC LIMIT $7");
    FAMILY_LIST "relations.of_child_listed" concat!("SELECT v.capacity, ", Relation::COLUMNS, ", u.name FROM (",
        visible!(" AND child_id = $10"),
        ") v LEFT JOIN relations r ON r.org_id = $1 AND r.child_id = v.child_id AND (r.created_at, r.id) < ($11, $12)
        LEFT JOIN users u ON u.id = r.user_id ORDER BY r.created_at DESC, r.id DESC LIMIT $13");
    READ "relations.read" concat!(LISTED, " AND r.id = $2");
    OF_CHILD "relations.of_child" concat!(OF, " AND r.child_id = $2 ORDER BY r.created_at, r.id");
    OF_USER "relations.of_user" concat!(OF, " AND r.user_id = $2 ORDER BY r.created_at, r.id");
    OF_FAMILY "relations.of_family" concat!("SELECT DISTINCT r.user_id FROM relations r WHERE r.org_id = $1 AND r.child_id = $2 AND ",
        FAMILY);
    PROPOSER "relations.proposer" "SELECT o.name, o.time_zone, u.name FROM relations r JOIN orgs o ON o.id = $1
        LEFT JOIN users u ON u.id = r.proposed_by WHERE r.org_id = $1 AND r.id = $2";
}

/// A relation with the name of its person.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The relation.
    pub relation: Relation,
    /// The person's name.
    pub name: String,
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { relation: row.record()?, name: row.next()? })
}

/// A row. It has no relation if the child is open to the caller and no relation follows the position.
fn optional(row: &mut Row<'_>) -> Result<Option<Listed>> {
    row.skip(1);
    let Some(relation) = row.optional_record()? else { return Ok(None) };
    Ok(Some(Listed { relation, name: row.next()? }))
}

/// A position in a list: the time of creation, and the id.
pub type Position = (Timestamp, Uuid);

/// The caller's relations and, if the caller is a manager, those of others that wait for a second person; newest first, from a position.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    now: Timestamp,
    after: Option<Position>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let waiting = i64::from(policy::sees_waiting_relations(scope.role()));
    let values = values![id(scope.organization()), id(scope.user()), now, waiting, at, last, limit];
    reader.rows(LIST, values, listed).await
}

/// All relations to a child, newest first, from a position. `None` if the caller may not read the child's records.
pub async fn of_child_listed(
    reader: &mut impl Reader,
    scope: &ChildScope<Records>,
    child: ChildId,
    after: Option<Position>,
    limit: u32,
) -> Result<Option<Vec<Listed>>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let mut values = scope.values();
    values.extend([id(child), Value::from(at), Value::from(last), Value::from(limit)]);
    let rows = reader.rows(FAMILY_LIST, &values, optional).await?;
    let is_open = !rows.is_empty();
    Ok(is_open.then(|| rows.into_iter().flatten().collect()))
}

/// One relation, to change it. Whether the caller may know of it is for the rules to say.
pub async fn read<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    relation: RelationId,
) -> Result<Option<Listed>> {
    first(tx, READ, values![id(proof.organization()), id(relation)], listed).await
}

/// All relations to a child, to decide about one of them.
pub async fn of_child<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, child: ChildId) -> Result<Vec<Relation>> {
    tx.rows(OF_CHILD, values![id(proof.organization()), id(child)], record).await
}

/// Who is or was of a child's family.
pub async fn family<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, child: ChildId) -> Result<Vec<UserId>> {
    let values = values![id(proof.organization()), id(child)];
    tx.rows(OF_FAMILY, values, |row| row.next()).await
}

/// All relations of a user in an organization.
pub async fn of_user<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, user: UserId) -> Result<Vec<Relation>> {
    held_by(tx, proof.organization(), user).await
}

/// All relations of a user in an organization, to derive what follows from an effect.
pub(crate) async fn held_by(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    user: UserId,
) -> Result<Vec<Relation>> {
    tx.rows(OF_USER, values![id(organization), id(user)], record).await
}

/// The relation that a message is about, before there is a caller.
pub async fn of_mail(
    reader: &mut impl Reader,
    organization: OrganizationId,
    relation: RelationId,
) -> Result<Option<(Listed, Proposing)>> {
    let values = values![id(organization), id(relation)];
    let Some(found) = first(reader, READ, values, listed).await? else { return Ok(None) };
    let proposing = first(reader, PROPOSER, values, |row| {
        Ok(Proposing { organization: row.next()?, time_zone: row.next()?, proposer: row.next()? })
    })
    .await?;
    Ok(proposing.map(|proposing| (found, proposing)))
}
