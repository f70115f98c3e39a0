//! `fieldhouse safeguarding-cases`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const CASE: &str = "cas_01h2xcejqtf2nbrexx3vqjhp41";
const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn olga() -> Person {
    let case = json!({
        "id": CASE, "title": "A report", "child_ids": [CHILD], "lead_ids": [USER], "state": "open", "opened_by": USER,
        "opened_at": "2026-03-01T09:00:00Z", "confirmed_by": USER, "confirmed_at": "2026-03-01T10:00:00Z",
        "confirmed_alone": false, "ends_at": "2026-05-30T10:00:00Z", "closed_by": null, "closed_at": null, "note": null,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T10:00:00Z", "version": 2,
    });
    Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/safeguarding-cases" => list(&json!([case]), None),
        "POST /api/v1/safeguarding-cases" => Reply::json(201, &json!({"data": case})),
        _ => Reply::json(200, &json!({"data": case})),
    })
}

#[test]
fn cases_are_a_table_with_ids_of_children() {
    let olga = olga();
    olga.types_with_key("safeguarding-cases list").assert().success().stdout_eq(str![[r#"
TITLE     STATE  OPENED                ENDS                  CLOSED  NOTE  CHILDREN                        LEADS                           ID
A report  open   2026-03-01T09:00:00Z  2026-05-30T10:00:00Z  -       -     chi_01h2xcejqtf2nbrexx3vqjhp41  usr_01h2xcejqtf2nbrexx3vqjhp41  cas_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("safeguarding-cases show {CASE} --json state,ends_at")).assert().success();
}

#[test]
fn a_case_is_opened_confirmed_and_closed() {
    let olga = olga();
    let opened = olga.types_with_key(&format!("safeguarding-cases open --title Report --child-id {CHILD}"));
    opened.assert().success().stderr_eq(str![[r#"
An admin or another lead has to confirm it with `fieldhouse safeguarding-cases confirm`.

"#]]);
    olga.types_with_key(&format!("safeguarding-cases confirm {CASE}")).assert().success();
    olga.types_with_key(&format!("safeguarding-cases close {CASE} --note Unfounded")).assert().success();
    let seen = olga.stub.seen();
    let bodies: Vec<Value> =
        [0, 2].map(|at: usize| serde_json::from_str(&seen[at].body).expect("JSON")).into();
    assert_eq!(bodies, [json!({"title": "Report", "child_ids": [CHILD]}), json!({"note": "Unfounded"})]);
    let path = format!("/api/v1/safeguarding-cases/{CASE}");
    assert_eq!(olga.calls()[1..], [format!("POST {path}/confirm"), format!("POST {path}/close")]);
}
