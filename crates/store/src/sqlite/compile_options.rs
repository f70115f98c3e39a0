//! The compile options of SQLite. `.cargo/config.toml` sets them, and two double the speed of lists; a build that does not read that file
//! lacks them.

use rusqlite::Connection;

use crate::error::Result;

/// Options with their values, and what to say if they have others.
const EXPECTED: [(&str, &str); 2] = [
    ("DEFAULT_MEMSTATUS=0", "DEFAULT_MEMSTATUS is not 0"),
    ("DEFAULT_PCACHE_INITSZ=1", "DEFAULT_PCACHE_INITSZ is not 1"),
];

/// Logs a warning if SQLite was compiled with other options than expected.
pub(super) fn check(connection: &Connection) -> Result<()> {
    let compiled = compiled(connection)?;
    let differences = differences(&compiled);
    if !differences.is_empty() {
        tracing::warn!(
            differences = differences.join(", "),
            "SQLite is slow in this build, which did not read .cargo/config.toml: install from a checkout with \
             `cargo install --locked --path crates/fieldhouse`"
        );
    }
    Ok(())
}

fn compiled(connection: &Connection) -> Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA compile_options")?;
    let options = statement.query_map([], |row| row.get(0))?;
    Ok(options.collect::<rusqlite::Result<_>>()?)
}

/// The differences from the options in `.cargo/config.toml`.
fn differences(compiled: &[String]) -> Vec<&'static str> {
    let mut differences = Vec::new();
    if compiled.iter().any(|option| option == "ENABLE_STAT4") {
        differences.push("ENABLE_STAT4 is set");
    }
    for (option, difference) in EXPECTED {
        if !compiled.iter().any(|compiled| compiled == option) {
            differences.push(difference);
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn each_difference_is_reported() {
        let expected = ["DEFAULT_MEMSTATUS=0", "DEFAULT_PCACHE_INITSZ=1"];
        assert!(differences(&options(&[expected[0], "ENABLE_FTS5", expected[1]])).is_empty());
        assert_eq!(
            differences(&options(&["ENABLE_STAT4", "THREADSAFE=1"])),
            ["ENABLE_STAT4 is set", "DEFAULT_MEMSTATUS is not 0", "DEFAULT_PCACHE_INITSZ is not 1"]
        );
        assert_eq!(
            differences(&options(&["ENABLE_STAT4", expected[0], expected[1]])),
            ["ENABLE_STAT4 is set"]
        );
        let other = ["DEFAULT_MEMSTATUS=1", expected[1]];
        assert_eq!(differences(&options(&other)), ["DEFAULT_MEMSTATUS is not 0"]);
    }

    #[test]
    fn this_build_has_the_options_of_the_workspace() {
        let connection = Connection::open_in_memory().expect("a database");
        let compiled = compiled(&connection).expect("the options");
        assert!(compiled.iter().any(|option| option == "ENABLE_FTS5"), "{compiled:?}");
        assert!(differences(&compiled).is_empty(), "{compiled:?}");
    }
}
