//! A key ring belongs to its database: a start with another one, or without one, is refused. A rotated one is accepted.

use std::path::PathBuf;

use serde_json::Value;

use crate::operator::{INIT, typed};
use crate::server::{Place, on_both, run};

const PASSWORD: &str = "a long enough password\n";

fn initialised(place: &Place) -> (PathBuf, String) {
    let printed = typed(place.operates(INIT), PASSWORD);
    assert_eq!(printed.code, 0, "{printed:?}");
    let ring = place.data_dir().join("key-ring.json");
    let text = std::fs::read_to_string(&ring).expect("init created a key ring");
    (ring, text)
}

/// The output of a server that does not start, with these environment variables.
fn refusal(place: &Place, variables: &[(&str, &str)]) -> String {
    let mut command = place.operates(&["serve", "--listen", "127.0.0.1:0"]);
    command.envs(variables.iter().copied());
    let printed = run(command);
    assert_eq!(printed.code, 1, "{printed:?}");
    assert!(printed.error.contains("hint: restore the key ring that was backed up"), "{}", printed.error);
    printed.error
}

#[test]
fn a_missing_key_ring_is_refused_and_not_replaced() {
    on_both(|place| {
        let (ring, _) = initialised(place);
        let moved = ring.with_extension("backup");
        std::fs::rename(&ring, &moved).expect("the ring is moved away");
        assert!(refusal(place, &[]).contains("key-ring.json is missing"));
        let rotated = run(place.operates(&["key-ring", "rotate", "cursor"]));
        assert!(rotated.code == 1 && rotated.error.contains("key-ring.json is missing"), "{rotated:?}");
        let another = [&["init", "--organization", "Second Club"], &INIT[3..]].concat();
        let another = typed(place.operates(&another), PASSWORD);
        assert!(another.code == 1 && another.error.contains("key-ring.json is missing"), "{another:?}");
        assert!(!ring.exists());
        std::fs::rename(&moved, &ring).expect("the ring is restored");
        place.serve(&[]).stop();
    });
}

#[test]
fn a_key_ring_of_another_database_is_refused() {
    on_both(|place| {
        let (ring, own) = initialised(place);
        on_both(|other| {
            let (_, foreign) = initialised(other);
            std::fs::write(&ring, &foreign).expect("the ring is replaced");
            assert!(refusal(place, &[]).contains("is not the one that the database was created with"));
            assert_eq!(std::fs::read_to_string(&ring).expect("a ring"), foreign, "left alone");
            std::fs::write(&ring, &own).expect("the ring is restored");
            refusal(place, &[("FIELDHOUSE_KEY_RING", &foreign)]);
        });
        place.serve(&[]).stop();
    });
}

#[test]
fn a_key_ring_without_one_purpose_is_refused() {
    on_both(|place| {
        let (ring, own) = initialised(place);
        let mut lacking: Value = serde_json::from_str(&own).expect("JSON");
        let secrets = lacking["secrets"].as_array_mut().expect("secrets");
        secrets.retain(|secret| secret["purpose"] != "token");
        std::fs::write(&ring, lacking.to_string()).expect("the ring is replaced");
        assert!(refusal(place, &[]).contains("secrets for token are different"));
        assert_eq!(std::fs::read_to_string(&ring).expect("a ring"), lacking.to_string(), "not completed");
    });
}

#[test]
fn a_rotated_key_ring_is_accepted_without_older_secrets_except_those_of_childrens_data() {
    on_both(|place| {
        let (ring, _) = initialised(place);
        for purpose in ["api-key-pepper", "cursor", "token", "access-token", "operator", "child-key"] {
            assert_eq!(run(place.operates(&["key-ring", "rotate", purpose])).code, 0, "{purpose}");
        }
        place.serve(&[]).stop();
        let rotated = std::fs::read_to_string(&ring).expect("a ring");
        let mut rotated: Value = serde_json::from_str(&rotated).expect("JSON");
        let secrets = rotated["secrets"].as_array_mut().expect("secrets");
        assert_eq!(secrets[0]["purpose"], "child_key", "the newest ones are at the front");
        let oldest = secrets.iter().rposition(|secret| secret["purpose"] == "child_key");
        let oldest = secrets.remove(oldest.expect("the first one"));
        secrets.truncate(6);
        std::fs::write(&ring, rotated.to_string()).expect("the ring is replaced");
        let told = refusal(place, &[]);
        assert!(
            told.contains("lacks 1 of the 2 secrets for child_key that the database was used with"),
            "{told}"
        );
        rotated["secrets"].as_array_mut().expect("secrets").push(oldest);
        std::fs::write(&ring, rotated.to_string()).expect("the ring is replaced");
        place.serve(&[]).stop();
    });
}

#[test]
fn a_second_node_can_share_the_key_ring() {
    on_both(|place| {
        let (ring, own) = initialised(place);
        let Some(url) = place.database().url() else { return };
        let node = tempfile::tempdir().expect("a folder");
        let folder = node.path().join("second").display().to_string();
        let without = [("FIELDHOUSE_DATA_DIR", folder.as_str()), ("FIELDHOUSE_DATABASE_URL", url.as_str())];
        assert!(refusal(place, &without).contains("key-ring.json is missing"));
        std::fs::remove_file(ring).expect("the ring is moved into the environment");
        place.serve_with(&[], &[("FIELDHOUSE_DATA_DIR", &folder), ("FIELDHOUSE_KEY_RING", &own)]).stop();
    });
}
