//! Checks that the OpenAPI document declares only statuses that a test has produced.
//!
//! The server's tests write a file for each status that an operation has returned, named like `seasons.list 200`. The document is
//! `docs/openapi.json`, which a test compares with the served one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

const DOCUMENT: &str = "docs/openapi.json";

/// Fails if a declared status is not in the folder of produced ones, and lists those that are missing.
pub(crate) fn check(produced: &Path) -> Result<()> {
    let files = fs::read_dir(produced)?.map(|file| Ok(file?.file_name().to_string_lossy().into_owned()));
    let document = serde_json::from_slice(&fs::read(DOCUMENT)?).context(DOCUMENT)?;
    let declared = declared(&document).context("docs/openapi.json is not a document of operations")?;
    let missing = missing(&declared, &files.collect::<Result<_>>()?);
    if !missing.is_empty() {
        bail!("no test has produced these declared statuses:\n{}", missing.join("\n"));
    }
    println!("Tests have produced all {} declared statuses.", declared.len());
    Ok(())
}

/// Each declared status with its operation, such as `seasons.list 200`; without `default`.
fn declared(document: &Value) -> Option<BTreeSet<String>> {
    let mut declared = BTreeSet::new();
    for operation in
        document["paths"].as_object()?.values().filter_map(Value::as_object).flat_map(|item| item.values())
    {
        let id = operation["operationId"].as_str()?;
        let statuses = operation["responses"].as_object()?.keys().filter(|status| *status != "default");
        declared.extend(statuses.map(|status| format!("{id} {status}")));
    }
    Some(declared)
}

fn missing(declared: &BTreeSet<String>, produced: &BTreeSet<String>) -> Vec<String> {
    declared.difference(produced).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_status_that_no_test_produced_is_missing() {
        let operation =
            json!({"operationId": "season.list", "responses": {"200": {}, "404": {}, "default": {}}});
        let declared = declared(&json!({"paths": {"/seasons": {"get": operation}}})).expect("a document");
        let produced = BTreeSet::from(["season.list 200".to_owned()]);
        assert_eq!(missing(&declared, &produced), ["season.list 404"]);
    }
}
