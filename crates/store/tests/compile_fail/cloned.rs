//! Proofs cannot be cloned, so that a proof that is consumed cannot be used again.

use fieldhouse_store::{Caller, GuestWrite, OrgScope, OrgWrite};

fn clones<T: Clone>() {}

fn main() {
    clones::<Caller>();
    clones::<OrgScope>();
    clones::<OrgWrite<'static>>();
    clones::<GuestWrite<'static>>();
}
