//! The examples in the OpenAPI document. `tests/it/examples.rs` records them from real responses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fieldhouse_api::Operation;
use serde_json::Value;

/// By operation: `request`, and the response bodies by status.
static EXAMPLES: LazyLock<BTreeMap<String, BTreeMap<String, Value>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// The example of a request.
pub(super) fn request(operation: Operation) -> Option<Value> {
    EXAMPLES.get(operation.id())?.get("request").cloned()
}

/// The example of a response.
pub(super) fn response(operation: Operation, status: u16) -> Option<Value> {
    EXAMPLES.get(operation.id())?.get(&status.to_string()).cloned()
}
