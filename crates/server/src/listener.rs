//! The accept loop. Our own, for limits on headers, their time and the number of connections cannot be set otherwise. How connections are
//! counted is in `listener/connections.rs`, how a client that stops reading is found in `listener/progress.rs`, what becomes of a
//! body that was not read in `listener/unread.rs`.
//!
//! What the HTTP parser itself refuses (smuggling shapes, control characters in headers) is answered with a bare 400, headers that are
//! too large with a bare 431, before there is a request to answer with a problem.

mod connections;
mod progress;
mod unread;

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tower::Service;

use crate::call::Peer;
use connections::{Connections, RefusalLog};
use progress::{Linger, Progressing};
use unread::RequestBody;

/// The most bytes that a request's head may have.
const HEAD: usize = 16 * 1024;
/// The most headers that a request may have.
const HEADERS: usize = 100;
/// How long a client may take to send its head.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long requests that are under way may take to finish when the server is to stop.
const LAST_REQUESTS: Duration = Duration::from_secs(30);
/// How long to wait after the system refused to accept a connection, which it does when it is out of file descriptors.
const REST: Duration = Duration::from_millis(50);

/// How many connections are served at a time, and how long one may stall.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionOptions {
    /// Connections in all. One more is closed as soon as it is accepted.
    pub max: u32,
    /// Connections of one address, likewise; 0 for no limit.
    pub max_per_address: u32,
    /// How long writes may make no progress before the connection is reset.
    pub stall_time: Duration,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        Self { max: 20_000, max_per_address: 512, stall_time: Duration::from_secs(30) }
    }
}

/// Serves connections until `stop` is ready, then finishes the requests that are under way.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    options: ConnectionOptions,
    stop: impl Future<Output = ()>,
) {
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_headers(HEADERS).max_buf_size(HEAD);
    let connections = Connections::new(options.max, options.max_per_address);
    let mut refusals = RefusalLog::default();
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener) => accepted,
            () = &mut stop => break,
        };
        let Some((stream, peer)) = accepted else { continue };
        let open = match connections.open(peer.ip()) {
            Ok(open) => open,
            Err(limit) => {
                refusals.refused(limit);
                continue;
            }
        };
        let router = router.clone();
        let stream = Progressing::new(stream, options.stall_time);
        let linger = stream.linger();
        let service = service_fn(move |request| answer(router.clone(), peer, linger.clone(), request));
        let stream = TokioIo::new(stream);
        let connection = graceful.watch(protocol.serve_connection(stream, service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(open);
        });
    }
    drop(listener);
    if tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
}

/// Answers a request, and closes the connection where the rest of its body is not worth reading.
async fn answer(
    mut router: Router,
    peer: SocketAddr,
    linger: Linger,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Body>, Infallible> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Peer(peer));
    let (rest, body) = RequestBody::share(&parts.headers, body);
    let mut response = router.call(hyper::Request::from_parts(parts, body)).await?;
    if !rest.drain().await {
        response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        linger.begin();
    }
    Ok(response)
}

async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok((stream, peer)) => {
            let _ = stream.set_nodelay(true);
            Some((stream, peer))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(REST).await;
            None
        }
    }
}
