//! `fieldhouse admin api-keys`.

use serde_json::{Value, json};
use snapbox::str;

use crate::support::Reply;
use crate::{Person, list};

fn key(name: &str) -> Value {
    json!({
        "id": "key_01h2xcejqtf2nbrexx3vqjhp41", "name": name, "kind": "personal", "prefix": "fhk_0123456789",
        "last4": "wxyz", "role": "owner", "organization_id": "org_01h2xcejqtf2nbrexx3vqjhp41",
        "user_id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "scopes": [], "allowed_ips": [], "status": "active",
        "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-04-01T00:00:00Z", "last_used_at": null,
        "revoked_at": null, "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    })
}

fn issued() -> Value {
    let mut issued = key("ci");
    issued["key"] = json!("fhk_secret");
    json!({"data": issued})
}

#[test]
fn a_new_key_is_alone_on_standard_output() {
    let olga = Person::new(|_| Reply::json(201, &issued()));
    let create = olga.types_with_key(
        "admin api-keys create --name ci --expires-at 2026-04-01T00:00:00Z --scope seasons:read --scope games:read --kind agent",
    );
    create.assert().success().stdout_eq("fhk_secret\n").stderr_eq(str![[r#"
Created ci (key_01h2xcejqtf2nbrexx3vqjhp41), valid until 2026-04-01T00:00:00Z.
Save the key now. It will not be shown again.

"#]]);
    let body: Value = serde_json::from_str(&olga.stub.seen()[0].body).expect("JSON");
    assert_eq!(
        body,
        json!({"name": "ci", "kind": "agent", "scopes": ["seasons:read", "games:read"],
            "expires_at": "2026-04-01T00:00:00Z"})
    );
}

#[test]
fn json_output_is_the_whole_record() {
    let olga = Person::new(|_| Reply::json(201, &issued()));
    let create = olga.types_with_key("--output json admin api-keys create --name ci --expires-in-days 7");
    let output = create.output().expect("output");
    let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json!({"data": record}), issued());
    assert!(String::from_utf8_lossy(&output.stderr).contains("not be shown again"));
}

#[test]
fn a_key_cannot_create_a_key() {
    let olga = Person::new(|_| Reply::problem(403, "session_required"));
    olga.types_with_key("admin api-keys create --name ci").assert().code(4).stderr_eq(str![[r#"
error: The stub says no.
hint: sign in with e-mail and password: fieldhouse login <email>, and unset FIELDHOUSE_API_KEY, which takes precedence
request id: req-1

"#]]);
}

#[test]
fn an_old_session_has_to_sign_in_again() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/auth/login" => crate::tokens(1),
        _ => Reply::problem(403, "session_too_old"),
    });
    olga.types("login olga@coburg.test right").assert().success();
    olga.types("admin api-keys create --name ci").assert().code(4).stderr_eq(str![[r#"
error: The stub says no.
hint: sign in again and repeat this within 15 minutes: fieldhouse login <email>
request id: req-1

"#]]);
}

#[test]
fn keys_are_listed_and_revoked() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/api-keys" => list(&json!([key("ci"), key("\u{1b}[31mred")]), Some("next")),
        _ => Reply::json(200, &json!({"data": {"id": "key_01h2xcejqtf2nbrexx3vqjhp41", "deleted": true}})),
    });
    let listed = olga.types_with_key("admin api-keys list").assert().success();
    listed.stdout_eq(str![[r#"
NAME      STATUS  EXPIRES               ROLE   KIND      KEY                    LAST USED  ID
ci        active  2026-04-01T00:00:00Z  owner  personal  fhk_0123456789...wxyz  -          key_01h2xcejqtf2nbrexx3vqjhp41
 [31mred  active  2026-04-01T00:00:00Z  owner  personal  fhk_0123456789...wxyz  -          key_01h2xcejqtf2nbrexx3vqjhp41

"#]]).stderr_eq(str![[r#"
There are more: use --all to list all of them.

"#]]);
    let revoke = olga.types_with_key("admin api-keys revoke key_01h2xcejqtf2nbrexx3vqjhp41 --yes");
    revoke.assert().success().stdout_eq(str![[r#"
Revoked key_01h2xcejqtf2nbrexx3vqjhp41.

"#]]);
}
