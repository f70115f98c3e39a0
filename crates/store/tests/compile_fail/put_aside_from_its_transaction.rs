//! A proof ends with its transaction, and cannot be put aside from within.

use std::sync::{Arc, Mutex};

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::{Error, OrgWrite, Store};

async fn put_aside(store: &Store, organization: OrganizationId, aside: Arc<Mutex<Option<OrgWrite<'static>>>>) {
    let operator = store.operator();
    let _ = store
        .write("misuse", async move |tx| {
            let proof = tx.permit_operator(&operator, organization);
            *aside.lock().expect("a lock") = Some(proof);
            Ok::<_, Error>(())
        })
        .await;
}

fn main() {}
