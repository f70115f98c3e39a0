//! A proof is valid only in its own transaction, for writing and for reading.

use fieldhouse_store::{Change, GuestWrite, OrgWrite, Result, Tx, members};

async fn written<'one, 'other>(tx: &mut Tx<'one>, proof: OrgWrite<'other>, change: Change<'_>) -> Result<()> {
    tx.apply(&proof, change, &[]).await.map(drop)
}

async fn written_by_a_guest<'one, 'other>(
    tx: &mut Tx<'one>,
    proof: GuestWrite<'other>,
    change: Change<'_>,
) -> Result<()> {
    tx.apply(&proof, change, &[]).await.map(drop)
}

async fn read<'one, 'other>(tx: &mut Tx<'one>, proof: OrgWrite<'other>) -> Result<i64> {
    members::owners(tx, &proof).await
}

fn main() {}
