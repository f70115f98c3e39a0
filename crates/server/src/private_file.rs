//! Private files: only their owner can read them, and they are replaced as a whole.

use std::io::{self, Write};
use std::path::Path;

use fieldhouse_store::sync_folder;

/// Writes a file of mode 0600. When this returns, the file survives a crash of the machine; a crash before leaves the old file or the new
/// one, never a part.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Deleted unless it replaces the old file.
    let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync_folder(folder)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn names(folder: &Path) -> Vec<std::ffi::OsString> {
        let entries = fs::read_dir(folder).expect("a folder");
        entries.map(|entry| entry.expect("an entry").file_name()).collect()
    }

    #[test]
    fn a_file_is_replaced_as_a_whole_and_no_temporary_file_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret.json");
        for content in [&b"a longer text"[..], b"short"] {
            write(&file, content).expect("written");
            assert_eq!(fs::read(&file).expect("a file"), content);
        }
        assert_eq!(names(folder.path()), ["secret.json"]);
    }

    #[test]
    fn a_failed_write_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("in-the-way")).expect("a folder");
        write(&folder.path().join("in-the-way"), b"text").expect_err("a folder is in the way");
        write(&folder.path().join("missing/file"), b"text").expect_err("there is no folder");
        assert_eq!(names(folder.path()), ["in-the-way"]);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_a_replaced_file() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("secret.json");
        fs::write(&file, "old").expect("written");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).expect("opened to others");
        write(&file, b"new").expect("written");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
}
