//! Signing in and out, and what is stored in between.

use std::thread;
use std::time::Duration;

use serde_json::json;
use snapbox::str;

use crate::support::{Reply, Seen};
use crate::{Person, list, profile, tokens};

/// Accepts every sign-in; `access-1` has expired, `refresh-1` is valid once.
fn server(seen: &Seen) -> Reply {
    let authorization = seen.header("authorization");
    match seen.call.as_str() {
        "POST /api/v1/auth/login" if seen.body.contains("right") => tokens(1),
        "POST /api/v1/auth/login" => Reply::problem(401, "invalid_credentials"),
        "POST /api/v1/auth/refresh" if seen.nth == 0 && seen.body.contains("refresh-1") => {
            thread::sleep(Duration::from_millis(300));
            tokens(2)
        }
        "POST /api/v1/auth/logout" => Reply::json(200, &json!({"data": {"sessions_ended": 1}})),
        "GET /api/v1/profile/me" if seen.header("x-api-key").is_some() => Reply::json(200, &profile()),
        _ if authorization == Some("Bearer access-2") => list(&json!([]), None),
        _ => Reply::problem(401, "token_expired"),
    }
}

#[test]
fn signing_in_with_a_password() {
    let olga = Person::new(server);
    olga.types("login olga@coburg.test right").assert().success().stdout_eq(str![[r#"
Signed in to http://127.0.0.1:[..] as olga@coburg.test, owner of Coburg Basketball.

"#]]);
    olga.types("login olga@coburg.test --password-stdin").stdin("right\n").assert().success();
    let body = |nth: usize| olga.stub.seen()[nth].body.clone();
    assert_eq!((body(0), olga.calls().len()), (body(1), 2));
    olga.types("--output json logout").assert().success().stdout_eq(str![[r#"
{
  "base_url": "http://127.0.0.1:[..]",
  "signed_out": true
}

"#]]);
    olga.types("seasons list").assert().code(4);
}

#[test]
fn a_wrong_or_missing_password_is_refused() {
    let olga = Person::new(server);
    olga.types("login olga@coburg.test wrong").assert().code(4).stderr_eq(str![[r#"
error: The stub says no.
hint: check for typos, and whether --base-url is the right server
request id: req-1

"#]]);
    olga.types("login olga@coburg.test").stdin("").assert().code(2).stderr_eq(str![[r#"
error: Password is missing
hint: write it after the address, or pipe it in with --password-stdin

"#]]);
}

#[test]
fn signing_out_works_even_if_the_server_cannot_be_reached() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/auth/login" => tokens(1),
        _ => Reply::problem(403, "operation_forbidden"),
    });
    olga.types("login olga@coburg.test right").assert().success();
    olga.types("logout").assert().code(1).stderr_eq(str![[r#"
error: the credential was removed here, but the session is still valid on the server until it expires: The stub says no.
request id: req-1

"#]]);
    olga.types("logout").assert().success();
}

#[test]
fn signing_in_with_a_key() {
    let olga = Person::new(server);
    olga.types("login --api-key fhk_1").assert().success().stdout_eq(str![[r#"
Signed in to http://127.0.0.1:[..] as olga@coburg.test, owner of Coburg Basketball.

"#]]);
    olga.types("login --api-key-stdin").stdin("fhk_2\n").assert().success();
    olga.types("whoami").assert().success().stdout_eq(str![[r#"
e-mail          olga@coburg.test
organization    Coburg Basketball
role            owner
signed in with  API key key_01h2xcejqtf2nbrexx3vqjhp41, for seasons:read
until           2026-04-01T00:00:00Z
server          http://127.0.0.1:[..]
context         coburg

"#]]);
    olga.types_with_key("profile me").assert().success().stdout_eq(str![[r#"
id              usr_01h2xcejqtf2nbrexx3vqjhp41
e-mail          olga@coburg.test
name            Olga
locale          -
time zone       -
organization    Coburg Basketball (coburg)
role            owner
memberships     -
children        -
teams           -
duties          -
signed in with  API key key_01h2xcejqtf2nbrexx3vqjhp41, for seasons:read
until           2026-04-01T00:00:00Z

"#]]);
    let keys: Vec<_> =
        olga.stub.seen().iter().map(|seen| seen.header("x-api-key").unwrap_or_default().to_owned()).collect();
    assert_eq!(keys, ["fhk_1", "fhk_2", "fhk_2", "fhk_env"]);
    olga.types("logout").assert().success();
    assert_eq!(olga.calls().len(), 4, "a key is only forgotten");
}

#[test]
fn the_server_of_the_last_sign_in_is_the_default() {
    let olga = Person::new(server);
    olga.types("login --api-key fhk_1").assert().success();
    olga.types("whoami").env_remove("FIELDHOUSE_URL").assert().success();
    assert_eq!(olga.calls().len(), 2);
}

#[test]
fn a_user_with_several_organizations_must_choose_one() {
    let olga = Person::new(|_| {
        let wrong = json!({"pointer": "/organization", "code": "choose_one", "message": "must be one of your organizations",
            "fix": "Send one of: coburg, northside."});
        Reply::json(
            422,
            &json!({"code": "validation_failed", "title": "Invalid fields", "status": 422,
                "detail": "/organization must be one of your organizations.", "request_id": "req-7", "errors": [wrong],
                "organizations": ["coburg", "northside"]}),
        )
    });
    olga.types("login olga@coburg.test right").assert().code(1).stderr_eq(str![[r#"
error: you belong to several organizations
hint: choose one with --org: coburg, northside
request id: req-7

"#]]);
    olga.types("login olga@coburg.test right --org nope").assert().code(1).stderr_eq(str![[r#"
error: you do not belong to the organization nope
hint: choose one with --org: coburg, northside
request id: req-7

"#]]);
    assert!(olga.stub.seen()[1].body.contains(r#""organization":"nope""#));
}

#[test]
fn the_expiry_shown_is_that_of_the_session() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "GET /api/v1/profile/me" => {
            let mut profile = profile();
            profile["data"]["auth"] = json!({"method": "session", "key_id": null, "scopes": [],
                "session_id": "ses_01h2xcejqtf2nbrexx3vqjhp41", "expires_at": "2026-01-01T00:10:00Z"});
            Reply::json(200, &profile)
        }
        _ => tokens(1),
    });
    olga.types("login olga@coburg.test right").assert().success();
    let who = || String::from_utf8(olga.types("whoami").output().expect("output").stdout).expect("text");
    assert!(who().contains("until           2026-02-01T00:00:00Z"), "{}", who());
    let file = olga.home.path().join("fieldhouse/credentials.json");
    let kept = std::fs::read_to_string(&file).expect("the file");
    std::fs::write(&file, kept.replace("session_expires_at", "of_an_older_program")).expect("the file");
    assert!(who().contains("server") && !who().contains("until"), "{}", who());
}

#[test]
fn a_damaged_file_is_reported_and_replaced() {
    let olga = Person::new(server);
    let folder = olga.home.path().join("fieldhouse");
    std::fs::create_dir(&folder).expect("a folder");
    for replacing in ["login --api-key fhk_1", "logout"] {
        std::fs::write(folder.join("credentials.json"), "{\"servers").expect("a file");
        olga.types("whoami").assert().code(1).stderr_eq(str![[r#"
error: [..]/fieldhouse/credentials.json is damaged on line 1
hint: sign in again, which replaces it: fieldhouse login <email>

"#]]);
        olga.types(replacing).assert().success().stderr_eq(str![[r#"
[..]/fieldhouse/credentials.json is damaged on line 1. It was removed: sign in again on every server.

"#]]);
        // Signing out leaves no file, because nothing was stored.
        let kept = std::fs::read_to_string(folder.join("credentials.json")).unwrap_or("{}".to_owned());
        assert!(serde_json::from_str::<serde_json::Value>(&kept).is_ok(), "{kept}");
    }
}

#[test]
fn the_advice_for_an_invalid_key_in_the_environment_helps() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/auth/login" => tokens(1),
        "POST /api/v1/auth/logout" => Reply::json(200, &json!({"data": {"sessions_ended": 1}})),
        _ => Reply::problem(401, "invalid_credentials"),
    });
    olga.types_with_key("whoami").assert().code(4).stderr_eq(str![[r#"
error: The stub says no.
hint: FIELDHOUSE_API_KEY is set and takes precedence over any sign-in: set it to a valid key, or unset it
request id: req-1

"#]]);
    olga.types_with_key("login olga@coburg.test right").assert().success().stderr_eq(str![[r#"
FIELDHOUSE_API_KEY is set and takes precedence over this sign-in: unset it.

"#]]);
    olga.types_with_key("logout").assert().success().stderr_eq(str![[r#"
FIELDHOUSE_API_KEY is still set and used by other commands: unset it.

"#]]);
}

#[test]
fn two_processes_do_not_use_a_refresh_token_twice() {
    let olga = Person::new(server);
    olga.types("login olga@coburg.test right").assert().success();
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| olga.types("seasons list").assert().success());
        }
    });
    olga.types("seasons list").assert().success();
    let refreshes = olga.calls().iter().filter(|call| call.ends_with("/auth/refresh")).count();
    assert_eq!(refreshes, 1);
}

#[test]
fn whoami_works_with_a_limited_key() {
    let key = json!({"data": {
        "id": "key_01h2xcejqtf2nbrexx3vqjhp41", "name": "morning report", "kind": "personal", "prefix": "fhk_0123456789",
        "last4": "abcd", "role": "coach", "organization_id": "org_01h2xcejqtf2nbrexx3vqjhp41",
        "user_id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "scopes": ["games:read"], "allowed_ips": [], "status": "active",
        "created_at": "2026-01-01T00:00:00Z", "expires_at": "2026-04-01T00:00:00Z", "last_used_at": null,
        "revoked_at": null, "updated_at": "2026-01-01T00:00:00Z", "version": 1,
    }});
    let olga = Person::new(move |seen| match seen.call.as_str() {
        "GET /api/v1/api-keys/current" => Reply::json(200, &key),
        _ => Reply::problem(403, "scope_insufficient"),
    });
    let shown = olga.types_with_key("whoami").assert().success();
    shown
        .stdout_eq(str![[r#"
user            usr_01h2xcejqtf2nbrexx3vqjhp41
organization    org_01h2xcejqtf2nbrexx3vqjhp41
role            coach or lower
signed in with  API key key_01h2xcejqtf2nbrexx3vqjhp41 (morning report), for games:read
until           2026-04-01T00:00:00Z
server          http://127.0.0.1:[..]

"#]])
        .stderr_eq(str![[r#"
The e-mail address is not shown: this key lacks the scope profile:read.

"#]]);
}

#[test]
fn the_advice_for_a_wrong_current_password_is_not_to_sign_in() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/auth/login" => tokens(1),
        _ => Reply::json(
            401,
            &json!({"code": "invalid_credentials", "status": 401, "title": "Invalid credential",
                "detail": "/current_password is wrong.", "errors": [{"pointer": "/current_password",
                "code": "invalid_credentials", "message": "is wrong", "fix": "Send your current password."}]}),
        ),
    });
    olga.types("login olga@coburg.test right").assert().success();
    let change = "api POST /api/v1/auth/password -f current_password=a -f new_password=b";
    olga.types(change).assert().code(1).stderr_eq(str![[r#"
error: current_password is wrong. Send your current password.

"#]]);
}
