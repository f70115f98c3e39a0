//! `fieldhouse seasons` and `fieldhouse games`.

use serde_json::{Value, json};
use snapbox::str;

use crate::hints::problem;
use crate::support::{Reply, Seen};
use crate::{Person, list, organization};

fn season() -> Value {
    json!({
        "id": "sea_01h2xcejqtf2nbrexx3vqjhp41", "name": "Winter 2026", "sport": "basketball", "status": "active",
        "starts_on": "2026-04-01", "ends_on": null, "time_zone": "Australia/Melbourne", "divisions": [],
        "scoring": {"win": 3, "draw": 1, "loss": 0}, "tiebreakers": [], "external_id": null,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn game(away: Option<&str>) -> Value {
    let side = |name| json!({"team_id": "tea_01h2xcejqtf2nbrexx3vqjhp41", "name": name, "score": null});
    json!({
        "id": "gam_01h2xcejqtf2nbrexx3vqjhp41", "season_id": "sea_01h2xcejqtf2nbrexx3vqjhp41",
        "division_id": "div_01h2xcejqtf2nbrexx3vqjhp41", "round": "Round 1", "kind": "game", "status": "scheduled",
        "starts_at": "2026-05-01T23:15:00Z", "ends_at": null, "time_zone": "Australia/Melbourne",
        "local_start": "2026-05-02T09:15:00", "time_tbd": away.is_none(), "venue": null, "home": side("Coburg U12"),
        "away": away.map(side), "my_children": [], "last_change": null, "external_id": null,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

/// Responds for the organization and lists of games.
fn club(games: Value) -> impl Fn(&Seen) -> Reply {
    move |seen| match seen.call.as_str() {
        "GET /api/v1/organization" => organization(),
        _ => list(&games, None),
    }
}

#[test]
fn seasons_are_filtered_and_listed() {
    let olga = Person::new(|_| list(&json!([season()]), None));
    let filters = "--status active --sport basketball --year 2026 -q winter --updated-since 2026-01-01T00:00:00Z --limit 5";
    olga.types_with_key(&format!("seasons list {filters}")).assert().success().stdout_eq(str![[r#"
NAME         SPORT       STATUS  STARTS      ENDS  DIVISIONS  ID
Winter 2026  basketball  active  2026-04-01  -     0          sea_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let wanted =
        "status=active&sport=basketball&year=2026&q=winter&updated_since=2026-01-01T00%3A00%3A00Z&limit=5";
    assert_eq!(olga.stub.seen()[0].query, wanted);
}

#[test]
fn a_season_is_created_changed_shown_and_deleted() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        call if call.starts_with("DELETE") => {
            let id = "sea_01h2xcejqtf2nbrexx3vqjhp41";
            Reply::json(200, &json!({"data": {"id": id, "deleted": true}}))
        }
        _ => Reply::json(200, &json!({"data": season()})),
    });
    let id = "sea_01h2xcejqtf2nbrexx3vqjhp41";
    let create = "seasons create --name Winter --sport netball --time-zone UTC --status active --tiebreaker name --starts-on 2026-05-01";
    olga.types_with_key(create).assert().success();
    let change = format!(r#"seasons change {id} --scoring {{"win":2,"draw":1,"loss":0}} --clear ends_on"#);
    olga.types_with_key(&change).assert().success();
    olga.types_with_key(&format!("seasons show {id}")).assert().success().stdout_eq(str![[r#"
NAME       Winter 2026
SPORT      basketball
STATUS     active
STARTS     2026-04-01
ENDS       -
DIVISIONS  0
ID         sea_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("seasons delete {id} --yes")).assert().success();
    let sent = olga.stub.seen();
    let body = |at: usize| serde_json::from_str::<Value>(&sent[at].body).expect("JSON");
    let created = json!({
        "name": "Winter", "sport": "netball", "time_zone": "UTC", "status": "active", "tiebreakers": ["name"],
        "starts_on": "2026-05-01",
    });
    assert_eq!(body(0), created);
    assert_eq!(body(1), json!({"scoring": {"win": 2, "draw": 1, "loss": 0}, "ends_on": null}));
    assert_eq!(sent[3].call, format!("DELETE /api/v1/seasons/{id}"));
}

#[test]
fn a_season_is_purged_with_what_it_was_seen_to_have() {
    let id = "sea_01h2xcejqtf2nbrexx3vqjhp41";
    let counts = json!({"divisions": 1, "teams": 12, "games": 66, "staff": 0, "duties": 0, "registrations": 0, "roster_entries": 0});
    let answered = counts.clone();
    let olga = Person::new(move |seen| match seen.call.split(' ').next() {
        Some("DELETE") => {
            let detail = "The season has 1 division, 12 teams and 66 games.";
            let mut refused = problem(409, "in_use", detail);
            refused["counts"] = answered.clone();
            refused["digest"] = json!("d1ge57");
            Reply::json(409, &refused)
        }
        Some("POST") => Reply::json(200, &json!({"data": {"id": id, "deleted": true, "counts": answered}})),
        _ => Reply::json(200, &json!({"data": season()})),
    });
    let unasked = olga.types_with_key(&format!("seasons purge {id}")).assert().code(2);
    unasked.stderr_eq(str![[r#"
error: Purge season Winter 2026 (sea_01h2xcejqtf2nbrexx3vqjhp41) with 1 division, 12 teams and 66 games? There is no terminal to ask on
hint: confirm with --yes

"#]]);
    olga.types_with_key(&format!("seasons purge {id} --yes")).assert().success().stdout_eq(str![[r#"
Deleted Winter 2026 with 1 division, 12 teams and 66 games.

"#]]);
    let seen = olga.stub.seen();
    assert!(seen[1].query.contains("validate_only=true"), "looking deletes nothing: {}", seen[1].query);
    let last = seen.last().expect("a request");
    assert_eq!(last.call, format!("POST /api/v1/seasons/{id}/purge"));
    assert_eq!(last.body, r#"{"confirm":"d1ge57"}"#);
    let refused = olga.types_with_key(&format!("seasons delete {id} --yes")).assert().code(1);
    let said = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(said.contains("fieldhouse seasons purge <id>"), "{said}");
}

#[test]
fn the_changes_of_a_season_are_listed() {
    let entry = json!({
        "id": "aud_01h2xcejqtf2nbrexx3vqjhp41", "seq": 7, "at": "2026-05-01T09:15:00Z",
        "actor": {"user_id": null, "name": "Olga", "key_id": null, "on_behalf_of": null},
        "operation": "seasons.change", "request_id": "r", "reason": null, "effects": [],
    });
    let olga = Person::new(move |_| list(&json!([entry]), None));
    let id = "sea_01h2xcejqtf2nbrexx3vqjhp41";
    olga.types_with_key(&format!("seasons history {id} --limit 5")).assert().success().stdout_eq(str![[r#"
AT                    WHO   OPERATION       RECORDS  REASON  ENTRY
2026-05-01T09:15:00Z  Olga  seasons.change  0        -       aud_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.stub.seen()[0].call, format!("GET /api/v1/seasons/{id}/history"));
    assert_eq!(olga.stub.seen()[0].query, "limit=5");
}

#[test]
fn games_start_in_the_venues_local_time() {
    let olga = Person::new(club(json!([game(Some("Northside")), game(None)])));
    let upcoming =
        olga.types_with_key("games upcoming --from 2026-05-01 --team tea_01h2xcejqtf2nbrexx3vqjhp41");
    upcoming.assert().success().stdout_eq(str![[r#"
STARTS                HOME        AWAY       SCORE  STATUS     VENUE  ROUND    TIME ZONE            ID
Sat 2026-05-02 09:15  Coburg U12  Northside  -      scheduled  -      Round 1  Australia/Melbourne  gam_01h2xcejqtf2nbrexx3vqjhp41
Sat 2026-05-02 TBD    Coburg U12  -          -      scheduled  -      Round 1  Australia/Melbourne  gam_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(
        olga.stub.seen()[1].query,
        "from=2026-04-30T14%3A00%3A00Z&team_id=tea_01h2xcejqtf2nbrexx3vqjhp41"
    );
}

#[test]
fn the_score_of_a_game_is_shown_on_a_narrow_terminal() {
    let (mut played, mut forfeit) = (game(Some("Northside Basketball Under 12")), game(Some("Northside")));
    (played["home"]["score"], played["away"]["score"]) = (json!(31), json!(28));
    (played["status"], played["venue"]) =
        (json!("final"), json!({"id": "ven_01h2xcejqtf2nbrexx3vqjhp41", "name": "Town Hall", "field": null}));
    (forfeit["home"]["score"], forfeit["status"]) = (json!(20), json!("forfeit"));
    let olga = Person::new(club(json!([played, forfeit])));
    let shown = olga.types_with_key("games upcoming --to 2026-05-30T00:00:00Z");
    let shown = shown.env("FIELDHOUSE_FORCE_TTY", "70").env("NO_COLOR", "1");
    shown.assert().success().stdout_eq(str![[r#"
STARTS                HOME        AWAY                  SCORE  STATUS
Sat 2026-05-02 09:15  Coburg U12  Northside Basketbal…  31-28  final
Sat 2026-05-02 09:15  Coburg U12  Northside             20-?   forfeit

"#]]);
}

#[test]
fn a_date_is_midnight_in_the_organizations_time_zone() {
    let olga = Person::new(club(json!([])));
    // Clocks are put back in the night of 5 April 2026, so that this day has 25 hours.
    let day = olga.types_with_key("games upcoming --from 2026-04-05 --to 2026-04-06");
    day.assert().success().stderr_eq("Nothing found.\n");
    assert_eq!(olga.calls(), ["GET /api/v1/organization", "GET /api/v1/games/upcoming"], "asked once");
    assert_eq!(olga.stub.seen()[1].query, "from=2026-04-04T13%3A00%3A00Z&to=2026-04-05T14%3A00%3A00Z");
    olga.types_with_key("seasons list --updated-since 2026-05-01T09:15:00+10:00").assert().success();
    assert_eq!(olga.calls().len(), 3, "a time needs no zone");
}

#[test]
fn a_date_needs_permission_to_read_the_time_zone() {
    let olga = Person::new(|_| Reply::problem(403, "scope_insufficient"));
    olga.types_with_key("games upcoming --from 2026-05-01").assert().code(1).stderr_eq(str![[r#"
error: The stub says no.
hint: a time without an offset is in the organization's time zone, which this key may not read; write a time with its offset: 2026-05-01T00:00:00+10:00
request id: req-1

"#]]);
}

#[test]
fn a_list_that_ends_after_thirty_days_says_so() {
    let olga = Person::new(|seen| list(&json!([]), (!seen.query.contains("to=")).then_some("next")));
    let more = olga.types_with_key("games upcoming --from 2026-05-01T00:00:00Z");
    more.assert().success().stderr_eq("Nothing found.\nThere are more: use --all to list all of them.\n");
    let olga = Person::new(club(json!([])));
    for all in ["--all", ""] {
        let end = olga.types_with_key(&format!("games upcoming --from 2026-05-01T00:00:00Z {all}"));
        end.assert().success().stderr_eq(str![[r#"
Nothing found.
These are the games of the next 30 days, until 2026-05-31T00:00:00Z. --to DATE lists later ones.

"#]]);
    }
}

#[test]
fn deleted_records_are_shown_with_changed_ones() {
    let olga = Person::new(|seen| {
        let (id, cursor) = if seen.nth % 2 == 0 { ("sea_1", Some("next")) } else { ("sea_2", None) };
        let deleted = json!([{"id": id, "deleted_at": "2026-01-02T00:00:00Z"}]);
        let page = json!({"limit": 25, "has_more": cursor.is_some(), "next_cursor": cursor});
        Reply::json(200, &json!({"data": [season()], "deleted": deleted, "page": page}))
    });
    let since = "updated_since=2026-01-01T00:00:00Z";
    let both = json!({"data": [season(), season()], "deleted": [
        {"id": "sea_1", "deleted_at": "2026-01-02T00:00:00Z"},
        {"id": "sea_2", "deleted_at": "2026-01-02T00:00:00Z"},
    ]});
    for words in [
        "seasons list --updated-since 2026-01-01T00:00:00Z --all --output json",
        &format!("api GET /api/v1/seasons?{since} --paginate"),
    ] {
        let output = olga.types_with_key(words).output().expect("output");
        let printed: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(printed, both, "{words}");
    }
    let table = olga.types_with_key("seasons list --updated-since 2026-01-01T00:00:00Z --all");
    table.assert().success().stderr_eq(str![[r#"
Deleted since then: 2. Use --output json to list them.

"#]]);
}

#[test]
fn json_output_is_the_records() {
    let olga = Person::new(|_| list(&json!([season()]), None));
    let output = olga.types_with_key("seasons list --output json").output().expect("output");
    let records: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(records, json!([season()]));
}

const GAME: &str = "gam_01h2xcejqtf2nbrexx3vqjhp41";

/// Responds with a game in version 3, and to its deletion.
fn one_game(seen: &Seen) -> Reply {
    match seen.call.as_str() {
        call if call.starts_with("DELETE") => {
            Reply::json(200, &json!({"data": {"id": GAME, "deleted": true}}))
        }
        _ => Reply::json(200, &json!({"data": game(Some("Hawks"))})).header("ETag", "\"3-x\""),
    }
}

#[test]
fn games_are_listed_with_every_filter() {
    let olga = Person::new(club(json!([game(Some("Hawks"))])));
    let filters = "--from 2026-01-01 --sort -starts_at --status final --round Final --limit 5";
    olga.types_with_key(&format!("games list {filters}")).assert().success();
    let schedule = "teams schedule tea_01h2xcejqtf2nbrexx3vqjhp41 --to 2026-06-01T00:00:00Z";
    olga.types_with_key(schedule).assert().success().stdout_eq(str![[r#"
STARTS                HOME        AWAY   SCORE  STATUS     VENUE  ROUND    TIME ZONE            ID
Sat 2026-05-02 09:15  Coburg U12  Hawks  -      scheduled  -      Round 1  Australia/Melbourne  gam_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let seen = olga.stub.seen();
    let listed = seen.iter().find(|seen| seen.call == "GET /api/v1/games").expect("the list");
    let wanted = "from=2025-12-31T13%3A00%3A00Z&status=final&round=Final&sort=-starts_at&limit=5";
    assert_eq!(listed.query, wanted);
}

#[test]
fn a_game_is_changed_and_deleted_in_the_version_that_was_read() {
    let olga = Person::new(one_game);
    let change =
        format!("games change {GAME} --status postponed --clear ends_at --reason Rain --allow-overlap");
    olga.types_with_key(&change).assert().success();
    olga.types_with_key(&format!("games delete {GAME} --yes")).assert().success().stdout_eq(str![[r#"
Deleted gam_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
    let create = "games create --season-id sea_01h2xcejqtf2nbrexx3vqjhp41 --division-id div_01h2xcejqtf2nbrexx3vqjhp41 \
                  --starts-at 2026-05-01T23:15:00Z --time-zone Australia/Melbourne";
    olga.types_with_key(create).assert().success();
    let seen = olga.stub.seen();
    let calls: Vec<&str> = seen.iter().map(|seen| seen.call.split(' ').next().expect("a method")).collect();
    assert_eq!(calls, ["GET", "PATCH", "GET", "DELETE", "POST"]);
    for at in [1, 3] {
        assert_eq!(seen[at].header("if-match"), Some("\"3-x\""), "{}", seen[at].call);
    }
    assert_eq!((seen[1].query.as_str(), seen[4].query.as_str()), ("allow_overlap=true", ""));
    let body: Value = serde_json::from_str(&seen[1].body).expect("JSON");
    assert_eq!(body, json!({"status": "postponed", "ends_at": null, "reason": "Rain"}));
}
