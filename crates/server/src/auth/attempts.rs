//! Failed sign-in attempts: after a few in a row, an e-mail address has to wait, longer each time. This also holds for unknown addresses,
//! for password changes and for the right password.

use axum::http::header;
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::text::Email;
use fieldhouse_store::login_failures::Wait;
use jiff::SignedDuration;

use crate::auth::limits::seconds;
use crate::auth::tokens;
use crate::call::Call;
use crate::failure::Failure;

/// The number of failures in a row without a wait.
const FREE: i64 = 3;
/// The maximum wait after failures, in seconds.
const LONGEST: i64 = 15 * 60;

/// A sign-in attempt, which counts as failed until it succeeds.
pub(crate) struct Attempt {
    subject: [u8; 32],
}

impl Attempt {
    /// Starts an attempt for an address. Refused while the address has to wait.
    pub(crate) async fn begin<O: Op>(call: &Call<O>, email: &Email) -> Result<Self, Failure> {
        let subject = tokens::digest(&email.folded());
        let begun = call.app.store.begin_login(subject, call.now(), wait_after).await?;
        let Err(Wait { failures, ends }) = begun else { return Ok(Self { subject }) };
        let wait = ends.duration_since(call.now()).as_secs() + 1;
        let detail = format!(
            "The last {failures} attempts with this e-mail address failed. Wait {} before the next attempt.",
            seconds(wait)
        );
        Err(Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string()))
    }

    /// The password was right: clears the earlier failures.
    pub(crate) async fn succeed<O: Op>(self, call: &Call<O>) -> Result<(), Failure> {
        Ok(call.app.store.clear_login_failures(self.subject).await?)
    }
}

/// The wait after some failures: 1 second, then twice as long each time.
fn wait_after(failures: i64) -> SignedDuration {
    let Ok(over) = u32::try_from(failures - FREE) else { return SignedDuration::ZERO };
    SignedDuration::from_secs(2_i64.saturating_pow(over).min(LONGEST))
}
