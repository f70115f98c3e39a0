//! Reading the ledger: the audit log, the history of a record, and changes since a position.

use std::collections::BTreeSet;
use std::str::FromStr as _;

use constcat::concat;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ApiKeyId, ChildId, EntryId, Id, OrganizationId, UserId};
use fieldhouse_domain::record::{Cell, CellKind, Column, Record};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::heads::{self, Generation, Head};
use super::{journal, posting};
use crate::access::OrgScope;
use crate::engine::{Engine, Reader, Store};
use crate::error::{Error, Result};
use crate::postgres::{Postgres, PostgresTx};
use crate::query::{Query, queries};
use crate::row::Row;
use crate::sealing::{SealedText, Sealer};
use crate::value::{Value, id, values};

/// Entries with their effects, newest first. `page` selects their numbers, `effects` which effects are shown. The page is read once:
/// PostgreSQL would read it again for each entry if it planned the query while the ledger was short.
macro_rules! read_entries {
    ($page:expr, $effects:expr) => {
        concat!(
            "WITH page AS MATERIALIZED (",
            $page,
            ") SELECT e.seq, e.id, e.at, e.posted_at, e.user_id, u.name, e.key_id, e.on_behalf_of, e.operation, e.request_id,
                e.changeset_id, e.reason, f.position, f.kind, f.record_id, f.verb, f.version, f.changed, f.before, f.after, f.salt,
                f.child_id
            FROM page JOIN ledger_entries e ON e.org_id = $1 AND e.seq = page.seq
            LEFT JOIN users u ON u.id = e.user_id
            LEFT JOIN ledger_effects f ON f.org_id = $1 AND f.seq = e.seq",
            $effects
        )
    };
}
pub(super) use read_entries;

/// Numbers of entries of the organization $1 that are older than the entry $2 and match the filters $3 to $7.
macro_rules! filtered {
    ($and:literal) => {
        concat!(
            "SELECT seq FROM ledger_entries WHERE org_id = $1 AND seq < $2
                AND (CAST($3 AS UUID) IS NULL OR user_id = $3) AND (CAST($4 AS UUID) IS NULL OR key_id = $4)
                AND (CAST($5 AS TEXT) IS NULL OR operation = $5) AND at >= $6 AND at < $7",
            $and,
            " ORDER BY seq DESC LIMIT $8"
        )
    };
}

queries! {
    ENTRIES "ledger.entries" read_entries!(filtered!(""), "");
    ENTRIES_OF "ledger.entries_of_record" read_entries!(filtered!(" AND seq IN (SELECT seq FROM ledger_effects
        WHERE org_id = $1 AND kind = $9 AND record_id = $10 AND seq < $2)"), "");
    HISTORY "ledger.history" read_entries!("SELECT DISTINCT seq FROM ledger_effects
        WHERE org_id = $1 AND kind = $2 AND record_id = $3 AND seq < $4 ORDER BY seq DESC LIMIT $5",
        " AND f.kind = $2 AND f.record_id = $3");
}

/// Effects on records of the kind $2 after the position $3, $4: only the latest effect on each record, at most $5. Effects that only clear
/// images do not change a record.
pub(crate) const CHANGES: &str = "SELECT f.seq, f.position, f.record_id AS id, f.verb, e.at
    FROM ledger_effects f JOIN ledger_entries e ON e.org_id = $1 AND e.seq = f.seq
    WHERE f.org_id = $1 AND f.kind = $2 AND (f.seq, f.position) > ($3, $4) AND f.clears_to IS NULL
        AND NOT EXISTS (SELECT 1 FROM ledger_effects l WHERE l.org_id = $1 AND l.kind = $2 AND l.record_id = f.record_id
            AND l.seq > f.seq AND l.clears_to IS NULL)
    ORDER BY f.seq, f.position LIMIT $5";

/// How much of the ledger something shows: all entries up to this one. It is invalid in another epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The epoch.
    pub epoch: i64,
    /// The number of the entry.
    pub seq: i64,
}

/// One column, so that a list reads the head once.
impl Column for Position {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(format!("{} {}", self.epoch, self.seq).into())
    }
    fn from_cell(cell: Cell<'_>) -> std::result::Result<Self, String> {
        let text = cell.into_text()?;
        let parsed =
            text.split_once(' ').and_then(|(epoch, seq)| Some((epoch.parse().ok()?, seq.parse().ok()?)));
        let (epoch, seq) = parsed.ok_or_else(|| format!("{text} is no position"))?;
        Ok(Self { epoch, seq })
    }
}

/// A list and its position in the ledger, read from one snapshot. On PostgreSQL it may also show entries that wait to be posted.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    /// The position.
    pub position: Position,
    /// The records.
    pub records: Vec<T>,
}

/// A position in the ledger: after an effect of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Point {
    /// The entry.
    pub seq: i64,
    /// The effect.
    pub position: i64,
}

impl Point {
    /// After all effects of an entry.
    pub fn behind(seq: i64) -> Self {
        Self { seq, position: i64::MAX }
    }
}

/// The latest change of a record, and the record as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed<T> {
    /// The position of the change.
    pub point: Point,
    /// The record's id.
    pub id: Uuid,
    /// When it was made.
    pub at: Timestamp,
    /// The record as it is now. `None` if it was deleted.
    pub record: Option<T>,
}

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number: without gaps, from 1.
    pub seq: i64,
    /// Its id.
    pub id: EntryId,
    /// When the change happened, by the clock of the node that made it.
    pub at: Timestamp,
    /// When the entry was posted; this time grows with the number.
    pub posted_at: Timestamp,
    /// Who made the change. `None` for the operator of the server.
    pub user_id: Option<UserId>,
    /// The user's name now.
    pub user_name: Option<String>,
    /// The API key.
    pub key_id: Option<ApiKeyId>,
    /// The user on whose behalf it was made.
    pub on_behalf_of: Option<UserId>,
    /// The operation.
    pub operation: String,
    /// The request.
    pub request_id: String,
    /// The changeset.
    pub changeset_id: Option<Uuid>,
    /// The reason. `None` if it is sealed.
    pub reason: Option<String>,
    pub(super) sealed_reason: Option<SealedText>,
    /// What happened to records.
    pub effects: Vec<EntryEffect>,
}

/// What happened to one record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryEffect {
    /// Its position in the entry.
    pub position: i64,
    /// The kind of record.
    pub kind: Kind,
    /// The record's id.
    pub record_id: Uuid,
    /// `created`, `updated`, `deleted`, `erased` or `cleared`.
    pub verb: String,
    /// The record's version afterwards.
    pub version: i64,
    /// The names of the changed fields.
    pub changed: Vec<String>,
    /// The record before, as JSON. `None` if it is sealed.
    pub before: Option<String>,
    /// The record after, as JSON. `None` if it is sealed.
    pub after: Option<String>,
    /// Whether the images were cleared.
    pub cleared: bool,
    /// The child whom the record is about. Images are sealed with its key.
    pub child: Option<ChildId>,
    /// Whether there are sealed images that were not opened.
    pub sealed: bool,
    /// The sealed images before and after.
    pub(super) closed: [Option<SealedText>; 2],
}

impl EntryEffect {
    /// An effect with images as they are stored, perhaps sealed.
    pub(crate) fn of_images(
        (kind, record_id): (Kind, Uuid),
        verb: String,
        child: Option<ChildId>,
        [before, after]: [Option<String>; 2],
    ) -> Self {
        let ((before, closed_before), (after, closed_after)) = (closed(before), closed(after));
        let closed = [closed_before, closed_after];
        let sealed = closed.iter().any(Option::is_some);
        let (position, version, changed, cleared) = (0, 0, Vec::new(), false);
        Self {
            position,
            kind,
            record_id,
            verb,
            version,
            changed,
            before,
            after,
            cleared,
            child,
            sealed,
            closed,
        }
    }
}

impl Entry {
    /// Effects that are not in the ledger, to open their images in the same way.
    pub(crate) fn of_effects(effects: Vec<EntryEffect>) -> Self {
        Self {
            seq: 0,
            id: EntryId::from_uuid(Uuid::nil()),
            at: Timestamp::UNIX_EPOCH,
            posted_at: Timestamp::UNIX_EPOCH,
            user_id: None,
            user_name: None,
            key_id: None,
            on_behalf_of: None,
            operation: String::new(),
            request_id: String::new(),
            changeset_id: None,
            reason: None,
            sealed_reason: None,
            effects,
        }
    }
}

/// Filters of entries.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only entries of this user.
    pub user: Option<UserId>,
    /// Only entries of this API key.
    pub key: Option<ApiKeyId>,
    /// Only entries of this operation.
    pub operation: Option<String>,
    /// Only entries about this record.
    pub record: Option<(Kind, Uuid)>,
    /// Only entries from this time on.
    pub from: Option<Timestamp>,
    /// Only entries before this time.
    pub to: Option<Timestamp>,
}

/// The head of the organization's ledger. On PostgreSQL, entries may wait to be posted after it.
pub async fn head(reader: &mut impl Reader, scope: &OrgScope) -> Result<Head> {
    heads::read(reader, scope.organization()).await
}

/// Posts the waiting entries of the organization, for a limited time. Returns whether all were posted.
pub async fn latest(store: &Store, scope: &OrgScope) -> Result<bool> {
    let organization = scope.organization();
    if store.engine() == Engine::Postgres && journal::waits(&mut &*store, organization).await? {
        return store.post_for_reader(organization).await;
    }
    Ok(true)
}

/// Entries that are older than an entry, newest first.
pub async fn entries(
    reader: &mut impl Reader,
    scope: &OrgScope,
    filter: &Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Entry>> {
    list(reader, scope.organization(), filter, before, limit).await
}

pub(crate) async fn list(
    reader: &mut impl Reader,
    organization: OrganizationId,
    filter: &Filter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Entry>> {
    let mut values: Vec<Value<'_>> = values![
        id(organization),
        before.unwrap_or(i64::MAX),
        filter.user.map(Id::uuid),
        filter.key.map(Id::uuid),
        filter.operation.as_ref(),
        filter.from.unwrap_or(Timestamp::MIN),
        filter.to.unwrap_or(Timestamp::MAX),
        limit,
    ]
    .to_vec();
    let Some((kind, record)) = filter.record else {
        return gather(reader, ENTRIES, &values).await;
    };
    values.extend([Value::from(kind.name()), Value::from(record)]);
    gather(reader, ENTRIES_OF, &values).await
}

/// The entries about a record, newest first, each with its effects on that record.
pub async fn history(
    reader: &mut impl Reader,
    scope: &OrgScope,
    record: (Kind, Uuid),
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Entry>> {
    let before = before.unwrap_or(i64::MAX);
    let values = values![id(scope.organization()), record.0.name(), record.1, before, limit];
    gather(reader, HISTORY, values).await
}

/// The number of the newest entry that was posted at a time or before; 0 if there is none.
pub async fn posted_until(reader: &mut impl Reader, scope: &OrgScope, time: Timestamp) -> Result<i64> {
    heads::posted_before(reader, scope.organization(), posting::after(time)).await
}

/// Selects the columns of a list `$from`, after its [`Position`].
macro_rules! positioned {
    ($columns:expr, $from:expr) => {
        constcat::concat!(
            "SELECT (SELECT CAST(epoch AS TEXT) || ' ' || CAST(seq AS TEXT) FROM ledger_heads WHERE org_id = $1), ",
            $columns,
            " FROM ",
            $from
        )
    };
}
pub(crate) use positioned;

/// Reads a list that a query with [`positioned!`] selects. `each` reads the columns after the position.
pub(crate) async fn listed(
    reader: &mut impl Reader,
    query: &'static Query,
    organization: OrganizationId,
    values: &[Value<'_>],
    mut each: impl FnMut(&mut Row<'_>) -> Result<()> + Send,
) -> Result<Position> {
    if let Some(position) = listed_once(reader, query, values, &mut each).await? {
        return Ok(position);
    }
    // An empty list has no row with its position, and one that is read afterwards could include a new record.
    let before = heads::read(reader, organization).await?.position();
    Ok(listed_once(reader, query, values, &mut each).await?.unwrap_or(before))
}

/// Reads a list of records of one table that a query with [`positioned!`] selects.
pub(crate) async fn listing<S: Record>(
    reader: &mut impl Reader,
    query: &'static Query,
    organization: OrganizationId,
    values: &[Value<'_>],
) -> Result<Listing<S>> {
    let mut records = Vec::new();
    let found = listed(reader, query, organization, values, |row| {
        records.push(row.record()?);
        Ok(())
    });
    let position = found.await?;
    Ok(Listing { position, records })
}

async fn listed_once(
    reader: &mut impl Reader,
    query: &'static Query,
    values: &[Value<'_>],
    mut each: impl FnMut(&mut Row<'_>) -> Result<()> + Send,
) -> Result<Option<Position>> {
    let mut position = None;
    let read = reader.rows(query, values, |row| {
        // It is the same in every row.
        if position.is_some() {
            row.skip(1);
        } else {
            position = Some(row.next()?);
        }
        each(row)
    });
    read.await?;
    Ok(position)
}

/// What happened last to records of a kind after a point, in the order of the ledger. `query` selects [`CHANGES`] and the record after it;
/// `exists` reads the record of a row and returns whether there is one. Fewer than `limit` are returned only if no more follow.
pub(crate) async fn changes<R: Reader, T>(
    reader: &mut R,
    query: &'static Query,
    (organization, kind): (OrganizationId, Kind),
    after: Point,
    limit: u32,
    mut exists: impl FnMut(&mut Row<'_>) -> Result<bool> + Send,
) -> Result<Vec<Changed<T>>>
where
    T: Send,
{
    let (mut changes, mut after) = (Vec::<Changed<T>>::new(), after);
    loop {
        let wanted = limit.saturating_sub(u32::try_from(changes.len()).unwrap_or(u32::MAX));
        let mut points = BTreeSet::new();
        let values = values![id(organization), kind.name(), after.seq, after.position, wanted];
        let read = reader.rows(query, values, |row| {
            let point = Point { seq: row.next()?, position: row.next()? };
            let (id, verb, at) = (row.next()?, row.next::<String>()?, row.next()?);
            let exists = exists(row)?;
            // A record that is missing without a deletion so far was deleted by a later entry, which reports it.
            if points.insert(point) && (exists || verb == "deleted") {
                changes.push(Changed { point, id, at, record: None });
            }
            Ok(())
        });
        read.await?;
        match points.last() {
            Some(last) if points.len() >= wanted as usize && changes.len() < limit as usize => after = *last,
            _ => break,
        }
    }
    changes.sort_by_key(|change| change.point);
    Ok(changes)
}

pub(super) async fn gather(
    reader: &mut impl Reader,
    query: &'static Query,
    values: &[Value<'_>],
) -> Result<Vec<Entry>> {
    let mut entries: Vec<Entry> = Vec::new();
    let read = reader.rows(query, values, |row| {
        let (entry, effect) = (entry(row)?, effect(row)?);
        let at = entries.iter().rposition(|other| other.seq == entry.seq).unwrap_or_else(|| {
            entries.push(entry);
            entries.len() - 1
        });
        entries[at].effects.extend(effect);
        Ok(())
    });
    read.await?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.seq));
    for entry in &mut entries {
        entry.effects.sort_by_key(|effect| effect.position);
    }
    Ok(entries)
}

fn entry(row: &mut Row<'_>) -> Result<Entry> {
    let mut entry = Entry {
        seq: row.next()?,
        id: row.next()?,
        at: row.next()?,
        posted_at: row.next()?,
        user_id: row.next()?,
        user_name: row.next()?,
        key_id: row.next()?,
        on_behalf_of: row.next()?,
        operation: row.next()?,
        request_id: row.next()?,
        changeset_id: row.next()?,
        reason: row.next()?,
        sealed_reason: None,
        effects: Vec::new(),
    };
    (entry.reason, entry.sealed_reason) = closed(entry.reason);
    Ok(entry)
}

/// Separates plain text from sealed text.
fn closed(text: Option<String>) -> (Option<String>, Option<SealedText>) {
    match text.as_deref().and_then(SealedText::parse) {
        Some(sealed) => (None, Some(sealed)),
        None => (text, None),
    }
}

fn effect(row: &mut Row<'_>) -> Result<Option<EntryEffect>> {
    let Some(position) = row.next()? else { return Ok(None) };
    let kind: String = row.next()?;
    let mut effect = EntryEffect {
        position,
        kind: Kind::from_str(&kind)
            .map_err(|error| Error::Internal(format!("the ledger holds a {kind}: {error}")))?,
        record_id: row.next()?,
        verb: row.next()?,
        version: row.next()?,
        changed: row.next()?,
        before: row.next()?,
        after: row.next()?,
        cleared: row.next::<Option<[u8; 16]>>()?.is_none(),
        child: row.next()?,
        sealed: false,
        closed: [None, None],
    };
    (effect.before, effect.closed[0]) = closed(effect.before);
    (effect.after, effect.closed[1]) = closed(effect.after);
    effect.sealed = effect.closed.iter().any(Option::is_some);
    Ok(Some(effect))
}

/// A reader that sees history up to the newest entry. On PostgreSQL it blocks posters while it exists. Otherwise an entry could be posted
/// during the reading, with a time before the newest change that is returned, and a client that continues from there would miss it.
pub struct Following<'a> {
    store: &'a Store,
    tx: Option<PostgresTx>,
}

/// Posts the waiting entries and reads after them. End it with [`Following::finish`].
pub async fn following<'a>(store: &'a Store, scope: &OrgScope) -> Result<Following<'a>> {
    let organization = scope.organization();
    let mut following = Following { store, tx: None };
    if let Some(postgres) = store.postgres() {
        store.post_for_reader(organization).await?;
        following.tx = Some(postgres.begin_reading().await?);
        journal::share_head(&mut following, organization).await?;
    }
    Ok(following)
}

impl Following<'_> {
    /// Unblocks posters.
    pub async fn finish(self) -> Result<()> {
        match self.tx {
            Some(tx) => tx.commit().await,
            None => Ok(()),
        }
    }
}

impl Reader for Following<'_> {
    fn engine(&self) -> Engine {
        self.store.engine()
    }

    fn sealer(&self) -> &Sealer {
        self.store.sealer()
    }

    async fn rows<T: Send>(
        &mut self,
        query: &'static Query,
        values: &[Value<'_>],
        each: impl FnMut(&mut Row<'_>) -> Result<T> + Send,
    ) -> Result<Vec<T>> {
        match &mut self.tx {
            Some(tx) => tx.rows(query, values, each).await,
            None => self.store.rows(query, values, each).await,
        }
    }
}

/// The generation on PostgreSQL, where entries wait in the journal.
pub(super) async fn generation(postgres: &Postgres, organization: OrganizationId) -> Result<Generation> {
    let found = journal::generation(postgres, organization).await?;
    let (epoch, commits) = found.ok_or_else(|| Error::Internal(format!("{organization} has no ledger")))?;
    Ok(Generation { epoch, commits })
}
