//! Permission to read does not permit writing; a guest's permission and a bare id do not permit reading an organization's records.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::{Change, GuestWrite, OrgScope, Result, Store, Tx, organizations};

async fn with_a_scope(tx: &mut Tx<'_>, scope: &OrgScope, change: Change<'_>) -> Result<()> {
    tx.apply(scope, change, &[]).await.map(drop)
}

async fn with_a_guests_permission(store: &Store, proof: &GuestWrite<'_>) {
    let _ = organizations::read(&mut &*store, proof).await;
}

async fn with_an_id(store: &Store, organization: &OrganizationId) {
    let _ = organizations::read(&mut &*store, organization).await;
}

fn main() {}
