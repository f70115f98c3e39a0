//! Requests whose body is not read: either the next request on the connection gets a response, or the response announces that the
//! connection closes.

use fieldhouse_domain::roles::Role;

use super::{Wire, bearer};
use crate::support::{Club, on_both};

/// Requests that get a response before their body is read: why, the start of the head, and the status.
fn refused(club: &Club) -> Vec<(&'static str, String, u16)> {
    let viewer = bearer(club.member(Role::Viewer));
    vec![
        ("no credential", "POST /api/v1/seasons HTTP/1.1\r\n".to_owned(), 401),
        ("an insufficient role", format!("POST /api/v1/seasons HTTP/1.1\r\n{viewer}"), 403),
        ("an unknown path", "POST /api/v1/nothing HTTP/1.1\r\n".to_owned(), 404),
        ("another method", "PUT /api/v1/seasons HTTP/1.1\r\n".to_owned(), 405),
        (
            "another media type",
            "POST /api/v1/auth/login HTTP/1.1\r\ncontent-type: text/plain\r\n".to_owned(),
            415,
        ),
        ("a body on a GET", format!("GET /api/v1/seasons HTTP/1.1\r\n{viewer}"), 200),
    ]
}

fn sized(head: &str, length: usize) -> String {
    format!("{head}host: a\r\ncontent-length: {length}\r\n\r\n{}", "x".repeat(length))
}

fn chunked(head: &str, length: usize) -> String {
    let chunk = "x".repeat(length);
    format!("{head}host: a\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{chunk}\r\n0\r\n\r\n")
}

const NEXT: &str = "GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";

#[track_caller]
fn has_status(answer: &str, status: u16, what: &str) {
    assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{what}: {answer}");
}

/// Whether the head of the first response says that the connection closes.
fn says_close(answers: &str) -> bool {
    answers.split("\r\n\r\n").next().unwrap_or_default().contains("\r\nconnection: close")
}

#[tokio::test]
async fn the_next_request_gets_a_response_after_a_small_unread_body() {
    on_both(async |club| {
        for (what, head, status) in refused(&club) {
            for request in [sized(&head, 2), sized(&head, 60_000), chunked(&head, 60_000)] {
                let mut wire = Wire::open(&club).await;
                wire.send(&(request + NEXT)).await;
                let answers = wire.rest().await;
                has_status(&answers, status, what);
                assert!(!says_close(&answers), "{what}: {answers}");
                assert_eq!(answers.matches("HTTP/1.1 ").count(), 2, "{what}: {answers}");
                assert!(answers.contains("\"status\":\"ok\""), "{what}: {answers}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_connection_closes_after_a_large_unread_body() {
    on_both(async |club| {
        for (what, head, status) in refused(&club) {
            for request in [sized(&head, 800_000), chunked(&head, 800_000)] {
                let mut wire = Wire::open(&club).await;
                // All of it is sent before the response is read. The response must not be lost.
                wire.send(&(request + NEXT)).await;
                let answers = wire.rest().await;
                has_status(&answers, status, what);
                assert!(says_close(&answers), "{what}: {answers}");
                assert_eq!(answers.matches("HTTP/1.1 ").count(), 1, "{what}: {answers}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused_and_the_connection_closed() {
    on_both(async |club| {
        let head = "POST /api/v1/auth/login HTTP/1.1\r\ncontent-type: application/json\r\n";
        for request in [sized(head, 2_000_000), chunked(head, 2_000_000)] {
            let mut wire = Wire::open(&club).await;
            wire.send(&(request + NEXT)).await;
            let answers = wire.rest().await;
            has_status(&answers, 413, "too large");
            assert!(says_close(&answers), "{answers}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_server_does_not_wait_for_a_body_that_is_not_sent() {
    on_both(async |club| {
        for expect in ["", "expect: 100-continue\r\n"] {
            let mut wire = Wire::open(&club).await;
            let head =
                format!("POST /api/v1/seasons HTTP/1.1\r\n{expect}content-length: 10\r\nhost: a\r\n\r\n");
            wire.send(&head).await;
            let answers = wire.rest().await;
            has_status(&answers, 401, expect);
            assert!(says_close(&answers), "{answers}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_connection_stays_open_after_a_body_that_was_read() {
    on_both(async |club| {
        let head = "POST /api/v1/auth/login HTTP/1.1\r\ncontent-type: application/json\r\n";
        let body = r#"{"email": "unknown@club.example"}"#;
        let length = body.len();
        for framing in [
            format!("host: a\r\ncontent-length: {length}\r\n\r\n{body}"),
            format!("host: a\r\ntransfer-encoding: chunked\r\n\r\n{length:x}\r\n{body}\r\n0\r\n\r\n"),
        ] {
            for expect in ["", "expect: 100-continue\r\n"] {
                let mut wire = Wire::open(&club).await;
                wire.send(&format!("{head}{expect}{framing}{NEXT}")).await;
                let answers = wire.rest().await;
                assert!(answers.contains("HTTP/1.1 422 "), "{answers}");
                assert!(answers.contains("\"status\":\"ok\""), "{answers}");
            }
        }
    })
    .await;
}
