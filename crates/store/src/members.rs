//! Members in the store.

use constcat::concat;
use fieldhouse_domain::ids::{ChildId, Id, MemberId, OrganizationId, UserId};
use fieldhouse_domain::members::{Member, MemberSort};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::access::Proof;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::search::{self, name_matches};
use crate::value::{Value, id, values};

/// Members of the organization $1 with their users' names and addresses, as [`listed`] reads them.
pub(crate) const LISTED: &str = concat!(
    "SELECT ",
    Member::COLUMNS,
    ", u.name, u.email, u.listed_folded FROM members m JOIN users u ON u.id = m.user_id WHERE m.org_id = $1"
);

/// Members that match the filters $4 and $6 to $11, in an order of a column, after the position $2, $3.
macro_rules! page {
    ($column:literal $after:literal $order:literal) => {
        concat!(
            LISTED,
            " AND (",
            $column,
            ", m.id) ",
            $after,
            " ($2, $3) AND (CAST($4 AS BIGINT) IS NULL OR m.role = $4)",
            name_matches!(listed_folded: "6" "7" "8" "9" "10" "11"),
            " ORDER BY ",
            $column,
            $order,
            ", m.id",
            $order,
            " LIMIT $5"
        )
    };
}

queries! {
    LIST "members.list" page!("m.joined_at" ">" "");
    LIST_REVERSED "members.list_reversed" page!("m.joined_at" "<" " DESC");
    LIST_BY_NAME "members.list_by_name" page!("u.listed_folded" ">" "");
    LIST_BY_NAME_REVERSED "members.list_by_name_reversed" page!("u.listed_folded" "<" " DESC");
    READ "members.read" concat!(LISTED, " AND m.id = $2");
    OWNERS "members.owners" "SELECT COUNT(*) FROM members WHERE org_id = $1 AND role = $2 AND suspended_at IS NULL";
    OWNER_ADDRESSES "members.owner_addresses" "SELECT u.email FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 AND m.role = $2 AND m.user_id <> $5 AND m.suspended_at IS NULL AND u.suspended_at IS NULL AND NOT EXISTS (SELECT 1
            FROM restrictions x WHERE x.org_id = $1 AND x.child_id = $3 AND x.user_id = m.user_id
                AND x.starts_at <= $4 AND x.lifted_at IS NULL)";
    OF_USER "members.of_user" concat!("SELECT ", Member::COLUMNS, " FROM members m WHERE m.org_id = $1 AND m.user_id = $2");
    ACTIVE "members.active" concat!("SELECT ", Member::COLUMNS, " FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.org_id = $1 AND m.role >= $2 AND m.suspended_at IS NULL AND u.suspended_at IS NULL");
    KNOWN "members.known" "SELECT user_id FROM members WHERE org_id = $1 AND user_id = $2
        UNION ALL SELECT user_id FROM departures WHERE org_id = $1 AND user_id = $2 LIMIT 1";
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
    /// Both in the form in which members are sorted by name and searched.
    pub folded: String,
}

/// Filters and order of members.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only members whose name or address contains words that start with these.
    pub words: Vec<String>,
    /// Only members with this role.
    pub role: Option<Role>,
    /// The order; by the time of joining if there is none.
    pub sort: Option<MemberSort>,
}

/// A position in a list of members.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Position {
    /// In the order of joining.
    Joined(Timestamp, Uuid),
    /// In the order of names.
    Named(String, Uuid),
}

impl Filter {
    fn is_by_name(&self) -> bool {
        matches!(self.sort, Some(MemberSort::Name | MemberSort::NameReversed))
    }

    /// The position of a member in this order.
    pub fn position(&self, listed: &Listed) -> Position {
        let id = listed.member.id.uuid();
        if self.is_by_name() {
            Position::Named(listed.folded.clone(), id)
        } else {
            Position::Joined(listed.member.joined_at, id)
        }
    }

    /// The position before all members in this order.
    fn start(&self) -> Position {
        match self.sort {
            None | Some(MemberSort::JoinedAt) => Position::Joined(Timestamp::UNIX_EPOCH, Uuid::nil()),
            Some(MemberSort::JoinedAtReversed) => Position::Joined(Timestamp::MAX, Uuid::max()),
            Some(MemberSort::Name) => Position::Named(String::new(), Uuid::nil()),
            Some(MemberSort::NameReversed) => Position::Named("\u{10ffff}".to_owned(), Uuid::max()),
        }
    }
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { member: row.record()?, name: row.next()?, email: row.next()?, folded: row.next()? })
}

/// Members that match a filter, in its order, after a position of the same order.
pub async fn list<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    filter: &Filter,
    after: Option<&Position>,
    limit: u32,
) -> Result<Vec<Listed>> {
    let start = filter.start();
    let query = match filter.sort {
        None | Some(MemberSort::JoinedAt) => LIST,
        Some(MemberSort::JoinedAtReversed) => LIST_REVERSED,
        Some(MemberSort::Name) => LIST_BY_NAME,
        Some(MemberSort::NameReversed) => LIST_BY_NAME_REVERSED,
    };
    let [at, last]: [Value<'_>; 2] = match after.unwrap_or(&start) {
        Position::Joined(at, last) => [(*at).into(), (*last).into()],
        Position::Named(name, last) => [name.as_str().into(), (*last).into()],
    };
    let role = filter.role.map(Role::rank);
    let mut values = vec![id(proof.organization()), at, last, role.into(), limit.into()];
    values.extend(search::patterns(&filter.words).map(Value::from));
    reader.rows(query, &values, listed).await
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

/// The e-mail addresses of the active owners, without those whom a restriction keeps away from the child that the message is about, and
/// without the person whom it is about.
pub(crate) async fn owner_addresses(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    child: Option<ChildId>,
    now: Timestamp,
    except: Option<UserId>,
) -> Result<Vec<Email>> {
    let except = except.map(Id::uuid).unwrap_or_default();
    let values = values![id(organization), Role::Owner.rank(), child.map(Id::uuid), now, except];
    tx.rows(OWNER_ADDRESSES, values, |row| row.next()).await
}

/// The membership of a user.
pub async fn of_user<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    user: UserId,
) -> Result<Option<Member>> {
    first(reader, OF_USER, values![id(proof.organization()), id(user)], record).await
}

/// Whether a user is or was a member.
pub async fn is_known<R: Reader>(reader: &mut R, proof: &impl Proof<R>, user: UserId) -> Result<bool> {
    let values = values![id(proof.organization()), id(user)];
    Ok(first(reader, KNOWN, values, |row| row.next::<Uuid>()).await?.is_some())
}

/// The active members with a role or a higher one.
pub async fn active<R: Reader>(reader: &mut R, proof: &impl Proof<R>, role: Role) -> Result<Vec<Member>> {
    reader.rows(ACTIVE, values![id(proof.organization()), role.rank()], record).await
}
