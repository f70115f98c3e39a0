//! What stands around every request: its id, its time limit, its log line, and the headers that every answer carries.

use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Response, header};
use axum::middleware::{Next, from_fn_with_state};
use fieldhouse_api::{Code, Operation};

use crate::app::App;
use crate::call::RequestId;
use crate::failure::Failure;

/// How long a request may take.
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// The version of the API: additions raise its second number.
pub(crate) const API_VERSION: &str = "1.0.0";

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Puts the layers around a router.
pub(crate) fn around(router: Router<App>, app: App) -> Router<App> {
    router.layer(from_fn_with_state(app, layer))
}

async fn layer(State(app): State<App>, mut request: Request, next: Next) -> Response<Body> {
    let started = Instant::now();
    let id = request_id(&app, &request);
    request.extensions_mut().insert(RequestId(id.clone()));
    let method = request.method().clone();
    let trace = request.headers().get("traceparent").and_then(trace_id);
    let mut response = match tokio::time::timeout(REQUEST_TIME, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Failure::of(Code::RequestTimeout).answer(&app.base_url, &id),
    };
    let headers = response.headers_mut();
    headers.insert("api-version", HeaderValue::from_static(API_VERSION));
    headers.insert(header::VARY, HeaderValue::from_static("Authorization, X-Api-Key, X-Guest-Token"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if let Ok(value) = HeaderValue::try_from(&id) {
        headers.insert(REQUEST_ID, value);
    }
    tracing::info!(
        request_id = id,
        trace_id = trace.as_deref(),
        %method,
        // Never the path itself: a query may name a child.
        operation = response.extensions().get::<Operation>().map_or("-", |operation| operation.id()),
        status = response.status().as_u16(),
        microseconds = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
        "answered a request"
    );
    response
}

/// The client's own id where it is short and plain, else a new one.
fn request_id(app: &App, request: &Request) -> String {
    let plain = |id: &&str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        (1..=128).contains(&id.len()) && id.bytes().all(fits)
    };
    let sent = request.headers().get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(plain);
    sent.map_or_else(|| uuid::Uuid::from_bytes(app.clock.random()).simple().to_string(), str::to_owned)
}

/// The trace id of a W3C `traceparent`; none where it is malformed.
fn trace_id(value: &HeaderValue) -> Option<String> {
    let mut parts = value.to_str().ok()?.split('-');
    let (version, trace) = (parts.next()?, parts.next()?);
    let hex = |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (hex(version, 2) && hex(trace, 32) && trace.bytes().any(|byte| byte != b'0')).then(|| trace.to_owned())
}
