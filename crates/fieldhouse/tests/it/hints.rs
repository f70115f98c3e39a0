//! The hint of each failure: what to do at a command line, and true for the failure at hand.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::{Value, json};

use crate::support::Reply;
use crate::{Person, fieldhouse, tokens};

/// The last lines on standard error after a problem.
fn after(status: u16, problem: &Value, headers: &[(&'static str, &str)]) -> String {
    let problem = problem.clone();
    let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let olga = Person::new(move |_| {
        let reply = Reply::json(status, &problem);
        headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value))
    });
    let output = olga.types_with_key("seasons list").output().expect("output");
    String::from_utf8(output.stderr).expect("text")
}

pub(crate) fn problem(status: u16, code: &str, detail: &str) -> Value {
    json!({"code": code, "title": "x", "status": status, "detail": detail})
}

#[test]
fn a_role_that_is_too_low_says_who_can() {
    let mut lacking =
        problem(403, "role_insufficient", "This operation requires the role manager or higher.");
    lacking["required_role"] = json!("manager");
    assert_eq!(
        after(403, &lacking, &[]),
        "error: This operation requires the role manager or higher.\n\
         hint: ask someone with this role: manager, admin, owner. Your own: fieldhouse whoami\n"
    );
}

#[test]
fn a_rate_limit_says_how_long_to_wait() {
    let limited = problem(429, "rate_limited", "The limit is used up.");
    let shown = after(429, &limited, &[("retry-after", "90")]);
    assert_eq!(shown, "error: The limit is used up.\nhint: wait 90 s, then repeat the command\n");
    let said = problem(429, "rate_limited", "The limit is used up. Wait 90 seconds.");
    assert_eq!(
        after(429, &said, &[("retry-after", "90")]),
        "error: The limit is used up. Wait 90 seconds.\n"
    );
}

#[test]
fn a_record_that_has_changed_is_read_again() {
    let changed = problem(412, "version_mismatch", "The record has version 3.");
    assert_eq!(
        after(412, &changed, &[]),
        "error: The record has version 3.\n\
         hint: it has changed since you read it: read it again, then repeat the command\n"
    );
    let unread = problem(428, "precondition_required", "If-Match is required.");
    assert!(after(428, &unread, &[]).contains("hint: read the record with --include and send its etag"));
}

#[test]
fn a_session_that_has_ended_is_opened_again() {
    let olga = Person::new(|seen| match seen.call.as_str() {
        "POST /api/v1/auth/login" => tokens(1),
        _ => Reply::problem(401, "unauthenticated"),
    });
    olga.types("login olga@coburg.test right").assert().success();
    let refused = olga.types("seasons list").output().expect("output");
    let text = String::from_utf8(refused.stderr).expect("text");
    assert!(text.contains("hint: sign in again: fieldhouse login <email>"), "{text}");
    assert_eq!(refused.status.code(), Some(4));
}

#[test]
fn responses_of_other_programs_and_versions_are_told_apart() {
    let from_proxy = Person::new(|_| Reply::json(502, &json!("Bad Gateway")));
    let shown = |olga: &Person| {
        let output = olga.types_with_key("api GET /x").output().expect("output");
        String::from_utf8(output.stderr).expect("text")
    };
    assert!(shown(&from_proxy).contains("hint: a proxy has responded: is the server behind it running?"));
    let elsewhere = Person::new(|_| Reply::json(404, &json!("nothing here")));
    assert!(shown(&elsewhere).contains("hint: is this the address of a Fieldhouse server?"));
    let newer = Person::new(|_| Reply::json(200, &json!({"data": [{"id": 1}]})));
    let output = newer.types_with_key("seasons list").output().expect("output");
    let text = String::from_utf8(output.stderr).expect("text");
    let version = env!("CARGO_PKG_VERSION");
    assert!(
        text.contains(&format!("hint: this program is version {version}; if the server's is newer")),
        "{text}"
    );
}

/// What is printed if a server at this address answers a connection with these bytes.
fn from_server(scheme: &str, answer: &'static [u8]) -> (String, String) {
    let server = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("{scheme}://{}", server.local_addr().expect("an address"));
    std::thread::spawn(move || {
        while let Ok((mut connection, _)) = server.accept() {
            let _ = connection.read(&mut [0; 64]);
            let _ = connection.write_all(answer);
        }
    });
    let home = tempfile::tempdir().expect("a home");
    let asked = fieldhouse("colleges search golf").env("XDG_CONFIG_HOME", home.path());
    let asked = asked.env("FIELDHOUSE_URL", &address).output().expect("output");
    (address, String::from_utf8(asked.stderr).expect("text"))
}

#[test]
fn a_server_with_the_other_kind_of_connection_is_reported() {
    let (address, text) = from_server("https", b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let plain = address.replace("https:", "http:");
    assert_eq!(
        text,
        format!(
            "error: the server at {address} cannot be reached: it does not use TLS, or its certificate is not trusted\n\
             hint: without TLS its address is {plain}; a certificate of your own must be trusted by this machine\n"
        )
    );
    // A TLS alert: the server has received something else than a handshake.
    let (address, text) = from_server("http", &[21, 3, 3, 0, 2, 2, 22]);
    assert!(text.starts_with(&format!("error: no response from {address}: ")), "{text}");
    assert!(text.contains("hint: if the server uses TLS, its address starts with https://"), "{text}");
}

#[test]
fn an_address_without_a_server_says_so() {
    let home = tempfile::tempdir().expect("a home");
    let ask = |url: &str| {
        let asked =
            fieldhouse("colleges search golf").env("XDG_CONFIG_HOME", home.path()).env("FIELDHOUSE_URL", url);
        String::from_utf8(asked.output().expect("output").stderr).expect("text")
    };
    let here = ask("http://127.0.0.1:9");
    assert!(here.contains("hint: is the server running at http://127.0.0.1:9?"), "{here}");
    assert!(here.contains("or start one here: fieldhouse serve --demo"), "{here}");
    let nowhere = ask("http://nowhere.invalid");
    assert!(
        nowhere.contains("its name is unknown, or there is no network\nhint: check the address"),
        "{nowhere}"
    );
    assert!(!nowhere.contains("serve --demo"), "{nowhere}");
}
