//! A club's first evening: from `init` to a season with a result, by the people who do it, each at their own command line.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::operator::{INIT, typed};
use crate::server::{Person, Place, Server, on_both, run};

const LEAGUE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/riverside-netball.csv");

/// The link in the latest message to a person, as they read it in the folder for mail.
fn link(place: &Place, to: &str, seen: &mut Vec<String>) -> String {
    let folder =
        place.database.folder().map_or_else(|| place.folder().join("mail"), |data| data.join("mail"));
    let started = Instant::now();
    loop {
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
        for message in files.filter(|file| file.extension().is_some_and(|kind| kind == "eml")) {
            let text = std::fs::read_to_string(message).expect("a message");
            let found = text.split_whitespace().find(|word| word.contains("?token="));
            let Some(found) = found.filter(|link| {
                text.contains(&format!("To: {to}\r\n")) && !seen.iter().any(|old| old == link)
            }) else {
                continue;
            };
            seen.push(found.to_owned());
            return found.to_owned();
        }
        assert!(started.elapsed() < Duration::from_mins(1), "no message to {to} has come");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Opens a page, or sends its form, as a browser without script does. Returns the status and the page.
fn browse(server: &Server, method: &str, path: &str, form: &str) -> (u16, String) {
    let mut wire =
        TcpStream::connect(server.base_url().trim_start_matches("http://")).expect("the server listens");
    let kind = "content-type: application/x-www-form-urlencoded";
    let length = form.len();
    write!(wire, "{method} {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n{kind}\r\ncontent-length: {length}\r\n\r\n{form}")
        .expect("sent");
    let mut answer = String::new();
    wire.read_to_string(&mut answer).expect("a page");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    (status, answer)
}

/// Follows the link of an invitation, and joins on the page that it opens.
fn joins(server: &Server, link: &str, fields: &str) {
    let path = link.strip_prefix(server.base_url()).expect("the server's own link");
    let (status, page) = browse(server, "GET", path, "");
    assert!(status == 200 && page.contains("Join Riverside Club"), "{page}");
    let (path, token) = path.split_once("?token=").expect("a token");
    let (status, page) = browse(server, "POST", path, &format!("token={token}&{fields}"));
    assert!(status == 200 && page.contains("Welcome to Riverside Club"), "{page}");
}

/// The first record of a list that has a value.
fn find<'a>(list: &'a Value, pointer: &str, value: &str) -> &'a Value {
    let found =
        list.as_array().expect("a list").iter().find(|record| record.pointer(pointer) == Some(&json!(value)));
    found.unwrap_or_else(|| panic!("{pointer} = {value}: {list}"))
}

fn id(record: &Value) -> &str {
    record["id"].as_str().expect("an id")
}

/// Runs a command that must succeed, and returns its result as JSON.
fn result(person: &Person<'_>, words: &str) -> Value {
    let words: Vec<&str> = words.split(' ').chain(["-o", "json"]).collect();
    person.types(&words).json()
}

#[test]
fn a_club_gets_from_nothing_to_a_result_in_one_evening() {
    on_both(|place| {
        assert_eq!(typed(place.operates(INIT), "a long enough password\n").code, 0);
        let server = place.serve(&[]);
        let olga = place.person(&server, "olga");
        olga.types(&["login", "owner@riverside.example", "a long enough password"]);

        // A coach, a parent and a manager are invited, and join on the page that their link opens.
        let mut links = Vec::new();
        let (robin, kim, alex) =
            (place.person(&server, "robin"), place.person(&server, "kim"), place.person(&server, "alex"));
        let people = [("robin", &robin, "coach"), ("kim", &kim, "member"), ("alex", &alex, "manager")];
        for (name, person, role) in people {
            let email = format!("{name}@people.example");
            result(&olga, &format!("invitations create --email {email} --role {role}"));
            let link = link(place, &email, &mut links);
            joins(&server, &link, &format!("name={name}&password=four+words+in+a+row"));
            let (used, page) =
                browse(&server, "GET", link.strip_prefix(server.base_url()).expect("a path"), "");
            assert_eq!(used, 410, "a link works once: {page}");
            person.types(&["login", &email, "four words in a row"]);
        }

        // The league is imported, and Alex moves a game.
        let import =
            ["import", "league", LEAGUE, "--sport", "netball", "--time-zone", "Australia/Melbourne", "--yes"];
        assert_eq!(alex.types(&[&import[..], &["-o", "json"]].concat()).json()["counts"]["teams_created"], 7);
        let season = result(&alex, "seasons list")[0].clone();
        let teams = result(&alex, "teams list");
        let herons = id(find(&teams, "/name", "Herons U12")).to_owned();
        let schedule = result(&alex, &format!("teams schedule {herons}"));
        let game = find(&schedule, "/status", "scheduled").clone();
        let moved = result(&alex, &format!("games change {} --starts-at 2026-05-10T01:30:00Z", id(&game)));
        assert_eq!(
            (&moved["starts_at"], &moved["last_change"]["fields"]),
            (&json!("2026-05-10T01:30:00Z"), &json!(["starts_at"]))
        );

        // Alex proposes Robin as coach, and Olga, the second person, confirms.
        let members = result(&olga, "members list");
        let robins = find(&members, "/user/email", "robin@people.example").clone();
        let user = robins["user"]["id"].as_str().expect("a user");
        let early = robin.tries(
            &["games", "result", id(&game), "--home-score", "12", "--away-score", "15", "--status", "final"],
            None,
        );
        assert_ne!(early.code, 0, "not staff yet");
        let entry = result(&alex, &format!("staff add {herons} --user-id {user} --kind coach"));
        result(&olga, &format!("staff confirm {herons} {}", id(&entry)));
        let played = result(
            &robin,
            &format!("games result {} --home-score 12 --away-score 15 --status final", id(&game)),
        );
        assert_eq!((&played["status"], &played["away"]["score"]), (&json!("final"), &json!(15)));

        // The parent reads the standings, and sees no more than a member may.
        let standings = result(
            &kim,
            &format!("standings {} --division {}", id(&season), game["division_id"].as_str().expect("an id")),
        );
        let first = &standings["rows"][0];
        assert_eq!(
            (&first["team"]["name"], &first["points"]),
            (&json!("Herons U12"), &json!(4)),
            "{standings}"
        );
        assert_ne!(kim.tries(&["members", "list"], None).code, 0);

        // The games are exported as a spreadsheet reads them.
        let csv = olga.types(&["teams", "list", "--all", "-o", "csv"]).out;
        assert!(csv.lines().count() == 8 && csv.contains("Herons U12"), "{csv}");

        // The coach leaves: their key is refused at once. They are invited again, and come back as the same person.
        let key =
            result(&robin, "admin api-keys create --name Scores")["key"].as_str().expect("a key").to_owned();
        assert_eq!(robin.tries(&["seasons", "list"], Some(&key)).code, 0);
        olga.types(&["members", "remove", id(&robins), "--yes"]);
        let refused = robin.tries(&["seasons", "list"], Some(&key));
        assert!(refused.code == 4 && refused.error.contains("revoked"), "{refused:?}");
        assert_eq!(robin.tries(&["seasons", "list"], None).code, 4, "their session has ended, too");
        result(&olga, "invitations create --email robin@people.example --role coach");
        let link = link(place, "robin@people.example", &mut links);
        joins(&server, &link, "password=four+words+in+a+row");
        robin.types(&["login", "robin@people.example", "four words in a row"]);
        let back = result(&robin, "profile me");
        assert_eq!(
            (&back["id"], &back["teams"]),
            (&json!(user), &json!([])),
            "the same person, on no team's staff"
        );
        assert_eq!(robin.tries(&["seasons", "list"], Some(&key)).code, 4, "the old key stays revoked");

        let log = result(&olga, "admin audit list --limit 100");
        for operation in ["imports.league", "games.change", "games.result", "staff.confirm", "members.remove"]
        {
            find(&log, "/operation", operation);
        }
        server.stop();
        let verify = ["admin", "audit", "verify", "--organization", "riverside-club"];
        assert_eq!(run(place.operates(&verify)).code, 0, "the ledger is complete");
    });
}
