//! The guard: from a request's headers to who may go on, in the order of the contract: credential, limits, role.

use fieldhouse_api::Row;
use fieldhouse_domain::policy::{Credential, Denial};
use fieldhouse_store::{OrgScope, access};

use crate::app::App;
use crate::auth::credentials;
use crate::auth::limits::{AnonymousUse, Standing};
use crate::auth::tokens;
use crate::call::Context;
use crate::failure::Failure;

/// Who has been let in.
#[derive(Debug)]
pub enum Admitted {
    /// A member of an organization, with leave to read there.
    Member(Box<OrgScope>),
    /// Somebody without a credential, perhaps with a guest's token.
    Anonymous,
}

/// Lets a request in, or refuses it. Also gives how the caller stands with his limits, to be told with every answer.
pub async fn admit(app: &App, row: &Row, context: &Context) -> (Option<Standing>, Result<Admitted, Failure>) {
    let requirement = row.requirement;
    let has_guest_token = context.headers.contains_key(credentials::GUEST_TOKEN);
    let counted_as = AnonymousUse::of(row.operation, has_guest_token);
    if requirement.credential == Credential::Public {
        return match app.limits.count_anonymous(context.address, counted_as) {
            Ok(standing) => (standing, Ok(Admitted::Anonymous)),
            Err(failure) => (None, Err(failure)),
        };
    }
    let sent = match credentials::read(&context.headers, &app.key_ring, &app.tokens, context.now) {
        Ok(sent) => sent,
        Err(failure) => return refused(app, context, failure),
    };
    let Some(sent) = sent else {
        return match app.limits.count_anonymous(context.address, counted_as) {
            Err(failure) => (None, Err(failure)),
            Ok(standing) if matches!(requirement.credential, Credential::Optional(_)) => {
                (standing, Ok(Admitted::Anonymous))
            }
            Ok(standing) => (standing, Err(Denial::Unauthenticated.into())),
        };
    };
    let caller = match access::identify(&mut &*app.store, &sent, context.now).await {
        Ok(Ok(caller)) => caller,
        Ok(Err(denial)) => return refused(app, context, denial.into()),
        Err(error) => return (None, Err(error.into())),
    };
    let standing = match app.limits.count(&caller) {
        Ok(standing) => standing,
        Err(failure) => return (None, Err(failure)),
    };
    if let Some((key, last_used_at)) = caller.key() {
        app.key_use.note(key, last_used_at, context.now);
    }
    let permitted = caller.permit(requirement, context.now, context.address);
    (Some(standing), permitted.map(|scope| Admitted::Member(Box::new(scope))).map_err(Failure::from))
}

/// A bad credential counts against the address that sent it, so that guessing is slow.
fn refused(app: &App, context: &Context, failure: Failure) -> (Option<Standing>, Result<Admitted, Failure>) {
    match app.limits.count_anonymous(context.address, AnonymousUse::Other) {
        Ok(standing) => (standing, Err(failure)),
        Err(limited) => (None, Err(limited)),
    }
}

/// The digest of the guest's token that a request carries; none where it carries none.
pub fn guest(app: &App, context: &Context) -> Result<Option<[u8; 32]>, Failure> {
    let Some(text) = context.headers.get(credentials::GUEST_TOKEN) else { return Ok(None) };
    let digest = tokens::guest_digest(text.to_str().unwrap_or_default(), &app.key_ring);
    digest.map(Some).ok_or_else(|| Denial::Unknown.into())
}
