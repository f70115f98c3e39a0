//! Backups of the embedded database: a consistent copy, while a server writes.

use std::io::ErrorKind;
use std::path::Path;

use rusqlite::Connection;

use super::{FILE, read_only};
use crate::error::{Error, Result};

/// Copies the database of a data folder to a new file, which only its owner can read, and verifies the copy. Returns its size in bytes.
/// The copy is one snapshot: what was committed before it began, and nothing later. Its ledgers have a new epoch, so that positions in the
/// original are refused where the copy is used. An existing file is not overwritten.
pub fn back_up(folder: &Path, target: &Path) -> Result<u64> {
    let unwritable = |error: std::io::Error| Error::Unavailable(format!("{}: {error}", target.display()));
    if target.exists() {
        return Err(unwritable(ErrorKind::AlreadyExists.into()));
    }
    let beside = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Removed again unless it is complete.
    let copy = tempfile::Builder::new().prefix(".backup-").tempfile_in(beside).map_err(unwritable)?;
    let source = read_only(&folder.join(FILE))?;
    source.execute("VACUUM INTO ?1", [copy.path().to_string_lossy()])?;
    start_epoch(copy.path())?;
    verify(copy.path())?;
    copy.as_file().sync_all().map_err(unwritable)?;
    let size = copy.as_file().metadata().map_err(unwritable)?.len();
    copy.persist_noclobber(target).map_err(|error| unwritable(error.error))?;
    Ok(size)
}

/// An epoch is a time in microseconds: see `ledger_heads`.
fn start_epoch(copy: &Path) -> Result<()> {
    let sql =
        "UPDATE ledger_heads SET epoch = MAX(epoch + 1, CAST(unixepoch('subsec') * 1000000 AS INTEGER))";
    Connection::open(copy)?.execute(sql, [])?;
    Ok(())
}

/// Reads the whole copy, and compares its indexes with its tables.
fn verify(copy: &Path) -> Result<()> {
    let found: String = read_only(copy)?.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(Error::Internal(format!("the copy is damaged: {found}"))) }
}
