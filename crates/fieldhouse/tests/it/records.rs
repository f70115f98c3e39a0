//! `fieldhouse divisions`, `teams`, `staff` and `standings`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const SEASON: &str = "sea_01h2xcejqtf2nbrexx3vqjhp41";
const DIVISION: &str = "div_01h2xcejqtf2nbrexx3vqjhp41";
const TEAM: &str = "tea_01h2xcejqtf2nbrexx3vqjhp41";

fn division() -> Value {
    json!({
        "id": DIVISION, "season_id": SEASON, "name": "U12 Mixed", "age_group": "U12", "gender": "mixed",
        "external_id": null, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn team() -> Value {
    json!({
        "id": TEAM, "season_id": SEASON, "division_id": DIVISION, "name": "Coburg Eagles", "short_name": null,
        "external_id": null, "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn club() -> Person {
    Person::new(|seen| {
        let record = if seen.call.contains("/teams") { team() } else { division() };
        match seen.call.as_str() {
            "GET /api/v1/divisions" | "GET /api/v1/teams" => list(&json!([record]), None),
            call if call.starts_with("DELETE") => {
                Reply::json(200, &json!({"data": {"id": record["id"], "deleted": true}}))
            }
            _ => Reply::json(200, &json!({"data": record})),
        }
    })
}

#[test]
fn divisions_and_teams_are_listed() {
    let olga = club();
    olga.types_with_key(&format!("divisions list --season {SEASON} -q mixed")).assert().success().stdout_eq(
        str![[r#"
NAME       AGE GROUP  GENDER  SEASON                          ID
U12 Mixed  U12        mixed   sea_01h2xcejqtf2nbrexx3vqjhp41  div_01h2xcejqtf2nbrexx3vqjhp41

"#]],
    );
    olga.types_with_key(&format!("teams list --division {DIVISION} --sort -name --all")).assert().success();
    let seen = olga.stub.seen();
    assert_eq!(seen[0].query, format!("season_id={SEASON}&q=mixed"));
    assert_eq!(seen[1].query, format!("division_id={DIVISION}&sort=-name&limit=100"));
}

#[test]
fn a_team_is_shown_one_field_a_line() {
    club().types_with_key(&format!("teams show {TEAM}")).assert().success().stdout_eq(str![[r#"
NAME        Coburg Eagles
SHORT NAME  -
DIVISION    div_01h2xcejqtf2nbrexx3vqjhp41
SEASON      sea_01h2xcejqtf2nbrexx3vqjhp41
ID          tea_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
}

#[test]
fn divisions_and_teams_are_created_changed_and_deleted() {
    let olga = club();
    for words in [
        format!("divisions create --season-id {SEASON} --name Open --gender mixed"),
        format!("divisions change {DIVISION} --age-group U14 --clear gender"),
        format!("divisions delete {DIVISION} --yes"),
        format!("teams create --season-id {SEASON} --division-id {DIVISION} --name Owls"),
        format!("teams change {TEAM} --short-name EAG"),
        format!("teams delete {TEAM} --yes"),
    ] {
        olga.types_with_key(&words).assert().success();
    }
    let sent = olga.stub.seen();
    let body = |at: usize| serde_json::from_str::<Value>(&sent[at].body).expect("JSON");
    assert_eq!(body(0), json!({"season_id": SEASON, "name": "Open", "gender": "mixed"}));
    assert_eq!(body(1), json!({"age_group": "U14", "gender": null}));
    assert_eq!(body(3), json!({"season_id": SEASON, "division_id": DIVISION, "name": "Owls"}));
    assert_eq!(body(4), json!({"short_name": "EAG"}));
    let calls: Vec<&str> = sent.iter().map(|seen| &*seen.call).collect();
    assert_eq!(calls[2], format!("DELETE /api/v1/divisions/{DIVISION}"));
    assert_eq!(calls[5], format!("DELETE /api/v1/teams/{TEAM}"));
}

#[test]
fn a_division_stays_in_its_season() {
    let refused = club().types_with_key(&format!("divisions change {DIVISION} --season-id {SEASON}"));
    refused.assert().code(2);
}

#[test]
fn staff_is_added_confirmed_and_removed() {
    let (staff, user) = ("stf_01h2xcejqtf2nbrexx3vqjhp41", "usr_01h2xcejqtf2nbrexx3vqjhp41");
    let entry = json!({
        "id": staff, "team_id": TEAM, "user": {"id": user, "name": "Carla"}, "kind": "coach", "state": "proposed",
        "starts_on": null, "ends_on": "2026-09-30", "proposed_by": user, "proposed_at": "2026-01-01T00:00:00Z",
        "confirmed_by": null, "confirmed_at": null, "confirmed_alone": false,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    });
    let olga = Person::new(move |seen| match seen.call.split(' ').next() {
        Some("DELETE") => Reply::json(200, &json!({"data": {"id": staff, "deleted": true}})),
        Some("GET") if seen.call.ends_with("/members") => list(&json!([member(user)]), None),
        Some("GET") => list(&json!([entry]), None),
        _ => Reply::json(200, &json!({"data": entry})),
    });
    olga.types_with_key(&format!("staff list {TEAM}")).assert().success().stdout_eq(str![[r#"
NAME   KIND   STATE     STARTS  ENDS        USER                            ID
Carla  coach  proposed  -       2026-09-30  usr_01h2xcejqtf2nbrexx3vqjhp41  stf_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    for words in [
        format!("staff add {TEAM} --user-id {user} --kind coach --ends-on 2026-09-30"),
        format!("staff change {TEAM} {staff} --clear ends_on"),
        format!("staff confirm {TEAM} {staff}"),
        format!("staff remove {TEAM} {staff} --yes"),
    ] {
        olga.types_with_key(&words).assert().success();
    }
    let path = format!("/api/v1/teams/{TEAM}/staff");
    let expected = [
        format!("GET {path}"),
        format!("POST {path}"),
        format!("PATCH {path}/{staff}"),
        format!("POST {path}/{staff}/confirm"),
        format!("DELETE {path}/{staff}"),
    ];
    assert_eq!(olga.calls(), expected);

    // People know addresses, not ids.
    let add = format!("staff add {TEAM} --email carla@people.example --kind coach");
    olga.types_with_key(&add).assert().success();
    let sent = olga.stub.seen();
    assert_eq!(sent[5].query, "q=carla%40people.example");
    let body: Value = serde_json::from_str(&sent[6].body).expect("JSON");
    assert_eq!(body, json!({"user_id": user, "kind": "coach"}));
    for wrong in ["--kind coach", "--email a@b.example --user-id usr_1 --kind coach", "--email a@b.example"] {
        olga.types_with_key(&format!("staff add {TEAM} {wrong}")).assert().code(2);
    }
}

fn member(user: &str) -> Value {
    json!({
        "id": "mem_01h2xcejqtf2nbrexx3vqjhp41", "user": {"id": user, "name": "Carla", "email": "carla@people.example"},
        "role": "coach", "source": "invited", "joined_at": "2026-01-01T00:00:00Z", "suspended_at": null,
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

#[test]
fn standings_are_a_table_that_says_what_does_not_count() {
    let row = json!({
        "rank": 1, "team": {"id": TEAM, "name": "Coburg Eagles"}, "played": 2, "won": 1, "drawn": 1, "lost": 0,
        "scored": 6, "conceded": 1, "difference": 5, "points": 4, "decided_by": null,
    });
    let ruleset =
        json!({"win": 3, "draw": 1, "loss": 0, "forfeit": "entered_score", "tiebreakers": ["name"]});
    let standings = json!({
        "season_id": SEASON, "division_id": DIVISION, "as_of": "2026-01-01T00:00:00Z", "ruleset": ruleset,
        "rows": [row], "excluded_games": 2,
    });
    let olga = Person::new(move |_| Reply::json(200, &json!({"data": standings})));
    let typed = olga.types_with_key(&format!("standings {SEASON} --division {DIVISION}"));
    typed
        .assert()
        .success()
        .stdout_eq(str![[r#"
RANK  TEAM           PLAYED  WON  DRAWN  LOST  FOR  AGAINST  POINTS  DECIDED BY  TEAM ID
1     Coburg Eagles  2       1    1      0     6    1        4       -           tea_01h2xcejqtf2nbrexx3vqjhp41

"#]])
        .stderr_eq(str![[r#"
Games that are over and do not count: 2.

"#]]);
    assert_eq!(olga.stub.seen()[0].query, format!("division_id={DIVISION}"));
}

#[test]
fn standings_without_a_division_are_a_table_for_each() {
    let standings = |division: &str, name: &str| {
        let row = json!({
            "rank": 1, "team": {"id": TEAM, "name": name}, "played": 1, "won": 1, "drawn": 0, "lost": 0,
            "scored": 2, "conceded": 1, "difference": 1, "points": 3, "decided_by": null,
        });
        let ruleset =
            json!({"win": 3, "draw": 1, "loss": 0, "forfeit": "entered_score", "tiebreakers": ["name"]});
        json!({
            "season_id": SEASON, "division_id": division, "as_of": "2026-01-01T00:00:00Z", "ruleset": ruleset,
            "rows": [row], "excluded_games": 1,
        })
    };
    let other = "div_01h2xcejqtf2nbrexx3vqjhp42";
    let part = |id: &str, name: &str| json!({"id": id, "name": name, "age_group": null, "gender": null});
    let season = json!({
        "id": SEASON, "name": "Winter", "sport": "golf", "status": "active", "starts_on": null, "ends_on": null,
        "time_zone": "UTC", "divisions": [part(DIVISION, "U12 Girls"), part(other, "U14 Mixed")], "tiebreakers": [],
        "scoring": {"win": 3, "draw": 1, "loss": 0}, "external_id": null, "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    });
    let olga =
        Person::new(move |seen| match (seen.call.ends_with("/standings"), seen.query.contains(other)) {
            (true, false) => Reply::json(200, &json!({"data": standings(DIVISION, "Herons")})),
            (true, true) => Reply::json(200, &json!({"data": standings(other, "Magpies")})),
            _ => Reply::json(200, &json!({"data": season})),
        });
    let shown = olga.types_with_key(&format!("standings {SEASON}")).env("FIELDHOUSE_FORCE_TTY", "80");
    shown
        .env("NO_COLOR", "1")
        .assert()
        .success()
        .stdout_eq(str![[r#"
U12 Girls
RANK  TEAM    PLAYED  WON  DRAWN  LOST  FOR  AGAINST  POINTS
1     Herons  1       1    0      0     2    1        3

U14 Mixed
RANK  TEAM     PLAYED  WON  DRAWN  LOST  FOR  AGAINST  POINTS
1     Magpies  1       1    0      0     2    1        3

"#]])
        .stderr_eq(str![[r#"
Columns that did not fit: TEAM ID. A pipe or --output json shows all of them.
Games that are over and do not count: 2.

"#]]);
    let queries: Vec<String> = olga.stub.seen().into_iter().map(|seen| seen.query).collect();
    assert_eq!(queries, [String::new(), format!("division_id={DIVISION}"), format!("division_id={other}")]);
    // Programs get what they ask for.
    olga.types_with_key(&format!("standings {SEASON} --json rows")).assert().success();
    assert_eq!((olga.stub.seen().len(), &*olga.stub.seen()[3].query), (4, ""));
}
