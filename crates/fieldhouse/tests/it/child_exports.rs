//! `fieldhouse children export`.

use serde_json::{Value, json};
use snapbox::str;

use crate::Person;
use crate::support::Reply;

const CHILD: &str = "chi_01h2xcejqtf2nbrexx3vqjhp41";
const EXPORT: &str = "exp_01h2xcejqtf2nbrexx3vqjhp41";

fn olga() -> Person {
    let at = "2026-03-01T09:00:00Z";
    let export = json!({
        "id": EXPORT, "kind": "child", "child_id": CHILD, "status": "ready", "requested_by": "usr_01h2xcejqtf2nbrexx3vqjhp41",
        "expires_at": "2026-03-02T09:00:00Z", "opened_at": null, "created_at": at, "updated_at": at, "version": 1,
        "token": "fhx_1", "content_url": "https://club.example/content",
    });
    let copy = json!({
        "child_id": CHILD, "exported_at": at, "profile": null, "identity": null, "contact": null, "emergency": null,
        "medical": null, "performance": null, "relations": [], "guardian_invitations": [], "consents": [], "registrations": [], "roster": [],
        "favorites": [], "access_log": [],
    });
    Person::new(move |seen| {
        if seen.call.starts_with("POST ") {
            Reply::json(201, &json!({"data": export}))
        } else {
            Reply::json(200, &json!({"data": copy}))
        }
    })
}

#[test]
fn a_copy_is_written_to_a_new_file_that_only_its_owner_reads() {
    let olga = olga();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("kim.json");
    let export = format!("children export {CHILD} {}", file.display());
    olga.types_with_key(&export).assert().success().stderr_eq(str![[r#"
Wrote [..]kim.json. It has personal data: only you can read it.

"#]]);
    let written: Value = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
    assert_eq!((&written["child_id"], &written["consents"]), (&json!(CHILD), &json!([])));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o600);
    }
    let path = format!("/api/v1/children/{CHILD}/exports");
    let calls = [format!("POST {path}"), format!("GET {path}/{EXPORT}/content")];
    let made: Vec<String> =
        olga.calls().iter().map(|call| call.split('?').next().unwrap_or(call).to_owned()).collect();
    assert_eq!(made, calls);
    olga.types_with_key(&export).assert().failure();
    assert_eq!(olga.calls().len(), 2, "an existing file is not replaced");
    olga.types_with_key(&format!("{export} --force")).assert().success();
}
