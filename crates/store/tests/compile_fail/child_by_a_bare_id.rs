//! A child's data is not read with its id and permission to read the organization.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_store::children::{self, Opened};
use fieldhouse_store::{OrgScope, OrgWrite, Result, Store, Tx};

async fn read(store: &Store, scope: &OrgScope, child: ChildId) -> Result<Option<Opened<Child>>> {
    children::read(&mut &*store, scope, child).await
}

async fn in_a_transaction<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>) -> Result<Child> {
    children::record(tx, proof).await
}

fn main() {}
