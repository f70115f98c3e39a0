//! Leave to read writes nothing; a guest's leave and a bare id open no organization's records.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::{Change, GuestWrite, OrgScope, Result, Store, Tx, organizations};

async fn with_a_scope(tx: &mut Tx<'_>, scope: &OrgScope, change: Change<'_>) -> Result<()> {
    tx.apply(scope, change, &[]).await.map(drop)
}

async fn with_a_guests_leave(store: &Store, proof: &GuestWrite<'_>) {
    let _ = organizations::read(&mut &*store, proof).await;
}

async fn with_an_id(store: &Store, organization: &OrganizationId) {
    let _ = organizations::read(&mut &*store, organization).await;
}

fn main() {}
