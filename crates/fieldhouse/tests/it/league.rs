//! `fieldhouse import league`.

use fieldhouse_client::api::imports::LeagueCounts;
use serde_json::{Value, json};
use snapbox::str;

use crate::Person;
use crate::changesets::changeset;
use crate::support::Reply;

const IMPORT: &str = "import league - --format playhq --sport basketball --time-zone Australia/Melbourne";

/// The report of a file with twelve rows.
fn report(dry_run: bool) -> Value {
    report_of(dry_run, 10)
}

/// The same with this number of new games, and a new team if there are any.
pub(crate) fn report_of(dry_run: bool, games: u64) -> Value {
    let counts = LeagueCounts {
        rows: 12,
        teams_created: games.min(1),
        teams_unchanged: 4,
        games_created: games,
        bad_rows: 1,
        skipped_rows: 1,
        ..LeagueCounts::default()
    };
    let found = |kind: &str, value: &str, name: Value, how: &str| {
        let id = if name.is_null() { Value::Null } else { json!("rec_1") };
        json!({"kind": kind, "file_value": value, "record_id": id, "name": name, "how": how})
    };
    json!({"data": {
        "dry_run": dry_run,
        "changeset_required": false,
        "format": "teamsnap",
        "recognised_as": "TeamSnap organization schedule",
        "delimiter": "semicolon",
        "date_order": "mdy",
        "time_zone": "America/Chicago",
        "notes": ["No date has a day above 12."],
        "counts": counts,
        "matches": [
            found("season", "Fall", json!("Fall"), "name"),
            found("team", "Red Hawks", json!("Red Hawks"), "name"),
            found("team", "BLUE HAWKS", json!("Blue Hawks"), "name"),
            found("team", "Red Hawk", Value::Null, "created"),
            found("game", "A v B, 2026-05-03 10:00", json!("W1 v W2, 2026-05-03 10:00"), "time_and_place"),
        ],
        "suggestions": [{"kind": "team", "file_value": "Red Hawk", "record_id": "tea_1", "name": "Red Hawks", "reason": "They differ only in a final s."}],
        "bad_rows": [{"line": 7, "column": "Date", "reason": "is not a date"}],
        "skipped_rows": [{"line": 9, "reason": "is not a game, but \"Practice\""}],
    }})
}

#[test]
fn the_match_report_is_shown_as_tables() {
    let olga = Person::new(|_| Reply::json(200, &report(true)));
    let import = olga.types_with_key(&format!("{IMPORT} --skip-bad --dry-run")).stdin("a,b\n");
    import
        .assert()
        .success()
        .stdout_eq(str![[r#"
KIND  IN THE FILE              IS                         FOUND BY
team  BLUE HAWKS               Blue Hawks                 name
team  Red Hawk                 new                        -
game  A v B, 2026-05-03 10:00  W1 v W2, 2026-05-03 10:00  time and place
KIND  IN THE FILE  LOOKS LIKE  REASON
team  Red Hawk     Red Hawks   They differ only in a final s.
           NEW  CHANGED  UNCHANGED
seasons    0    0        0
divisions  0    0        0
teams      1    0        4
venues     0    0        0
games      10   0        0

"#]])
        .stderr_eq(str![[r#"
Read as TeamSnap organization schedule (teamsnap), delimiter semicolon, dates mdy, times in America/Chicago.
No date has a day above 12.

These names look like another spelling. They are imported as new records:
If one is not new, rename it in the file or rename the record, and import again.

LINE  NOT IMPORTED BECAUSE IT
9     is not a game, but "Practice"

LINE  COLUMN  REASON
7     Date    is not a date

Rows: 12, of which 1 are bad and 1 skipped. Byes among the games: 0.
Dry run: nothing was stored.

"#]]);
}

#[test]
fn the_options_become_the_request_and_json_is_the_whole_report() {
    let olga = Person::new(|_| Reply::json(200, &report(false)));
    let all = "--season Fall --division Open --delimiter tab --date-order dmy --skip-bad";
    let json = olga.types_with_key(&format!("--output json {IMPORT} {all}")).stdin("a,b\n");
    let shown = json.assert().success().get_output().stdout.clone();
    assert_eq!(serde_json::from_slice::<Value>(&shown).expect("JSON"), report(false)["data"]);
    olga.types_with_key("import league - --yes").stdin("\u{feff}a,b\n").assert().success();
    let bodies: Vec<Value> =
        olga.stub.seen().iter().map(|seen| serde_json::from_str(&seen.body).expect("JSON")).collect();
    assert_eq!(
        bodies,
        [
            json!({"format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne", "season": "Fall",
                "division": "Open", "delimiter": "tab", "date_order": "dmy", "content": "a,b\n", "skip_bad": true}),
            json!({"content": "a,b\n"}),
        ],
        "without a terminal nothing is asked, and the server detects what is not set"
    );
}

#[test]
fn a_file_in_another_encoding_is_not_sent() {
    let olga = Person::new(|_| Reply::none());
    for (bytes, what) in [
        (b"name\nZo\xeb\n".to_vec(), "the file is not UTF-8 (line 2 has other bytes): save it as CSV UTF-8"),
        (b"\xff\xfen\0a\0".to_vec(), "the file is UTF-16: save it as CSV UTF-8"),
    ] {
        olga.types_with_key(IMPORT).stdin(bytes).assert().code(1).stderr_eq(format!(
            "error: - cannot be imported: {what}\nhint: in Excel: Save As, then CSV UTF-8\n"
        ));
    }
    assert_eq!(olga.calls(), [""; 0]);
}

#[test]
fn the_formats_are_listed_with_what_they_need() {
    let olga = Person::new(|_| {
        let format = |name: &str, title: &str, order: Value, sport: Value, names: bool| {
            json!({"format": name, "title": title, "columns": [], "optional_columns": [], "date_order": order,
                "sport": sport, "names_season": names, "names_division": names, "rules": []})
        };
        let formats = [
            format("teamsnap", "TeamSnap organization schedule", json!("mdy"), Value::Null, false),
            format("openfootball", "openfootball season", Value::Null, json!("soccer"), true),
        ];
        Reply::json(200, &json!({"data": {"formats": formats}}))
    });
    olga.types("import formats").assert().success().stdout_eq(str![[r#"
FORMAT        FILE                            DATES  NEEDS
teamsnap      TeamSnap organization schedule  mdy    --sport --season
openfootball  openfootball season             -      -

"#]]);
}

#[test]
fn a_refused_file_names_its_bad_rows() {
    let olga = Person::new(|_| {
        let bad = json!([{"line": 2, "column": null, "reason": "has 3 columns"}]);
        Reply::json(
            422,
            &json!({"code": "validation_failed", "title": "x", "status": 422, "request_id": "req-3",
                "detail": "1 row is invalid.", "bad_rows": bad}),
        )
    });
    olga.types_with_key(IMPORT).stdin("a,b\n").assert().code(1).stdout_eq("").stderr_eq(str![[r#"
LINE  COLUMN  REASON
2     -       has 3 columns
error: nothing was imported, because the file has invalid rows
hint: correct these rows, or skip them with --skip-bad
request id: req-3

"#]]);
}

#[test]
fn invalid_fields_are_named_by_their_options() {
    let refusal = |detail: &str, pointers: &[&str]| {
        let wrong: Vec<_> = pointers
            .iter()
            .map(|it| json!({"pointer": it, "code": "unknown", "message": "is unknown", "fix": "Leave it out."}))
            .collect();
        Reply::json(
            422,
            &json!({"code": "validation_failed", "title": "x", "status": 422, "detail": detail, "errors": wrong}),
        )
    };
    let olga = Person::new(move |seen| match seen.nth {
        0 => refusal("/time_zone is unknown.", &["/time_zone"]),
        _ => refusal("2 fields are invalid.", &["/sport", "/content"]),
    });
    olga.types_with_key(IMPORT).stdin("a,b\n").assert().code(1).stderr_eq(str![[r#"
error: --time-zone is unknown. Leave it out.

"#]]);
    olga.types_with_key(IMPORT).stdin("a,b\n").assert().code(1).stderr_eq(str![[r#"
error: 2 fields are invalid.
  --sport is unknown. Leave it out.
  standard input is unknown. Leave it out.

"#]]);
}

#[test]
fn a_refused_file_is_called_by_its_name() {
    let olga = Person::new(|_| {
        let field = json!({"pointer": "/content", "code": "bad_file", "message": "cannot be imported: it is empty", "fix": null});
        Reply::json(
            422,
            &json!({"code": "validation_failed", "title": "x", "status": 422, "detail": "x", "errors": [field]}),
        )
    });
    let file = olga.home.path().join("fixture.csv");
    std::fs::write(&file, "a,b\n").expect("a file");
    let shown = olga.types_with_key(&format!("import league {}", file.display())).assert().code(1);
    shown.stderr_eq("error: x\n  [..]/fixture.csv cannot be imported: it is empty.\n");
}

#[test]
fn a_file_that_is_too_large_is_not_sent() {
    let olga = Person::new(|_| Reply::none());
    let file = olga.home.path().join("large.csv");
    std::fs::write(&file, "a".repeat(16 << 20)).expect("a file");
    let import = IMPORT.replacen(" - ", &format!(" {} ", file.display()), 1);
    olga.types_with_key(&import).assert().code(1).stderr_eq(str![[r#"
error: the request has [..] bytes; the maximum is 16777216
hint: split the file and import the parts

"#]]);
    assert_eq!(olga.calls(), [""; 0]);
}

#[test]
fn a_missing_file_is_an_error() {
    let olga = Person::new(|_| Reply::none());
    let import = IMPORT.replacen(" - ", " /nowhere.csv ", 1);
    olga.types_with_key(&import).assert().code(1).stderr_eq(str![[r#"
error: /nowhere.csv cannot be read: No such file or directory

"#]]);
}

#[test]
fn an_import_is_proposed_and_shown_with_what_it_means() {
    let olga = Person::new(|_| Reply::json(201, &json!({"data": changeset("simulated")})));
    let file = olga.home.path().join("winter.csv");
    std::fs::write(&file, "a,b\n").expect("a file");
    let proposed = olga.types_with_key(&format!(
        "import league {} --as-changeset --title Winter --reason Draw",
        file.display()
    ));
    proposed.assert().success().stderr_eq(str![[r#"
1 game moves, 31 families hear of it
3 records: 1 created, 1 updated, 1 deleted
cannot be undone: messages to 31 families, once they are sent
Next: `fieldhouse changesets submit chg_01h2xcejqtf2nbrexx3vqjhp41`.

"#]]);
    let seen = &olga.stub.seen()[0];
    assert_eq!(
        (seen.call.as_str(), seen.query.as_str()),
        ("POST /api/v1/imports/league", "as_changeset=true")
    );
    let body: Value = serde_json::from_str(&seen.body).expect("JSON");
    let expected =
        json!({"content": "a,b\n", "file_name": "winter.csv", "title": "Winter", "reason": "Draw"});
    assert_eq!(body, expected);
    olga.types_with_key("import league - --title Winter").stdin("a,b\n").assert().code(2);
}

#[test]
fn an_import_that_has_to_be_a_changeset_says_how_to_propose_it() {
    let olga = Person::new(|seen| match seen.nth {
        0 => Reply::problem(409, "changeset_required"),
        1 => {
            let mut report = report(true);
            report["data"]["changeset_required"] = json!(true);
            Reply::json(200, &report)
        }
        _ => Reply::problem(422, "simulation_too_large"),
    });
    let shown = |options: &str| {
        let import =
            olga.types_with_key(&format!("{IMPORT}{options}")).stdin("a,b\n").output().expect("output");
        String::from_utf8(import.stderr).expect("text")
    };
    let direct = shown("");
    assert!(direct.contains("hint: propose it: add --as-changeset"), "{direct}");
    let dry = shown(" --dry-run");
    assert!(dry.contains("To propose it, add --as-changeset."), "{dry}");
    let large = shown(" --as-changeset");
    assert!(large.contains("hint: divide the file, and propose its parts"), "{large}");
}
