//! Venues in the store.

use constcat::concat;
use fieldhouse_domain::venues::Venue;

use crate::access::Proof;
use crate::engine::{Reader, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::record;
use crate::value::{id, values};

queries! {
    BY_NAME "venues.by_name" concat!("SELECT ", Venue::COLUMNS, " FROM venues v WHERE v.org_id = $1 AND v.name_folded = $2");
}

/// The venue with a folded name.
pub async fn by_name<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    folded: &str,
) -> Result<Option<Venue>> {
    first(reader, BY_NAME, values![id(proof.organization()), folded], record).await
}
