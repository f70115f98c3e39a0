//! The accept loop. It is our own because other servers have no limits on headers, the time to send them and the number of connections.
//! `listener/connections.rs` counts connections, `listener/progress.rs` finds clients that stop reading, `listener/unread.rs` handles
//! bodies that were not read.
//!
//! The HTTP parser itself refuses some requests (smuggling, control characters in headers) with a bare 400, and headers that are too large
//! with a bare 431, because there is no request yet to respond to with a problem.

mod connections;
mod progress;
mod unread;

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::time::Duration;

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

/// The maximum size of a request's head, in bytes.
const HEAD: usize = 16 * 1024;
/// The maximum number of headers of a request.
const HEADERS: usize = 100;
/// How long a client may take to send the head.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long running requests may take to finish when the server stops.
const LAST_REQUESTS: Duration = Duration::from_secs(30);
/// How long to wait after the system refused to accept a connection, for example because it has no file descriptors left.
const REST: Duration = Duration::from_millis(50);

/// Limits on connections.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionOptions {
    /// The maximum number of connections. More are closed as soon as they are accepted.
    pub max: u32,
    /// The maximum number of connections from one address; 0 for no limit.
    pub max_per_address: u32,
    /// How long writes may make no progress before the connection is reset.
    pub stall_time: Duration,
}

impl Default for ConnectionOptions {
    fn default() -> Self {
        Self { max: 20_000, max_per_address: 512, stall_time: Duration::from_secs(30) }
    }
}

/// What responds to requests: a router, or something before one.
pub trait Serves:
    Service<hyper::Request<Body>, Response = hyper::Response<Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static
{
}

impl<S> Serves for S where
    S: Service<hyper::Request<Body>, Response = hyper::Response<Body>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static
{
}

/// Serves connections until `stop` completes, then finishes the running requests.
pub async fn serve<S: Serves>(
    listener: TcpListener,
    site: S,
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
        let site = site.clone();
        let stream = Progressing::new(stream, options.stall_time);
        let linger = stream.linger();
        let service = service_fn(move |request| answer(site.clone(), peer, linger.clone(), request));
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
        tracing::warn!("some requests were still running when the server stopped");
    }
}

/// Responds to a request, and closes the connection if the rest of its body is too long to read.
async fn answer(
    mut site: impl Serves,
    peer: SocketAddr,
    linger: Linger,
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Body>, Infallible> {
    let (mut parts, body) = request.into_parts();
    parts.extensions.insert(Peer(peer));
    let (rest, body) = RequestBody::share(&parts.headers, body);
    let mut response = site.call(hyper::Request::from_parts(parts, body)).await?;
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
