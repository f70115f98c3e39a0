//! A proof that permits reading a child's data does not permit writing it.

use fieldhouse_domain::effects::Effect;
use fieldhouse_store::access::children::{ChildAccess, Profile, Read};
use fieldhouse_store::{Change, OrgWrite, Result, Tx};

async fn written<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    access: ChildAccess<'tx, Profile, Read>,
    change: Change<'_>,
    effects: &[Effect],
) -> Result<()> {
    tx.apply_to_child(proof, access, change, effects).await.map(drop)
}

fn main() {}
