//! Formats of output, common to all commands: selected fields, jq, CSV, failures as JSON, and what a terminal shows.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::{Reply, Seen};
use crate::{Person, fieldhouse, list, organization};

fn venue(name: &str) -> Value {
    json!({
        "id": "ven_01h2xcejqtf2nbrexx3vqjhp41", "name": name, "address": null, "latitude": -37.75, "longitude": null,
        "time_zone": "Australia/Melbourne", "fields": ["Court 1", "Court 2"],
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn club() -> Person {
    Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/venues" => list(&json!([venue("Town Hall"), venue("=HYPERLINK(\"x\")")]), None),
        call if call.starts_with("DELETE") => {
            Reply::json(200, &json!({"data": {"id": "ven_1", "deleted": true}}))
        }
        _ => Reply::json(200, &json!({"data": venue("Town Hall")})),
    })
}

#[test]
fn fields_are_selected() {
    let olga = club();
    olga.types_with_key("venues list --json name,fields --limit 2").assert().success().stdout_eq(str![[r#"
[
  {
    "name": "Town Hall",
    "fields": [
      "Court 1",
      "Court 2"
    ]
  },
  {
    "name": "=HYPERLINK(/"x/")",
    "fields": [
      "Court 1",
      "Court 2"
    ]
  }
]

"#]]);
    let show = olga.types_with_key("venues show ven_01h2xcejqtf2nbrexx3vqjhp41 --json version");
    show.assert().success().stdout_eq("{\n  \"version\": 1\n}\n");
}

#[test]
fn fields_are_listed_and_checked_before_anything_is_sent() {
    let olga = club();
    olga.types("venues create --name x --time-zone UTC --json").assert().success().stdout_eq(str![[r#"
id
name
address
latitude
longitude
time_zone
fields
created_at
updated_at
version

"#]]);
    olga.types_with_key("venues create --name x --time-zone UTC --json id,nmae").assert().code(2).stderr_eq(
        str![[r#"
{
  "code": "invalid_usage",
  "detail": "--json: nmae is not a field",
  "hint": "use some of: id, name, address, latitude, longitude, time_zone, fields, created_at, updated_at, version"
}

"#]],
    );
    let both = olga.types_with_key("venues list --json id --output csv").output().expect("output");
    assert_eq!(both.status.code(), Some(2));
    assert_eq!(olga.calls(), [""; 0]);
}

#[test]
fn jq_evaluates_the_selected_json() {
    let olga = club();
    let names = olga.types_with_key("venues list --jq .[].name");
    names.assert().success().stdout_eq("Town Hall\n=HYPERLINK(\"x\")\n");
    let keys = olga.types_with_key("venues list --json id,version --jq first|keys");
    keys.assert().success().stdout_eq("[\"id\",\"version\"]\n");
    let created = olga.types_with_key("venues create --name x --time-zone UTC --jq .id");
    created.assert().success().stdout_eq("ven_01h2xcejqtf2nbrexx3vqjhp41\n");
    let calls = olga.calls().len();
    olga.types_with_key("venues list --jq .[").assert().code(2);
    assert_eq!(olga.calls().len(), calls, "refused before anything is sent");
    olga.types_with_key("venues list --jq .[].name.x").assert().code(1).stdout_eq("").stderr_eq(str![[r#"
{
  "code": "failed",
  "detail": "--jq: cannot index /"Town Hall/" with /"x/""
}

"#]]);
}

#[test]
fn csv_has_every_column_and_no_formulas() {
    let olga = club();
    olga.types_with_key("venues list -o csv").assert().success().stdout_eq(str![[r#"
id,name,address,latitude,longitude,time_zone,fields,created_at,updated_at,version
ven_01h2xcejqtf2nbrexx3vqjhp41,Town Hall,,-37.75,,Australia/Melbourne,"[""Court 1"",""Court 2""]",2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1
ven_01h2xcejqtf2nbrexx3vqjhp41,"'=HYPERLINK(""x"")",,-37.75,,Australia/Melbourne,"[""Court 1"",""Court 2""]",2026-01-01T00:00:00Z,2026-01-01T00:00:00Z,1

"#]]);
    let deleted = olga.types_with_key("venues delete ven_01h2xcejqtf2nbrexx3vqjhp41 --yes -o csv");
    deleted.assert().success().stdout_eq("id,deleted\nven_1,true\n");
}

#[test]
fn failures_are_json_if_json_was_asked_for() {
    let olga = Person::new(|_| {
        let more = json!({"type": "https://x.test/problems/role_insufficient", "code": "role_insufficient",
            "status": 403, "title": "The operation requires a higher role", "request_id": "req-1",
            "detail": "This operation requires the role manager or higher.", "required_role": "manager"});
        Reply::json(403, &more)
    });
    let wanted = str![[r#"
{
  "code": "role_insufficient",
  "status": 403,
  "title": "The operation requires a higher role",
  "detail": "This operation requires the role manager or higher.",
  "request_id": "req-1",
  "retryable": false,
  "errors": [],
  "type": "https://x.test/problems/role_insufficient",
  "required_role": "manager",
  "hint": "ask someone with this role: manager, admin, owner. Your own: fieldhouse whoami"
}

"#]];
    for words in ["venues list -o json", "venues list --json id", "venues list --jq .", "api GET /x --jq ."] {
        olga.types_with_key(words).assert().code(1).stdout_eq("").stderr_eq(wanted.clone());
    }
    let home = tempfile::tempdir().expect("a home");
    let stranger = fieldhouse("whoami --json").env("XDG_CONFIG_HOME", home.path());
    stranger.assert().success();
    let stranger = fieldhouse("whoami --json role").env("XDG_CONFIG_HOME", home.path());
    stranger.assert().code(4).stderr_eq(str![[r#"
{
  "code": "not_signed_in",
  "detail": "not signed in to http://127.0.0.1:8080",
  "hint": "sign in: fieldhouse login <email>, or set FIELDHOUSE_API_KEY"
}

"#]]);
    fieldhouse("seasons list --status gone -o json").assert().code(2).stderr_eq(str![[r#"
{
  "code": "invalid_usage",
  "detail": "invalid value 'gone' for '--status <STATUS>' [possible values: draft, registration, active, completed, archived]"
}

"#]]);
}

/// Games in several states, as the API returns them.
fn games(seen: &Seen) -> Reply {
    if seen.call == "GET /api/v1/organization" {
        return organization();
    }
    let side = |name: &str| json!({"team_id": "tea_01h2xcejqtf2nbrexx3vqjhp41", "name": name, "score": null});
    let game = |kind: &str, status: &str, away: Value| {
        json!({
            "id": "gam_01h2xcejqtf2nbrexx3vqjhp41", "season_id": "sea_01h2xcejqtf2nbrexx3vqjhp41",
            "division_id": "div_01h2xcejqtf2nbrexx3vqjhp41", "round": "Round 1", "kind": kind, "status": status,
            "starts_at": "2026-05-01T23:15:00Z", "ends_at": null, "time_zone": "Australia/Melbourne",
            "local_start": "2026-05-02T09:15:00", "time_tbd": false,
            "venue": {"id": "ven_01h2xcejqtf2nbrexx3vqjhp41", "name": "Coburg Basketball Stadium", "field": null},
            "home": side("Newlands U8 Mixed BULLANTS"), "away": away, "my_children": [], "last_change": null,
            "external_id": null, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z",
            "version": 1,
        })
    };
    let games = json!([
        game("game", "cancelled", side("Magic U8 Mixed Purple")),
        game("bye", "scheduled", Value::Null),
    ]);
    list(&games, None)
}

#[test]
fn at_80_columns_ids_give_way_and_the_status_stays() {
    let olga = Person::new(games);
    let shown = olga.types_with_key("games upcoming --to 2026-06-01").env("FIELDHOUSE_FORCE_TTY", "80");
    let shown = shown.env("NO_COLOR", "1").assert().success();
    shown
        .stdout_eq(str![[r#"
STARTS                HOME             AWAY            STATUS     VENUE
Sat 2026-05-02 09:15  Newlands U8…     Magic U8 Mixe…  cancelled  Coburg…
Sat 2026-05-02 09:15  Newlands U8…     (bye)           scheduled  Coburg…

"#]])
        .stderr_eq(str![[r#"
Columns that did not fit: ROUND, TIME ZONE, ID. A pipe or --output json shows all of them.

"#]]);
}

#[test]
fn colours_are_for_terminals_and_respect_no_color() {
    let olga = Person::new(games);
    let colours = |variables: &[(&str, &str)]| {
        let command = olga.types_with_key("games upcoming --to 2026-06-01");
        let command = variables.iter().fold(command, |command, (name, value)| command.env(name, value));
        command.output().expect("output").stdout.contains(&0x1b)
    };
    assert!(colours(&[("FIELDHOUSE_FORCE_TTY", "80")]));
    assert!(!colours(&[("FIELDHOUSE_FORCE_TTY", "80"), ("NO_COLOR", "1")]));
    assert!(!colours(&[]));
}

#[test]
fn on_a_terminal_times_are_in_the_organizations_zone() {
    let entry = json!({
        "id": "aud_01h2xcejqtf2nbrexx3vqjhp41", "seq": 7, "at": "2026-05-01T09:15:00Z",
        "actor": {"user_id": null, "name": "Olga", "key_id": null, "on_behalf_of": null},
        "operation": "seasons.change", "request_id": "r", "reason": null, "effects": [],
    });
    let olga = Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/organization" => organization(),
        _ => list(&json!([entry, entry]), None),
    });
    let terminal =
        |words: &str| olga.types_with_key(words).env("FIELDHOUSE_FORCE_TTY", "120").env("NO_COLOR", "1");
    terminal("admin audit list --since 2026-05-01T08:00").assert().success().stdout_eq(str![[r#"
AT                     WHO   OPERATION       RECORDS  REASON  ENTRY
2026-05-01 19:15 AEST  Olga  seasons.change  0        -       aud_01h2xcejqtf2nbrexx3vqjhp41
2026-05-01 19:15 AEST  Olga  seasons.change  0        -       aud_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(
        olga.calls(),
        ["GET /api/v1/organization", "GET /api/v1/audit-log"],
        "the zone is requested once"
    );
    assert_eq!(olga.stub.seen()[1].query, "since=2026-04-30T22%3A00%3A00Z");
    terminal("seasons list -o csv").assert().failure();
    assert_eq!(olga.calls().len(), 3, "no time, no zone");
}

#[test]
fn a_zone_that_cannot_be_read_leaves_times_in_utc() {
    let key = json!({
        "id": "key_01h2xcejqtf2nbrexx3vqjhp41", "name": "ci", "kind": "personal", "prefix": "fhk_0123456789",
        "last4": "wxyz", "role": "owner", "organization_id": "org_01h2xcejqtf2nbrexx3vqjhp41",
        "user_id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "scopes": [], "allowed_ips": [], "status": "revoked",
        "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-04-01T00:00:00Z", "last_used_at": null,
        "revoked_at": null, "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    });
    let olga = Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/api-keys" => list(&json!([key, key]), None),
        _ => Reply::problem(403, "scope_insufficient"),
    });
    let shown =
        olga.types_with_key("admin api-keys list").env("FIELDHOUSE_FORCE_TTY", "80").env("NO_COLOR", "1");
    shown.assert().success().stdout_eq(str![[r#"
NAME  STATUS   EXPIRES               ROLE   ID
ci    revoked  2026-04-01 00:00 UTC  owner  key_01h2xcejqtf2nbrexx3vqjhp41
ci    revoked  2026-04-01 00:00 UTC  owner  key_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.calls().len(), 2, "the zone is requested once");
}

#[test]
fn the_rules_of_retention_are_shown_to_anyone() {
    let olga = Person::new(|seen| {
        assert_eq!(seen.call, "GET /api/v1/privacy/retention-policy");
        let rule = json!({"data": "messages", "description": "Messages.", "days": 90, "since": "the event"});
        Reply::json(200, &json!({"data": {"rules": [rule]}}))
    });
    olga.types("retention").assert().success().stdout_eq(str![[r#"
DAYS  AFTER      DATA
90    the event  Messages.

"#]]);
}
