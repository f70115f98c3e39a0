//! Commands on the server's machine: init, migrate, import colleges, key-ring, and the lock against a running server.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::server::{Printed, on_both, run};

/// Runs a command with some standard input.
pub(crate) fn typed(mut command: Command, text: &str) -> Printed {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command starts");
    child.stdin.take().expect("an input").write_all(text.as_bytes()).expect("the input is taken");
    let output = child.wait_with_output().expect("the command ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Printed { code: output.status.code().unwrap_or(-1), out: text(output.stdout), error: text(output.stderr) }
}

pub(crate) const INIT: &[&str] = &[
    "init",
    "--organization",
    "Riverside Club",
    "--owner",
    "owner@riverside.example",
    "--time-zone",
    "Australia/Melbourne",
    "--password-stdin",
];

#[test]
fn init_never_assumes_a_time_zone() {
    on_both(|place| {
        let words = ["init", "--organization", "A", "--owner", "a@b.example", "--password-stdin"];
        let refused = typed(place.operates(&words), "a long enough password\n");
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.error.contains("error: --time-zone is missing"), "{refused:?}");
        assert!(refused.error.contains("hint: name the organization's IANA time zone"), "{refused:?}");
    });
}

#[test]
fn init_offers_a_link_instead_of_a_password() {
    on_both(|place| {
        let words = [&INIT[..INIT.len() - 1], &["--link", "--public-url", "https://clubs.example"]].concat();
        let made = run(place.operates(&words));
        assert_eq!(made.code, 0, "{made:?}");
        let token =
            made.out.trim().strip_prefix("https://clubs.example/reset-password?token=").expect("a link");
        let twice = run(place.operates(&words));
        assert!(twice.code == 1 && twice.error.contains("already has this slug"), "{twice:?}");
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        let token = format!("token={token}");
        let password = "new_password=four words in a row";
        owner.types(&["api", "POST", "/api/v1/auth/password-resets/complete", "-f", &token, "-f", password]);
        owner.types(&["login", "owner@riverside.example", "four words in a row"]);
        let organization = owner.types(&["api", "/api/v1/organization", "--jq", ".data.time_zone"]);
        assert_eq!(organization.out, "Australia/Melbourne\n");
        server.stop();
    });
}

#[test]
fn a_server_needs_an_organization_and_init_creates_one() {
    on_both(|place| {
        let refused = run(place.operates(&["serve", "--listen", "127.0.0.1:0"]));
        assert_eq!(refused.code, 1);
        assert!(refused.error.contains("no Fieldhouse data in the"), "{}", refused.error);
        assert!(refused.error.contains("fieldhouse init"), "{}", refused.error);
        assert_eq!(run(place.operates(&["migrate"])).code, 0);
        let refused = run(place.operates(&["serve", "--listen", "127.0.0.1:0"]));
        assert!(refused.error.contains("the database has no organization yet"), "{}", refused.error);
        assert!(!place.data_dir().join("key-ring.json").exists());
        let made = typed(place.operates(INIT), "a long enough password\n");
        assert_eq!(made.code, 0, "{made:?}");
        let twice = typed(place.operates(INIT), "a long enough password\n");
        assert_eq!(twice.code, 1);
        assert_eq!(twice.error, "error: the organization riverside-club already exists\n");
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let who = owner.types(&["whoami", "--output", "json"]).json();
        assert_eq!(who["role"], "owner");
        server.stop();
    });
}

#[test]
fn with_postgresql_a_server_must_know_how_mail_is_sent() {
    on_both(|place| {
        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let mut unsaid = place.operates(&["serve", "--listen", "127.0.0.1:0"]);
        unsaid.env_remove("FIELDHOUSE_MAIL_DIR");
        if place.database.url().is_some() {
            let refused = run(unsaid);
            assert_eq!(refused.code, 2, "{refused:?}");
            assert!(
                refused.error.contains("--smtp-url") && refused.error.contains("--mail-dir"),
                "{refused:?}"
            );
        }
        let wrong =
            run(place.operates(&["serve", "--listen", "127.0.0.1:0", "--smtp-url", "mail.example.org"]));
        assert_eq!(wrong.code, 2, "{wrong:?}");
    });
}

#[test]
fn a_ready_file_belongs_to_a_running_server() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let file = place.folder().join("ready.json");
        let taken = server.base_url().trim_start_matches("http://").to_owned();
        let other = place.folder().join("other");
        std::fs::write(place.folder().join("stale.json"), "{}").expect("a file is written");
        let mut second = place.operates(&["serve", "--demo", "--listen", &taken, "--ready-file"]);
        second.arg(place.folder().join("stale.json")).arg("--data-dir").arg(&other);
        let refused = run({
            second.env_remove("FIELDHOUSE_DATABASE_URL");
            second
        });
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.error.contains("--listen 127.0.0.1:0 chooses a free port"), "{}", refused.error);
        assert!(!place.folder().join("stale.json").exists());
        assert!(file.exists());
        server.stop();
        assert!(!file.exists());
    });
}

#[test]
fn importing_the_college_catalogue_twice_changes_it_once() {
    on_both(|place| {
        assert_eq!(run(place.operates(&["migrate"])).code, 0);
        let data = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college");
        let import = |file: &str, more: &[&str]| {
            let file = format!("{data}/{file}");
            let words = [&["import", "colleges", &file, "--output", "json"], more].concat();
            let printed = run(place.operates(&words));
            assert_eq!(printed.code, 0, "{printed:?}");
            printed.json()
        };
        assert_eq!(import("colleges.csv", &["--dry-run"])["colleges_created"], 2040);
        assert_eq!(import("colleges.csv", &[])["colleges_created"], 2040, "the dry run kept nothing");
        assert_eq!(import("colleges.csv", &[])["colleges_unchanged"], 2040);
        let programs = import("programs-softball.csv", &[]);
        assert_eq!((&programs["programs_created"], &programs["colleges_created"]), (&json!(1619), &json!(4)));
    });
}

#[test]
fn bad_rows_refuse_a_whole_catalogue_unless_they_are_skipped() {
    on_both(|place| {
        assert_eq!(run(place.operates(&["migrate"])).code, 0);
        let file = place.folder().join("bad.csv");
        let whole = include_str!("../../../../data/college/programs-softball.csv");
        let text: String = whole.lines().take(4).fold(String::new(), |text, line| text + line + "\n");
        std::fs::write(
            &file,
            format!("{text}not-a-number,Nowhere,Town,AL,NCAA D1,Softball,women,1,2024-25\n"),
        )
        .expect("the file is written");
        let file = file.to_str().expect("a path");
        let refused = run(place.operates(&["import", "colleges", file]));
        assert_eq!(refused.code, 1);
        assert!(refused.error.contains('5') && refused.error.contains("--skip-bad"), "{}", refused.error);
        let taken = run(place.operates(&["import", "colleges", file, "--skip-bad", "--output", "json"]));
        assert_eq!(taken.json()["programs_created"], 3, "{taken:?}");
        assert_eq!((&taken.json()["rows"], &taken.json()["bad_rows"]), (&json!(4), &json!(1)), "{taken:?}");
        let year = run(place.operates(&["import", "colleges", file, "--skip-bad", "--year", "2023-24"]));
        assert_eq!(year.code, 2, "each row says its year: {year:?}");
        let piped = typed(place.operates(&["import", "colleges", "-", "--output", "json"]), &text);
        assert_eq!(piped.json()["programs_unchanged"], 3, "{piped:?}");
    });
}

#[test]
fn a_mistyped_data_folder_is_not_created() {
    on_both(|place| {
        let folder = place.folder().join("mistyped");
        let colleges = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college/colleges.csv");
        for words in [
            &["migrate"][..],
            &["migrate", "--status"],
            &["key-ring", "rotate", "cursor"],
            &["import", "colleges", colleges],
            &["organizations", "list"],
            &["serve", "--listen", "127.0.0.1:0"],
        ] {
            let mut command = place.operates(words);
            command.arg("--data-dir").arg(&folder);
            let refused = run(command);
            assert_eq!(refused.code, 1, "{words:?} {refused:?}");
            let reason = if words[0] == "serve" { "no Fieldhouse data in" } else { "does not exist" };
            assert!(refused.error.contains(reason), "{words:?} {refused:?}");
            assert!(refused.error.contains("`fieldhouse init`"), "{words:?} {refused:?}");
            assert!(!folder.exists(), "{words:?}");
        }
    });
}

#[test]
fn a_server_does_not_change_a_folder_without_data() {
    on_both(|place| {
        let folder = place.folder().join("photos");
        std::fs::create_dir(&folder).expect("a folder");
        std::fs::write(folder.join("team.jpg"), "a photo").expect("a file");
        let mut command = place.operates(&["serve", "--listen", "127.0.0.1:0", "--data-dir"]);
        command.arg(&folder);
        assert_eq!(run(command).code, 1);
        assert_eq!(names(&folder), ["team.jpg"]);
    });
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut names: Vec<_> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_failed_init_removes_only_what_it_created() {
    on_both(|place| {
        let short = typed(place.operates(INIT), "short\n");
        assert_eq!(short.code, 1);
        assert!(short.error.contains("at least 12 characters"), "{}", short.error);

        let new = place.folder().join("new/data");
        // It fails once the database is there.
        let fails = |folder: &std::path::Path| {
            let mut command = place.operates(INIT);
            command.env("FIELDHOUSE_DATA_DIR", folder).env("FIELDHOUSE_KEY_RING", "not a key ring");
            let failed = typed(command, "a long enough password\n");
            assert!(failed.code == 1 && failed.error.contains("the key ring is invalid"), "{failed:?}");
        };
        fails(&new);
        assert!(!place.folder().join("new").exists());
        let old = place.folder().join("old");
        std::fs::create_dir(&old).expect("a folder");
        std::fs::write(old.join("notes.txt"), "notes").expect("a file");
        fails(&old);
        assert_eq!(names(&old), ["notes.txt"]);

        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let before = names(place.data_dir());
        fails(place.data_dir());
        let twice = typed(place.operates(INIT), "a long enough password\n");
        assert_eq!(twice.error, "error: the organization riverside-club already exists\n");
        assert_eq!(names(place.data_dir()), before, "a second init removes nothing of the first");
        place.serve(&[]).stop();
    });
}

#[test]
fn old_keys_stay_valid_after_a_rotation() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let (email, password) = server.account("coach");
        let coach = place.person(&server, "coach");
        coach.types(&["login", email, password]);
        let key = coach.types(&["admin", "api-keys", "create", "--name", "old", "--output", "json"]).json();
        let key = key["key"].as_str().expect("a key").to_owned();
        server.stop();
        assert_eq!(run(place.operates(&["key-ring", "rotate", "api-key-pepper"])).code, 0);
        let server = place.serve(&["--demo"]);
        let script = place.person(&server, "script");
        let printed = script.tries(&["seasons", "list"], Some(&key));
        assert_eq!(printed.code, 0, "{printed:?}");
        server.stop();
    });
}

#[test]
fn the_audit_log_is_listed_and_verified() {
    on_both(|place| {
        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        let listed = owner.types(&["admin", "audit", "list", "--output", "json"]).json();
        let operations: Vec<_> =
            listed.as_array().expect("entries").iter().map(|entry| entry["operation"].clone()).collect();
        assert_eq!(operations, ["auth.login", "operator.found"]);
        let none =
            owner.types(&["admin", "audit", "list", "--operation", "seasons.create", "--output", "json"]);
        assert_eq!(none.json(), json!([]));
        server.stop();

        let verify = ["admin", "audit", "verify", "--organization", "riverside-club"];
        let intact = run(place.operates(&verify));
        assert_eq!((intact.code, intact.error.as_str()), (0, ""), "{intact:?}");
        assert!(intact.out.contains("The audit log is intact. Entries: 2."), "{}", intact.out);
        let unknown = run(place.operates(&["admin", "audit", "verify", "--organization", "nowhere"]));
        assert!(
            unknown.code == 1 && unknown.error.contains("the organization nowhere does not exist"),
            "{unknown:?}"
        );

        place.database().execute("UPDATE ledger_entries SET operation = 'operator.find' WHERE seq = 1");
        let altered = run(place.operates(&verify));
        assert_eq!((altered.code, altered.out.as_str()), (1, ""), "{altered:?}");
        let [first, rest @ ..] = &altered.error.lines().collect::<Vec<_>>()[..] else {
            panic!("{altered:?}")
        };
        assert!(first.starts_with("error: entry 1 of the audit log (aud_"), "{first}");
        assert!(first.ends_with(") was altered"), "{first}");
        assert!(rest.concat().contains("compare the database with a backup"), "{altered:?}");
    });
}
