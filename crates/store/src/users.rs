//! Users in the store, and the organizations that they belong to.

use fieldhouse_domain::ids::{MemberId, OrganizationId, UserId};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::users::User;

use crate::access::OrgScope;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    BY_EMAIL "users.by_email" "SELECT id, email, name, locale, time_zone, password_hash, password_changed_at, suspended_at, created_at,
            updated_at, version FROM users WHERE email_folded = $1";
    READ "users.read" "SELECT id, email, name, locale, time_zone, password_hash, password_changed_at, suspended_at, created_at,
            updated_at, version FROM users WHERE id = $1";
    MEMBERSHIPS "users.memberships" "SELECT m.id, m.role, o.id, o.name, o.slug FROM members m JOIN orgs o ON o.id = m.org_id
        WHERE m.user_id = $1 AND m.suspended_at IS NULL ORDER BY m.joined_at, m.id";
    INSERT "users.insert" "INSERT INTO users (id, email, email_folded, name, locale, time_zone, password_hash, password_changed_at,
            suspended_at, created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    UPDATE "users.update" "UPDATE users SET email = $2, email_folded = $3, name = $4, locale = $5, time_zone = $6, password_hash = $7,
            password_changed_at = $8, suspended_at = $9, updated_at = $10, version = $11
        WHERE id = $1 AND version = $11 - 1";
}

fn user(row: &mut Row<'_>) -> Result<User> {
    Ok(User {
        id: row.id()?,
        email: Email::stored(row.next()?),
        name: Name::stored(row.next()?),
        locale: row.next()?,
        time_zone: row.next::<Option<String>>()?.map(TimeZoneName::stored),
        password_hash: row.next()?,
        password_changed_at: row.next()?,
        suspended_at: row.next()?,
        created_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
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
    /// Its name in addresses.
    pub slug: String,
}

/// The user who signs in with an address. For the identity provider, before there is a caller.
pub async fn by_email(reader: &mut impl Reader, email: &Email) -> Result<Option<User>> {
    first(reader, BY_EMAIL, values![email.folded()], user).await
}

/// A user by his id. For the identity provider, before there is a caller.
pub async fn read(reader: &mut impl Reader, user_id: UserId) -> Result<Option<User>> {
    first(reader, READ, values![id(user_id)], user).await
}

/// The caller.
pub async fn current(reader: &mut impl Reader, scope: &OrgScope) -> Result<Option<User>> {
    read(reader, scope.user()).await
}

/// The organizations that a user belongs to and is not suspended in, the longest-standing first.
pub async fn memberships(reader: &mut impl Reader, user_id: UserId) -> Result<Vec<Membership>> {
    reader
        .rows(MEMBERSHIPS, values![id(user_id)], |row| {
            Ok(Membership {
                id: row.id()?,
                role: row.through(Role::from_rank)?,
                organization: row.id()?,
                name: row.next()?,
                slug: row.next()?,
            })
        })
        .await
}

pub(crate) async fn write(tx: &mut Tx<'_>, new: bool, user: &User) -> Result<u64> {
    let zone = user.time_zone.as_ref().map(TimeZoneName::as_str);
    let (locale, hash) = (user.locale.as_ref(), user.password_hash.as_ref());
    let (email, folded, name) = (user.email.as_str(), user.email.folded(), user.name.as_str());
    let (changed, suspended) = (user.password_changed_at, user.suspended_at);
    if new {
        let (made, touched) = (user.created_at, user.updated_at);
        let values = values![
            id(user.id),
            email,
            folded,
            name,
            locale,
            zone,
            hash,
            changed,
            suspended,
            made,
            touched,
            user.version
        ];
        return tx.run(INSERT, values).await;
    }
    let values = values![
        id(user.id),
        email,
        folded,
        name,
        locale,
        zone,
        hash,
        changed,
        suspended,
        user.updated_at,
        user.version
    ];
    tx.run(UPDATE, values).await
}
