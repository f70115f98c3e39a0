//! What no correct client sends: heads that are too large, ambiguous requests, incomplete requests.

mod keep_alive;
mod slow;

use std::time::Duration;

use fieldhouse_domain::roles::Role;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{Club, Credential, Person, on_both};

/// How long to wait for a response.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// A raw connection.
pub(crate) struct Wire(TcpStream);

impl Wire {
    pub(crate) async fn open(club: &Club) -> Self {
        let address = club.base_url.trim_start_matches("http://");
        Self(TcpStream::connect(address).await.expect("the server accepts"))
    }

    pub(crate) async fn send(&mut self, bytes: &str) {
        self.0.write_all(bytes.as_bytes()).await.expect("the server reads");
    }

    /// Sends to a server that may have closed the connection. Returns whether it worked.
    pub(crate) async fn try_send(&mut self, bytes: &str) -> bool {
        self.0.write_all(bytes.as_bytes()).await.is_ok()
    }

    /// Reads until the given end.
    pub(crate) async fn until(&mut self, end: &str) -> String {
        let mut answer = Vec::new();
        let reading = async {
            while !String::from_utf8_lossy(&answer).ends_with(end) {
                let mut part = [0; 1024];
                match self.0.read(&mut part).await {
                    Ok(0) | Err(_) => break,
                    Ok(read) => answer.extend_from_slice(&part[..read]),
                }
            }
        };
        tokio::time::timeout(TIME_LIMIT, reading).await.expect("the server answers in time");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Reads a whole JSON response.
    pub(crate) async fn answer(&mut self) -> String {
        self.until("}").await
    }

    /// Reads until the server closes the connection.
    async fn rest(&mut self) -> String {
        self.until("\u{0}no such end").await
    }
}

/// Sends a request and reads until the server closes the connection.
async fn exchange(club: &Club, request: &str) -> String {
    let mut wire = Wire::open(club).await;
    wire.send(request).await;
    wire.rest().await
}

fn bearer(person: &Person) -> String {
    match &person.credential {
        Credential::Session(token) => format!("authorization: Bearer {token}\r\n"),
        Credential::None | Credential::Key(_) | Credential::Operator(_) => String::new(),
    }
}

#[tokio::test]
async fn a_head_of_more_than_16_kib_is_refused_and_the_connection_closed() {
    on_both(async |club| {
        let request =
            |length: usize| format!("GET /healthz HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "y".repeat(length));
        let refused = exchange(&club, &request(17 * 1024)).await;
        assert!(refused.starts_with("HTTP/1.1 431 "), "{refused}");
        let mut wire = Wire::open(&club).await;
        wire.send(&request(14 * 1024)).await;
        assert!(wire.answer().await.starts_with("HTTP/1.1 200 "));
    })
    .await;
}

#[tokio::test]
async fn a_head_of_more_than_100_headers_is_refused_and_the_connection_closed() {
    on_both(async |club| {
        let request = |count: usize| {
            let more =
                (1..count).fold(String::new(), |more, number| more + "x-" + &number.to_string() + ": y\r\n");
            format!("GET /healthz HTTP/1.1\r\nhost: a\r\n{more}\r\n")
        };
        let refused = exchange(&club, &request(101)).await;
        assert!(refused.starts_with("HTTP/1.1 431 "), "{refused}");
        let mut wire = Wire::open(&club).await;
        wire.send(&request(100)).await;
        assert!(wire.answer().await.starts_with("HTTP/1.1 200 "));
    })
    .await;
}

#[tokio::test]
async fn an_ambiguous_request_is_refused_and_the_connection_closed() {
    on_both(async |club| {
        let chunked = "0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
        for (what, head, body) in [
            ("two lengths", "content-length: 2\r\ncontent-length: 3\r\n", "{}\n"),
            ("an invalid length", "content-length: +2\r\n", "{}"),
            ("a negative length", "content-length: -1\r\n", "{}"),
            ("chunked is not the last coding", "transfer-encoding: chunked, gzip\r\n", chunked),
            ("an unknown coding", "transfer-encoding: xchunked\r\n", chunked),
            ("NUL in a header", "x: a\0b\r\n", ""),
            ("a bare CR in a header", "x: a\rb\r\n", ""),
            ("a space before a colon", "x : a\r\n", ""),
            ("a folded header", "x: a\r\n b\r\n", ""),
            ("a header without a colon", "x\r\n", ""),
        ] {
            let request = format!("POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\n{head}\r\n{body}");
            let refused = exchange(&club, &request).await;
            assert!(refused.starts_with("HTTP/1.1 400 "), "{what}: {refused}");
            assert_eq!(refused.matches("HTTP/1.1").count(), 1, "{what}: {refused}");
        }
        for line in ["GET /healthz", "GET /healthz HTTP/3.7", "GET  /healthz HTTP/1.1", "G\0T / HTTP/1.1"] {
            let refused = exchange(&club, &format!("{line}\r\nhost: a\r\n\r\n")).await;
            assert!(refused.is_empty() || refused.starts_with("HTTP/1.1 400 "), "{line:?}: {refused}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_request_with_a_length_and_chunks_is_not_read_as_two_requests() {
    on_both(async |club| {
        let request = "POST /api/v1/auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n\
             content-length: 6\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: a\r\n\r\n";
        let refused = exchange(&club, request).await;
        assert!(refused.starts_with("HTTP/1.1 400 "), "{refused}");
        assert_eq!(refused.matches("HTTP/1.1").count(), 1, "{refused}");
    })
    .await;
}

#[tokio::test]
async fn pipelined_requests_get_responses_in_order() {
    on_both(async |club| {
        let bearer = bearer(club.member(Role::Viewer));
        let requests: Vec<String> = (0..20)
            .map(|number| {
                let path = if number % 2 == 0 { "/api/v1/seasons" } else { "/api/v1/profile/me" };
                let close = if number == 19 { "connection: close\r\n" } else { "" };
                format!(
                    "GET {path} HTTP/1.1\r\nhost: a\r\nx-request-id: number-{number}.\r\n{bearer}{close}\r\n"
                )
            })
            .collect();
        let answers = exchange(&club, &requests.concat()).await;
        assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 20, "{answers}");
        let places: Vec<_> =
            (0..20).map(|number| answers.find(&format!("x-request-id: number-{number}."))).collect();
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{places:?}");
    })
    .await;
}

/// A request that creates a season, without its last byte, and that byte.
fn season(person: &Person, name: &str) -> (String, &'static str) {
    let body = json!({"name": name, "sport": "netball", "time_zone": "UTC"}).to_string();
    let head = format!(
        "POST /api/v1/seasons HTTP/1.1\r\nhost: a\r\n{}content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        bearer(person),
        body.len()
    );
    (head + body.strip_suffix('}').expect("an object"), "}")
}

#[tokio::test]
async fn a_server_that_stops_finishes_running_requests() {
    on_both(async |mut club| {
        let (start, end) = season(club.member(Role::Manager), "Winter");
        let mut wire = Wire::open(&club).await;
        wire.send(&start).await;
        // The server reads the head before it is stopped.
        tokio::time::sleep(Duration::from_millis(200)).await;
        club.stop();
        tokio::time::sleep(Duration::from_millis(100)).await;
        wire.send(end).await;
        let answer = wire.rest().await;
        assert!(answer.starts_with("HTTP/1.1 201 ") && answer.contains("Winter"), "{answer}");
        let address = club.base_url.trim_start_matches("http://");
        assert!(TcpStream::connect(address).await.is_err(), "no new connection is accepted");
    })
    .await;
}

#[tokio::test]
async fn a_client_that_disconnects_leaves_nothing_half_done() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut wire = Wire::open(&club).await;
        wire.send(&season(manager, "Never sent in full").0).await;
        drop(wire);
        for number in 0..10 {
            let (start, end) = season(manager, &format!("Season {number}"));
            let mut wire = Wire::open(&club).await;
            wire.send(&(start + end)).await;
            drop(wire);
        }
        // A request may be read before its client disconnects or not; if it was read, it is completed, now or later.
        let again = json!({"name": "Season 3", "sport": "netball", "time_zone": "UTC"});
        let answer = manager.post("/api/v1/seasons", &again).await;
        assert!(matches!(answer.status, 201 | 409), "{}", answer.text);
        let listed = manager.get("/api/v1/seasons?limit=100").await;
        let seasons = listed.body["data"].as_array().expect("a list").clone();
        for season in &seasons {
            let path = format!("/api/v1/seasons/{}", season["id"].as_str().expect("an id"));
            let read = manager.get(&path).await;
            assert_eq!(&read.body["data"], season);
            assert_ne!(season["name"], "Never sent in full");
        }
        assert_eq!(seasons.iter().filter(|season| season["name"] == "Season 3").count(), 1);
    })
    .await;
}
