//! The data folder belongs to one process.

use fieldhouse_store::{Error, FolderLock};

#[test]
fn a_second_taker_is_refused_until_the_first_is_done() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made").join("on the way");
    let first = FolderLock::take(&folder).expect("it is free");
    let second = FolderLock::take(&folder).err();
    assert!(matches!(&second, Some(Error::Locked(named)) if named.contains("on the way")), "{second:?}");
    drop(first);
    FolderLock::take(&folder).expect("it is free again");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_made_is_its_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let _lock = FolderLock::take(&folder).unwrap();
    assert_eq!(std::fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
}
