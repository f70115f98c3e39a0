//! Only the store can create a guest's permission.

use fieldhouse_domain::ids::GuestId;
use fieldhouse_store::{GuestWrite, Tx};

fn guest<'tx>(tx: &Tx<'tx>, guest: GuestId) -> GuestWrite<'tx> {
    GuestWrite::new(tx, guest)
}

fn main() {}
