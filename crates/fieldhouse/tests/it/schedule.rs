//! `fieldhouse seasons` and `fieldhouse games`.

use serde_json::{Value, json};
use snapbox::str;

use crate::{Person, list};

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

#[test]
fn seasons_are_filtered_and_listed() {
    let olga = Person::new(|_| list(&json!([season()]), None));
    let filters =
        "--status active --sport basketball --year 2026 -q winter --updated-since 2026-01-01 --limit 5";
    olga.types_with_key(&format!("seasons list {filters}")).assert().success().stdout_eq(str![[r#"
NAME         SPORT       STATUS  STARTS      ENDS  DIVISIONS  ID
Winter 2026  basketball  active  2026-04-01  -     0          sea_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let wanted =
        "status=active&sport=basketball&year=2026&q=winter&updated_since=2026-01-01T00%3A00%3A00Z&limit=5";
    assert_eq!(olga.stub.seen()[0].query, wanted);
}

#[test]
fn games_start_on_the_clock_of_their_place() {
    let olga = Person::new(|_| list(&json!([game(Some("Northside")), game(None)]), None));
    let upcoming =
        olga.types_with_key("games upcoming --from 2026-05-01 --team tea_01h2xcejqtf2nbrexx3vqjhp41");
    upcoming.assert().success().stdout_eq(str![[r#"
STARTS                         TIME ZONE            HOME        AWAY       VENUE  ROUND    STATUS     ID
Sat 2026-05-02 09:15           Australia/Melbourne  Coburg U12  Northside  -      Round 1  scheduled  gam_01h2xcejqtf2nbrexx3vqjhp41
Sat 2026-05-02 time to be set  Australia/Melbourne  Coburg U12  -          -      Round 1  scheduled  gam_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(
        olga.stub.seen()[0].query,
        "from=2026-05-01T00%3A00%3A00Z&team_id=tea_01h2xcejqtf2nbrexx3vqjhp41"
    );
}

#[test]
fn json_is_the_records() {
    let olga = Person::new(|_| list(&json!([season()]), None));
    let output = olga.types_with_key("seasons list --output json").output().expect("output");
    let records: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(records, json!([season()]));
}
