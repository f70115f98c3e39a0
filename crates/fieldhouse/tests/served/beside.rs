//! Commands on the store while a server runs: those that change it are refused, those that read it are not.

use crate::operator::{INIT, typed};
use crate::server::{on_both, run};

#[test]
fn commands_on_the_store_are_refused_while_a_server_runs() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        for words in [&["migrate"][..], &["key-ring", "rotate", "cursor"]] {
            let refused = run(place.operates(words));
            assert_eq!(refused.code, 1, "{words:?} {refused:?}");
            assert!(refused.error.contains("in use by another Fieldhouse process"), "{}", refused.error);
        }
        let beside = run(place.operates(&["migrate", "--status"]));
        assert!(beside.code == 0 && beside.error.contains("The schema is at version"), "{beside:?}");
        server.stop();
        assert_eq!(run(place.operates(&["migrate", "--status"])).error, beside.error);
    });
}

#[test]
fn the_status_of_a_folder_without_data_creates_nothing() {
    on_both(|place| {
        let empty = place.folder().join("empty");
        std::fs::create_dir(&empty).expect("a folder");
        if place.database.url().is_none() {
            let mut status = place.operates(&["migrate", "--status"]);
            status.arg("--data-dir").arg(&empty);
            let refused = run(status);
            assert!(refused.code == 1 && refused.error.contains("no Fieldhouse data"), "{refused:?}");
        }
        assert_eq!(std::fs::read_dir(&empty).expect("the folder").count(), 0);
    });
}

#[test]
fn a_key_ring_outside_the_data_folder_is_rotated_where_it_is() {
    on_both(|place| {
        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let (own, shared) = (place.data_dir().join("key-ring.json"), place.folder().join("shared.json"));
        std::fs::rename(&own, &shared).expect("the ring is moved");
        let ring = |file: &std::path::Path| std::fs::read_to_string(file).expect("a ring");
        let (before, name) = (ring(&shared), shared.to_str().expect("a path"));
        let rotate = |variables: &[(&str, &str)]| {
            let mut command = place.operates(&["key-ring", "rotate", "cursor"]);
            command.envs(variables.iter().copied());
            run(command)
        };
        let refused = rotate(&[("FIELDHOUSE_KEY_RING", &before)]);
        assert!(refused.code == 1 && refused.error.contains("FIELDHOUSE_KEY_RING_FILE=FILE"), "{refused:?}");
        assert!(ring(&shared) == before);
        let rotated = rotate(&[("FIELDHOUSE_KEY_RING_FILE", name)]);
        assert!(rotated.code == 0 && rotated.error.contains(name), "{rotated:?}");
        assert!(ring(&shared).matches("\"cursor\"").count() == 2 && !own.exists());
        place.serve_with(&[], &[("FIELDHOUSE_KEY_RING_FILE", name)]).stop();
    });
}

#[test]
fn a_server_says_where_its_mail_is() {
    on_both(|place| {
        for arguments in [&["--demo"][..], &[]] {
            let server = place.serve(arguments);
            let folder = server.ready["mail_folder"].as_str().expect("a folder").to_owned();
            assert!(folder.ends_with("mail"), "{folder}");
            server.stop();
        }
        // With PostgreSQL the tests name a folder, which excludes a mail server.
        if place.database.url().is_none() {
            let sent = place.serve(&["--smtp-url", "smtp://mail.invalid"]);
            assert!(sent.ready["mail_folder"].is_null(), "it is sent");
            sent.stop();
        }
    });
}
