//! `fieldhouse duties`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const DUTY: &str = "dut_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";
const SEASON: &str = "sea_01h2xcejqtf2nbrexx3vqjhp41";
const TEAM: &str = "tea_01h2xcejqtf2nbrexx3vqjhp41";

fn duty() -> Value {
    json!({
        "id": DUTY, "user": {"id": USER, "name": "Carla"}, "kind": "registrar", "team_ids": [TEAM], "season_id": SEASON,
        "state": "accepted", "starts_at": "2026-03-01T09:00:00Z", "ends_at": "2026-09-30T00:00:00Z",
        "reason": "Registers the players", "proposed_by": USER, "proposed_at": "2026-03-01T09:00:00Z",
        "confirmed_by": USER, "confirmed_at": "2026-03-02T09:00:00Z", "confirmed_alone": true,
        "accepted_at": "2026-03-02T10:00:00Z", "revoked_by": null, "revoked_at": null,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-02T10:00:00Z", "version": 3,
    })
}

fn olga() -> Person {
    let other = json!({
        "name": "Amir", "id": "usr_01h2xcejqtf2nbrexx3vqjhp42",
    });
    let mut proposed = duty();
    for (name, value) in [
        ("user", other),
        ("kind", json!("support")),
        ("state", json!("proposed")),
        ("team_ids", json!([])),
        ("season_id", json!(null)),
        ("confirmed_at", json!(null)),
        ("confirmed_alone", json!(false)),
    ] {
        proposed[name] = value;
    }
    let member = json!({
        "id": "mem_01h2xcejqtf2nbrexx3vqjhp41", "user": {"id": USER, "name": "Carla", "email": "carla@people.example"},
        "role": "coach", "source": "invited", "joined_at": "2026-01-01T00:00:00Z", "suspended_at": null,
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    });
    Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/members" => list(&json!([member]), None),
        "GET /api/v1/duties" => list(&json!([proposed, duty()]), None),
        call if call.ends_with("/history") => list(&json!([]), None),
        "POST /api/v1/duties" => Reply::json(201, &json!({"data": proposed})),
        _ => Reply::json(200, &json!({"data": duty()})),
    })
}

#[test]
fn duties_are_a_table_that_says_who_confirmed_alone() {
    let olga = olga();
    olga.types_with_key("duties list --state accepted --kind registrar --email carla@people.example")
        .assert()
        .success()
        .stdout_eq(str![[r#"
NAME   KIND       STATE     STARTS                ENDS                  CONFIRMED  REASON                 SEASON                          TEAMS                           USER                            ID
Amir   support    proposed  2026-03-01T09:00:00Z  2026-09-30T00:00:00Z  -          Registers the players  -                               all                             usr_01h2xcejqtf2nbrexx3vqjhp42  dut_01h2xcejqtf2nbrexx3vqjhp41
Carla  registrar  accepted  2026-03-01T09:00:00Z  2026-09-30T00:00:00Z  alone      Registers the players  sea_01h2xcejqtf2nbrexx3vqjhp41  tea_01h2xcejqtf2nbrexx3vqjhp41  usr_01h2xcejqtf2nbrexx3vqjhp41  dut_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.stub.seen()[1].query, format!("user_id={USER}&kind=registrar&state=accepted"));
    olga.types_with_key(&format!("duties show {DUTY} --json kind,confirmed_alone")).assert().success();
    olga.types_with_key(&format!("duties list --user-id {USER} --email a@b.example")).assert().code(2);
}

#[test]
fn a_duty_is_proposed_by_address_until_a_date() {
    let olga = olga();
    let season = format!("--season {SEASON} --team {TEAM}");
    let add =
        format!("duties add --kind registrar {season} --ends-at 2026-09-30T00:00:00Z --reason Registers");
    olga.types_with_key(&format!("{add} --email carla@people.example")).assert().success().stderr_eq(str![[
        r#"
Another admin has to confirm it with `fieldhouse duties confirm`. The owners are told by mail.

"#
    ]]);
    let sent = olga.stub.seen();
    let body: Value = serde_json::from_str(&sent[1].body).expect("JSON");
    let wanted = json!({
        "user_id": USER, "kind": "registrar", "team_ids": [TEAM], "season_id": SEASON,
        "ends_at": "2026-09-30T00:00:00Z", "reason": "Registers",
    });
    assert_eq!(body, wanted);
    for wrong in [add.clone(), format!("{add} --email a@b.example --user-id {USER}")] {
        olga.types_with_key(&wrong).assert().code(2);
    }
    let endless = format!("duties add --user-id {USER} --kind support --reason Help");
    olga.types_with_key(&endless).assert().code(2);
}

#[test]
fn a_duty_is_confirmed_accepted_and_revoked() {
    let olga = olga();
    for words in [
        format!("duties confirm {DUTY}"),
        format!("duties accept {DUTY}"),
        format!("duties revoke {DUTY} --yes"),
        format!("duties history {DUTY}"),
    ] {
        olga.types_with_key(&words).assert().success();
    }
    let calls = olga.calls();
    let path = format!("/api/v1/duties/{DUTY}");
    let expected = ["POST {}/confirm", "POST {}/accept", "POST {}/revoke", "GET {}/history"];
    assert_eq!(calls, expected.map(|call| call.replace("{}", &path)));
    let unconfirmed = olga.types_with_key(&format!("duties revoke {DUTY}"));
    unconfirmed.assert().code(2);
}
