//! Members in the store.

use constcat::concat;
use fieldhouse_domain::ids::MemberId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// Members with their users' names and addresses.
pub(crate) const LISTED: &str =
    concat!("SELECT ", Member::COLUMNS, ", u.name, u.email FROM members m JOIN users u ON u.id = m.user_id");

queries! {
    LIST "members.list" concat!(LISTED,
        " WHERE m.org_id = $1 AND (m.joined_at, m.id) > ($2, $3) ORDER BY m.joined_at, m.id LIMIT $4");
    READ "members.read" concat!(LISTED, " WHERE m.org_id = $1 AND m.id = $2");
    OWNERS "members.owners" "SELECT COUNT(*) FROM members WHERE org_id = $1 AND role = $2 AND suspended_at IS NULL";
}

/// A member with the user's name and address.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The member.
    pub member: Member,
    /// The person's name.
    pub name: String,
    /// The e-mail address for sign-in.
    pub email: String,
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { member: row.record()?, name: row.next()?, email: row.next()? })
}

/// Members in the order of joining, after a position.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let (at, after) = after.unwrap_or((Timestamp::UNIX_EPOCH, Uuid::nil()));
    reader.rows(LIST, values![id(proof.organization()), at, after, limit], listed).await
}

/// One member.
pub async fn read<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    member: MemberId,
) -> Result<Option<Listed>> {
    first(reader, READ, values![id(proof.organization()), id(member)], listed).await
}

/// The number of owners who are not suspended.
pub async fn owners<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<i64> {
    let values = values![id(proof.organization()), Role::Owner.rank()];
    Ok(first(reader, OWNERS, values, |row| row.next()).await?.unwrap_or_default())
}
