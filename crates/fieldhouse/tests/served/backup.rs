//! `fieldhouse backup`, of a running server and without one.

use std::os::unix::fs::PermissionsExt;

use crate::operator::{INIT, typed};
use crate::server::{on_both, run};

#[test]
fn a_backup_of_a_running_server_is_consistent_and_can_be_restored() {
    on_both(|place| {
        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let file = place.folder().join("monday.db");
        let path = file.to_str().expect("a path").to_owned();
        let backup = ["backup", &path];
        if place.database.url().is_some() {
            let refused = run(place.operates(&backup));
            assert!(refused.code == 2 && refused.error.contains("pg_dump"), "{refused:?}");
            return;
        }
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let create = |name: &str| {
            owner.types(&["venues", "create", "--name", name, "--time-zone", "Australia/Melbourne"]);
        };
        create("Before");
        let position = owner.types(&["api", "/api/v1/venues", "--jq", ".page.sync"]).out;
        let changes = format!("/api/v1/venues?since={}", position.trim());
        owner.types(&["api", &changes]);
        let done = run(place.operates(&backup));
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.error.contains("verified the copy") && done.error.contains("key-ring.json"), "{done:?}");
        create("After");
        let mode = std::fs::metadata(&file).expect("the backup").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let before = std::fs::read(&file).expect("the backup");
        let twice = run(place.operates(&backup));
        assert!(twice.code == 1 && twice.error.contains("exists already"), "{twice:?}");
        assert!(std::fs::read(&file).expect("the backup") == before, "it is not overwritten");
        server.stop();
        let stopped = place.folder().join("stopped.db");
        let stopped = run(place.operates(&["backup", stopped.to_str().expect("a path")]));
        assert_eq!(stopped.code, 0, "{stopped:?}");

        let restored = place.folder().join("restored");
        std::fs::create_dir(&restored).expect("a folder");
        std::fs::copy(&file, restored.join("fieldhouse.db")).expect("the database is restored");
        let ring = "key-ring.json";
        std::fs::copy(place.data_dir().join(ring), restored.join(ring)).expect("the key ring is restored");
        let folder = restored.to_str().expect("a path");
        let server = place.serve_with(&[], &[("FIELDHOUSE_DATA_DIR", folder)]);
        let owner = place.person(&server, "restored-owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let venues = owner.types(&["venues", "list", "--jq", ".[].name"]);
        assert_eq!(venues.out, "Before\n");
        let refused = owner.tries(&["api", &changes], None);
        assert!(refused.error.contains("the organization was restored"), "{refused:?}");
        server.stop();
        let verify = ["admin", "audit", "verify", "--organization", "riverside-club", "--data-dir", folder];
        assert_eq!(run(place.operates(&verify)).code, 0);
    });
}

#[test]
fn there_is_no_backup_of_a_folder_without_data() {
    on_both(|place| {
        if place.database.url().is_some() {
            return;
        }
        let target = place.folder().join("none.db");
        let refused = run(place.operates(&["backup", target.to_str().expect("a path")]));
        assert!(refused.code == 1 && refused.error.contains("no Fieldhouse data"), "{refused:?}");
        assert!(!target.exists());
        let mut left = std::fs::read_dir(place.folder()).expect("the folder");
        let is_part = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with(".backup-");
        assert!(!left.any(|entry| is_part(&entry.expect("an entry").file_name())), "a part is left behind");
    });
}
