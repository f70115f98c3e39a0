//! `fieldhouse registrations`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const SEASON: &str = "sea_01h2xcejqtf2nbrexx3vqjhp41";
const REGISTRATION: &str = "reg_01h2xcejqtf2nbrexx3vqjhp41";

fn registration(status: &str) -> Value {
    json!({
        "id": REGISTRATION, "child_id": CHILD, "display_name": "Kim K.", "season_id": SEASON, "division_id": null,
        "status": status, "applied_by": null, "decided_by": null, "decided_at": null,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    })
}

fn olga() -> Person {
    Person::new(|seen| match seen.call.split(' ').next() {
        Some("GET") => list(&json!([registration("applied")]), None),
        Some("POST") => Reply::json(201, &json!({"data": registration("applied")})),
        Some("DELETE") => Reply::json(200, &json!({"data": {"id": REGISTRATION, "deleted": true}})),
        _ => Reply::json(200, &json!({"data": registration("accepted")})),
    })
}

#[test]
fn registrations_are_a_table_of_a_season() {
    let olga = olga();
    let listed = olga.types_with_key(&format!("registrations list {SEASON} --status applied"));
    listed.assert().success().stdout_eq(str![[r#"
NAME    STATUS   APPLIED               DIVISION  CHILD                           ID
Kim K.  applied  2026-03-01T09:00:00Z  -         chi_01h2xcejqtf2nbrexx3vqjhp41  reg_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    assert_eq!(olga.stub.seen()[0].query, "status=applied");
    olga.types_with_key(&format!("registrations list {SEASON} --json display_name,status"))
        .assert()
        .success();
    olga.types_with_key(&format!("registrations list {SEASON} --status open")).assert().code(2);
}

#[test]
fn a_child_is_registered_accepted_and_withdrawn() {
    let olga = olga();
    let added = olga.types_with_key(&format!("registrations add {CHILD} --season-id {SEASON}"));
    added.assert().success().stderr_eq(str![[r#"
The registrar of the season has to accept it with `fieldhouse registrations change`.

"#]]);
    let accepted = olga.types_with_key(&format!("registrations change {REGISTRATION} --status accepted"));
    accepted.assert().success().stderr_eq("");
    olga.types_with_key(&format!("registrations withdraw {REGISTRATION}")).assert().code(2);
    let withdrawn = olga.types_with_key(&format!("registrations withdraw {REGISTRATION} --yes"));
    withdrawn.assert().success().stdout_eq(str![[r#"
Withdrew reg_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
    let bodies: Vec<Value> =
        olga.stub.seen()[..2].iter().map(|seen| serde_json::from_str(&seen.body).expect("JSON")).collect();
    assert_eq!(bodies, [json!({"season_id": SEASON}), json!({"status": "accepted"})]);
    let own = format!("/api/v1/registrations/{REGISTRATION}");
    let expected = [
        format!("POST /api/v1/children/{CHILD}/registrations"),
        format!("PATCH {own}"),
        format!("DELETE {own}"),
    ];
    assert_eq!(olga.calls(), expected);
}
