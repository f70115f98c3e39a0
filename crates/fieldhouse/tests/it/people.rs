//! `fieldhouse members` and `fieldhouse invitations`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

const MEMBER: &str = "mem_01h2xcejqtf2nbrexx3vqjhp41";
const INVITATION: &str = "inv_01h2xcejqtf2nbrexx3vqjhp41";
const USER: &str = "usr_01h2xcejqtf2nbrexx3vqjhp41";

fn member() -> Value {
    json!({
        "id": MEMBER, "user": {"id": USER, "name": "Robin Coach", "email": "robin@people.example"},
        "role": "coach", "source": "invited", "joined_at": "2026-01-01T00:00:00Z", "suspended_at": null,
        "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn invitation() -> Value {
    json!({
        "id": INVITATION, "kind": "member", "email": "robin@people.example", "role": "coach",
        "invited_by": {"id": USER, "name": "Alex Admin"}, "status": "open", "sent_at": "2026-01-01T00:00:00Z",
        "expires_at": "2026-01-08T00:00:00Z", "accepted_at": null, "member_id": null,
        "created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn club() -> Person {
    Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/members" => list(&json!([member()]), None),
        "GET /api/v1/invitations" => list(&json!([invitation()]), None),
        "POST /api/v1/invitations" => Reply::json(201, &json!({"data": invitation()})),
        call if call.starts_with("DELETE") => {
            Reply::json(200, &json!({"data": {"id": MEMBER, "deleted": true}}))
        }
        call if call.contains("/members/") => Reply::json(200, &json!({"data": member()})),
        _ => Reply::json(200, &json!({"data": invitation()})),
    })
}

#[test]
fn members_are_listed_changed_and_removed() {
    let olga = club();
    olga.types_with_key("members list").assert().success().stdout_eq(str![[r#"
NAME         E-MAIL                ROLE   STATUS  JOINED      USER                            ID
Robin Coach  robin@people.example  coach  active  2026-01-01  usr_01h2xcejqtf2nbrexx3vqjhp41  mem_01h2xcejqtf2nbrexx3vqjhp41

"#]]);
    olga.types_with_key(&format!("members change {MEMBER} --role manager --suspended false"))
        .assert()
        .success();
    olga.types_with_key(&format!("members remove {MEMBER} --yes")).assert().success().stdout_eq(str![[r#"
Removed mem_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
    let sent = olga.stub.seen();
    assert_eq!(sent[1].call, format!("PATCH /api/v1/members/{MEMBER}"));
    let body: Value = serde_json::from_str(&sent[1].body).expect("JSON");
    assert_eq!(body, json!({"role": "manager", "suspended": false}));
    assert_eq!(sent[2].call, format!("DELETE /api/v1/members/{MEMBER}"));
}

#[test]
fn members_can_be_named_by_their_e_mail_address() {
    let olga = club();
    let address = "Robin@people.example";
    olga.types_with_key(&format!("members change {address} --role manager")).assert().success();
    olga.types_with_key(&format!("members show {address}")).assert().success();
    let removed = olga.types_with_key(&format!("members remove {address} --yes"));
    removed.assert().success().stdout_eq(str![[r#"
Removed Robin@people.example.

"#]]);
    let sent = olga.stub.seen();
    assert_eq!((&*sent[0].call, &*sent[0].query), ("GET /api/v1/members", "q=Robin%40people.example"));
    let wanted = ["PATCH", "GET", "DELETE"].map(|method| format!("{method} /api/v1/members/{MEMBER}"));
    assert_eq!([1, 3, 5].map(|at: usize| sent[at].call.clone()), wanted);
    // The search also finds words of names and longer addresses.
    olga.types_with_key("members remove robin@people.exam --yes").assert().code(1).stderr_eq(str![[r#"
error: no member has the e-mail address robin@people.exam
hint: `fieldhouse members list` shows the members; `fieldhouse invitations create` invites someone

"#]]);
    let wrong = olga.types_with_key("members remove robin --yes");
    wrong.assert().code(2).stderr_eq(str![[r#"
error: invalid value 'robin' for '<MEMBER>': write an e-mail address such as name@example.org, or the id of a member: mem_...

For more information, try '--help'.

"#]]);
    assert!(!olga.calls()[6..].iter().any(|call| call.starts_with("DELETE")));
}

#[test]
fn a_yes_or_no_is_written_as_true_or_false() {
    let olga = club();
    let help = olga.types("members change --help").assert().success().get_output().stdout.clone();
    assert!(String::from_utf8_lossy(&help).contains("--suspended <true|false>"));
    let wrong = olga.types_with_key(&format!("members change {MEMBER} --suspended yes"));
    wrong.assert().code(2).stderr_eq(str![[r#"
error: invalid value 'yes' for '--suspended <true|false>'
  [possible values: true, false]

For more information, try '--help'.

"#]]);
    assert_eq!(olga.calls(), [""; 0]);
}

#[test]
fn an_invitation_is_sent_and_its_link_is_not_shown() {
    let olga = club();
    let created = olga.types_with_key("invitations create --email robin@people.example --role coach");
    created
        .assert()
        .success()
        .stdout_eq(str![[r#"
E-MAIL      robin@people.example
ROLE        coach
STATUS      open
INVITED BY  Alex Admin
EXPIRES     2026-01-08
ID          inv_01h2xcejqtf2nbrexx3vqjhp41

"#]])
        .stderr_eq(str![[r#"
The link is mailed to robin@people.example.

"#]]);
    olga.types_with_key("invitations list --status open").assert().success();
    olga.types_with_key(&format!("invitations resend {INVITATION}")).assert().success();
    olga.types_with_key(&format!("invitations revoke {INVITATION} --yes")).assert().success();
    let calls: Vec<_> = olga.stub.seen().iter().map(|seen| seen.call.clone()).collect();
    assert_eq!(calls[2], format!("POST /api/v1/invitations/{INVITATION}/resend"));
    assert_eq!(calls[3], format!("DELETE /api/v1/invitations/{INVITATION}"));
    let wrong = olga.types_with_key("invitations create --email robin --role coach");
    wrong.assert().code(2).stderr_eq(str![[r#"
error: --email is not an e-mail address. Send an address such as name@example.org.

"#]]);
}
