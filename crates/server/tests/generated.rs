//! Tests that the generated files in `docs/` are up to date.
//!
//! With `FIELDHOUSE_UPDATE=1`, which `cargo xtask gen` sets, the files are written instead. A new file gets a test here and an entry in the
//! list of `xtask/src/generate.rs`.

use std::path::Path;

use fieldhouse_server::{openapi, pages, permissions};

/// Compares a file in `docs/` with its expected content, or writes it.
fn check_file(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("FIELDHOUSE_UPDATE").is_some() {
        std::fs::write(&path, wanted).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    let line = differs.unwrap_or_else(|| found.lines().count().min(wanted.lines().count())) + 1;
    assert!(found == wanted, "docs/{name} is out of date from line {line} on: run `cargo xtask gen`");
}

#[test]
fn the_openapi_document_is_up_to_date() {
    let document = serde_json::to_string_pretty(&openapi::document("/")).expect("a document is JSON");
    check_file("openapi.json", &format!("{document}\n"));
}

#[test]
fn the_permissions_page_is_up_to_date() {
    check_file("permissions.md", &permissions::markdown());
}

#[test]
fn the_page_of_error_codes_is_up_to_date() {
    check_file("errors.md", &pages::errors_markdown());
}
