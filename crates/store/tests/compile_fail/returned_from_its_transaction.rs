//! A proof ends with its transaction.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_store::{Error, Store};

async fn returned(store: &Store, organization: OrganizationId) {
    let operator = store.operator();
    let _proof = store
        .write("misuse", async move |tx| Ok::<_, Error>(tx.permit_operator(&operator, organization)))
        .await;
}

fn main() {}
