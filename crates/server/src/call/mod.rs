//! A call: an admitted request with everything that its operation takes, checked in the order of the contract.
//!
//! `Call<op::X>` is the only argument of a handler. A request is checked in this order: the caller (`auth/guard.rs`), size and type, query,
//! body, path. `write.rs` runs commands, `paging.rs` reads lists.

pub(crate) mod accept;
mod arrived;
mod body;
mod changes;
mod context;
mod json;
mod paging;
mod plus;
mod query;
mod request;
mod work;
mod write;

use std::ops::Deref;
use std::sync::Arc;

use fieldhouse_api::Op;
use fieldhouse_api::request::{NoParameter, NoQuery, Payload};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::scopes::Verb;
use fieldhouse_store::Source;
use fieldhouse_store::access::children::{ChildScope, Class};
use fieldhouse_store::access_log::{Access, Seen};
use fieldhouse_store::ledger::Shown;

pub(crate) use arrived::Arrived;
pub use changes::{Since, Synced};
pub(crate) use context::Head;
pub use context::{Context, Peer, RequestId};
pub use paging::{Bounds, Part};
pub use request::Request;
pub use write::Invited;

use crate::auth::tokens::GuestDigest;
use crate::failure::Failure;

/// A request with everything that its operation takes.
pub struct Call<O: Op> {
    request: Arc<Request>,
    /// Its query parameters.
    pub query: O::Query,
    /// Its body.
    pub body: <O::Body as Payload>::Content,
    /// The path parameters. `None` if one is malformed.
    path: Option<O::Path>,
    /// The digest of the token of the guest that the call creates if it needs one.
    new_guest: Option<GuestDigest>,
    /// Whether the call stores nothing.
    validates: bool,
}

impl<O: Op> Deref for Call<O> {
    type Target = Request;
    fn deref(&self) -> &Request {
        &self.request
    }
}

impl<O: Op> Call<O> {
    /// The path parameters. A malformed id is not found, like the id of an unknown record; a handler asks for both at the same point, so
    /// that they are refused after the same checks.
    pub fn path(&self) -> Result<&O::Path, Failure> {
        self.path.as_ref().ok_or_else(Failure::not_found)
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

    /// The same request as a call of another operation: the form of a page does what that operation does.
    pub fn act<P>(self, body: <P::Body as Payload>::Content) -> Call<P>
    where
        P: Op<Path = NoParameter, Query = NoQuery>,
    {
        let Request { app, context, media_type, admitted, .. } = &*self.request;
        let request = Request {
            app: app.clone(),
            context: context.clone(),
            media_type,
            admitted: admitted.clone(),
            row: const { &P::ROW },
        };
        Call {
            request: Arc::new(request),
            query: NoQuery {},
            body,
            path: Some(NoParameter),
            new_guest: None,
            validates: false,
        }
    }
}
