//! `fieldhouse divisions` and `fieldhouse teams`.

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
        format!("divisions delete {DIVISION}"),
        format!("teams create --season-id {SEASON} --division-id {DIVISION} --name Owls"),
        format!("teams change {TEAM} --short-name EAG"),
        format!("teams delete {TEAM}"),
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
