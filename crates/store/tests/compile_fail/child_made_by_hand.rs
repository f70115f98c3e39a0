//! A proof for a child's data cannot be made by hand.

use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_store::access::children::{ChildAccess, ChildScope, Profile, Write};

fn forged<'tx>(child: ChildId, other: ChildAccess<'tx, Profile, Write>) -> ChildAccess<'tx, Profile, Write> {
    ChildAccess { child, capacity: Capacity::Guardian, ..other }
}

fn again(scope: ChildScope<Profile>) -> ChildScope<Profile> {
    ChildScope { ..scope }
}

fn main() {}
