//! Heads: the newest entry of each organization's ledger.

use fieldhouse_domain::ids::OrganizationId;
use jiff::Timestamp;

use super::chain::{self, Link};
use super::reading::Position;
use crate::engine::stream::Part;
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::query::{Query, queries};
use crate::row::Row;
use crate::value::{Value, id, values};

queries! {
    READ "ledger.head" "SELECT epoch, seq, posted_at, chain FROM ledger_heads WHERE org_id = $1";
    CREATE "ledger.create_head" "INSERT INTO ledger_heads (org_id, epoch, seq, posted_at, chain) VALUES ($1, $2, 0, $3, $4)";
    /// Each step halves the numbers between an entry that was posted before $2 and one that was not: posting times grow with the number.
    POSTED_BEFORE "ledger.posted_before" "WITH RECURSIVE search (low, high) AS (
            SELECT CAST(0 AS BIGINT), seq FROM ledger_heads WHERE org_id = $1
            UNION ALL
            SELECT CASE WHEN (SELECT posted_at FROM ledger_entries WHERE org_id = $1 AND seq = (low + high + 1) / 2) < $2
                    THEN (low + high + 1) / 2 ELSE low END,
                CASE WHEN (SELECT posted_at FROM ledger_entries WHERE org_id = $1 AND seq = (low + high + 1) / 2) < $2
                    THEN high ELSE (low + high + 1) / 2 - 1 END
            FROM search WHERE low < high)
        SELECT low FROM search WHERE low = high";
    ADVANCE "ledger.advance" "UPDATE ledger_heads SET seq = $2, posted_at = $3, chain = $4 WHERE org_id = $1 AND seq = $5";
}

/// Waits for another poster, and reads what it committed.
const LOCK: &Query = &Query::new(
    "ledger.lock_head",
    "SELECT epoch, seq, posted_at, chain FROM ledger_heads WHERE org_id = $1 FOR NO KEY UPDATE",
);
/// The queries that only PostgreSQL has.
pub(crate) const POSTGRES_QUERIES: &[&Query] = &[LOCK];

/// The table of heads.
pub(crate) const TABLE: &str = "ledger_heads";

/// The newest entry of an organization's ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Changes when the organization is restored or imported: positions in another epoch are invalid.
    pub epoch: i64,
    /// The number of the newest entry; 0 if there is none.
    pub seq: i64,
    /// When it was posted.
    pub posted_at: Timestamp,
    /// The last link of the chain.
    pub chain: Link,
}

/// A number that grows with every commit of an organization and is the same on every node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Generation {
    /// The ledger's epoch.
    pub epoch: i64,
    /// The number of entries committed in this epoch.
    pub commits: i64,
}

impl Head {
    /// Its position.
    pub fn position(&self) -> Position {
        Position { epoch: self.epoch, seq: self.seq }
    }
}

/// How far a head was advanced.
pub(super) struct Advance {
    /// The number that the table has.
    pub(super) from: i64,
    pub(super) head: Head,
}

impl Advance {
    /// The statement that writes it, with its values.
    pub(super) fn statement(&self, organization: OrganizationId) -> (&'static Query, [Value<'_>; 5]) {
        let Self { from, head } = self;
        let values =
            [id(organization), head.seq.into(), head.posted_at.into(), (&head.chain).into(), (*from).into()];
        (ADVANCE, values)
    }
}

fn row(row: &mut Row<'_>) -> Result<Head> {
    Ok(Head { epoch: row.next()?, seq: row.next()?, posted_at: row.next()?, chain: row.next()? })
}

pub(crate) async fn read(reader: &mut impl Reader, organization: OrganizationId) -> Result<Head> {
    found(organization, first(reader, READ, values![id(organization)], row).await?)
}

/// The number of the newest entry that was posted before a time; 0 if there is none.
pub(super) async fn posted_before(
    reader: &mut impl Reader,
    organization: OrganizationId,
    time: Timestamp,
) -> Result<i64> {
    let found = first(reader, POSTED_BEFORE, values![id(organization), time], |row| row.next()).await?;
    Ok(found.unwrap_or(0))
}

/// The head as the part of a stream.
pub(super) fn part<T>(organization: OrganizationId, made: impl Fn(Head) -> T + Send + 'static) -> Part<T> {
    Part::new(READ, vec![id(organization)], move |found| row(found).map(&made))
}

/// Locks and reads the head, for a transaction that appends entries.
pub(crate) async fn lock(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<Head> {
    let values = values![id(organization)];
    let head = match tx.posted() {
        Some(posted) => match posted.head(organization) {
            Some(head) => return Ok(head.clone()),
            None => tx.stored(READ, values, row)?,
        },
        None => first(tx, LOCK, values, row).await?,
    };
    found(organization, head)
}

pub(super) fn found(organization: OrganizationId, head: Option<Head>) -> Result<Head> {
    head.ok_or_else(|| Error::Internal(format!("{organization} has no ledger")))
}

/// Creates the ledger of a new organization. Its epoch is the time of creation.
pub(crate) async fn create(tx: &mut Tx<'_>, organization: OrganizationId, now: Timestamp) -> Result<()> {
    let genesis = chain::genesis(organization);
    let values = values![id(organization), now.as_microsecond(), Timestamp::UNIX_EPOCH, &genesis];
    tx.run(CREATE, values).await.map(drop)
}

/// Advances the head from the one that was read. On SQLite, it is written with what else waits.
pub(crate) async fn advance(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    from: i64,
    head: Head,
) -> Result<()> {
    if let Some(posted) = tx.posted() {
        posted.advance(organization, from, head);
        return Ok(());
    }
    let advance = Advance { from, head };
    let (query, values) = advance.statement(organization);
    check_changed(organization, tx.run(query, &values).await?)
}

pub(super) fn check_changed(organization: OrganizationId, changed: u64) -> Result<()> {
    match changed {
        1 => Ok(()),
        _ => Err(Error::Internal(format!("the ledger of {organization} changed while it was written"))),
    }
}
