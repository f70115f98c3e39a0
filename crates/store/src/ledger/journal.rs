//! The journal (PostgreSQL): where entries wait until they are posted.
//!
//! The order of the ledger depends on these rules: a transaction writes all its journal rows together, as its *last* statements; `n` is an
//! identity with CACHE 1; and the transaction is SERIALIZABLE. So a transaction that reads or overwrites data of another one gets a
//! greater `n`.
//!
//! An organization's floor says how much of the journal is over. A poster first reads the last number that was given out (the mark) and
//! which transactions have ended, and gets its own transaction id afterwards. So a row with a number up to the mark belongs to a transaction
//! with a smaller id. A later poster that sees that all of these have ended, and takes everything, has posted all such rows: the mark
//! becomes the floor.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Mutex, MutexGuard, PoisonError};

use constcat::concat;
use fieldhouse_domain::ids::OrganizationId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use super::entries::{Written, WrittenEffect};
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::postgres::Postgres;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// The condition that rows of the organization $1 are above its floor.
const ABOVE_FLOOR: &str =
    "org_id = $1 AND n > COALESCE((SELECT floor FROM journal_floors WHERE org_id = $1), 0)";

queries! {
    // The condition gives the transaction its id before the row gets its number: floors depend on it.
    WRITE "journal.write" "INSERT INTO journal (org_id, at, entry) SELECT $1, $2, $3 WHERE pg_current_xact_id() IS NOT NULL";
    MARK "journal.mark" "SELECT last_value, CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS TEXT) AS BIGINT) FROM journal_n_seq";
    SIZES "journal.sizes" concat!("SELECT CAST(octet_length(entry) AS BIGINT) FROM journal WHERE ", ABOVE_FLOOR, " ORDER BY n LIMIT $2");
    CLOCK "journal.clock" concat!("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT), MAX(at) FROM journal WHERE ",
        ABOVE_FLOOR);
    TAKE "journal.take" concat!("WITH taken AS (DELETE FROM journal WHERE org_id = $1 AND ctid = ANY (ARRAY(
            SELECT ctid FROM journal WHERE ", ABOVE_FLOOR, " ORDER BY n LIMIT $2)) RETURNING n, at, entry)
        SELECT at, entry FROM taken ORDER BY n");
    RAISE_FLOOR "journal.raise_floor" "INSERT INTO journal_floors AS f (org_id, floor, mark, mark_xid)
        VALUES ($1, 0, $2, CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT))
        ON CONFLICT (org_id) DO UPDATE SET floor = f.mark, mark = excluded.mark, mark_xid = excluded.mark_xid, marked_at = excluded.marked_at
        WHERE f.mark_xid <= $3 AND f.marked_at < excluded.marked_at - INTERVAL '1 second'";
    WAITING "journal.waiting" "SELECT org_id FROM ledger_heads h WHERE EXISTS (SELECT 1 FROM journal j WHERE j.org_id = h.org_id
        AND j.n > COALESCE((SELECT floor FROM journal_floors f WHERE f.org_id = h.org_id), 0))";
    GENERATION "journal.generation" concat!("SELECT h.epoch, h.seq + (SELECT COUNT(*) FROM journal WHERE ", ABOVE_FLOOR, ")
        FROM ledger_heads h WHERE h.org_id = $1");
    WAITS "journal.waits" concat!("SELECT n FROM journal WHERE ", ABOVE_FLOOR, " LIMIT 1");
    SHARE_HEAD "journal.share_head" "SELECT seq FROM ledger_heads WHERE org_id = $1 FOR SHARE";
}

/// The format of a row, which is its first field.
const FORMAT: &str = "1";
/// The maximum number of effects in one row.
const EFFECTS: usize = 500;
/// The maximum numbers of rows and bytes that are posted together.
const ROWS: u32 = 500;
const BYTES: i64 = 4 << 20;

/// A row: an entry, or a part of one.
#[derive(Serialize, Deserialize)]
struct Part {
    #[serde(rename = "part")]
    number: usize,
    parts: usize,
    #[serde(flatten)]
    entry: Written,
}

/// An item read from the journal.
#[derive(Debug, PartialEq)]
pub(super) enum Taken {
    /// An entry.
    Entry(Box<Written>),
    /// A row that cannot be read, with its time in microseconds.
    Unreadable(i64, String),
}

/// Writes an entry: one row, or several if it has many effects.
pub(super) async fn write(tx: &mut Tx<'_>, organization: OrganizationId, entry: Written) -> Result<()> {
    let at = entry.at;
    for text in rows(entry)? {
        tx.run(WRITE, values![id(organization), at, text]).await?;
    }
    Ok(())
}

fn rows(mut entry: Written) -> Result<Vec<String>> {
    let effects = std::mem::take(&mut entry.effects);
    let parts = effects.len().div_ceil(EFFECTS).max(1);
    let mut effects = effects.into_iter();
    let mut rows = Vec::new();
    for part in 0..parts {
        let effects: Vec<WrittenEffect> = effects.by_ref().take(EFFECTS).collect();
        let row = Part { number: part, parts, entry: Written { effects, ..entry.clone() } };
        let json = serde_json::to_string(&row).map_err(|error| Error::Internal(error.to_string()))?;
        rows.push(format!("{FORMAT} {json}"));
    }
    Ok(rows)
}

fn part(text: &str) -> Option<Part> {
    let (format, json) = text.split_once(' ')?;
    (format == FORMAT).then(|| serde_json::from_str(json).ok()).flatten()
}

/// What a poster reads before everything else in its transaction.
pub(super) struct Mark {
    /// The last number that was given to a row.
    number: i64,
    /// All transactions with smaller ids have ended.
    oldest: i64,
}

pub(super) async fn mark(tx: &mut Tx<'_>) -> Result<Option<Mark>> {
    first(tx, MARK, values![], |row| Ok(Mark { number: row.next()?, oldest: row.next()? })).await
}

/// Raises the floor to the mark of an earlier poster, if it is time, and notes this mark. The caller has taken everything that waits.
pub(super) async fn raise_floor(tx: &mut Tx<'_>, organization: OrganizationId, mark: &Mark) -> Result<()> {
    tx.run(RAISE_FLOOR, values![id(organization), mark.number, mark.oldest]).await.map(drop)
}

/// Takes entries out of the journal in order, with all their parts. Also returns whether more are waiting.
pub(super) async fn take(tx: &mut Tx<'_>, organization: OrganizationId) -> Result<(Vec<Taken>, bool)> {
    let sizes = tx.rows(SIZES, values![id(organization), ROWS], |row| row.next::<i64>()).await?;
    let mut bytes = 0;
    let fitting = sizes.iter().take_while(|size| {
        bytes += **size;
        bytes <= BYTES
    });
    let mut rows = u32::try_from(fitting.count()).unwrap_or(ROWS).max(1);
    let is_cut = sizes.len() > rows as usize || rows == ROWS;
    let mut gathering = Gathering::default();
    loop {
        let values = values![id(organization), rows];
        let taken = tx.rows(TAKE, values, |row| Ok((row.next::<i64>()?, row.next::<String>()?))).await?;
        let ended = taken.is_empty();
        for (at, text) in taken {
            gathering.add(at, text);
        }
        if ended || gathering.open.is_empty() {
            return Ok((gathering.finish(), is_cut));
        }
        // The parts of an entry are committed together, so the missing ones exist.
        rows = 1;
    }
}

/// The database's time, and the newest time of a waiting entry.
pub(super) async fn clock(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
) -> Result<(Timestamp, Option<Timestamp>)> {
    let clock = first(tx, CLOCK, values![id(organization)], |row| Ok((row.next()?, row.next()?))).await?;
    clock.ok_or_else(|| Error::Internal("the database has no clock".to_owned()))
}

/// The organizations with waiting entries.
pub(super) async fn organizations(reader: &mut impl Reader) -> Result<Vec<OrganizationId>> {
    reader.rows(WAITING, values![], |row| row.next()).await
}

/// Whether an entry of an organization waits.
pub(super) async fn waits(reader: &mut impl Reader, organization: OrganizationId) -> Result<bool> {
    Ok(first(reader, WAITS, values![id(organization)], |row| row.next::<i64>()).await?.is_some())
}

/// The epoch of an organization's ledger, and the number of entries committed in it, including waiting ones.
pub(super) async fn generation(
    postgres: &Postgres,
    organization: OrganizationId,
) -> Result<Option<(i64, i64)>> {
    let read = |row: &mut Row<'_>| Ok((row.next()?, row.next()?));
    Ok(postgres.read_journal(GENERATION, values![id(organization)], read).await?.pop())
}

/// Blocks posters until the transaction ends.
pub(super) async fn share_head(reader: &mut impl Reader, organization: OrganizationId) -> Result<()> {
    reader.rows(SHARE_HEAD, values![id(organization)], |row| row.next::<i64>()).await.map(drop)
}

/// Combines rows into entries.
#[derive(Default)]
struct Gathering {
    taken: Vec<Taken>,
    /// Incomplete entries, with the texts of their rows.
    open: Vec<(Part, i64, Vec<String>)>,
}

impl Gathering {
    fn add(&mut self, at: i64, text: String) {
        let Some(read) = part(&text) else {
            self.taken.push(Taken::Unreadable(at, text));
            return;
        };
        let same = self.open.iter().position(|(open, _, _)| open.entry.id == read.entry.id);
        let (open, at, mut texts) = match same.map(|same| self.open.swap_remove(same)) {
            Some((mut open, at, texts)) => {
                open.number = read.number;
                open.entry.effects.extend(read.entry.effects);
                (open, at, texts)
            }
            None => (read, at, Vec::new()),
        };
        texts.push(text);
        if open.number + 1 >= open.parts {
            self.taken.push(Taken::Entry(Box::new(open.entry)));
        } else {
            self.open.push((open, at, texts));
        }
    }

    /// Returns the items. An entry whose last part is missing cannot be read.
    fn finish(self) -> Vec<Taken> {
        let unreadable = self
            .open
            .into_iter()
            .flat_map(|(_, at, texts)| texts.into_iter().map(move |text| Taken::Unreadable(at, text)));
        self.taken.into_iter().chain(unreadable).collect()
    }
}

/// The entries that this process has committed to the journal and not posted yet, by organization.
#[derive(Debug, Default)]
pub(crate) struct Waiting {
    counts: Mutex<HashMap<OrganizationId, Counts>>,
    committed: Notify,
}

#[derive(Debug, Default)]
struct Counts {
    /// The entries that no poster has begun to post.
    entries: u64,
    /// The posters at work.
    posters: u32,
}

impl Waiting {
    fn counts(&self) -> MutexGuard<'_, HashMap<OrganizationId, Counts>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts committed entries.
    pub(crate) fn note(&self, organizations: &[OrganizationId]) {
        if organizations.is_empty() {
            return;
        }
        let mut counts = self.counts();
        for organization in organizations {
            counts.entry(*organization).or_default().entries += 1;
        }
        drop(counts);
        self.committed.notify_one();
    }

    /// The organizations with more than `crowd` entries, which the caller posts now.
    pub(crate) fn take(&self, crowd: u64) -> Vec<Posting<'_>> {
        let mut taken = Vec::new();
        for (organization, counts) in self.counts().iter_mut().filter(|(_, counts)| counts.entries > crowd) {
            counts.entries = 0;
            counts.posters += 1;
            taken.push(Posting { waiting: self, organization: *organization });
        }
        taken
    }

    /// Whether entries of an organization may not be posted yet.
    pub(crate) fn has(&self, organization: OrganizationId) -> bool {
        self.counts().contains_key(&organization)
    }

    /// Waits for the next commit.
    pub(crate) async fn committed(&self) {
        self.committed.notified().await;
    }
}

/// An organization whose entries are being posted, until this is dropped.
pub(crate) struct Posting<'a> {
    waiting: &'a Waiting,
    pub(crate) organization: OrganizationId,
}

impl Drop for Posting<'_> {
    fn drop(&mut self) {
        if let Entry::Occupied(mut of) = self.waiting.counts().entry(self.organization) {
            let counts = of.get_mut();
            counts.posters = counts.posters.saturating_sub(1);
            if counts.entries == 0 && counts.posters == 0 {
                of.remove();
            }
        }
    }
}
