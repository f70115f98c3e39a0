//! The generated files in `docs/` are as fresh as what they are generated from.
//!
//! With `FIELDHOUSE_UPDATE=1`, which `cargo xtask gen` sets, the files are written anew and not compared. A new one gets a test here
//! and a place in the list of `xtask/src/generate.rs`.

use std::path::Path;

use fieldhouse_server::{openapi, pages, permissions};

/// Compares a file in `docs/` with what it should be, or writes it.
fn fresh(name: &str, wanted: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("FIELDHOUSE_UPDATE").is_some() {
        std::fs::write(&path, wanted).expect("the file can be written");
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    let line = differs.unwrap_or_else(|| found.lines().count().min(wanted.lines().count())) + 1;
    assert!(found == wanted, "docs/{name} is stale from line {line} on: run `cargo xtask gen`");
}

#[test]
fn the_openapi_document_is_fresh() {
    let document = serde_json::to_string_pretty(&openapi::document("/")).expect("a document is JSON");
    fresh("openapi.json", &format!("{document}\n"));
}

#[test]
fn the_permissions_page_is_fresh() {
    fresh("permissions.md", &permissions::markdown());
}

#[test]
fn the_page_of_error_codes_is_fresh() {
    fresh("errors.md", &pages::errors_markdown());
}
