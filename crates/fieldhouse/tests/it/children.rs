//! `fieldhouse children`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const CONSENT: &str = "con_01h2xcejqtf2nbrexx3vqjhp41";
const RESTRICTION: &str = "res_01h2xcejqtf2nbrexx3vqjhp41";
const INVITATION: &str = "giv_01h2xcejqtf2nbrexx3vqjhp41";
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
    let consent = json!({
        "id": CONSENT, "child_id": CHILD, "purpose": "participation", "status": "granted", "method": "electronic",
        "notice_version": "2026-03", "granted_by": USER, "granted_at": "2026-03-01T09:00:00Z", "expires_at": null,
        "withdrawn_by": null, "withdrawn_at": null, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    });
    let restriction = json!({
        "id": RESTRICTION, "child_id": CHILD, "user": {"id": USER, "name": "Carla"}, "classes": ["contact"],
        "kind": "custody_order", "reason": "Family court", "document_ref": null, "starts_at": "2026-03-01T09:00:00Z",
        "entered_by": USER, "lifted_at": null, "lifted_by": null, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    });
    let invitation = json!({
        "id": INVITATION, "child_id": CHILD, "email": "robin@example.org", "invited_by": {"id": USER, "name": "Olga"},
        "status": "open", "sent_at": "2026-03-01T09:00:00Z", "expires_at": "2026-03-08T09:00:00Z", "accepted_at": null,
        "relation_id": null, "created_at": "2026-03-01T09:00:00Z", "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    });
    let mut for_all = restriction.clone();
    (for_all["user"], for_all["classes"]) = (json!(null), json!([]));
    Person::new(move |seen| match seen.call.as_str() {
        call if call.starts_with("GET") && call.ends_with("/restrictions") => {
            list(&json!([for_all, restriction]), None)
        }
        call if call.contains("/restrictions") => Reply::json(200, &json!({"data": restriction})),
        call if call.starts_with("GET") && call.ends_with("/guardian-invitations") => {
            list(&json!([invitation]), None)
        }
        call if call.starts_with("DELETE") && call.contains("/guardian-invitations") => {
            Reply::json(200, &json!({"data": {"id": INVITATION, "deleted": true}}))
        }
        call if call.contains("/guardian-invitations") => Reply::json(200, &json!({"data": invitation})),
        call if call.starts_with("GET") && call.ends_with("/consents") => list(&json!([consent]), None),
        call if call.contains("/consents") => Reply::json(200, &json!({"data": consent})),
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

#[test]
fn a_guardian_gives_lists_and_withdraws_consent() {
    let olga = olga();
    let wanted = "--purpose participation --method electronic --notice-version 2026-03";
    olga.types_with_key(&format!("children consents grant {CHILD} {wanted}")).assert().success();
    let body: Value = serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON");
    assert_eq!(
        body,
        json!({"purpose": "participation", "method": "electronic", "notice_version": "2026-03"})
    );
    olga.types_with_key(&format!("children consents list {CHILD}")).assert().success().stdout_eq(str![[r#"
PURPOSE        STATUS   METHOD      NOTICE   GIVEN                 ENDS  WITHDRAWN  ID
participation  granted  electronic  2026-03  2026-03-01T09:00:00Z  -     -          con_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("children consents withdraw {CHILD} {CONSENT}")).assert().success();
    assert_eq!(olga.calls()[2], format!("POST /api/v1/children/{CHILD}/consents/{CONSENT}/withdraw"));
}

#[test]
fn a_safeguarding_lead_lists_enters_and_lifts_restrictions() {
    let olga = olga();
    olga.types_with_key(&format!("children restrictions list {CHILD}")).assert().success().stdout_eq(str![[r#"
KIND           FOR       CLOSES      SINCE                 LIFTED  REASON        DOCUMENT  ID
custody_order  everyone  everything  2026-03-01T09:00:00Z  -       Family court  -         res_01h2xcejqtf2nbrexx3vqjhp41
custody_order  Carla     contact     2026-03-01T09:00:00Z  -       Family court  -         res_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    let wanted = format!("--kind custody_order --user-id {USER} --class contact --reason Court");
    olga.types_with_key(&format!("children restrictions enter {CHILD} {wanted}")).assert().success();
    let body: Value = serde_json::from_str(&olga.stub.seen()[1].body).expect("JSON");
    let expected =
        json!({"kind": "custody_order", "user_id": USER, "classes": ["contact"], "reason": "Court"});
    assert_eq!(body, expected);
    olga.types_with_key(&format!("children restrictions lift {RESTRICTION}")).assert().success();
    assert_eq!(olga.calls()[2], format!("POST /api/v1/restrictions/{RESTRICTION}/lift"));
}

#[test]
fn a_guardian_invites_the_other_parent_by_e_mail() {
    let olga = olga();
    let group = "children guardian-invitations";
    let created = olga.types_with_key(&format!("{group} create {CHILD} --email robin@example.org"));
    created.assert().success().stderr_eq(str![[r#"
The link is mailed to robin@example.org.

"#]]);
    let body: Value = serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON");
    assert_eq!(body, json!({"email": "robin@example.org"}));
    olga.types_with_key(&format!("{group} list {CHILD}")).assert().success().stdout_eq(str![[r#"
E-MAIL             STATUS  INVITED BY  EXPIRES     ID
robin@example.org  open    Olga        2026-03-08  giv_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("{group} resend {CHILD} {INVITATION}")).assert().success();
    let path = format!("/api/v1/children/{CHILD}/guardian-invitations/{INVITATION}");
    assert_eq!(olga.calls()[2], format!("POST {path}/resend"));
    let revoked = olga.types_with_key(&format!("{group} revoke {CHILD} {INVITATION} --yes"));
    revoked.assert().success().stdout_eq(str![[r#"
Revoked giv_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
    assert_eq!(olga.calls()[3], format!("DELETE {path}"));
}
