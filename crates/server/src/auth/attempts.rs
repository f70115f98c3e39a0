//! Sign-in attempts. After a few failures in a row, an account and a source have to wait, longer each time; `fieldhouse_domain::attempts`
//! has the rule. Attempts on one account from one source run one after another, so that each sees the failures before it, and right
//! passwords that are sent at the same time all succeed.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::http::header;
use fieldhouse_api::{Code, Op};
use fieldhouse_domain::attempts::Attempts;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_store::sign_ins::{self, Attempted};
use tokio::sync::{Mutex as Turn, OwnedMutexGuard};

use crate::app::App;
use crate::auth::limits::{network, seconds};
use crate::call::Call;
use crate::failure::Failure;
use crate::key_ring::Purpose;

/// The attempts that run or wait, by account and source.
#[derive(Debug, Default)]
pub struct Running(Mutex<HashMap<Attempted, Weak<Turn<()>>>>);

impl Running {
    /// The number of accounts and sources with an attempt that runs or waits.
    pub fn count(&self) -> usize {
        let running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        running.values().filter(|turn| turn.strong_count() > 0).count()
    }

    async fn turn(&self, attempted: Attempted) -> OwnedMutexGuard<()> {
        let turn = {
            let mut running = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            running.retain(|_, turn| turn.strong_count() > 0);
            let turn = running.get(&attempted).and_then(Weak::upgrade).unwrap_or_default();
            running.insert(attempted, Arc::downgrade(&turn));
            turn
        };
        turn.lock_owned().await
    }
}

/// An attempt whose password is being checked.
pub(crate) struct Attempt {
    attempted: Attempted,
    before: Attempts,
    _turn: OwnedMutexGuard<()>,
}

impl Attempt {
    /// Starts an attempt on the account with an address, known or not. Refused while this source has to wait.
    pub(crate) async fn begin<O: Op>(call: &Call<O>, email: &Email) -> Result<Self, Failure> {
        let address = call.context.address.map(network);
        let source = address.map_or_else(String::new, |address| address.to_string());
        Self::start(call, attempted(&call.app, &email.folded(), &source)).await
    }

    /// Starts an attempt of the signed-in user on their own account. It is counted for the session, so that attempts from elsewhere do not
    /// affect it.
    pub(crate) async fn begin_own<O: Op>(call: &Call<O>, user: &User) -> Result<Self, Failure> {
        let session = call.scope()?.session().map_or_else(String::new, |session| session.to_string());
        Self::start(call, attempted(&call.app, &user.id.to_string(), &session)).await
    }

    async fn start<O: Op>(call: &Call<O>, attempted: Attempted) -> Result<Self, Failure> {
        let turn = call.app.attempts.turn(attempted).await;
        let now = call.app.clock.now();
        let before = sign_ins::read(&mut call.store(), &attempted, now).await?;
        let Some(ends) = before.wait_until(now) else { return Ok(Self { attempted, before, _turn: turn }) };
        let wait = ends.duration_since(now).as_secs() + 1;
        log(call.context.address, attempted, "refused", wait);
        let detail = format!(
            "Too many attempts with this account failed. Wait {} before the next attempt.",
            seconds(wait)
        );
        Err(Failure::new(Code::RateLimited, detail).header(header::RETRY_AFTER, wait.to_string()))
    }

    /// The password was right: clears the failures of this source.
    pub(crate) async fn succeed<O: Op>(self, call: &Call<O>) -> Result<(), Failure> {
        let now = call.app.clock.now();
        if self.before.is_worth_noting(now) {
            call.store().note_sign_in(self.attempted, now).await?;
        }
        Ok(())
    }

    /// The password was wrong: counts the failure and returns it.
    pub(crate) async fn failed<O: Op>(self, call: &Call<O>, failure: Failure) -> Failure {
        let now = call.app.clock.now();
        if let Err(error) = call.store().note_failed_sign_in(self.attempted, now).await {
            return error.into();
        }
        let after = Attempts { failures: self.before.failures + 1, last_failed_at: Some(now), ..self.before };
        let wait = after.wait_until(now).map_or(0, |ends| ends.duration_since(now).as_secs());
        log(call.context.address, self.attempted, "wrong password", wait);
        failure
    }
}

/// The digests of an account and a source under the server's key ring.
pub fn attempted(app: &App, account: &str, source: &str) -> Attempted {
    let digest = |of: &str, text: &str| app.key_ring.mac(Purpose::Token, format!("{of}\n{text}").as_bytes());
    Attempted { subject: digest("the account of an attempt", account), source: digest("its source", source) }
}

/// Logs a failed attempt, without the account: only a digest that is the same for each of its attempts.
fn log(address: Option<IpAddr>, attempted: Attempted, outcome: &str, wait: i64) {
    let subject = attempted.subject[..8].iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
    let address = address.map(|address| address.to_string());
    tracing::info!(subject, address, outcome, wait_seconds = wait, "a sign-in failed");
}
