//! `fieldhouse privacy-requests`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const REQUEST: &str = "prq_01h2xcejqtf2nbrexx3vqjhp41";
const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn request(kind: &str, state: &str) -> Value {
    let decided = if state == "open" { json!(null) } else { json!("2026-03-02T09:00:00Z") };
    json!({
        "id": REQUEST, "child_id": CHILD, "kind": kind, "details": "She has moved", "requested_by": USER,
        "due_at": "2026-03-31T09:00:00Z", "state": state, "decided_by": null, "decided_at": decided, "decided_alone": false,
        "reason": null, "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    })
}

fn olga() -> Person {
    Person::new(|seen| match seen.call.as_str() {
        call if call.starts_with("GET ") => list(&json!([request("erasure", "open")]), None),
        call if call.ends_with("/decide") => Reply::json(200, &json!({"data": request("erasure", "done")})),
        _ => Reply::json(201, &json!({"data": request("erasure", "open")})),
    })
}

#[test]
fn requests_are_a_table_with_ids_of_children() {
    let olga = olga();
    olga.types_with_key("privacy-requests list").assert().success().stdout_eq(str![[r#"
KIND     STATE  CHILD                           DUE                   DECIDED  DETAILS        REASON  ID
erasure  open   chi_01h2xcejqtf2nbrexx3vqjhp41  2026-03-31T09:00:00Z  -        She has moved  -       prq_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let create = format!("privacy-requests create --child-id {CHILD} --kind erasure --details moved");
    olga.types_with_key(&create).assert().success().stderr_eq(str![[r#"
An admin has to decide it with `fieldhouse privacy-requests decide`. The owners are told by mail.

"#]]);
    assert_eq!(olga.calls(), ["GET /api/v1/privacy-requests", "POST /api/v1/privacy-requests"]);
}

#[test]
fn an_erasure_is_granted_only_with_a_confirmation() {
    let olga = olga();
    let decide = |rest: &str| format!("privacy-requests decide {REQUEST} --decision {rest}");
    olga.types_with_key(&decide("granted")).assert().failure().stderr_eq(str![[r#"
error: Erase the child chi_01h2xcejqtf2nbrexx3vqjhp41 for good? There is no terminal to ask on
hint: confirm with --yes

"#]]);
    assert_eq!(olga.calls(), ["GET /api/v1/privacy-requests"], "nothing was decided");
    let path = format!("POST /api/v1/privacy-requests/{REQUEST}/decide");
    olga.types_with_key(&decide("granted --yes")).assert().success().stdout_eq(str![[r#"
KIND     erasure
STATE    done
CHILD    chi_01h2xcejqtf2nbrexx3vqjhp41
DUE      2026-03-31T09:00:00Z
DECIDED  2026-03-02T09:00:00Z
DETAILS  She has moved
REASON   -
ID       prq_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&decide("refused --reason No")).assert().success();
    assert_eq!(olga.calls()[1..], [path.clone(), path]);
}
