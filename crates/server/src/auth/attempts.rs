//! Failed passwords: after a few in a row an address has to wait, longer each time, whether it is known or not, and whether it tries to
//! sign in or to set a new password. A right password does not skip the wait.

use axum::http::header;
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::text::Email;
use fieldhouse_store::login_failures::Wait;
use jiff::SignedDuration;

use crate::auth::tokens;
use crate::call::Call;
use crate::failure::Failure;

/// How many failures in a row are free.
const FREE: i64 = 3;
/// The longest that an address has to wait after failures, in seconds.
const LONGEST: i64 = 15 * 60;

/// A try of a password, which counts as failed until it turns out right.
pub(crate) struct Attempt {
    subject: [u8; 32],
}

impl Attempt {
    /// Begins a try for an address. Refuses where it has failed often and its wait is not over.
    pub(crate) async fn begin<O: Op>(call: &Call<O>, email: &Email) -> Result<Self, Failure> {
        let subject = tokens::digest(&email.folded());
        let begun = call.app.store.begin_login(subject, call.now(), wait_after).await?;
        let Err(Wait { failures, ends }) = begun else { return Ok(Self { subject }) };
        let wait = ends.duration_since(call.now()).as_secs() + 1;
        let detail = format!(
            "None of the last {failures} tries of a password has been right: wait {wait} seconds before the next."
        );
        Err(Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string()))
    }

    /// The password was right: forgets what failed before.
    pub(crate) async fn succeed<O: Op>(self, call: &Call<O>) -> Result<(), Failure> {
        Ok(call.app.store.clear_login_failures(self.subject).await?)
    }
}

/// How long to wait after so many failures: 1 second, then twice as long each time.
fn wait_after(failures: i64) -> SignedDuration {
    let Ok(over) = u32::try_from(failures - FREE) else { return SignedDuration::ZERO };
    SignedDuration::from_secs(2_i64.saturating_pow(over).min(LONGEST))
}
