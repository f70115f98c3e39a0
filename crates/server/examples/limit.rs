//! The limit that a benchmark compares with: plain axum, which answers the bytes of a file from memory behind the same accept loop.
//!
//! `limit FILE` prints the address that it listens on, and serves until it is killed.

use axum::Router;
use axum::http::header;
use axum::routing::get;
use bytes::Bytes;
use fieldhouse_server::listener::{self, ConnectionOptions};

#[tokio::main]
async fn main() {
    let file = std::env::args().nth(1).expect("the file whose bytes are answered");
    let body = Bytes::from(std::fs::read(file).expect("the file is read"));
    let answer = move || std::future::ready(([(header::CONTENT_TYPE, "application/json")], body.clone()));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    println!("http://{}", listener.local_addr().expect("an address"));
    let router = Router::new().route("/", get(answer));
    listener::serve(listener, router, ConnectionOptions::default(), std::future::pending()).await;
}
