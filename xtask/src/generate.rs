//! `cargo xtask gen`: writes the generated files anew.
//!
//! What is written, and how, is known only to the tests `generated` and `examples` of the server crate, which
//! otherwise compare the files with what they would write.

use std::fs;
use std::process::Command;

use anyhow::Result;

use crate::process;

/// With this variable the test writes the files, without it it compares them.
pub(crate) const UPDATE: &str = "FIELDHOUSE_UPDATE";

const GENERATED: [&str; 4] =
    ["crates/server/src/openapi/examples.json", "docs/openapi.json", "docs/permissions.md", "docs/errors.md"];

pub(crate) fn run() -> Result<()> {
    // Read as bytes: a file that does not exist yet, or is broken, is simply one that will change.
    let before = GENERATED.map(|path| fs::read(path).ok());
    // The examples first: the document holds them.
    for arguments in ["--test it the_examples_of_the_document", "--test generated"] {
        let mut test = process::cargo();
        test.args(["test", "--locked", "-p", "fieldhouse-server"]).args(arguments.split(' '));
        process::run(test.env(UPDATE, "1"))?;
    }

    println!();
    for (path, before) in GENERATED.iter().zip(before) {
        let verdict = match fs::read(path).ok() {
            None => "was not written",
            after if after == before => "is as it was",
            Some(_) => "changed",
        };
        println!("{path} {verdict}");
    }
    // Without git, in an unpacked archive say, the list above must do.
    let mut git = Command::new("git");
    if let Ok(differences) =
        process::output(git.args(["diff", "--stat", "HEAD", "--", "docs", "crates/server/src/openapi"]))
        && !differences.is_empty()
    {
        println!("\nAgainst the last commit:\n {differences}");
    }
    Ok(())
}
