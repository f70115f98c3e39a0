//! A proof for one class of a child's data opens no other class, and the medical class is read only in a transaction.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_store::access::children::{ChildAccess, ChildScope, Contact, Identity, Medical, Profile, Read};
use fieldhouse_store::children::{self, Opened};
use fieldhouse_store::{Result, Store, Tx};

async fn another<'tx>(tx: &mut Tx<'tx>, access: &ChildAccess<'tx, Contact, Read>) -> Result<Child> {
    children::record::<Profile, _>(tx, access).await
}

async fn listed(store: &Store, scope: &ChildScope<Identity>) {
    let _ = children::list(&mut &*store, scope, None, 50).await;
}

async fn medical(
    store: &Store,
    scope: &ChildScope<Medical>,
    child: ChildId,
) -> Result<Option<Opened<ChildMedical>>> {
    children::read(&mut &*store, scope, child).await
}

fn main() {}
