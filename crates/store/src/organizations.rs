//! Organizations in the store.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;

use crate::access::OrgScope;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

queries! {
    READ "organizations.read" "SELECT id, name, slug, country, time_zone, created_at, updated_at, version FROM orgs WHERE id = $1";
    ANY "organizations.any" "SELECT id FROM orgs LIMIT 1";
    SLUG "organizations.by_slug" "SELECT id FROM orgs WHERE slug = $1";
    INSERT "organizations.insert" "INSERT INTO orgs (id, name, slug, country, time_zone, created_at, updated_at, version)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    UPDATE "organizations.update" "UPDATE orgs SET name = $2, slug = $3, country = $4, time_zone = $5, updated_at = $6, version = $7
        WHERE id = $1 AND version = $7 - 1";
}

fn organization(row: &mut Row<'_>) -> Result<Organization> {
    Ok(Organization {
        id: row.id()?,
        name: Name::stored(row.next()?),
        slug: row.next()?,
        country: row.next()?,
        time_zone: TimeZoneName::stored(row.next()?),
        created_at: row.next()?,
        updated_at: row.next()?,
        version: row.next()?,
    })
}

/// The caller's organization.
pub async fn read(reader: &mut impl Reader, scope: &OrgScope) -> Result<Option<Organization>> {
    first(reader, READ, values![id(scope.organization())], organization).await
}

/// Whether there is any organization: whether the server was initialised.
pub async fn any(reader: &mut impl Reader) -> Result<bool> {
    Ok(first(reader, ANY, values![], |row| row.id::<OrganizationId>()).await?.is_some())
}

/// The organization of a slug. For the operator's commands: it tells nothing but the id.
pub async fn by_slug(reader: &mut impl Reader, slug: &str) -> Result<Option<OrganizationId>> {
    first(reader, SLUG, values![slug], |row| row.id()).await
}

pub(crate) async fn write(tx: &mut Tx<'_>, new: bool, org: &Organization) -> Result<u64> {
    let (country, zone) = (org.country.as_ref(), org.time_zone.as_str());
    if new {
        let values = values![
            id(org.id),
            org.name.as_str(),
            &org.slug,
            country,
            zone,
            org.created_at,
            org.updated_at,
            org.version
        ];
        return tx.run(INSERT, values).await;
    }
    tx.run(
        UPDATE,
        values![id(org.id), org.name.as_str(), &org.slug, country, zone, org.updated_at, org.version],
    )
    .await
}
