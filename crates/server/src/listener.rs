//! The accept loop. Our own, for limits on headers, their time and the number of connections cannot be set otherwise.
//!
//! What the HTTP parser itself refuses (smuggling shapes, control characters in headers) is answered with a bare 400, headers that are
//! too large with a bare 431, before there is a request to answer with a problem.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::Service;

use crate::call::Peer;

/// The most bytes that a request's head may have.
const HEAD: usize = 16 * 1024;
/// The most headers that a request may have.
const HEADERS: usize = 100;
/// How long a client may take to send its head.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How many connections are served at a time; more wait to be accepted.
const CONNECTIONS: usize = 10_000;
/// How long requests that are under way may take to finish when the server is to stop.
const LAST_REQUESTS: Duration = Duration::from_secs(30);
/// How long to wait after the system refused to accept a connection, which it does when it is out of file descriptors.
const REST: Duration = Duration::from_millis(50);

/// Serves connections until `stop` is ready, then finishes the requests that are under way.
pub async fn serve(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let mut protocol = http1::Builder::new();
    protocol.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME).max_headers(HEADERS).max_buf_size(HEAD);
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &permits) => accepted,
            () = &mut stop => break,
        };
        let Some((stream, peer, permit)) = accepted else { continue };
        let router = router.clone();
        let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(Peer(peer));
            router.clone().call(request.map(Body::new))
        });
        let connection = graceful.watch(protocol.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection ended early");
            }
            drop(permit);
        });
    }
    drop(listener);
    if tokio::time::timeout(LAST_REQUESTS, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests were still under way when the server stopped");
    }
}

type Accepted = (tokio::net::TcpStream, std::net::SocketAddr, tokio::sync::OwnedSemaphorePermit);

async fn accept(listener: &TcpListener, permits: &Arc<Semaphore>) -> Option<Accepted> {
    let permit = permits.clone().acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => {
            let _ = stream.set_nodelay(true);
            Some((stream, peer, permit))
        }
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(REST).await;
            None
        }
    }
}
