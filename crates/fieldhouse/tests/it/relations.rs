//! `fieldhouse relations` and `fieldhouse children relations`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const RELATION: &str = "rel_01h2xcejqtf2nbrexx3vqjhp41";
const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn relation() -> Value {
    json!({
        "id": RELATION, "child_id": CHILD, "user": {"id": USER, "name": "Carla"}, "kind": "guardian", "state": "active",
        "starts_at": "2026-03-01T09:00:00Z", "expires_at": null, "reason": null, "proposed_by": USER,
        "proposed_at": "2026-03-01T09:00:00Z", "confirmed_by": USER, "confirmed_at": "2026-03-02T09:00:00Z",
        "confirmed_alone": false, "accepted_at": "2026-03-02T10:00:00Z", "revoked_by": null, "revoked_at": null,
        "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-02T10:00:00Z", "version": 3,
    })
}

fn olga() -> Person {
    let mut proposed = relation();
    for (name, value) in [
        ("user", json!({"id": "usr_01h2xcejqtf2nbrexx3vqjhp42", "name": "Amir"})),
        ("kind", json!("support")),
        ("state", json!("proposed")),
        ("expires_at", json!("2026-03-01T14:00:00Z")),
        ("reason", json!("Cannot open the roster")),
        ("confirmed_at", json!(null)),
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
        call if call.starts_with("GET ") => list(&json!([proposed, relation()]), None),
        call if call.ends_with("/relations") => Reply::json(201, &json!({"data": proposed})),
        _ => Reply::json(200, &json!({"data": relation()})),
    })
}

#[test]
fn relations_are_a_table_with_ids_of_children() {
    let olga = olga();
    olga.types_with_key("relations list").assert().success().stdout_eq(str![[r#"
NAME   KIND      STATE     CHILD                           ENDS                  CONFIRMED           REASON                  USER                            ID
Amir   support   proposed  chi_01h2xcejqtf2nbrexx3vqjhp41  2026-03-01T14:00:00Z  -                   Cannot open the roster  usr_01h2xcejqtf2nbrexx3vqjhp42  rel_01h2xcejqtf2nbrexx3vqjhp41
Carla  guardian  active    chi_01h2xcejqtf2nbrexx3vqjhp41  -                     by a second person  -                       usr_01h2xcejqtf2nbrexx3vqjhp41  rel_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("children relations list {CHILD} --json kind,state")).assert().success();
    let path = format!("GET /api/v1/children/{CHILD}/relations");
    assert_eq!(olga.calls(), ["GET /api/v1/relations", &path]);
}

#[test]
fn a_relation_is_proposed_by_address_or_by_id() {
    let olga = olga();
    let add = format!("children relations add {CHILD} --kind guardian");
    olga.types_with_key(&format!("{add} --email carla@people.example")).assert().success().stderr_eq(str![[
        r#"
A manager has to confirm it with `fieldhouse relations confirm`. The owners are told by mail.

"#
    ]]);
    let help = format!("children relations add {CHILD} --kind support --user-id {USER}");
    olga.types_with_key(&format!("{help} --expires-at 2026-03-01T14:00:00Z --reason Help"))
        .assert()
        .success();
    let bodies: Vec<Value> =
        olga.stub.seen().iter().filter_map(|it| serde_json::from_str(&it.body).ok()).collect();
    let expected = [
        json!({"user_id": USER, "kind": "guardian"}),
        json!({"user_id": USER, "kind": "support", "expires_at": "2026-03-01T14:00:00Z", "reason": "Help"}),
    ];
    assert_eq!(bodies, expected);
    for wrong in [add.clone(), format!("{add} --email a@b.example --user-id {USER}")] {
        olga.types_with_key(&wrong).assert().code(2);
    }
}

#[test]
fn a_relation_is_confirmed_accepted_and_revoked() {
    let olga = olga();
    for words in [
        format!("relations confirm {RELATION}"),
        format!("relations accept {RELATION}"),
        format!("relations revoke {RELATION} --yes"),
    ] {
        olga.types_with_key(&words).assert().success();
    }
    let path = format!("/api/v1/relations/{RELATION}");
    let expected = ["POST {}/confirm", "POST {}/accept", "POST {}/revoke"];
    assert_eq!(olga.calls(), expected.map(|call| call.replace("{}", &path)));
    olga.types_with_key(&format!("relations revoke {RELATION}")).assert().code(2);
}
