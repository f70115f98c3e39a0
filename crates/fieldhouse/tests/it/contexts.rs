//! Named contexts: what signing in stores, which context a command uses, and `fieldhouse context`.

use serde_json::{Value, json};
use snapbox::cmd::Command;
use snapbox::str;

use crate::support::{Reply, Seen};
use crate::{Person, fieldhouse, list, profile};

/// A server with two organizations; the password is the organization's slug.
fn server(seen: &Seen) -> Reply {
    match seen.call.as_str() {
        "POST /api/v1/auth/login" => {
            let body: Value = serde_json::from_str(&seen.body).expect("JSON");
            let slug = body["organization"].as_str().unwrap_or("coburg").to_owned();
            let id = if slug == "coburg" {
                "org_01h2xcejqtf2nbrexx3vqjhp41"
            } else {
                "org_01h2xcejqtf2nbrexx3vqjhp42"
            };
            Reply::json(
                200,
                &json!({"data": {
                    "access_token": format!("access-{slug}"), "token_type": "Bearer", "expires_in": 600,
                    "refresh_token": format!("refresh-{slug}"), "session_expires_at": "2026-02-01T00:00:00Z",
                    "session_id": "ses_01h2xcejqtf2nbrexx3vqjhp41", "role": "owner",
                    "organization": {"id": id, "name": slug.to_uppercase(), "slug": slug},
                }}),
            )
        }
        "POST /api/v1/auth/logout" => Reply::json(200, &json!({"data": {"sessions_ended": 1}})),
        "GET /api/v1/profile/me" => Reply::json(200, &profile()),
        _ => list(&json!([]), None),
    }
}

impl Person {
    /// A command in an environment without a server's URL.
    fn writes(&self, words: &str) -> Command {
        fieldhouse(words).env("XDG_CONFIG_HOME", self.home.path())
    }

    /// The token of the last request.
    fn last_token(&self) -> String {
        let seen = self.stub.seen();
        seen.last().and_then(|seen| seen.header("authorization")).unwrap_or_default().to_owned()
    }
}

/// Someone who has signed in to both organizations, the second one last.
fn signed_in_twice() -> Person {
    let olga = Person::new(server);
    for org in ["coburg", "northside"] {
        olga.types(&format!("login olga@coburg.test x --org {org}")).assert().success();
    }
    olga
}

#[test]
fn each_organization_gets_a_context_and_the_last_one_is_current() {
    let olga = signed_in_twice();
    olga.writes("context list").assert().success().stdout_eq(str![[r#"
NAME       CURRENT  SERVER                  ORGANIZATION  SIGNED IN WITH  UNTIL
coburg              http://127.0.0.1:[..]  COBURG        session         2026-02-01T00:00:00Z
northside  *        http://127.0.0.1:[..]  NORTHSIDE     session         2026-02-01T00:00:00Z

"#]]);
    olga.writes("seasons list").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-northside");
    olga.writes("seasons list --context coburg").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-coburg");
    olga.writes("seasons list").env("FIELDHOUSE_CONTEXT", "coburg").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-coburg");
    olga.writes("context use coburg").assert().success().stdout_eq(str![[r#"
Commands now use coburg: http://127.0.0.1:[..] for COBURG.

"#]]);
    olga.writes("seasons list").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-coburg");
    // Signing in again replaces the context's credential.
    olga.types("login olga@coburg.test x --org coburg").assert().success();
    let names = olga.writes("context list --jq .[].name").output().expect("output").stdout;
    assert_eq!(String::from_utf8_lossy(&names), "coburg\nnorthside\n");
}

#[test]
fn contexts_never_show_secrets_and_are_private() {
    let olga = signed_in_twice();
    for words in
        ["context list -o json", "context show coburg -o json", "context list -o csv", "context show"]
    {
        let shown = olga.writes(words).output().expect("output").stdout;
        let shown = String::from_utf8_lossy(&shown);
        assert!(
            shown.contains("http://") && !shown.contains("access-") && !shown.contains("refresh-"),
            "{shown}"
        );
    }
    let show = olga.writes("context show --json name,method").assert().success();
    show.stdout_eq("{\n  \"name\": \"northside\",\n  \"method\": \"session\"\n}\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let file = olga.home.path().join("fieldhouse/credentials.json");
        assert_eq!(std::fs::metadata(file).expect("the file").permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn a_context_is_named_at_sign_in() {
    let olga = Person::new(server);
    olga.types("login olga@coburg.test x --context club").assert().success();
    olga.types("login --api-key fhk_1 --context robot").assert().success();
    olga.writes("whoami --context robot").assert().success();
    assert_eq!(
        olga.stub.seen().last().and_then(|seen| seen.header("x-api-key").map(str::to_owned)).as_deref(),
        Some("fhk_1")
    );
    let here = olga.types("seasons list --context club").env("FIELDHOUSE_URL", "http://127.0.0.1:9");
    here.assert().success();
    olga.writes("login olga@coburg.test x --context two/three").assert().code(2);
    let stub = olga.stub.url();
    let elsewhere = olga.writes("seasons list --context club --base-url http://127.0.0.1:9");
    elsewhere.assert().code(2).stderr_eq(format!(
        "error: the context club is at {stub}, not at http://127.0.0.1:9\nhint: omit --base-url or --context\n"
    ));
    // The current context wins where several are at the same address, and without one the choice is the user's.
    olga.types("seasons list").assert().success();
    olga.writes("context remove robot --yes").assert().success();
    olga.types("login --api-key fhk_1 --context robot").assert().success();
    let file = olga.home.path().join("fieldhouse/credentials.json");
    let stored = std::fs::read_to_string(&file).expect("the file");
    std::fs::write(&file, stored.replace("\"current\": \"robot\"", "\"current\": null")).expect("the file");
    olga.types("seasons list").assert().code(2).stderr_eq(str![[r#"
error: there are several contexts at http://127.0.0.1:[..]
hint: choose one with --context: club, robot

"#]]);
}

#[test]
fn an_unknown_context_is_refused_with_the_known_ones() {
    let olga = signed_in_twice();
    for words in ["seasons list --context club", "context use club", "context show club"] {
        olga.writes(words).assert().code(2).stdout_eq("").stderr_eq(str![[r#"
error: there is no context club
hint: known: coburg, northside; create it: fieldhouse login <email> --context club

"#]]);
    }
    let stranger = Person::new(server);
    stranger.writes("context list").assert().success().stderr_eq("Nothing found.\n");
    stranger.writes("context show").assert().code(1).stderr_eq(str![[r#"
error: there is no context yet
hint: sign in, which creates one: fieldhouse login <email>

"#]]);
}

#[test]
fn a_removed_context_ends_its_session() {
    let olga = signed_in_twice();
    olga.writes("context remove northside").assert().code(2).stderr_eq(str![[r#"
error: Remove context northside? There is no terminal to ask on
hint: confirm with --yes

"#]]);
    let removed = olga.writes("context remove northside --yes").assert().success();
    removed.stdout_eq("Removed the context northside.\n").stderr_eq(str![[r#"
It was the current one: choose another with `fieldhouse context use NAME`.

"#]]);
    let last = olga.stub.seen().pop().expect("a request");
    assert_eq!(
        (last.call.as_str(), olga.last_token().as_str()),
        ("POST /api/v1/auth/logout", "Bearer access-northside")
    );
    olga.types("seasons list").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-coburg", "the only context at this address");
}

#[test]
fn a_file_of_an_older_version_still_works() {
    let olga = Person::new(server);
    let folder = olga.home.path().join("fieldhouse");
    std::fs::create_dir(&folder).expect("a folder");
    let (file, url) = (folder.join("credentials.json"), olga.stub.url());
    let session = json!({"kind": "session", "session_id": "ses_1", "access_token": "access-old", "refresh_token": "refresh-old"});
    let old =
        json!({"current": url, "servers": {url.clone(): {"credential": session, "guest_token": "guest-1"}}});
    std::fs::write(&file, old.to_string()).expect("a file");
    olga.writes("seasons list").assert().success();
    assert_eq!(olga.last_token(), "Bearer access-old");
    olga.types("login olga@coburg.test x").assert().success().stderr_eq(str![[r#"
Programs were saved here without signing in; add them to your list: fieldhouse colleges favorites claim

"#]]);
    let stored: Value = serde_json::from_slice(&std::fs::read(&file).expect("the file")).expect("JSON");
    let contexts = stored["contexts"].as_object().expect("contexts");
    let named: Vec<_> = contexts
        .iter()
        .map(|(name, it)| (name.starts_with("127.0.0.1-"), &it["organization"]["slug"]))
        .collect();
    assert_eq!(named, [(true, &json!("coburg"))]);
    assert!(stored["servers"].is_null() && stored["guests"][&url] == "guest-1", "{stored}");
}

#[test]
fn the_shell_completes_contexts_and_fields() {
    let olga = signed_in_twice();
    let completes = |words: &[&str]| {
        let index = (words.len() - 1).to_string();
        let asked = Command::new(snapbox::cmd::cargo_bin!("fieldhouse"))
            .env_clear()
            .env("XDG_CONFIG_HOME", olga.home.path());
        let asked = asked
            .env("FIELDHOUSE_COMPLETE", "bash")
            .env("_CLAP_COMPLETE_INDEX", index)
            .env("_CLAP_IFS", "\n");
        let asked = asked.args(["--", "fieldhouse"]).args(&words[1..]);
        String::from_utf8(asked.output().expect("output").stdout).expect("text")
    };
    assert_eq!(
        completes(&["fieldhouse", "context", "use", ""]).lines().take(2).collect::<Vec<_>>(),
        ["coburg", "northside"]
    );
    assert!(completes(&["fieldhouse", "seasons", "list", "--context", "no"]).contains("northside"));
    assert!(completes(&["fieldhouse", "seasons", "list", "--json", "id,na"]).contains("id,name"));
    assert!(completes(&["fieldhouse", "con"]).contains("context"));
}
