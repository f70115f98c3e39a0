//! A request as received: its id, time, address, headers and query.

use std::net::{IpAddr, SocketAddr};
use std::ops::Deref;

use axum::body::Body;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Request};
use fieldhouse_api::Row;
use fieldhouse_api::rows::Changeset;
use fieldhouse_domain::policy::Requirement;
use jiff::Timestamp;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use uuid::fmt::Simple;

use crate::app::App;

/// The header with which a client makes a request safe to repeat.
pub(super) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The address of the client.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

/// The id of a request, as in `X-Request-Id` and the log: visible ASCII characters.
#[derive(Clone, Debug)]
pub struct RequestId(HeaderValue);

impl RequestId {
    /// A new one.
    pub(crate) fn new(random: [u8; 16]) -> Self {
        let mut text = [0; Simple::LENGTH];
        let text = Uuid::from_bytes(random).simple().encode_lower(&mut text);
        Self(HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("-")))
    }

    /// One that the client sent.
    pub(crate) fn sent(value: HeaderValue) -> Self {
        Self(value)
    }

    /// The value of `X-Request-Id`.
    pub(crate) fn value(&self) -> HeaderValue {
        self.0.clone()
    }
}

impl Deref for RequestId {
    type Target = str;
    fn deref(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

/// A request as received.
#[derive(Clone, Debug)]
pub struct Context {
    /// Its id.
    pub id: RequestId,
    /// When it was received.
    pub now: Timestamp,
    /// The address of the client.
    pub address: Option<IpAddr>,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its path.
    pub path: String,
    /// Its raw query.
    pub query: String,
    /// The digest of path, query and body, which an idempotency key is bound to.
    pub digest: [u8; 32],
}

/// What identifies the caller of a request and the response to it, before the request is read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) now: Timestamp,
    pub(crate) address: Option<IpAddr>,
    pub(crate) headers: &'a HeaderMap,
    pub(crate) path: &'a str,
    pub(crate) query: &'a str,
}

impl<'a> Head<'a> {
    pub(crate) fn of(request: &'a Request<Body>, now: Timestamp) -> Self {
        let (headers, uri) = (request.headers(), request.uri());
        let address = address(request.extensions());
        Self { now, address, headers, path: uri.path(), query: uri.query().unwrap_or_default() }
    }
}

fn address(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<Peer>().map(|peer| peer.0.ip().to_canonical())
}

impl Context {
    pub(crate) fn of(parts: &mut Parts, app: &App, id: RequestId) -> Self {
        let address = address(&parts.extensions);
        let query = parts.uri.query().unwrap_or_default().to_owned();
        let headers = std::mem::take(&mut parts.headers);
        let path = parts.uri.path().to_owned();
        Self { id, now: app.clock.now(), address, headers, path, query, digest: [0; 32] }
    }

    pub(crate) fn head(&self) -> Head<'_> {
        let Self { now, address, ref headers, ref path, ref query, .. } = *self;
        Head { now, address, headers, path, query }
    }

    pub(crate) fn with_digest(mut self, body: &[u8]) -> Self {
        if !body.is_empty() || self.headers.contains_key(IDEMPOTENCY_KEY) {
            let mut digest = Sha256::new();
            for part in [self.path.as_bytes(), self.query.as_bytes(), body] {
                digest.update((part.len() as u64).to_be_bytes());
                digest.update(part);
            }
            self.digest = digest.finalize().into();
        }
        self
    }

    /// Whether the request has a query parameter that is `true`.
    pub(crate) fn asks_for(&self, name: &str) -> bool {
        form_urlencoded::parse(self.query.as_bytes()).any(|(key, value)| key == name && value == "true")
    }

    /// Whether the request asks to propose the operation as a changeset instead of doing it.
    pub(crate) fn proposes(&self, row: &Row) -> bool {
        row.changeset == Changeset::AsOne && self.asks_for("as_changeset")
    }

    /// What the request requires.
    pub(crate) fn requirement(&self, row: &Row) -> Requirement {
        if self.proposes(row) { row.proposed() } else { row.requirement }
    }

    /// A header as a string.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// All values of a header as one list. Bytes that are not text are replaced, so that a condition with them does not count as absent.
    pub fn list(&self, name: &str) -> Option<String> {
        let values = self.headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let values: Vec<_> = values.collect();
        (!values.is_empty()).then(|| values.join(", "))
    }

    /// The client's `User-Agent`, cut to 200 characters.
    pub fn user_agent(&self) -> Option<String> {
        self.header("user-agent").map(|agent| agent.chars().take(200).collect())
    }
}
