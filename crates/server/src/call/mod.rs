//! A call: a request that was let in, with everything that its operation takes, read and checked in the order of the contract.
//!
//! `Call<op::X>` is the only argument that a handler has. Taking it apart means: who calls (`auth/guard.rs`), then size and type, then
//! the query, then the body, then the object in the path. What changes something goes on in `write.rs`, lists in `paging.rs`.

mod accept;
mod body;
mod context;
mod json;
mod paging;
mod plus;
mod query;
mod write;

use axum::body::Body;
use axum::extract::{FromRequest, RawPathParams, Request};
use axum::response::Response;
use fieldhouse_api::Op;
use fieldhouse_api::request::{PathParameter, Payload};
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::{OrgScope, Store};
use jiff::Timestamp;

pub use context::{Context, Peer, RequestId};
pub use paging::Bounds;

use crate::app::App;
use crate::auth::guard::{self, Admitted};
use crate::auth::limits::Standing;
use crate::failure::Failure;

/// A request that was let in.
pub struct Call<O: Op> {
    /// What all requests share.
    pub app: App,
    /// The request as it came.
    pub context: Context,
    /// Its query parameters.
    pub query: O::Query,
    /// What its body holds.
    pub body: <O::Body as Payload>::Content,
    /// The media type of the response that the caller prefers.
    pub media_type: &'static str,
    /// None where the path holds a malformed parameter.
    path: Option<O::Path>,
    admitted: Admitted,
    /// The token of a guest that the call creates where it needs one.
    welcome: Option<String>,
    /// Whether the call stores nothing.
    validates: bool,
}

impl<O: Op> Call<O> {
    /// The parameter in its path. What cannot be one is not found, like a record that there is not: asked for at the same point of a
    /// handler, both are refused after the same checks.
    pub fn path(&self) -> Result<&O::Path, Failure> {
        self.path.as_ref().ok_or_else(Failure::not_found)
    }

    /// All records.
    pub fn store(&self) -> &Store {
        &self.app.store
    }

    /// The time of the request.
    pub fn now(&self) -> Timestamp {
        self.context.now
    }

    /// Leave to read the caller's organization.
    pub fn scope(&self) -> Result<&OrgScope, Failure> {
        self.member().ok_or_else(|| Denial::Unauthenticated.into())
    }

    /// Leave to read the caller's organization, where he came with a credential.
    pub fn member(&self) -> Option<&OrgScope> {
        match &self.admitted {
            Admitted::Member(scope) => Some(scope),
            Admitted::Anonymous => None,
        }
    }

    /// The digest of the guest's token that the caller sent; none where he sent none.
    pub fn guest(&self) -> Result<Option<[u8; 32]>, Failure> {
        guard::guest(&self.app, &self.context)
    }
}

/// A call, or why there is none; with what is told in either case.
pub(crate) struct Arrival<O: Op> {
    pub(crate) standing: Option<Standing>,
    pub(crate) call: Result<Call<O>, Failure>,
}

impl<O: Op> FromRequest<App> for Arrival<O> {
    type Rejection = Response<Body>;

    async fn from_request(request: Request, app: &App) -> Result<Self, Self::Rejection> {
        let (mut parts, body) = request.into_parts();
        let context = Context::of(&mut parts, app);
        let (standing, admitted) = guard::admit(app, &O::ROW, &context).await;
        let call = async {
            let admitted = admitted?;
            let media_type = accept::negotiate(&context.headers, O::ROW.answer.media_types)?;
            let bytes = body::read(O::Body::KIND, &context.headers, body).await?;
            let query = query::parse::<O>(&context)?;
            let body = body::parse::<O>(&context, &bytes).await?;
            let path = path_parameters(&mut parts, app).await;
            let context = context.with_digest(&bytes);
            Ok(Call {
                app: app.clone(),
                context,
                path,
                query,
                body,
                media_type,
                admitted,
                welcome: None,
                validates: false,
            })
        };
        Ok(Self { standing, call: call.await })
    }
}

/// The parameters of a path; none where one of them is malformed.
async fn path_parameters<P: PathParameter>(parts: &mut axum::http::request::Parts, app: &App) -> Option<P> {
    use axum::extract::FromRequestParts;
    let params = RawPathParams::from_request_parts(parts, app).await.ok()?;
    let texts: Vec<&str> = params.iter().map(|(_, value)| value).collect();
    P::read(&texts)
}
