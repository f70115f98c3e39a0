//! `fieldhouse users`, `fieldhouse admin mail` and `fieldhouse import colleges`, with and without a running server.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::operator::{INIT, typed};
use crate::server::{Place, Printed, on_both, run};

fn operates(place: &Place, words: &[&str]) -> Printed {
    let printed = run(place.operates(words));
    assert_eq!(printed.code, 0, "{words:?} {printed:?}");
    printed
}

fn initialised(place: &Place) {
    assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
}

const RESET: &[&str] = &["users", "reset-password", "owner@riverside.example", "-o", "json"];

#[test]
fn the_operator_gets_a_link_that_sets_a_password() {
    on_both(|place| {
        initialised(place);
        let words = [RESET, &["--public-url", "https://clubs.example"]].concat();
        let early = operates(place, &words);
        assert!(early.error.contains("Send the link to this person only"), "{early:?}");
        let early = early.json()["link"].as_str().expect("a link").to_owned();
        assert!(early.starts_with("https://clubs.example/reset-password?token=fhl_"), "{early}");
        let server = place.serve(&[]);
        // The link of a command without a server works with the server, until a later one replaces it.
        assert_eq!(page(server.base_url(), token(&early)), 200);
        let link = operates(place, RESET).json()["link"].as_str().expect("a link").to_owned();
        assert_eq!(page(server.base_url(), token(&early)), 410);
        if place.database.url().is_none() {
            assert!(link.starts_with(server.base_url()), "the server knows its own URL: {link}");
        }
        let owner = place.person(&server, "owner");
        let body = format!("token={}", token(&link));
        let password = "new_password=four words in a row";
        owner.types(&["api", "POST", "/api/v1/auth/password-resets/complete", "-f", &body, "-f", password]);
        owner.types(&["login", "owner@riverside.example", "four words in a row"]);
        let unknown = run(place.operates(&["users", "reset-password", "unknown@riverside.example"]));
        assert_eq!(unknown.code, 1, "{unknown:?}");
        assert!(unknown.error.contains("No user has the address unknown@riverside.example"), "{unknown:?}");
        server.stop();
    });
}

fn token(link: &str) -> &str {
    link.split_once("token=").expect("a token").1
}

/// The status of the page that a link opens.
fn page(base_url: &str, token: &str) -> u16 {
    use std::io::{Read, Write};
    let address = base_url.trim_start_matches("http://");
    let mut wire = std::net::TcpStream::connect(address).expect("the server listens");
    write!(wire, "GET /reset-password?token={token} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        .expect("sent");
    let mut answer = String::new();
    wire.read_to_string(&mut answer).expect("a response");
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

#[test]
fn an_invitation_is_found_among_the_messages_with_its_link() {
    on_both(|place| {
        initialised(place);
        let server = place.serve(&[]);
        let owner = place.person(&server, "owner");
        owner.types(&["login", "owner@riverside.example", "a long enough password"]);
        owner.types(&["invitations", "create", "--email", "kim@riverside.example", "--role", "coach"]);
        let listed = operates(place, &["admin", "mail", "list", "-o", "json"]).json();
        assert_eq!(
            (&listed[0]["kind"], &listed[0]["recipient"], &listed[0]["error"]),
            (&json!("invitation"), &json!("kim@riverside.example"), &Value::Null)
        );
        let id = listed[0]["id"].as_str().expect("an id");
        let url = server.base_url().to_owned();
        let shown = operates(place, &["admin", "mail", "show", id, "--public-url", &url]);
        assert!(shown.out.contains("invites you to join Riverside Club"), "{}", shown.out);
        assert!(shown.out.contains(&format!("{url}/accept-invitation?token=fhl_")), "{}", shown.out);
        let fields = ["admin", "mail", "list", "--json", "recipient,status"];
        assert_eq!(operates(place, &fields).json()[0]["recipient"], "kim@riverside.example");
        server.stop();
        let alone = operates(place, &["admin", "mail", "show", id, "-o", "json"]).json();
        assert!(alone["text"].as_str().is_some_and(|text| text.contains("Riverside Club")), "{alone}");
        let unknown = run(place.operates(&["admin", "mail", "show", "mai_01h2xcejqtf2nbrexx3vqjhp41"]));
        assert!(unknown.code == 1 && unknown.error.contains("not found"), "{unknown:?}");
    });
}

#[test]
fn the_catalogue_is_imported_while_a_server_runs() {
    on_both(|place| {
        initialised(place);
        let server = place.serve(&[]);
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college/colleges.csv");
        let import = |more: &[&str]| {
            operates(place, &[&["import", "colleges", file, "-o", "json"], more].concat()).json()
        };
        assert_eq!(import(&["--dry-run"])["colleges_created"], 2040);
        assert_eq!(import(&[])["colleges_created"], 2040);
        assert_eq!(import(&[])["colleges_unchanged"], 2040);
        let anyone = place.person(&server, "anyone");
        let found = anyone.types(&["colleges", "search", "bethel", "-o", "json"]).json();
        assert!(found.as_array().is_some_and(|found| !found.is_empty()), "{found}");
        server.stop();
        assert_eq!(import(&[])["colleges_unchanged"], 2040);
    });
}

#[test]
fn a_demo_loads_its_catalogue_once_and_keeps_what_is_imported_later() {
    on_both(|place| {
        let server = place.serve(&["--demo"]);
        let is_loaded = || {
            let demo = std::fs::read_to_string(place.data_dir().join("demo.json")).expect("the demo's file");
            let demo: Value = serde_json::from_str(&demo).expect("JSON");
            !demo["catalogue"].is_null()
        };
        let started = Instant::now();
        while !is_loaded() {
            assert!(started.elapsed() < Duration::from_mins(1), "the catalogue is not loaded");
            std::thread::sleep(Duration::from_millis(20));
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/college/colleges.csv");
        let renamed = std::fs::read_to_string(file).expect("the catalogue");
        let renamed =
            renamed.replace("150145,00178700,Bethel University,", "150145,00178700,Bethel of Indiana,");
        let newer = place.data_dir().join("newer.csv");
        std::fs::write(&newer, renamed).expect("the file is written");
        let newer = newer.to_str().expect("a path");
        let import = || operates(place, &["import", "colleges", newer, "-o", "json"]).json();
        assert_eq!(import()["colleges_updated"], 1);
        server.stop();
        place.serve(&["--demo"]).stop();
        assert_eq!(import()["colleges_unchanged"], 2040);
    });
}
