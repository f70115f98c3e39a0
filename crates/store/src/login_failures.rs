//! Failed sign-ins in the store: how often, and when last, by a digest of the address that was tried. Known and unknown addresses are
//! treated alike. This is bookkeeping of the identity provider, not a record of an organization.

use jiff::Timestamp;

use crate::engine::{Reader, Store, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::values;

queries! {
    READ "login_failures.read" "SELECT failures, last_failed_at FROM login_failures WHERE subject = $1";
    ADD "login_failures.add" "INSERT INTO login_failures (subject, failures, last_failed_at) VALUES ($1, 1, $2)
        ON CONFLICT (subject) DO UPDATE SET failures = login_failures.failures + 1, last_failed_at = $2";
    CLEAR "login_failures.clear" "DELETE FROM login_failures WHERE subject = $1";
}

/// How often sign-in failed in a row, and when last.
pub async fn read(reader: &mut impl Reader, subject: &[u8; 32]) -> Result<Option<(i64, Timestamp)>> {
    first(reader, READ, values![subject], |row| Ok((row.next()?, row.next()?))).await
}

impl Store {
    /// Notes that a sign-in failed.
    pub async fn note_login_failure(&self, subject: [u8; 32], now: Timestamp) -> Result<()> {
        self.write("login_failures.add", async move |tx| tx.run(ADD, values![&subject, now]).await.map(drop))
            .await
    }

    /// Forgets the failures of an address that has signed in.
    pub async fn clear_login_failures(&self, subject: [u8; 32]) -> Result<()> {
        self.write("login_failures.clear", async move |tx| tx.run(CLEAR, values![&subject]).await.map(drop))
            .await
    }
}
