//! Finds PostgreSQL's programs on this machine, or installs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::{account, process};

const HOW_TO_INSTALL: &str = "\
PostgreSQL's server is not installed, and the tests always run on both engines. Type one of these:
  Debian, Ubuntu   sudo apt-get install postgresql
  Fedora           sudo dnf install postgresql-server
  macOS            brew install postgresql@17";

/// Folders with one folder for each version, and the prefix of their names. Most packages install the programs there and not in the search
/// path, so that several versions can be installed.
const VERSIONED: [(&str, &str); 4] = [
    ("/usr/lib/postgresql", ""),          // Debian and its kin
    ("/usr", "pgsql-"),                   // postgresql.org's packages for Fedora and its kin
    ("/opt/homebrew/opt", "postgresql@"), // Homebrew on Apple silicon
    ("/usr/local/opt", "postgresql@"),    // Homebrew on Intel
];

/// The folder with `initdb`, `pg_ctl` and `postgres`. As root on a machine with apt-get, installs them if necessary.
pub(crate) fn folder() -> Result<PathBuf> {
    if let Some(folder) = find() {
        return Ok(folder);
    }
    let Some(apt_get) = process::on_path("apt-get").filter(|_| account::is_root().unwrap_or(false)) else {
        bail!(HOW_TO_INSTALL);
    };
    println!("PostgreSQL is not installed. Installing it with apt-get, because xtask runs as root.");
    install(&apt_get, &["update"])?;
    install(&apt_get, &["install", "-y", "--no-install-recommends", "postgresql"])?;
    find().context("apt-get has installed PostgreSQL, but initdb and pg_ctl were not found")
}

/// The major version of the programs in a folder.
pub(crate) fn version(folder: &Path) -> Result<String> {
    let printed = process::output(Command::new(folder.join("postgres")).arg("--version"))?;
    let version =
        printed.split_whitespace().find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    let major = version.and_then(|version| version.split('.').next()).context("postgres has no version")?;
    Ok(major.to_owned())
}

/// Does not use `process::run`: apt-get configures the terminal, which only the terminal's own process group may do.
fn install(apt_get: &Path, arguments: &[&str]) -> Result<()> {
    let mut command = Command::new(apt_get);
    let status =
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdin(Stdio::null()).status()?;
    ensure!(status.success(), "`apt-get {}` ended with {status}\n{HOW_TO_INSTALL}", arguments.join(" "));
    Ok(())
}

fn find() -> Option<PathBuf> {
    on_search_path().or_else(from_pg_config).or_else(newest_version)
}

fn on_search_path() -> Option<PathBuf> {
    // Resolve links: the folder of a link to initdb does not contain all the programs.
    let initdb = process::on_path("initdb")?.canonicalize().ok()?;
    complete(initdb.parent()?.to_owned())
}

fn from_pg_config() -> Option<PathBuf> {
    let folder = process::output(Command::new("pg_config").arg("--bindir")).ok()?;
    complete(PathBuf::from(folder))
}

fn newest_version() -> Option<PathBuf> {
    let mut found = Vec::new();
    for (parent, prefix) in VERSIONED {
        for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
            let version = entry.file_name().to_str().and_then(|name| number(name.strip_prefix(prefix)?));
            if let (Some(version), Some(folder)) = (version, complete(entry.path().join("bin"))) {
                found.push((version, folder));
            }
        }
    }
    found.into_iter().max().map(|(_, folder)| folder)
}

/// A version such as `17` or `9.6`, as a pair that can be compared.
fn number(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.').unwrap_or((version, "0"));
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The folder, if it contains all programs. `pg_config` alone also comes with the client's header files.
fn complete(folder: PathBuf) -> Option<PathBuf> {
    ["initdb", "pg_ctl", "postgres"].iter().all(|program| folder.join(program).is_file()).then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn versions_compare_as_numbers() {
        assert!(number("9.6") < number("15"));
        assert!(number("9") < number("17"));
        assert_eq!(number("common"), None);
    }
}
