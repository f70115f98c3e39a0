//! The document declares only what a test has produced.
//!
//! The tests in `tests/it` leave a file for each status of an operation that they have seen, in the folder that `FIELDHOUSE_PRODUCED`
//! names. `cargo xtask test` names one, runs all tests, and then this one.

use std::collections::BTreeSet;
use std::path::PathBuf;

use fieldhouse_server::openapi;

#[test]
#[ignore = "it looks at what the other tests have produced: `cargo xtask test` runs it after them"]
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
    assert!(missing.is_empty(), "no test has produced what the document declares:\n{}", missing.join("\n"));
}
