//! The data folder is used by one process, and readable by one account.

use fieldhouse_store::{Error, FolderLock};

#[test]
fn a_second_lock_is_refused_until_the_first_is_released() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("made").join("on the way");
    let first = FolderLock::take(&folder).expect("it is free");
    let second = FolderLock::take(&folder).err();
    assert!(matches!(&second, Some(Error::Locked(named)) if named.contains("on the way")), "{second:?}");
    drop(first);
    FolderLock::take(&folder).expect("it is free again");
}

#[cfg(unix)]
#[tokio::test]
async fn the_folder_and_the_database_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use fieldhouse_store::{Options, Store, migrations};

    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let _lock = FolderLock::take(&folder).unwrap();
    assert_eq!(mode(&folder), 0o700);
    // An existing folder may be open to others.
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let store = Store::open(&Options::Sqlite { folder: folder.clone() }).await.unwrap();
    migrations::run(&store).await.unwrap();
    for file in ["fieldhouse.db", "fieldhouse.db-wal"] {
        assert_eq!(mode(&folder.join(file)), 0o600, "{file}");
    }
}
