//! Failed sign-in attempts in the store: their number and the last time, by a digest of the e-mail address. Known and unknown addresses are
//! treated alike. This is bookkeeping of the identity provider, not a record of an organization.

use jiff::{SignedDuration, Timestamp};

use crate::engine::{Reader, Store, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::values;

queries! {
    READ "login_failures.read" "SELECT failures, last_failed_at FROM login_failures WHERE subject = $1";
    ADD "login_failures.add" "INSERT INTO login_failures (subject, failures, last_failed_at) VALUES ($1, 1, $2)
        ON CONFLICT (subject) DO UPDATE SET failures = login_failures.failures + 1, last_failed_at = $2";
    PURGE "login_failures.purge" "DELETE FROM login_failures WHERE last_failed_at < $1";
    CLEAR "login_failures.clear" "DELETE FROM login_failures WHERE subject = $1";
}

/// The number of failed attempts in a row, and the time of the last one.
pub async fn read(reader: &mut impl Reader, subject: &[u8; 32]) -> Result<Option<(i64, Timestamp)>> {
    first(reader, READ, values![subject], |row| Ok((row.next()?, row.next()?))).await
}

/// Why an address may not sign in now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The number of failed attempts in a row.
    pub failures: i64,
    /// When the next attempt is permitted.
    pub ends: Timestamp,
}

impl Store {
    /// Counts an attempt as failed before the password is checked, so that concurrent attempts cannot all pass before one is counted; the
    /// right password clears the count. `wait` is the delay after some failures; during it, attempts are refused and not counted.
    pub async fn begin_login(
        &self,
        subject: [u8; 32],
        now: Timestamp,
        wait: fn(i64) -> SignedDuration,
    ) -> Result<std::result::Result<(), Wait>> {
        self.write("login_failures.begin", async move |tx| {
            if let Some((failures, last)) = read(tx, &subject).await? {
                let ends = last.saturating_add(wait(failures)).unwrap_or(Timestamp::MAX);
                if ends > now {
                    return Ok(Err(Wait { failures, ends }));
                }
            }
            tx.run(ADD, values![&subject, now]).await?;
            Ok(Ok(()))
        })
        .await
    }

    /// Deletes the addresses whose last failure was before a time, and returns their number.
    pub async fn purge_login_failures(&self, before: Timestamp) -> Result<u64> {
        self.write("login_failures.purge", async move |tx| tx.run(PURGE, values![before]).await).await
    }

    /// Clears the failures of an address that has signed in.
    pub async fn clear_login_failures(&self, subject: [u8; 32]) -> Result<()> {
        self.write("login_failures.clear", async move |tx| tx.run(CLEAR, values![&subject]).await.map(drop))
            .await
    }
}
