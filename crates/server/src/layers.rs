//! The layers around every request: its id, time limit and log line, the headers of every response, and a response even if a handler
//! panics.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Response, header};
use axum::middleware::{Next, from_fn_with_state};
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
const VERSION: HeaderName = HeaderName::from_static("api-version");

/// Adds the layers to a router.
pub(crate) fn around(router: Router<App>, app: App) -> Router<App> {
    router.layer(from_fn_with_state(app, layer))
}

async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let id = request_id(&app, &request);
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();
    let trace = request.headers().get("traceparent").and_then(trace_id);
    let answered = tokio::time::timeout(REQUEST_TIME, AssertUnwindSafe(next.run(request)).catch_unwind());
    let mut response = match answered.await {
        Ok(Ok(response)) => response,
        // The panic message has gone to standard error; this log line links it to the request.
        Ok(Err(_)) => Failure::internal("a handler panicked").answer(&app.base_url, &id),
        Err(_) => Failure::of(Code::RequestTimeout).answer(&app.base_url, &id),
    };
    let headers = response.headers_mut();
    headers.insert(VERSION, HeaderValue::from_static(API_VERSION));
    // In addition to the headers that the operation's own response depends on.
    headers.append(header::VARY, HeaderValue::from_static("Authorization, X-Api-Key, X-Guest-Token"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    tracing::info!(
        request_id = &*id,
        trace_id = trace.as_deref(),
        %method,
        // Never the path: a query may contain a child's name.
        operation = response.extensions().get::<Operation>().map_or("-", |operation| operation.id()),
        status = response.status().as_u16(),
        microseconds = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        "request completed"
    );
    response
}

/// The client's own id if it is short and plain; otherwise a new one.
fn request_id(app: &App, request: &Request) -> Arc<str> {
    let plain = |id: &&str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (1..=128).contains(&id.len()) && id.bytes().all(fits)
    };
    let sent = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(plain);
    let new = || {
        let id = uuid::Uuid::from_bytes(app.clock.random()).simple();
        Arc::from(&*id.encode_lower(&mut [0; 32]))
    };
    sent.map_or_else(new, Arc::from)
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
    use axum::routing::get;
    use tower::ServiceExt;

    use fieldhouse_domain::mail::NOTIFY_HOLD;

    use super::*;
    use crate::auth::limits::LimitOptions;
    use crate::clock::Clock;
    use crate::key_ring::KeyRing;

    /// The response of a handler inside the layers.
    async fn answer(handler: axum::routing::MethodRouter<App>) -> (u16, serde_json::Value) {
        let folder = tempfile::tempdir().expect("a folder");
        let database = fieldhouse_testing::databases::sqlite();
        let store = Arc::new(database.open().await);
        let ring = KeyRing::open(folder.path(), &Clock::system()).expect("a key ring");
        let app =
            App::new(store, ring, "http://localhost", LimitOptions::default(), Clock::system(), NOTIFY_HOLD)
                .expect("an app");
        let router = around(Router::new().route("/", handler), app.clone()).with_state(app);
        let request = Request::builder().uri("/").header(REQUEST_ID, "tests-1").body(Body::empty());
        let response = router.oneshot(request.expect("a request")).await.expect("an answer");
        assert_eq!(response.headers()[REQUEST_ID], "tests-1");
        let status = response.status().as_u16();
        let body = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        (status, serde_json::from_slice(&body).expect("a problem"))
    }

    #[tokio::test]
    async fn a_panic_in_a_handler_is_an_internal_error() {
        let (status, problem) = answer(get(async || -> () { panic!("a child's name") })).await;
        assert_eq!(
            (status, &problem["code"], &problem["request_id"]),
            (500, &"internal".into(), &"tests-1".into())
        );
        assert!(!problem.to_string().contains("child"), "{problem}");
    }

    #[tokio::test]
    async fn a_request_that_takes_too_long_times_out() {
        let (status, problem) = answer(get(async || std::future::pending::<()>().await)).await;
        assert_eq!(
            (status, &problem["code"], &problem["retryable"]),
            (408, &"request_timeout".into(), &true.into())
        );
    }
}
