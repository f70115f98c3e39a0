//! Bodies that the router did not read. A short rest is read and discarded; otherwise the response says that the connection closes, because
//! the client cannot know where the next request would have to start.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};

/// The maximum number of bytes to discard.
const MAX_DRAINED: u64 = 64 * 1024;
/// How long to wait for them.
const DRAIN_TIME: Duration = Duration::from_millis(500);

/// A request's body, which stays here when the router drops its own handle. `None` if there is no body.
pub(super) struct RequestBody(Option<Handle>);

#[derive(Clone)]
struct Handle(Arc<Mutex<State>>);

struct State {
    body: Incoming,
    /// Whether the client still waits for `100 Continue`.
    awaits_continue: bool,
    ended: bool,
}

impl RequestBody {
    /// Shares a body with the router, which gets the second value.
    pub(super) fn share(headers: &HeaderMap, body: Incoming) -> (Self, Body) {
        if body.is_end_stream() {
            return (Self(None), Body::empty());
        }
        let awaits_continue = headers.contains_key(header::EXPECT);
        let handle = Handle(Arc::new(Mutex::new(State { body, awaits_continue, ended: false })));
        (Self(Some(handle.clone())), Body::new(handle))
    }

    /// Reads and discards the rest of the body. Returns whether the connection can take another request.
    pub(super) async fn drain(self) -> bool {
        let Some(mut rest) = self.0 else { return true };
        if rest.is_end_stream() {
            return true;
        }
        // Reading would make the client send a body that is not needed.
        if rest.state().awaits_continue || rest.size_hint().lower() > MAX_DRAINED {
            return false;
        }
        let reading = async {
            let mut drained = 0;
            while let Some(frame) = rest.frame().await {
                let Ok(frame) = frame else { return false };
                drained += frame.data_ref().map_or(0, |data| data.len() as u64);
                if drained > MAX_DRAINED {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(DRAIN_TIME, reading).await.unwrap_or(false)
    }
}

impl Handle {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for Handle {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        let mut state = self.state();
        state.awaits_continue = false;
        let frame = Pin::new(&mut state.body).poll_frame(cx);
        state.ended |= matches!(frame, Poll::Ready(None));
        frame
    }

    fn is_end_stream(&self) -> bool {
        let state = self.state();
        state.ended || state.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.state().body.size_hint()
    }
}
