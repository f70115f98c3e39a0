//! The examples in the OpenAPI document. `tests/it/examples.rs` records them from real responses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use fieldhouse_api::envelope::JSON;
use fieldhouse_api::spreadsheet::{CSV, LineEnd};
use fieldhouse_api::{Operation, Row};
use serde_json::Value;

/// By operation: `request`, and the response bodies by status.
static EXAMPLES: LazyLock<BTreeMap<String, BTreeMap<String, Value>>> =
    LazyLock::new(|| serde_json::from_str(include_str!("examples.json")).unwrap_or_default());

/// The example of a request.
pub(super) fn request(operation: Operation) -> Option<Value> {
    EXAMPLES.get(operation.id())?.get("request").cloned()
}

/// The example of a response in a media type. That of CSV is the one of JSON, converted.
pub(super) fn response(row: &Row, status: u16, media_type: &str) -> Option<Value> {
    let example = EXAMPLES.get(row.operation.id())?.get(&status.to_string())?;
    match (media_type, row.answer.sheet) {
        (JSON, _) => Some(example.clone()),
        (CSV, Some(sheet)) => sheet.csv(example, LineEnd::CrLf).ok().map(Value::String),
        _ => None,
    }
}
