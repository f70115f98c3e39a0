//! Clients that read slowly or never, and clients that open too many connections.

use std::io::ErrorKind;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::time::Duration;

use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_server::listener::ConnectionOptions;
use fieldhouse_testing::databases;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::Club;

/// A file that is larger, if requested a few times, than what the system buffers for a connection.
const FILE: &str = "/docs/swagger-ui-bundle.js";
/// The stall time in these tests.
const STALL_TIME: Duration = Duration::from_secs(1);

async fn club(connections: ConnectionOptions) -> Club {
    let limits = LimitOptions { address: NonZeroU32::MAX, ..LimitOptions::default() };
    Club::open_with(databases::sqlite(), limits, connections).await
}

fn stalling() -> ConnectionOptions {
    ConnectionOptions { stall_time: STALL_TIME, ..ConnectionOptions::default() }
}

/// A connection with a small receive buffer, on which a file was requested some times.
async fn asked(club: &Club, times: usize) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(64 * 1024).expect("a small buffer");
    let mut stream = socket.connect(address(club)).await.expect("the server accepts");
    let last = format!("GET {FILE} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n");
    let requests = format!("GET {FILE} HTTP/1.1\r\nhost: a\r\n\r\n").repeat(times - 1) + &last;
    stream.write_all(requests.as_bytes()).await.expect("the server reads");
    stream
}

fn address(club: &Club) -> SocketAddr {
    club.base_url.trim_start_matches("http://").parse().expect("an address")
}

/// Reads to the end in pieces, with a pause after each. Returns the number of bytes, and the error that ended it.
async fn read(stream: &mut TcpStream, at_a_time: usize, pause: Duration) -> (usize, Option<ErrorKind>) {
    let mut part = vec![0; at_a_time];
    let mut total = 0;
    loop {
        match stream.read(&mut part).await {
            Ok(0) => return (total, None),
            Ok(read) => total += read,
            Err(error) => return (total, Some(error.kind())),
        }
        tokio::time::sleep(pause).await;
    }
}

async fn size_of_file(club: &Club) -> usize {
    club.anonymous().get(FILE).await.text.len()
}

#[tokio::test]
async fn a_client_that_never_reads_is_disconnected_and_others_are_not() {
    let club = club(stalling()).await;
    let mut never = asked(&club, 20).await;
    tokio::time::sleep(STALL_TIME * 3).await;
    assert_eq!(club.anonymous().get("/healthz").await.status, 200);
    let (read, end) = read(&mut never, 1 << 20, Duration::ZERO).await;
    assert_eq!(end, Some(ErrorKind::ConnectionReset), "{read} bytes came");
    assert!(read < 20 * size_of_file(&club).await, "{read} bytes came");
}

#[tokio::test]
async fn a_client_that_reads_slowly_gets_everything() {
    let club = club(stalling()).await;
    let size = size_of_file(&club).await;
    let mut slow = asked(&club, 4).await;
    let started = std::time::Instant::now();
    let (read, end) = read(&mut slow, 32 * 1024, Duration::from_millis(20)).await;
    assert_eq!(end, None, "{read} bytes came");
    assert!(read > 4 * size, "{read} bytes came");
    assert!(started.elapsed() > STALL_TIME * 3, "{:?} is not slow", started.elapsed());
}

/// Whether the server responds on a connection.
async fn is_served(stream: &mut TcpStream) -> bool {
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n").await;
    let mut answer = Vec::new();
    while !answer.ends_with(b"}") {
        match stream.read_buf(&mut answer).await {
            Ok(0) | Err(_) => return false,
            Ok(_) => {}
        }
    }
    answer.starts_with(b"HTTP/1.1 200 ")
}

#[tokio::test]
async fn a_connection_above_the_limit_is_closed_and_others_stay_open() {
    for options in [
        ConnectionOptions { max: 12, ..ConnectionOptions::default() },
        ConnectionOptions { max_per_address: 12, ..ConnectionOptions::default() },
    ] {
        let club = club(options).await;
        // The client of the sign-ins may still have some connections.
        let mut open = Vec::new();
        let mut refused = None;
        for _ in 0..=12 {
            let mut stream = TcpStream::connect(address(&club)).await.expect("the system accepts");
            if is_served(&mut stream).await {
                open.push(stream);
            } else {
                refused = Some(stream);
                break;
            }
        }
        assert!(refused.is_some() && open.len() >= 5, "{options:?}: {} are open", open.len());
        for stream in &mut open {
            assert!(is_served(stream).await, "{options:?}: an open connection still works");
        }
        drop(open.pop());
        // The server notices the end of a connection a moment later.
        let mut served = false;
        for _ in 0..100 {
            let mut stream = TcpStream::connect(address(&club)).await.expect("the system accepts");
            if is_served(&mut stream).await {
                served = true;
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(served, "{options:?}: a closed connection makes room");
    }
}

#[tokio::test]
async fn zero_means_no_limit_for_an_address() {
    let club = club(ConnectionOptions { max_per_address: 0, ..ConnectionOptions::default() }).await;
    let mut open = Vec::new();
    for _ in 0..600 {
        let mut stream = TcpStream::connect(address(&club)).await.expect("the system accepts");
        assert!(is_served(&mut stream).await);
        open.push(stream);
    }
}
