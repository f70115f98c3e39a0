//! Nobody but the store makes the operator's leave.

use fieldhouse_store::access::Operator;

fn main() {
    let _operator = Operator(());
}
