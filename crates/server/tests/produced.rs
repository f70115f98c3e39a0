//! Tests that the document declares only statuses that a test has produced.
//!
//! The tests in `tests/it` write a file for each status that an operation has returned, to the folder in `FIELDHOUSE_PRODUCED`. `cargo
//! xtask test` sets it, runs all tests, and then this one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fieldhouse_server::openapi;

#[test]
#[ignore = "needs the results of the other tests: `cargo xtask test` runs it after them"]
fn every_declared_status_was_produced_by_a_test() {
    let folder = std::env::var_os("FIELDHOUSE_PRODUCED").map(PathBuf::from).expect("FIELDHOUSE_PRODUCED");
    let files = std::fs::read_dir(folder).expect("the folder of produced statuses");
    let produced: BTreeSet<String> =
        files.map(|file| file.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    let document = serde_json::to_value(openapi::document("/")).expect("a document is JSON");
    let mut missing = Vec::new();
    for item in document["paths"].as_object().expect("paths").values() {
        for operation in item.as_object().expect("a path").values() {
            let id = operation["operationId"].as_str().expect("an id");
            let responses = operation["responses"].as_object().expect("responses");
            let declared = responses.keys().filter(|status| *status != "default");
            let declared = declared.map(|status| format!("{id} {status}"));
            missing.extend(declared.filter(|status| !produced.contains(status)));
        }
    }
    assert!(missing.is_empty(), "no test has produced these declared statuses:\n{}", missing.join("\n"));
}
