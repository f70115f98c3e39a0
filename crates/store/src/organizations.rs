//! Organizations in the store.

use constcat::concat;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::organizations::{Organization, Slug};
use fieldhouse_domain::record::Record as _;
use jiff::Timestamp;
use uuid::Uuid;

use crate::access::{Operator, Proof};
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    READ "organizations.read" Organization::TABLE.read;
    ANY "organizations.any" "SELECT id FROM orgs LIMIT 1";
    SLUG "organizations.by_slug" "SELECT id FROM orgs WHERE slug = $1";
    LIST "organizations.list" concat!("SELECT ", Organization::COLUMNS, " FROM orgs o
        WHERE (o.created_at, o.id) > ($1, $2) AND (CAST($3 AS TEXT) IS NULL OR o.slug = $3) ORDER BY o.created_at, o.id LIMIT $4");
}

/// The caller's organization.
pub async fn read<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Option<Organization>> {
    first(reader, READ, values![id(proof.organization())], record).await
}

/// Whether there is an organization, that is, whether the server was initialized.
pub async fn any(reader: &mut impl Reader) -> Result<bool> {
    Ok(first(reader, ANY, values![], |row| row.next::<OrganizationId>()).await?.is_some())
}

/// The id of the organization with a slug, for the operator's commands.
pub async fn by_slug(reader: &mut impl Reader, slug: &str) -> Result<Option<OrganizationId>> {
    first(reader, SLUG, values![slug], |row| row.next()).await
}

/// All organizations, earliest first, from a position; only the one with a slug, if it is given.
pub async fn list(
    reader: &mut impl Reader,
    _operator: &Operator,
    slug: Option<&Slug>,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Vec<Organization>> {
    let (at, last) = after.unwrap_or((Timestamp::MIN, Uuid::nil()));
    reader.rows(LIST, values![at, last, slug.map(Slug::as_str), limit], record).await
}
