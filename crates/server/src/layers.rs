//! The layers around every request: its id, time limit and log line, the headers of every response, and a response even if a handler
//! panics.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, header};
use fieldhouse_api::{Code, Operation};
use futures_util::FutureExt;

use crate::app::App;
use crate::call::RequestId;
use crate::failure::Failure;

/// The time limit of a request.
const REQUEST_TIME: Duration = Duration::from_secs(if cfg!(test) { 5 } else { 30 });
/// The version of the API. Additions raise its second number.
pub(crate) const API_VERSION: &str = "1.0.0";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACE: HeaderName = HeaderName::from_static("traceparent");
const VERSION: HeaderName = HeaderName::from_static("api-version");

/// A request that has begun: what its response and its log line need of it.
pub(crate) struct Begun {
    /// Its id.
    pub(crate) id: RequestId,
    operation: Option<Operation>,
    started: Instant,
    method: Method,
    trace: Option<String>,
}

impl Begun {
    /// A request that began at `started`. `operation` is what the log line names.
    pub(crate) fn of(
        app: &App,
        operation: Option<Operation>,
        started: Instant,
        request: &Request<Body>,
    ) -> Self {
        let id = request_id(app, request.headers());
        let trace = request.headers().get(TRACE).and_then(trace_id);
        Self { id, operation, started, method: request.method().clone(), trace }
    }

    /// Adds the headers of every response, and writes the log line.
    pub(crate) fn end(self, mut response: Response<Body>) -> Response<Body> {
        let headers = response.headers_mut();
        headers.insert(VERSION, HeaderValue::from_static(API_VERSION));
        // In addition to the headers that the operation's own response depends on.
        headers.append(header::VARY, HeaderValue::from_static("Authorization, X-Api-Key, X-Guest-Token"));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        headers.insert(REQUEST_ID, self.id.value());
        tracing::info!(
            request_id = &*self.id,
            trace_id = self.trace.as_deref(),
            method = self.method.as_str(),
            // Never the path: a query may contain a child's name.
            operation = self.operation.map_or("-", |operation| operation.id()),
            status = response.status().as_u16(),
            microseconds = u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX),
            "request completed"
        );
        response
    }
}

/// Runs a handler inside the layers. `operation` is what the log line names; `run` also gets the id of the request.
pub(crate) async fn around<F>(
    app: &App,
    operation: Option<Operation>,
    request: Request<Body>,
    run: impl FnOnce(RequestId, Request<Body>) -> F,
) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let begun = Begun::of(app, operation, Instant::now(), &request);
    // In a box, because the time limit and the guard against panics would each move it.
    let running = AssertUnwindSafe(Box::pin(run(begun.id.clone(), request))).catch_unwind();
    let response = match tokio::time::timeout(REQUEST_TIME, running).await {
        Ok(Ok(response)) => response,
        // The panic message has gone to standard error; this log line links it to the request.
        Ok(Err(_)) => Failure::internal("a handler panicked").answer(&app.base_url, &begun.id),
        Err(_) => Failure::of(Code::RequestTimeout).answer(&app.base_url, &begun.id),
    };
    begun.end(response)
}

/// The client's own id if it is short and plain; otherwise a new one.
fn request_id(app: &App, headers: &HeaderMap) -> RequestId {
    let is_plain = |id: &&HeaderValue| {
        let fits = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (1..=128).contains(&id.len()) && id.as_bytes().iter().all(fits)
    };
    let sent = headers.get(REQUEST_ID).filter(is_plain).cloned();
    sent.map_or_else(|| RequestId::new(app.clock.random()), RequestId::sent)
}

/// The trace id of a W3C `traceparent`, if it is valid.
fn trace_id(value: &HeaderValue) -> Option<String> {
    let mut parts = value.to_str().ok()?.split('-');
    let (version, trace) = (parts.next()?, parts.next()?);
    let hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hex(version, 2) && hex(trace, 32) && trace.bytes().any(|byte| byte != b'0')).then(|| trace.to_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fieldhouse_domain::mail::NOTIFY_HOLD;

    use super::*;
    use crate::auth::limits::LimitOptions;
    use crate::clock::Clock;
    use crate::key_ring::KeyRing;

    /// The response of a handler inside the layers.
    async fn answer(handler: impl Future<Output = Response<Body>>) -> (u16, serde_json::Value) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = fieldhouse_testing::databases::sqlite();
        let store = Arc::new(database.open().await);
        let ring = KeyRing::open(folder.path(), &Clock::system()).expect("a key ring");
        let app =
            App::new(store, ring, "http://localhost", LimitOptions::default(), Clock::system(), NOTIFY_HOLD)
                .expect("an app");
        let request = Request::builder().uri("/").header(REQUEST_ID, "tests-1").body(Body::empty());
        let response = around(&app, None, request.expect("a request"), |_, _| handler).await;
        assert_eq!(response.headers()[REQUEST_ID], "tests-1");
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, serde_json::from_slice(&body).expect("a problem"))
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_is_an_internal_error() {
        let (status, problem) = answer(async { panic!("a child's name") }).await;
        assert_eq!(
            (status, &problem["code"], &problem["request_id"]),
            (500, &"internal".into(), &"tests-1".into())
        );
        assert!(!problem.to_string().contains("child"), "{problem}");
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_times_out() {
        let (status, problem) = answer(std::future::pending()).await;
        assert_eq!(
            (status, &problem["code"], &problem["retryable"]),
            (408, &"request_timeout".into(), &true.into())
        );
    }
}
