//! A proof that permits writing a child's data is used once.

use fieldhouse_domain::effects::Effect;
use fieldhouse_store::access::children::{ChildAccess, Profile, Write};
use fieldhouse_store::{Change, OrgWrite, Result, Tx};

async fn twice<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    access: ChildAccess<'tx, Profile, Write>,
    change: Change<'_>,
    effects: &[Effect],
) -> Result<()> {
    tx.apply_to_child(proof, access, change, effects).await?;
    tx.apply_to_child(proof, access, change, effects).await.map(drop)
}

fn main() {}
