//! The limit that everything is compared with: plain axum behind Fieldhouse's accept loop, which responds with bytes from memory.
//!
//! It runs in a process of its own (`fieldhouse-bench limit FILE`), prints the URL that it listens on, and serves until SIGTERM. The
//! file has one response for each path; requests of every method get it.

use std::path::Path;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::routing::any;
use bytes::Bytes;
use fieldhouse_server::listener::{self, ConnectionOptions};
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

/// A response of the server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Fixed {
    /// The path that has it.
    pub(crate) path: String,
    /// The status.
    pub(crate) status: u16,
    /// The media type, if there is a body.
    pub(crate) content_type: Option<String>,
    /// The body.
    pub(crate) body: Vec<u8>,
}

/// Serves the responses of a file.
pub(crate) async fn serve(file: &Path) -> Result<()> {
    let responses: Vec<Fixed> = serde_json::from_slice(&std::fs::read(file)?)?;
    let mut router = Router::new();
    for fixed in responses {
        let status = StatusCode::from_u16(fixed.status)?;
        let content_type = fixed.content_type.as_deref().unwrap_or("application/json");
        let content_type = HeaderValue::from_str(content_type)?;
        let body = Bytes::from(fixed.body);
        let respond = move || {
            std::future::ready((status, [(header::CONTENT_TYPE, content_type.clone())], body.clone()))
        };
        router = router.route(&fixed.path, any(respond));
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.context("no port is free")?;
    println!("http://{}", listener.local_addr()?);
    let mut stop = signal(SignalKind::terminate())?;
    let stopped = async move {
        stop.recv().await;
    };
    listener::serve(listener, router, ConnectionOptions::default(), stopped).await;
    Ok(())
}
