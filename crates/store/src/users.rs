//! Users in the store, and their organizations.

use constcat::concat;
use fieldhouse_domain::ids::{MemberId, OrganizationId, UserId};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;

use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    BY_EMAIL "users.by_email" concat!("SELECT ", User::COLUMNS, " FROM users u WHERE u.email_folded = $1");
    READ "users.read" User::TABLE.read;
    MEMBERSHIPS "users.memberships" "SELECT m.id, m.role, o.id, o.name, o.slug, o.suspended_at FROM members m JOIN orgs o ON o.id = m.org_id
        WHERE m.user_id = $1 AND m.suspended_at IS NULL ORDER BY m.joined_at, m.id";
    SUSPENDED_IN "users.suspended_in" "SELECT o.name FROM members m JOIN orgs o ON o.id = m.org_id
        WHERE m.user_id = $1 AND m.suspended_at IS NOT NULL ORDER BY m.joined_at, m.id";
}

/// One of a user's organizations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Membership {
    /// The membership.
    pub id: MemberId,
    /// The user's role.
    pub role: Role,
    /// The organization.
    pub organization: OrganizationId,
    /// Its name.
    pub name: String,
    /// The organization's slug.
    pub slug: String,
    /// Whether the organization is suspended.
    pub is_suspended: bool,
}

/// The user with an e-mail address. For the identity provider, before there is a caller.
pub async fn by_email(reader: &mut impl Reader, email: &Email) -> Result<Option<User>> {
    first(reader, BY_EMAIL, values![email.folded()], record).await
}

/// The user with an id. For the identity provider, before there is a caller.
pub async fn read(reader: &mut impl Reader, user_id: UserId) -> Result<Option<User>> {
    first(reader, READ, values![id(user_id)], record).await
}

/// The organizations of a user, except those where they are suspended, earliest first.
pub async fn memberships(reader: &mut impl Reader, user_id: UserId) -> Result<Vec<Membership>> {
    reader
        .rows(MEMBERSHIPS, values![id(user_id)], |row| {
            Ok(Membership {
                id: row.next()?,
                role: row.next::<Role>()?,
                organization: row.next()?,
                name: row.next()?,
                slug: row.next()?,
                is_suspended: row.next::<Option<i64>>()?.is_some(),
            })
        })
        .await
}

/// The names of the organizations where a user is suspended.
pub async fn suspended_in(reader: &mut impl Reader, user_id: UserId) -> Result<Vec<String>> {
    reader.rows(SUSPENDED_IN, values![id(user_id)], |row| row.next()).await
}
