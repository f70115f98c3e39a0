//! A proof ends with its transaction.

use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Relation, Requirement};
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use fieldhouse_store::{Error, Principal, Store};

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;
const NOTHING: Requirement = Requirement {
    credential: Credential::Public,
    keys: KeyUse::SessionOnly,
    scope: Scope { resource: Resource::Auth, verb: Verb::Write },
    relation: Relation::Unrelated,
    child: ChildTouch::Untouched,
    writes: &[],
};

async fn returned(store: &Store, organization: OrganizationId) {
    let operator = store.operator();
    let _proof = store
        .write("misuse", async move |tx| {
            tx.permit(Principal::Operator(&operator, organization), NOTHING, None, NOW).await
        })
        .await;
}

fn main() {}
