//! A proof for a child's data cannot be made by hand, copied or changed.

use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::ids::ChildId;
use fieldhouse_store::access::children::{ChildAccess, ChildScope, Identity, Profile, Write};

fn forged<'tx>(child: ChildId, other: ChildAccess<'tx, Profile, Write>) -> ChildAccess<'tx, Profile, Write> {
    ChildAccess { child, capacity: Capacity::Guardian, ..other }
}

fn copied<'tx>(
    access: &ChildAccess<'tx, Profile, Write>,
) -> (ChildAccess<'tx, Profile, Write>, ChildAccess<'tx, Profile, Write>) {
    (access.clone(), *access)
}

fn widened(scope: ChildScope<Profile>) -> ChildScope<Identity> {
    ChildScope { ..scope }
}

fn main() {}
