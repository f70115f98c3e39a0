//! What a command has created in a data folder. It is removed if the command fails; nothing else is.

use std::path::{Path, PathBuf};

use fieldhouse_server::KeyRing;
use fieldhouse_store::{FolderLock, Store};

/// What a command creates. It is removed when this is dropped, unless [`Created::keep`] was called.
pub(crate) struct Created {
    files: Vec<PathBuf>,
    /// Innermost first.
    folders: Vec<PathBuf>,
}

impl Created {
    /// What a command creates that only reads files.
    pub(crate) fn nothing() -> Self {
        Self { files: Vec::new(), folders: Vec::new() }
    }

    /// Takes the folder's lock, and records which files are missing: the command is about to create them.
    pub(crate) fn lock(folder: &Path) -> Result<(Self, FolderLock), fieldhouse_store::Error> {
        let missing = folder.ancestors().filter(|folder| !folder.as_os_str().is_empty());
        let folders = missing.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        let mut created = Self { files: Vec::new(), folders };
        let lock_is_missing = !folder.join(FolderLock::FILE).exists();
        let lock = FolderLock::take(folder)?;
        // Checked under the lock, because another process may have created them before.
        let names = Store::FILES.into_iter().chain([KeyRing::FILE]);
        created.files.extend(names.map(|name| folder.join(name)).filter(|file| !file.exists()));
        // The lock file is removed last, so that the folder is locked until then.
        created.files.extend(lock_is_missing.then(|| folder.join(FolderLock::FILE)));
        Ok((created, lock))
    }

    /// The command succeeded: keeps everything.
    pub(crate) fn keep(mut self) {
        self.files.clear();
        self.folders.clear();
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        // What cannot be removed stays. A folder with other content is not removed.
        for file in &self.files {
            let _ = std::fs::remove_file(file);
        }
        for folder in &self.folders {
            let _ = std::fs::remove_dir(folder);
        }
    }
}
