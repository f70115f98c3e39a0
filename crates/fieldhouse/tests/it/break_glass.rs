//! `fieldhouse break-glass-grants`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const GRANT: &str = "gra_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn olga() -> Person {
    let grant = json!({
        "id": GRANT, "child_id": CHILD, "user": {"id": USER, "name": "Carla"}, "reason_code": "medical", "reason": "A fall",
        "starts_at": "2026-03-01T09:00:00Z", "ends_at": "2026-03-01T10:00:00Z", "ended_at": null,
        "told_at": "2026-03-01T09:00:00Z", "review": null, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    });
    Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/break-glass-grants" => list(&json!([grant]), None),
        "POST /api/v1/break-glass-grants" => Reply::json(201, &json!({"data": grant})),
        _ => Reply::json(200, &json!({"data": grant})),
    })
}

#[test]
fn grants_are_a_table_that_says_what_was_reviewed() {
    let olga = olga();
    olga.types_with_key("break-glass-grants list").assert().success().stdout_eq(str![[r#"
NAME   WHY      REASON  STARTED               ENDS                  GUARDIANS TOLD        REVIEW  CHILD                           ID
Carla  medical  A fall  2026-03-01T09:00:00Z  2026-03-01T10:00:00Z  2026-03-01T09:00:00Z  -       chi_01h2xcejqtf2nbrexx3vqjhp41  gra_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
}

#[test]
fn a_grant_is_created_ended_and_reviewed() {
    let olga = olga();
    let wanted = format!("--child-id {CHILD} --reason-code medical --reason Fall");
    olga.types_with_key(&format!("break-glass-grants create {wanted}")).assert().success();
    olga.types_with_key(&format!("break-glass-grants end {GRANT}")).assert().success();
    olga.types_with_key(&format!("break-glass-grants review {GRANT} --outcome justified")).assert().success();
    let seen = olga.stub.seen();
    let bodies: Vec<Value> =
        [0, 2].map(|at: usize| serde_json::from_str(&seen[at].body).expect("JSON")).into();
    let created = json!({"child_id": CHILD, "reason_code": "medical", "reason": "Fall"});
    assert_eq!(bodies, [created, json!({"outcome": "justified"})]);
    let path = format!("/api/v1/break-glass-grants/{GRANT}");
    assert_eq!(olga.calls()[1..], [format!("POST {path}/end"), format!("POST {path}/review")]);
}
