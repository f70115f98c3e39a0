//! An admitted request: what a call is, whatever its operation.

use std::sync::Arc;

use fieldhouse_api::Row;
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::OrgScope;
use fieldhouse_store::access::{Operator, Reading};
use jiff::Timestamp;

use super::Context;
use crate::app::App;
use crate::auth::guard::{self, Admitted};
use crate::auth::tokens::GuestDigest;
use crate::failure::Failure;

/// An admitted request. It is not generic, so that what needs no more of a call is compiled once and not for each operation.
pub struct Request {
    /// The state shared by all requests.
    pub app: App,
    /// The request as received.
    pub context: Context,
    /// The media type of the response that the caller prefers.
    pub media_type: &'static str,
    /// The operation.
    pub(super) row: &'static Row,
    pub(super) admitted: Arc<Admitted>,
}

impl Request {
    /// The store. The first read confirms a remembered caller.
    pub fn store(&self) -> Reading<'_> {
        let confirmation = self.member().and_then(OrgScope::confirmation);
        Reading::of(&self.app.store, confirmation.map(|confirmation| &**confirmation))
    }

    /// Whether the response is kept in memory.
    pub fn is_kept(&self) -> bool {
        self.member().is_some_and(|scope| self.app.responses.keeps(&self.app.store, self.row, scope))
    }

    /// The time of the request.
    pub fn now(&self) -> Timestamp {
        self.context.now
    }

    /// Whether the request asks to propose the operation as a changeset instead of doing it.
    pub fn proposes(&self) -> bool {
        self.context.proposes(self.row)
    }

    /// The permission to read the caller's organization.
    pub fn scope(&self) -> Result<&OrgScope, Failure> {
        self.member().ok_or_else(|| Denial::Unauthenticated.into())
    }

    /// The permission to read the caller's organization, if the request has a credential.
    pub fn member(&self) -> Option<&OrgScope> {
        self.admitted.member()
    }

    /// The permission of the operator, for operations that are theirs.
    pub fn operator(&self) -> Result<&Operator, Failure> {
        match &*self.admitted {
            Admitted::Operator(operator) => Ok(operator),
            Admitted::Member(_) | Admitted::Anonymous => Err(Denial::Unauthenticated.into()),
        }
    }

    /// The digest of the guest's token in the request, if it has one.
    pub fn guest(&self) -> Result<Option<GuestDigest>, Failure> {
        guard::guest(&self.app, &self.context)
    }
}
