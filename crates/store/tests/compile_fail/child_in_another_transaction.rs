//! A proof for a child's data is valid only in its own transaction, for writing and for reading.

use fieldhouse_domain::children::Child;
use fieldhouse_domain::effects::Effect;
use fieldhouse_store::access::children::{ChildAccess, Profile, Read, Write};
use fieldhouse_store::{Change, OrgWrite, Result, Tx, children};

async fn read<'one, 'other>(tx: &mut Tx<'one>, access: ChildAccess<'other, Profile, Read>) -> Result<Child> {
    children::record(tx, &access).await
}

async fn written<'one, 'other>(
    tx: &mut Tx<'one>,
    proof: &OrgWrite<'one>,
    access: ChildAccess<'other, Profile, Write>,
    change: Change<'_>,
    effects: &[Effect],
) -> Result<()> {
    tx.apply_to_child(proof, access, change, effects).await.map(drop)
}

fn main() {}
