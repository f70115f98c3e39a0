//! `fieldhouse children`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const TEAM: &str = "tea_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn olga() -> Person {
    let eagles = json!({"id": TEAM, "name": "Eagles", "jersey_number": 7, "position": null});
    let hawks = json!({"id": TEAM, "name": "Hawks", "jersey_number": null, "position": "Guard"});
    let child =
        json!({"id": CHILD, "display_name": "Kim K.", "teams": [eagles, hawks], "capacity": "guardian"});
    let aunt = json!({"name": "Robin", "phone": "0199", "relationship": "aunt"});
    let contact = json!({
        "child_id": CHILD, "emails": [], "phones": ["0100", "0101"], "address": null, "emergency_contacts": [aunt],
        "updated_at": "2026-03-01T09:00:00Z", "version": 2,
    });
    let event = json!({
        "id": "acc_01h2xcejqtf2nbrexx3vqjhp41", "at": "2026-03-01T09:00:00Z", "child_id": CHILD, "key_id": null,
        "user": {"id": USER, "name": "Carla"}, "capacity": "staff", "class": "contact",
        "operation": "children.contact.read",
    });
    Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/children" => list(&json!([child]), None),
        call if call.ends_with("/access-log") => list(&json!([event]), None),
        call if call.ends_with("/contact") => Reply::json(200, &json!({"data": contact})),
        _ => Reply::json(200, &json!({"data": child})),
    })
}

#[test]
fn children_are_a_table_that_says_how_the_caller_sees_them() {
    let olga = olga();
    olga.types_with_key("children list").assert().success().stdout_eq(str![[r#"
NAME    TEAMS             YOU SEE IT AS  ID
Kim K.  Eagles #7, Hawks  guardian       chi_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("children show {CHILD} --json capacity,display_name")).assert().success();
}

#[test]
fn a_class_is_shown_and_changed_with_objects_as_json() {
    let olga = olga();
    olga.types_with_key(&format!("children contact show {CHILD}")).assert().success().stdout_eq(str![[r#"
E-MAIL           -
PHONE            0100, 0101
ADDRESS          -
IN AN EMERGENCY  Robin (aunt) 0199

"#]]);
    let people = r#"--emergency-contact {"name":"Robin","phone":"0199"} --emergency-contact {"name":"Sam","phone":"0198"}"#;
    olga.types_with_key(&format!("children contact change {CHILD} --phone 0100 {people}")).assert().success();
    let body: Value = serde_json::from_str(&olga.stub.seen()[1].body).expect("JSON");
    let wanted = json!([{"name": "Robin", "phone": "0199"}, {"name": "Sam", "phone": "0198"}]);
    assert_eq!(body, json!({"phones": ["0100"], "emergency_contacts": wanted}));
    let wrong = format!("children contact change {CHILD} --emergency-contact Robin");
    olga.types_with_key(&wrong).assert().code(2);
    assert_eq!(olga.calls()[1], format!("PATCH /api/v1/children/{CHILD}/contact"));
}

#[test]
fn the_access_log_says_who_saw_what() {
    let olga = olga();
    olga.types_with_key(&format!("children access-log {CHILD}")).assert().success().stdout_eq(str![[r#"
AT                    WHO    AS     SAW      OPERATION              KEY
2026-03-01T09:00:00Z  Carla  staff  contact  children.contact.read  -

"#]]);
}
