//! `fieldhouse organizations`, with and without a running server.

use std::process::Command;

use fieldhouse_store::FolderLock;
use serde_json::{Value, json};

use crate::operator::{INIT, typed};
use crate::server::{Place, Printed, on_both, run};

const CREATE: &[&str] = &[
    "organizations",
    "create",
    "--name",
    "Danube Rowers",
    "--time-zone",
    "Europe/Vienna",
    "--country",
    "AT",
    "--owner",
    "kim@rowers.example",
];

fn initialised(place: &Place) {
    let made = typed(place.operates(INIT), "a long enough password\n");
    assert_eq!(made.code, 0, "{made:?}");
}

fn succeeds(command: Command) -> Printed {
    let printed = run(command);
    assert_eq!(printed.code, 0, "{printed:?}");
    printed
}

fn slugs(place: &Place) -> Vec<String> {
    let listed = succeeds(place.operates(&["organizations", "list", "--all", "--json", "slug"])).json();
    let listed = listed.as_array().expect("organizations").iter();
    listed.map(|one| one["slug"].as_str().expect("a slug").to_owned()).collect()
}

/// Founds an organization. Returns its link.
fn create(place: &Place, more: &[&str]) -> String {
    let words = [CREATE, more, &["-o", "json"]].concat();
    let founded = succeeds(place.operates(&words));
    assert!(founded.error.contains("Send the link to the owner only"), "{founded:?}");
    founded.json()["link"].as_str().expect("a link").to_owned()
}

#[test]
fn organizations_are_founded_beside_a_running_server_and_without_one() {
    on_both(|place| {
        initialised(place);
        assert_eq!(slugs(place), ["riverside-club"]);
        let link = create(place, &["--public-url", "https://clubs.example"]);
        assert!(link.starts_with("https://clubs.example/reset-password?token=fhl_"), "{link}");
        let server = place.serve(&[]);
        assert_eq!(slugs(place), ["riverside-club", "danube-rowers"]);
        let twice = run(place.operates(CREATE));
        assert_eq!(twice.code, 1, "{twice:?}");
        assert!(twice.error.contains("Another organization already has this slug"), "{twice:?}");
        let url = ["--slug", "rowers-2", "--public-url", server.base_url()];
        let again = create_for(place, "sam@rowers.example", &url);
        assert!(again.starts_with(server.base_url()), "{again}");
        assert_eq!(slugs(place), ["riverside-club", "danube-rowers", "rowers-2"]);
        let known = succeeds(place.operates(&[
            "organizations",
            "create",
            "--name",
            "Third",
            "--time-zone",
            "UTC",
            "--owner",
            "owner@riverside.example",
            "-o",
            "json",
        ]));
        assert_eq!(known.json()["link"], Value::Null);
        assert!(known.error.contains("signs in with its password"), "{known:?}");
        server.stop();
        assert_eq!(slugs(place).len(), 4);
    });
}

fn create_for(place: &Place, owner: &str, more: &[&str]) -> String {
    let words = [
        &[
            "organizations",
            "create",
            "--name",
            "Rowers",
            "--time-zone",
            "UTC",
            "--owner",
            owner,
            "-o",
            "json",
        ],
        more,
    ];
    succeeds(place.operates(&words.concat())).json()["link"].as_str().expect("a link").to_owned()
}

#[test]
fn a_suspension_refuses_the_next_request_and_ends_when_the_organization_is_resumed() {
    on_both(|place| {
        initialised(place);
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let suspended = succeeds(place.operates(&["organizations", "suspend", "riverside-club"]));
        assert_eq!(suspended.out, "riverside-club is suspended.\n");
        let refused = owner.tries(&["seasons", "list"], None);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.error.contains("The organization is suspended"), "{refused:?}");
        assert!(refused.error.contains("Ask the operator of the server"), "{refused:?}");
        let listed = succeeds(place.operates(&["organizations", "list"]));
        assert!(listed.out.contains("suspended"), "{listed:?}");
        succeeds(place.operates(&["organizations", "resume", "riverside-club"]));
        owner.types(&["seasons", "list"]);
        server.stop();
        let resumed = succeeds(place.operates(&["organizations", "resume", "riverside-club", "-o", "json"]));
        assert_eq!(resumed.json()["suspended_at"], Value::Null);
        let unknown = run(place.operates(&["organizations", "suspend", "nowhere"]));
        assert!(unknown.code == 1 && unknown.error.contains("the organization nowhere does not exist"));
    });
}

#[test]
fn a_server_that_was_killed_leaves_nothing_in_the_way() {
    on_both(|place| {
        initialised(place);
        let file = place.data_dir().join("server.json");
        let mut server = place.serve(&[]);
        assert_eq!(file.exists(), place.database.url().is_none());
        server.kill();
        assert_eq!(slugs(place), ["riverside-club"]);
        let server = place.serve(&[]);
        assert_eq!(slugs(place), ["riverside-club"]);
        server.stop();
        assert!(!file.exists());
    });
}

#[test]
fn a_folder_that_another_command_uses_is_reported() {
    on_both(|place| {
        if place.database.url().is_some() {
            return;
        }
        initialised(place);
        let lock = FolderLock::take(place.data_dir()).expect("the folder is locked");
        let refused = run(place.operates(&["organizations", "list"]));
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.error.contains("is in use by another command"), "{refused:?}");
        // As a killed server leaves it: nothing listens there.
        let stale =
            json!({"address": "127.0.0.1:9", "process": "1b4e28ba2fa111d2883f0016d3cca427", "pid": 1});
        std::fs::write(place.data_dir().join("server.json"), stale.to_string()).expect("a file");
        let refused = run(place.operates(&["organizations", "list"]));
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.error.contains("no server responds at 127.0.0.1:9"), "{refused:?}");
        drop(lock);
        assert_eq!(slugs(place), ["riverside-club"]);
    });
}

#[test]
fn a_server_with_another_key_ring_is_reported() {
    on_both(|place| {
        if place.database.url().is_some() {
            return;
        }
        initialised(place);
        let server = place.serve(&[]);
        let ring = std::fs::read_to_string(place.data_dir().join("key-ring.json")).expect("the key ring");
        let mut other: Value = serde_json::from_str(&ring).expect("JSON");
        for secret in other["secrets"].as_array_mut().expect("secrets") {
            secret["secret"] = json!("A".repeat(43));
        }
        let mut command = place.operates(&["organizations", "list"]);
        command.env("FIELDHOUSE_KEY_RING", other.to_string());
        let refused = run(command);
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.error.contains("does not accept this key ring"), "{refused:?}");
        server.stop();
    });
}
