//! There is one of each proof: it cannot be kept while it is used up.

use fieldhouse_store::access::Operator;
use fieldhouse_store::{Caller, GuestWrite, OrgScope, OrgWrite};

fn clones<T: Clone>() {}

fn main() {
    clones::<Caller>();
    clones::<OrgScope>();
    clones::<OrgWrite<'static>>();
    clones::<GuestWrite<'static>>();
    clones::<Operator>();
}
