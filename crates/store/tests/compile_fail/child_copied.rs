//! A proof for a child's data cannot be copied, nor turned into one for another class.

use fieldhouse_store::access::children::{ChildAccess, ChildScope, Identity, Profile, Write};

fn copied<'tx>(
    access: &ChildAccess<'tx, Profile, Write>,
) -> (ChildAccess<'tx, Profile, Write>, ChildAccess<'tx, Profile, Write>) {
    (access.clone(), *access)
}

fn widened(scope: ChildScope<Profile>) -> ChildScope<Identity> {
    ChildScope { ..scope }
}

fn main() {}
