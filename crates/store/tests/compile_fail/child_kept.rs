//! A proof for a child's data ends with its transaction: it can be neither returned nor stored.

use std::sync::{Arc, Mutex};

use fieldhouse_domain::ids::ChildId;
use fieldhouse_domain::policy::Requirement;
use fieldhouse_store::access::children::{ChildAccess, Profile, Write};
use fieldhouse_store::{Error, OrgScope, Principal, Store};

const NOW: jiff::Timestamp = jiff::Timestamp::UNIX_EPOCH;

type Aside = Arc<Mutex<Option<ChildAccess<'static, Profile, Write>>>>;

async fn put_aside(store: &Store, scope: Arc<OrgScope>, requirement: Requirement, child: ChildId, aside: Aside) {
    let _ = store
        .write("misuse", async move |tx| {
            let permitted = tx.permit(Principal::Caller(&scope), requirement, None, NOW).await?;
            let Ok(proof) = permitted else { return Ok(()) };
            let Ok(access) = tx.open::<Profile, Write>(&proof, child).await? else { return Ok(()) };
            *aside.lock().expect("a lock") = Some(access);
            Ok::<_, Error>(())
        })
        .await;
}

fn main() {}
