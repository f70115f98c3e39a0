//! A call: an admitted request with everything that its operation takes, checked in the order of the contract.
//!
//! `Call<op::X>` is the only argument of a handler. A request is checked in this order: the caller (`auth/guard.rs`), size and type, query,
//! body, path. `write.rs` runs commands, `paging.rs` reads lists.

mod accept;
mod body;
mod changes;
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
use fieldhouse_api::request::{NoParameter, NoQuery, PathParameter, Payload};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::access::Operator;
use fieldhouse_store::access::children::{ChildScope, Class};
use fieldhouse_store::access_log::{Access, Seen};
use fieldhouse_store::ledger::Shown;
use fieldhouse_store::{OrgScope, Source, Store};
use jiff::Timestamp;

pub use changes::{Since, Synced};
pub use context::{Context, Peer, RequestId};
pub use paging::{Bounds, Part};
pub use write::Invited;

use crate::app::App;
use crate::auth::guard::{self, Admitted};
use crate::auth::limits::RateLimitStatus;
use crate::failure::Failure;

/// An admitted request.
pub struct Call<O: Op> {
    /// The state shared by all requests.
    pub app: App,
    /// The request as received.
    pub context: Context,
    /// Its query parameters.
    pub query: O::Query,
    /// Its body.
    pub body: <O::Body as Payload>::Content,
    /// The media type of the response that the caller prefers.
    pub media_type: &'static str,
    /// The path parameters. `None` if one is malformed.
    path: Option<O::Path>,
    admitted: Admitted,
    /// The token of the guest that the call creates if it needs one.
    new_guest: Option<String>,
    /// Whether the call stores nothing.
    validates: bool,
}

impl<O: Op> Call<O> {
    /// The path parameters. A malformed id is not found, like the id of an unknown record; a handler asks for both at the same point, so
    /// that they are refused after the same checks.
    pub fn path(&self) -> Result<&O::Path, Failure> {
        self.path.as_ref().ok_or_else(Failure::not_found)
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.app.store
    }

    /// The time of the request.
    pub fn now(&self) -> Timestamp {
        self.context.now
    }

    /// Whether the request asks to propose the operation as a changeset instead of doing it.
    pub fn proposes(&self) -> bool {
        self.context.proposes(&O::ROW)
    }

    /// The permission to read the caller's organization.
    pub fn scope(&self) -> Result<&OrgScope, Failure> {
        self.member().ok_or_else(|| Denial::Unauthenticated.into())
    }

    /// The permission to read the caller's organization, if the request has a credential.
    pub fn member(&self) -> Option<&OrgScope> {
        match &self.admitted {
            Admitted::Member(scope) => Some(scope),
            Admitted::Anonymous | Admitted::Operator(_) => None,
        }
    }

    /// The permission to read a class of data of the children that a relation of the caller opens now. The operation's row must declare it.
    pub fn children<C: Class>(&self) -> Result<ChildScope<C>, Failure> {
        const {
            assert!(
                O::ROW.requirement.child.includes(C::CLASS, Verb::Read),
                "the row declares the class of children's data"
            );
        };
        Ok(self.scope()?.children(self.now())?)
    }

    /// Reads a class of children's data, and notes what `read` says that the response shows: children, each with the capacity that opened it.
    /// It may run twice: see [`AccessLog::read`](fieldhouse_store::access_log::AccessLog::read).
    pub async fn read_children<C: Class, T: Send + 'static>(
        &self,
        scope: ChildScope<C>,
        read: impl AsyncFn(&mut Source<'_, '_>, &ChildScope<C>) -> fieldhouse_store::Result<(T, Seen)>
        + Send
        + Sync
        + 'static,
    ) -> Result<T, Failure> {
        let access = self.access(C::CLASS, Seen::new())?;
        let read = async move |source: &mut Source<'_, '_>| read(source, &scope).await;
        Ok(self.app.access_log.read(&self.app.store, access, read).await?)
    }

    /// Notes that the response shows images of these children's records.
    pub async fn note_images(&self, shown: Shown) -> Result<(), Failure> {
        for (class, children) in shown.0 {
            let access = self.access(class, children)?;
            self.app.access_log.note(&self.app.store, access).await?;
        }
        Ok(())
    }

    fn access(&self, class: DataClass, children: Seen) -> Result<Access, Failure> {
        let scope = self.scope()?;
        Ok(Access {
            id: self.app.clock.moment().id(),
            organization: scope.organization(),
            at: self.now(),
            user: scope.user(),
            key: scope.key(),
            class,
            operation: O::OPERATION.id(),
            children,
        })
    }

    /// The permission of the operator, for operations that are theirs.
    pub fn operator(&self) -> Result<&Operator, Failure> {
        match &self.admitted {
            Admitted::Operator(operator) => Ok(operator),
            Admitted::Member(_) | Admitted::Anonymous => Err(Denial::Unauthenticated.into()),
        }
    }

    /// The same request as a call of another operation: the form of a page does what that operation does.
    pub fn act<P>(self, body: <P::Body as Payload>::Content) -> Call<P>
    where
        P: Op<Path = NoParameter, Query = NoQuery>,
    {
        Call {
            app: self.app,
            context: self.context,
            query: NoQuery {},
            body,
            media_type: self.media_type,
            path: Some(NoParameter),
            admitted: self.admitted,
            new_guest: None,
            validates: false,
        }
    }

    /// The digest of the guest's token in the request, if it has one.
    pub fn guest(&self) -> Result<Option<[u8; 32]>, Failure> {
        guard::guest(&self.app, &self.context)
    }
}

/// A call or its failure, with the rate limit status.
pub(crate) struct Arrival<O: Op> {
    pub(crate) rate_limit: Option<RateLimitStatus>,
    pub(crate) call: Result<Call<O>, Failure>,
}

impl<O: Op> FromRequest<App> for Arrival<O> {
    type Rejection = Response<Body>;

    async fn from_request(request: Request, app: &App) -> Result<Self, Self::Rejection> {
        let (mut parts, body) = request.into_parts();
        let context = Context::of(&mut parts, app);
        let (rate_limit, admitted) = guard::admit(app, &O::ROW, &context).await;
        let call = async {
            let admitted = admitted?;
            let media_type = accept::choose(&context, O::ROW.answer.media_types)?;
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
                new_guest: None,
                validates: false,
            })
        };
        Ok(Self { rate_limit, call: call.await })
    }
}

/// The path parameters. `None` if one is malformed.
async fn path_parameters<P: PathParameter>(parts: &mut axum::http::request::Parts, app: &App) -> Option<P> {
    use axum::extract::FromRequestParts;
    let params = RawPathParams::from_request_parts(parts, app).await.ok()?;
    let texts: Vec<&str> = params.iter().map(|(_, value)| value).collect();
    P::read(&texts)
}
