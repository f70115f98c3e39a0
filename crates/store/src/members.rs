//! Members in the store.

use fieldhouse_domain::ids::{Id, MemberId, OrganizationId, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{OrgScope, OrgWrite};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    LIST "members.list" "SELECT m.id, m.user_id, m.role, m.joined_at, m.suspended_at, m.updated_at, m.version, u.name, u.email
        FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 AND (m.joined_at, m.id) > ($2, $3) ORDER BY m.joined_at, m.id LIMIT $4";
    READ "members.read" "SELECT m.id, m.user_id, m.role, m.joined_at, m.suspended_at, m.updated_at, m.version, u.name, u.email
        FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1 AND m.id = $2";
    OWNERS "members.owners" "SELECT COUNT(*) FROM members WHERE org_id = $1 AND role = $2 AND suspended_at IS NULL";
    INSERT "members.insert" "INSERT INTO members (org_id, id, user_id, role, joined_at, suspended_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    UPDATE "members.update" "UPDATE members SET role = $3, suspended_at = $4, updated_at = $5, version = $6
        WHERE org_id = $1 AND id = $2 AND version = $6 - 1";
    DELETE "members.delete" "DELETE FROM members WHERE org_id = $1 AND id = $2 AND version = $3";
}

/// A member with what people know him by.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The member.
    pub member: Member,
    /// The person's name.
    pub name: String,
    /// The address that signs in.
    pub email: String,
}

fn listed(row: &mut Row<'_>) -> Result<Listed> {
    let member = Member {
        id: row.id()?,
        user_id: row.id()?,
        role: row.through(Role::from_rank)?,
        joined_at: row.next()?,
        suspended_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    };
    Ok(Listed { member, name: row.next()?, email: row.next()? })
}

/// Members after a point in the order of joining.
pub async fn list(
    reader: &mut impl Reader,
    scope: &OrgScope,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, after) = after.unwrap_or((Timestamp::UNIX_EPOCH, Uuid::nil()));
    reader.rows(LIST, values![id(scope.organization()), at, after, limit], listed).await
}

/// One member.
pub async fn read(reader: &mut impl Reader, scope: &OrgScope, member: MemberId) -> Result<Option<Listed>> {
    first(reader, READ, values![id(scope.organization()), id(member)], listed).await
}

/// How many owners the organization has who are not suspended.
pub async fn owners<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>) -> Result<i64> {
    let values = values![id(proof.organization()), Role::Owner.rank()];
    Ok(first(tx, OWNERS, values, |row| row.next()).await?.unwrap_or_default())
}

pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, new: bool, member: &Member) -> Result<u64> {
    let (role, suspended) = (member.role.rank(), member.suspended_at);
    if new {
        let user: UserId = member.user_id;
        let values = values![
            id(org),
            id(member.id),
            user.uuid(),
            role,
            member.joined_at,
            suspended,
            member.updated_at,
            member.version
        ];
        return tx.run(INSERT, values).await;
    }
    tx.run(UPDATE, values![id(org), id(member.id), role, suspended, member.updated_at, member.version]).await
}

pub(crate) async fn delete(tx: &mut Tx<'_>, org: OrganizationId, member: &Member) -> Result<u64> {
    tx.run(DELETE, values![id(org), id(member.id), member.version]).await
}
