//! What a command has created in a data folder: it is removed again if the command fails, and nothing else is.

use std::path::{Path, PathBuf};

use fieldhouse_server::KeyRing;
use fieldhouse_store::{FolderLock, Store};

/// What a command creates. It is removed when this is dropped, unless it is kept.
pub(crate) struct Created {
    files: Vec<PathBuf>,
    /// Innermost first.
    folders: Vec<PathBuf>,
}

impl Created {
    /// Takes the folder's lock, and notes what is missing in it: the command is about to create that.
    pub(crate) fn lock(folder: &Path) -> Result<(Self, FolderLock), fieldhouse_store::Error> {
        let missing = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let folders = missing.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let mut created = Self { files: Vec::new(), folders };
        let lock_is_missing = !folder.join(FolderLock::FILE).exists();
        let lock = FolderLock::take(folder)?;
        // Only now, for until here another process may have created them.
        let names = Store::FILES.into_iter().chain([KeyRing::FILE]);
        created.files.extend(names.map(|name| folder.join(name)).filter(|file| !file.exists()));
        // The lock's file is removed last, so that the folder is locked until then.
        created.files.extend(lock_is_missing.then(|| folder.join(FolderLock::FILE)));
        Ok((created, lock))
    }

    /// The command succeeded: all of it stays.
    pub(crate) fn keep(mut self) {
        self.files.clear();
        self.folders.clear();
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        // What cannot be removed stays. A folder that holds anything else is not removed.
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
        for folder in &self.folders {
            let _ = std::fs::remove_dir(folder);
        }
    }
}
