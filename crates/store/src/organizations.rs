//! Organizations in the store.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::record::Record as _;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    READ "organizations.read" Organization::TABLE.read;
    ANY "organizations.any" "SELECT id FROM orgs LIMIT 1";
    SLUG "organizations.by_slug" "SELECT id FROM orgs WHERE slug = $1";
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
