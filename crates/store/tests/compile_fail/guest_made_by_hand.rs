//! Nobody but the store makes a guest's leave.

use fieldhouse_domain::ids::GuestId;
use fieldhouse_store::{GuestWrite, Tx};

fn guest<'tx>(tx: &Tx<'tx>, guest: GuestId) -> GuestWrite<'tx> {
    GuestWrite::new(tx, guest)
}

fn main() {}
