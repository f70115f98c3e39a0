//! Responses from memory, before anything else runs for a request: most reads of a busy server are answered here.
//!
//! What admits a caller and what keeps a response is the same as for every other request (`auth/guard.rs`, `responses.rs`). Only what is in
//! memory and current is used, so that nothing waits; any other request has not begun yet and takes the usual way (`router.rs`).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use axum::body::{Body, HttpBody as _};
use axum::http::{Method, Request, Response};
use fieldhouse_api::Row;
use fieldhouse_api::operations::rows;
use fieldhouse_api::rows::Kept;

use crate::app::App;
use crate::auth::guard;
use crate::auth::limits::RateLimitStatus;
use crate::call::{Head, accept};
use crate::failure::Failure;
use crate::layers::Begun;

/// Finds responses in memory.
pub(crate) struct Recall {
    app: App,
    /// The operations whose responses are kept, by path.
    rows: matchit::Router<&'static Row>,
}

impl Recall {
    pub(crate) fn of(app: App) -> Result<Self, String> {
        let mut kept = matchit::Router::new();
        let keeps = app.responses.keeps_any(&app.store);
        for row in rows().iter().filter(|row| keeps && row.kept != Kept::None) {
            kept.insert(row.path, row).map_err(|error| format!("{}: {error}", row.path))?;
        }
        Ok(Self { app, rows: kept })
    }

    /// The response to a request, if the caller and the response are in memory and current.
    pub(crate) fn respond(&self, request: &Request<Body>) -> Option<Response<Body>> {
        if request.method() != Method::GET || !request.body().is_end_stream() {
            return None;
        }
        let started = Instant::now();
        let row = *self.rows.at(request.uri().path()).ok()?.value;
        let head = Head::of(request, self.app.clock.now());
        // After a panic, the handler is asked.
        let recalled = catch_unwind(AssertUnwindSafe(|| self.recalled(row, head))).ok()??;
        let begun = Begun::of(&self.app, Some(row.operation), started, request);
        let response = match recalled {
            Ok((mut response, rate_limit)) => {
                rate_limit.add_to(response.headers_mut());
                response
            }
            Err(failure) => failure.answer(&self.app.base_url, &begun.id),
        };
        Some(begun.end(response))
    }

    /// The response with the caller's rate limit status, or a refusal because their limit is used up.
    fn recalled(
        &self,
        row: &Row,
        head: Head<'_>,
    ) -> Option<Result<(Response<Body>, RateLimitStatus), Failure>> {
        let app = &self.app;
        let (identified, scope) = guard::recall(app, row, head)?;
        let media_type = accept::choose(head, row.answer.media_types).ok()?;
        let response = app.responses.recall(&app.store, row, &scope, (head, media_type))?;
        Some(guard::counted(app, head.now, &identified).map(|rate_limit| (response, rate_limit)))
    }
}
