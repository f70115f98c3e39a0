//! Failed passwords: after a few in a row an address has to wait, longer each time, whether it is known or not, and whether it tries to
//! sign in or to set a new password. A right password does not skip the wait.

use axum::http::header;
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::text::Email;
use fieldhouse_store::login_failures;
use jiff::{SignedDuration, Timestamp};

use crate::auth::tokens;
use crate::call::Call;
use crate::failure::Failure;

/// How many failures in a row are free.
const FREE: i64 = 3;
/// The longest that an address has to wait after failures, in seconds.
const LONGEST: i64 = 15 * 60;

/// The failures of an address that may try now.
pub(crate) struct Failures {
    subject: [u8; 32],
}

impl Failures {
    /// Those of an address. Refuses where it has failed often and its wait is not over.
    pub(crate) async fn of<O: Op>(call: &Call<O>, email: &Email) -> Result<Self, Failure> {
        let subject = tokens::digest(&email.folded());
        let Some((failures, last)) = login_failures::read(&mut call.store(), &subject).await? else {
            return Ok(Self { subject });
        };
        let ends = last.saturating_add(wait_after(failures)).unwrap_or(Timestamp::MAX);
        if ends <= call.now() {
            return Ok(Self { subject });
        }
        let wait = ends.duration_since(call.now()).as_secs() + 1;
        let detail = format!(
            "The password was wrong {failures} times in a row: wait {wait} seconds before the next try."
        );
        Err(Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string()))
    }

    /// Counts one more.
    pub(crate) async fn note<O: Op>(self, call: &Call<O>) -> Result<(), Failure> {
        Ok(call.app.store.note_login_failure(self.subject, call.now()).await?)
    }

    /// Forgets them, for the password was right.
    pub(crate) async fn clear<O: Op>(self, call: &Call<O>) -> Result<(), Failure> {
        Ok(call.app.store.clear_login_failures(self.subject).await?)
    }
}

/// How long to wait after so many failures: 1 second, then twice as long each time.
fn wait_after(failures: i64) -> SignedDuration {
    let Ok(over) = u32::try_from(failures - FREE) else { return SignedDuration::ZERO };
    SignedDuration::from_secs(2_i64.saturating_pow(over).min(LONGEST))
}
