//! The guard, which admits or refuses a request. It checks, in the order of the contract: credential, limits, role.

use std::sync::Arc;

use fieldhouse_api::Row;
use fieldhouse_domain::policy::{Credential, Denial};
use fieldhouse_store::OrgScope;
use fieldhouse_store::access::Operator;
use jiff::Timestamp;

use crate::app::App;
use crate::auth::callers::{Identified, Known};
use crate::auth::credentials::{self, Sent};
use crate::auth::limits::{AnonymousUse, RateLimitStatus};
use crate::auth::operators;
use crate::auth::tokens::{self, GuestDigest};
use crate::call::{Context, Head};
use crate::failure::Failure;

/// A caller whose request was admitted.
#[derive(Debug)]
pub enum Admitted {
    /// A member of an organization, with permission to read.
    Member(Box<OrgScope>),
    /// A caller without a credential, perhaps with a guest's token.
    Anonymous,
    /// The operator of the server.
    Operator(Operator),
}

impl Admitted {
    /// The permission of a member.
    pub fn member(&self) -> Option<&OrgScope> {
        match self {
            Self::Member(scope) => Some(scope),
            Self::Anonymous | Self::Operator(_) => None,
        }
    }
}

/// Admits or refuses a request. Also returns the rate limit status, which goes into every response. If `remembers`, a caller may be admitted
/// who still has to be confirmed.
pub async fn admit(
    app: &App,
    row: &Row,
    context: &Context,
    remembers: bool,
) -> (Option<RateLimitStatus>, Result<Admitted, Failure>) {
    let requirement = context.requirement(row);
    let has_guest_token = context.headers.contains_key(credentials::GUEST_TOKEN);
    let counted_as = AnonymousUse::of(row.operation, has_guest_token);
    if requirement.credential == Credential::Public {
        return match app.limits.count_anonymous(context.address, counted_as) {
            Ok(rate_limit) => (rate_limit, Ok(Admitted::Anonymous)),
            Err(failure) => (None, Err(failure)),
        };
    }
    if requirement.credential == Credential::Operator {
        return admit_operator(app, context);
    }
    let sent = match credentials::read(&context.headers, &app.key_ring, &app.tokens, context.now) {
        Ok(sent) => sent,
        Err(failure) => return refused(app, context, failure),
    };
    let Some(sent) = sent else {
        return match app.limits.count_anonymous(context.address, counted_as) {
            Err(failure) => (None, Err(failure)),
            Ok(rate_limit) if matches!(requirement.credential, Credential::Optional(_)) => {
                (rate_limit, Ok(Admitted::Anonymous))
            }
            Ok(rate_limit) => (rate_limit, Err(Denial::Unauthenticated.into())),
        };
    };
    let identified = match app.callers.known(&app.store, &sent, context.now) {
        Known::Current(current) => Ok(current),
        // What can be kept only reads records of the organization, so nothing has happened if the caller is not confirmed.
        Known::Remembered(identified)
            if remembers && row.kept.includes(identified.caller.ties().relations) =>
        {
            let caller = identified.caller.clone();
            if let Ok(scope) = caller.permit_remembered(requirement, context.now, context.address) {
                return admitted(app, context.now, &identified, Ok(scope));
            }
            // What memory refuses may be allowed by now.
            identify(app, &sent, context).await
        }
        Known::Remembered(_) | Known::Nothing => identify(app, &sent, context).await,
    };
    let identified = match identified {
        Ok(Ok(identified)) => identified,
        Ok(Err(denial)) => return refused(app, context, denial.into()),
        Err(error) => return (None, Err(error.into())),
    };
    let permitted = identified.caller.clone().permit(requirement, context.now, context.address);
    admitted(app, context.now, &identified, permitted)
}

/// A caller in memory who is current and may do what a row requires, for a response from memory. `None` says nothing about anyone else: then
/// [`admit`] admits or refuses the request.
pub(crate) fn recall(app: &App, row: &Row, head: Head<'_>) -> Option<(Arc<Identified>, OrgScope)> {
    let sent = credentials::read(head.headers, &app.key_ring, &app.tokens, head.now).ok()??;
    let Known::Current(Ok(identified)) = app.callers.known(&app.store, &sent, head.now) else { return None };
    let scope = identified.caller.clone().permit(row.requirement, head.now, head.address).ok()?;
    Some((identified, scope))
}

/// Identifies a caller in the store. In a box: a large future is copied several times on its way, also for a caller in memory.
async fn identify(
    app: &App,
    sent: &Sent,
    context: &Context,
) -> fieldhouse_store::Result<Result<Arc<Identified>, Denial>> {
    Box::pin(app.callers.identify(app, sent, context.now)).await
}

/// Counts the request of a caller, and admits it with their permission.
fn admitted(
    app: &App,
    now: Timestamp,
    identified: &Identified,
    permitted: Result<OrgScope, Denial>,
) -> (Option<RateLimitStatus>, Result<Admitted, Failure>) {
    match counted(app, now, identified) {
        Ok(rate_limit) => {
            let admitted = permitted.map(|scope| Admitted::Member(Box::new(scope)));
            (Some(rate_limit), admitted.map_err(Failure::from))
        }
        Err(failure) => (None, Err(failure)),
    }
}

/// Counts the request of a caller, and notes the use of their key.
pub(crate) fn counted(
    app: &App,
    now: Timestamp,
    identified: &Identified,
) -> Result<RateLimitStatus, Failure> {
    let rate_limit = app.limits.count(&identified.buckets)?;
    if let Some(key) = identified.key_to_note(now) {
        app.key_use.note(key, now);
    }
    Ok(rate_limit)
}

/// Admits the operator, whose requests are not limited. For other machines the operator's paths do not exist.
fn admit_operator(app: &App, context: &Context) -> (Option<RateLimitStatus>, Result<Admitted, Failure>) {
    if !operators::is_local(context) {
        return (None, Err(Failure::unknown_path()));
    }
    match operators::admit(app, context) {
        Ok(operator) => (None, Ok(Admitted::Operator(operator))),
        Err(failure) => refused(app, context, failure),
    }
}

/// An invalid credential counts against the client's address, to slow down guessing.
fn refused(
    app: &App,
    context: &Context,
    failure: Failure,
) -> (Option<RateLimitStatus>, Result<Admitted, Failure>) {
    match app.limits.count_anonymous(context.address, AnonymousUse::Other) {
        Ok(rate_limit) => (rate_limit, Err(failure)),
        Err(limited) => (None, Err(limited)),
    }
}

/// The digest of the guest's token in a request, if it has one.
pub fn guest(app: &App, context: &Context) -> Result<Option<GuestDigest>, Failure> {
    let Some(text) = context.headers.get(credentials::GUEST_TOKEN) else { return Ok(None) };
    let digest = tokens::guest_digest(text.to_str().unwrap_or_default(), &app.key_ring);
    digest.map(Some).ok_or_else(|| Denial::Unknown.into())
}
