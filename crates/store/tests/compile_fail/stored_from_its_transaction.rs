//! A proof ends with its transaction, and cannot be stored from within.

use std::sync::{Arc, Mutex};

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Relation, Requirement};
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_store::{Error, OrgWrite, Principal, Store};

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;
const NOTHING: Requirement = Requirement {
    credential: Credential::Public,
    keys: KeyUse::SessionOnly,
    scope: Scope { resource: Resource::Auth, verb: Verb::Write },
    relation: Relation::Unrelated,
    child: ChildTouch::Untouched,
    writes: &[],
};

async fn put_aside(store: &Store, organization: OrganizationId, aside: Arc<Mutex<Option<OrgWrite<'static>>>>) {
    let operator = store.operator();
    let _ = store
        .write("misuse", async move |tx| {
            let permitted = tx.permit(Principal::Operator(&operator, organization), NOTHING, None, NOW).await?;
            let Ok(proof) = permitted else { return Ok(()) };
            *aside.lock().expect("a lock") = Some(proof);
            Ok::<_, Error>(())
        })
        .await;
}

fn main() {}
