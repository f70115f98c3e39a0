//! The data folder: used by one process at a time, and readable only by its owner.

use std::path::Path;

use crate::error::{Error, Result};

/// Makes the names of a folder's files survive a crash of the machine.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// Other systems cannot open a folder as a file.
#[cfg(not(unix))]
pub fn sync_folder(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// A lock on a data folder, until it is dropped.
pub struct FolderLock {
    _file: std::fs::File,
}

impl FolderLock {
    /// The name of the lock file.
    pub const FILE: &str = "lock";

    /// Locks the folder, and creates it (mode 0700) if necessary. Fails if another process has locked it.
    pub fn take(folder: &Path) -> Result<Self> {
        let unavailable =
            |error: std::io::Error| Error::Unavailable(format!("{}: {error}", folder.display()));
        make_folder(folder).map_err(unavailable)?;
        let file = std::fs::File::create(folder.join(Self::FILE)).map_err(unavailable)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(std::fs::TryLockError::WouldBlock) => Err(Error::Locked(folder.display().to_string())),
            Err(std::fs::TryLockError::Error(error)) => Err(unavailable(error)),
        }
    }
}

/// Creates a file that only its owner can read (mode 0600), if it does not exist.
pub(crate) fn make_private_file(path: &Path) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

#[cfg(unix)]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn make_folder(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}
