//! A request whose caller is admitted and whose body is received. Its query, body and path are not checked yet.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use bytes::Bytes;
use fieldhouse_api::request::{BodyKind, PathParameter, Payload};
use fieldhouse_api::{Op, Row};

use super::body::Members;
use super::{Call, Context, Request, body, query};
use crate::app::App;
use crate::auth::guard::Admitted;
use crate::failure::Failure;

/// A request whose caller is admitted and whose body is received.
pub(crate) struct Arrived {
    request: Arc<Request>,
    /// An error of the body is reported after those of the query.
    members: Result<Members, Failure>,
    /// The path parameters. `None` if one is not UTF-8.
    parameters: Option<Vec<String>>,
}

impl Arrived {
    /// Receives the body.
    pub(crate) async fn of(
        app: &App,
        (row, media_type): (&'static Row, &'static str),
        context: Context,
        admitted: Admitted,
        (mut parts, body): (Parts, Body),
    ) -> Result<Self, Failure> {
        let (bytes, members) = match row.body_kind {
            BodyKind::None => (Bytes::new(), Ok(Members::none())),
            // In a box: the future of a request without a body stays small.
            kind => Box::pin(body::receive(kind, &context.headers, body)).await?,
        };
        let parameters = RawPathParams::from_request_parts(&mut parts, app).await.ok();
        let parameters = parameters.map(|all| all.iter().map(|(_, value)| value.to_owned()).collect());
        let (app, context) = (app.clone(), context.with_digest(&bytes));
        let request = Request { app, context, media_type, row, admitted: Arc::new(admitted) };
        Ok(Self { request: Arc::new(request), members, parameters })
    }

    /// Checks query, body and path, in this order.
    pub(crate) fn read<O: Op>(self) -> Result<Call<O>, Failure> {
        let query = query::parse(&self.request.context)?;
        let body = self.members?.read::<<O::Body as Payload>::Content>()?;
        let path = self.parameters.and_then(|texts| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            O::Path::read(&texts)
        });
        Ok(Call { request: self.request, query, body, path, new_guest: None, validates: false })
    }
}
