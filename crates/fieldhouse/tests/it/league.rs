//! `fieldhouse import league`.

use fieldhouse_client::api::imports::LeagueCounts;
use serde_json::{Value, json};
use snapbox::str;

use crate::Person;
use crate::support::Reply;

const IMPORT: &str = "import league - --format playhq --sport basketball --time-zone Australia/Melbourne";

/// The result of a file with twelve rows.
fn counts() -> LeagueCounts {
    LeagueCounts { rows: 12, games_created: 11, bad_rows: 1, ..LeagueCounts::default() }
}

#[test]
fn counts_and_skipped_rows_are_shown() {
    let olga = Person::new(|_| {
        let bad = json!([{"line": 7, "column": "Game Date", "reason": "is not a date"}]);
        Reply::json(200, &json!({"data": {"dry_run": true, "counts": counts(), "bad_rows": bad}}))
    });
    let import = olga.types_with_key(&format!("{IMPORT} --skip-bad --dry-run")).stdin("a,b\n");
    import
        .assert()
        .success()
        .stdout_eq(str![[r#"
seasons created      0
seasons updated      0
seasons unchanged    0
divisions created    0
divisions updated    0
divisions unchanged  0
teams created        0
teams updated        0
teams unchanged      0
venues created       0
venues updated       0
venues unchanged     0
games created        11
games updated        0
games unchanged      0
byes                 0
rows                 12
bad rows             1

"#]])
        .stderr_eq(str![[r#"
LINE  COLUMN     REASON
7     Game Date  is not a date
Dry run: nothing was stored.

"#]]);
    let json = olga.types_with_key(&format!("--output json {IMPORT}")).stdin("a,b\n");
    json.assert().success().stdout_eq(str![[r#"
{
  "seasons_created": 0,
  "seasons_updated": 0,
  "seasons_unchanged": 0,
  "divisions_created": 0,
  "divisions_updated": 0,
  "divisions_unchanged": 0,
  "teams_created": 0,
  "teams_updated": 0,
  "teams_unchanged": 0,
  "venues_created": 0,
  "venues_updated": 0,
  "venues_unchanged": 0,
  "games_created": 11,
  "games_updated": 0,
  "games_unchanged": 0,
  "byes": 0,
  "rows": 12,
  "bad_rows": 1
}

"#]]);
    let bodies: Vec<Value> =
        olga.stub.seen().iter().map(|seen| serde_json::from_str(&seen.body).expect("JSON")).collect();
    let plain = json!({"format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne", "content": "a,b\n"});
    assert_eq!(bodies[1], plain);
    assert_eq!((&bodies[0]["dry_run"], &bodies[0]["skip_bad"]), (&json!(true), &json!(true)));
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
  FILE is unknown. Leave it out.

"#]]);
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
