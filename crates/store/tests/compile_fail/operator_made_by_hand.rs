//! Only the store can create the operator's permission.

use fieldhouse_store::access::Operator;

fn main() {
    let _operator = Operator(());
}
