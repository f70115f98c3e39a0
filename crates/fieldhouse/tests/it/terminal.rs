//! What the tool does on a terminal: it asks before it deletes, uses a pager for lists, and asks for an organization.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::thread;

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use serde_json::{Value, json};
use snapbox::cmd::cargo_bin;

use crate::support::{Reply, Seen};
use crate::{Person, list, tokens};

/// What a command printed on its terminal, and its exit code.
struct Shown {
    text: String,
    code: Option<i32>,
}

/// Runs a command on a terminal of 100 columns; its user types these lines.
fn on_terminal(olga: &Person, words: &str, typed: &str, variables: &[(&str, &str)]) -> Shown {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).and_then(|()| unlockpt(&terminal)).expect("a terminal");
    tcsetwinsize(&terminal, Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 }).expect("a size");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("text");
    let side = || Stdio::from(OpenOptions::new().read(true).write(true).open(&name).expect("a terminal"));
    let mut command = Command::new(cargo_bin!("fieldhouse"));
    command.env_clear().env("XDG_CONFIG_HOME", olga.home.path()).env("FIELDHOUSE_URL", olga.stub.url());
    command
        .env("FIELDHOUSE_API_KEY", "fhk_env")
        .env("TERM", "dumb")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.envs(variables.iter().copied()).args(words.split_whitespace());
    let mut child = command.stdin(side()).stdout(side()).stderr(side()).spawn().expect("a process");
    drop(command);
    let mut terminal = File::from(terminal);
    let mut screen = terminal.try_clone().expect("a terminal");
    let reader = thread::spawn(move || {
        let (mut text, mut part) = (Vec::new(), [0; 4096]);
        // When the last process has closed the terminal, reading is an error.
        while let Ok(length @ 1..) = screen.read(&mut part) {
            text.extend_from_slice(&part[..length]);
        }
        String::from_utf8(text).expect("text").replace('\r', "")
    });
    terminal.write_all(typed.as_bytes()).expect("typed");
    let code = child.wait().expect("an exit").code();
    Shown { text: reader.join().expect("a reader"), code }
}

const ID: &str = "ven_01h2xcejqtf2nbrexx3vqjhp41";

fn club() -> Person {
    Person::new(|seen: &Seen| match seen.call.as_str() {
        "GET /api/v1/venues" => list(&json!([]), None),
        "GET /api/v1/seasons" => list(&(0..100).map(season).collect(), None),
        call if call.starts_with("DELETE") => Reply::json(200, &json!({"data": {"id": ID, "deleted": true}})),
        _ => Reply::json(200, &json!({"data": {"id": ID, "name": "Town\u{1b} Hall"}})),
    })
}

fn season(number: u32) -> Value {
    json!({
        "id": "sea_01h2xcejqtf2nbrexx3vqjhp41", "name": format!("Season {number}"), "sport": "golf", "status": "draft",
        "starts_on": null, "ends_on": null, "time_zone": "UTC", "divisions": [], "tiebreakers": [],
        "scoring": {"win": 3, "draw": 1, "loss": 0}, "external_id": null, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

#[test]
fn a_deletion_is_confirmed() {
    let olga = club();
    let delete = format!("venues delete {ID}");
    let deletions = || olga.calls().iter().filter(|call| call.starts_with("DELETE")).count();
    for declined in ["\n", "n\n", "what\n"] {
        let shown = on_terminal(&olga, &delete, declined, &[]);
        assert!(shown.text.contains(&format!("Delete venue Town  Hall ({ID})? [y/N]")), "{}", shown.text);
        assert!(shown.text.contains("not confirmed, so nothing was changed"), "{}", shown.text);
        assert_eq!((shown.code, deletions()), (Some(1), 0));
    }
    let shown = on_terminal(&olga, &delete, "Yes\n", &[]);
    assert!(shown.text.contains(&format!("Deleted {ID}.")), "{}", shown.text);
    assert_eq!((shown.code, deletions()), (Some(0), 1));
    let shown = on_terminal(&olga, &format!("{delete} -y"), "", &[]);
    assert!(!shown.text.contains('?') && shown.code == Some(0), "{}", shown.text);
}

#[test]
fn lists_go_through_the_users_pager() {
    let olga = club();
    let shown = |words: &str, variables: &[(&str, &str)]| on_terminal(&olga, words, "", variables).text;
    let own = ("FIELDHOUSE_PAGER", "sed 's/^/own: /'");
    let text = shown("seasons list", &[own, ("PAGER", "sed 's/^/common: /'")]);
    assert!(text.contains("own: Season 99") && !text.contains("common"), "{text}");
    assert!(shown("seasons list", &[("PAGER", "sed 's/^/common: /'")]).contains("common: Season 99"));
    for (words, variables) in [
        ("seasons list --no-pager", &[own][..]),
        ("seasons list --json name", &[own]),
        ("seasons list -o csv", &[own]),
        ("seasons list", &[("FIELDHOUSE_PAGER", ""), ("PAGER", "sed 's/^/common: /'")]),
        ("seasons list", &[("PAGER", "cat")]),
        ("seasons list", &[("PAGER", "no-such-program-here")]),
    ] {
        let text = shown(words, variables);
        let there = text.contains("Season 99") && !text.contains("own: ") && !text.contains("common: ");
        assert!(there, "{words} {variables:?}: {text}");
    }
    // A pager that is closed early is no failure.
    let closed = on_terminal(&olga, "seasons list", "", &[("PAGER", "head -n 2")]);
    assert!(closed.text.contains("Season 0") && !closed.text.contains("Season 99"), "{}", closed.text);
    assert_eq!(closed.code, Some(0));
}

#[test]
fn a_user_with_several_organizations_is_asked_which() {
    let choice = |seen: &Seen| {
        if seen.body.contains("northside") {
            return tokens(1);
        }
        let organizations = json!(["coburg", "northside"]);
        Reply::json(
            422,
            &json!({"code": "validation_failed", "title": "x", "status": 422, "organizations": organizations}),
        )
    };
    for answer in ["2\n", "northside\n"] {
        let olga = Person::new(choice);
        let shown = on_terminal(&olga, "login olga@coburg.test right", answer, &[]);
        assert!(shown.text.contains("  1  coburg\n  2  northside\nSign in to which?"), "{}", shown.text);
        assert!(shown.text.contains("Signed in to"), "{}", shown.text);
    }
    let olga = Person::new(choice);
    let shown = on_terminal(&olga, "login olga@coburg.test right", "3\n", &[]);
    assert!(shown.text.contains("choose one with --org: coburg, northside"), "{}", shown.text);
    assert_eq!((shown.code, olga.calls().len()), (Some(1), 1));
}

#[test]
fn an_import_shows_its_plan_once_and_asks_only_if_something_changes() {
    let file = Person::new(|_| Reply::none());
    let path = file.home.path().join("league.csv");
    std::fs::write(&path, "a,b\n").expect("a file");
    let import = format!("import league {}", path.display());
    let without_pager = &[("FIELDHOUSE_PAGER", "")];
    let answer = |created: u64| {
        move |seen: &Seen| {
            let dry_run = seen.body.contains("dry_run");
            Reply::json(200, &crate::league::report_of(dry_run, created))
        }
    };
    let olga = Person::new(answer(10));
    let shown = on_terminal(&olga, &import, "y\n", without_pager);
    assert!(shown.text.contains("Import 11 new and 0 changed records? [y/N]"), "{}", shown.text);
    assert!(shown.text.ends_with("Imported 11 new and 0 changed records.\n"), "{}", shown.text);
    assert_eq!((shown.text.matches("UNCHANGED").count(), olga.calls().len()), (1, 2), "{}", shown.text);
    let declined = on_terminal(&olga, &import, "n\n", without_pager);
    assert_eq!((declined.code, olga.calls().len()), (Some(1), 3), "{}", declined.text);
    let as_json = on_terminal(&olga, &format!("{import} -o json"), "y\n", without_pager);
    assert_eq!(as_json.text.matches("recognised_as").count(), 1, "one document: {}", as_json.text);

    let olga = Person::new(answer(0));
    let shown = on_terminal(&olga, &import, "", without_pager);
    assert!(shown.text.contains("everything in the file is stored already"), "{}", shown.text);
    assert_eq!((shown.code, olga.calls().len()), (Some(0), 1), "{}", shown.text);
}
