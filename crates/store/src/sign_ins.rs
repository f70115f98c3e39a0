//! Sign-ins in the store: the failed attempts of an account from each source, and the sources from which it has been signed in to. Both are
//! digests; known and unknown accounts are treated alike. This is bookkeeping of the identity provider, not a record of an organization.

use fieldhouse_domain::attempts::{Attempts, COUNTED};
use jiff::Timestamp;

use crate::engine::{Reader, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::value::values;

queries! {
    READ "sign_ins.read" "SELECT (SELECT failures FROM login_failures WHERE subject = $1 AND source = $2),
        (SELECT last_failed_at FROM login_failures WHERE subject = $1 AND source = $2),
        (SELECT CAST(COALESCE(SUM(failures), 0) AS BIGINT) FROM login_failures WHERE subject = $1 AND last_failed_at > $3),
        (SELECT last_signed_in_at FROM login_sources WHERE subject = $1 AND source = $2)";
    FAIL "sign_ins.fail" "INSERT INTO login_failures (subject, source, failures, last_failed_at) VALUES ($1, $2, 1, $3)
        ON CONFLICT (subject, source) DO UPDATE SET failures = login_failures.failures + 1, last_failed_at = $3";
    CLEAR "sign_ins.clear" "DELETE FROM login_failures WHERE subject = $1 AND source = $2";
    REMEMBER "sign_ins.remember" "INSERT INTO login_sources (subject, source, last_signed_in_at) VALUES ($1, $2, $3)
        ON CONFLICT (subject, source) DO UPDATE SET last_signed_in_at = $3";
    PURGE "sign_ins.purge_failures" "DELETE FROM login_failures WHERE last_failed_at < $1";
    FORGET "sign_ins.purge_sources" "DELETE FROM login_sources WHERE last_signed_in_at < $1";
}

/// An account and the source of an attempt to sign in to it, both as digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attempted {
    /// The account.
    pub subject: [u8; 32],
    /// The source.
    pub source: [u8; 32],
}

/// The attempts on an account, as a source sees them.
pub async fn read(reader: &mut impl Reader, attempted: &Attempted, now: Timestamp) -> Result<Attempts> {
    let Attempted { subject, source } = attempted;
    let since = now.saturating_sub(COUNTED).unwrap_or(Timestamp::MIN);
    let found = first(reader, READ, values![subject, source, since], |row| {
        Ok(Attempts {
            failures: row.next::<Option<i64>>()?.unwrap_or_default(),
            last_failed_at: row.next()?,
            of_account: row.next()?,
            last_signed_in_at: row.next()?,
        })
    })
    .await?;
    Ok(found.unwrap_or_default())
}

impl Store {
    /// Counts a failed attempt.
    pub async fn note_failed_sign_in(&self, attempted: Attempted, now: Timestamp) -> Result<()> {
        let Attempted { subject, source } = attempted;
        let body = async move |tx: &mut Tx<'_>| tx.run(FAIL, values![&subject, &source, now]).await;
        self.write("sign_ins.fail", body).await.map(drop)
    }

    /// Records a sign-in: the source is known, and its failures are cleared.
    pub async fn note_sign_in(&self, attempted: Attempted, now: Timestamp) -> Result<()> {
        let Attempted { subject, source } = attempted;
        let body = async move |tx: &mut Tx<'_>| {
            tx.run(CLEAR, values![&subject, &source]).await?;
            tx.run(REMEMBER, values![&subject, &source, now]).await
        };
        self.write("sign_ins.note", body).await.map(drop)
    }

    /// Deletes failures before a time, and returns their number.
    pub async fn purge_failed_sign_ins(&self, before: Timestamp) -> Result<u64> {
        self.write("sign_ins.purge_failures", async move |tx| tx.run(PURGE, values![before]).await).await
    }

    /// Deletes sources from which no one has signed in since a time, and returns their number.
    pub async fn purge_sign_in_sources(&self, before: Timestamp) -> Result<u64> {
        self.write("sign_ins.purge_sources", async move |tx| tx.run(FORGET, values![before]).await).await
    }
}
