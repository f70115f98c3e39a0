//! `cargo xtask gen`: rewrites the generated files.
//!
//! The tests `generated` and `examples` of the server crate write the files; otherwise they compare them.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::process;

/// With this variable the tests write the files instead of comparing them.
pub(crate) const UPDATE: &str = "FIELDHOUSE_UPDATE";

const GENERATED: [&str; 4] =
    ["crates/server/src/openapi/examples.json", "docs/openapi.json", "docs/permissions.md", "docs/errors.md"];

pub(crate) fn run() -> Result<()> {
    // Read as bytes, because a file may be missing or broken.
    let before = GENERATED.map(|path| fs::read(path).ok());
    // The examples first, because the document contains them.
    for arguments in ["--test it the_examples_of_the_document", "--test generated"] {
        let mut test = process::cargo();
        test.args(["test", "--locked", "-p", "fieldhouse-server"]).args(arguments.split(' '));
        process::run(test.env(UPDATE, "1"))?;
    }

    println!();
    for (path, before) in GENERATED.iter().zip(before) {
        let verdict = match fs::read(path).ok() {
            None => "was not written",
            after if after == before => "is unchanged",
            Some(_) => "changed",
        };
        println!("{path} {verdict}");
    }
    // Without git, as in an unpacked archive, only the list above is printed.
    let mut git = Command::new("git");
    if let Ok(differences) =
        process::output(git.args(["diff", "--stat", "HEAD", "--", "docs", "crates/server/src/openapi"]))
        && !differences.is_empty()
    {
        println!("\nAgainst the last commit:\n {differences}");
    }
    Ok(())
}
