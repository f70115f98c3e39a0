//! The options that limit connections.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::server::{Server, on_both};

/// Whether the server responds on a connection.
fn is_served(stream: &mut TcpStream) -> bool {
    // A connection that is closed at once may refuse what is written to it.
    let _ = stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
    let mut start = [0; 12];
    stream.read_exact(&mut start).is_ok() && start == *b"HTTP/1.1 200"
}

/// The number of accepted connections from one address, of so many that are opened.
fn served(server: &Server, opened: usize) -> usize {
    let address = server.base_url().trim_start_matches("http://");
    let mut streams: Vec<_> = (0..opened)
        .map(|_| {
            let stream = TcpStream::connect(address).expect("the system accepts");
            stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a time limit");
            stream
        })
        .collect();
    streams.iter_mut().map(is_served).filter(|served| *served).count()
}

#[test]
fn connections_are_limited_by_the_options() {
    on_both(|place| {
        for (options, expected) in [
            (["--connections", "3"], 3),
            (["--connections-per-address", "2"], 2),
            (["--connections-per-address", "0"], 9),
        ] {
            let server = place.serve(&[&["--demo"][..], &options].concat());
            assert_eq!(served(&server, 9), expected, "{options:?}");
            server.stop();
        }
    });
}
