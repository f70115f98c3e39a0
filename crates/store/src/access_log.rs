//! The access log: who saw data of a child, in what capacity. What the child and its guardians see is not recorded.
//!
//! Reads of the medical class, and those in an emergency, are recorded in their own transaction. Others are collected and written together: see
//! [`AccessLog`]. A read is one row, however many children it shows: they are a group, which is stored when it is first seen.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use constcat::concat;
use fieldhouse_domain::children::cases::HIDDEN_AFTER_END;
use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::ids::{AccessEventId, ApiKeyId, ChildId, Id, OrganizationId, UserId};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::access::children::{ChildScope, Records};
use crate::engine::{Reader, Source, Store, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{Value, id, values};

pub(crate) const COLUMNS: &str =
    "a.id, g.child_id, a.at, a.user_id, a.key_id, g.capacity, a.class, a.operation";

/// What a safeguarding lead has read for a case is shown to the family only after the case, so that it warns no one. A case that is not
/// closed is over if it ended before a time: see [`hidden_until`].
macro_rules! warns_no_one {
    ($over:literal) => {
        constcat::concat!(
            "(g.capacity <> 'safeguarding' OR NOT EXISTS (SELECT 1 FROM case_children ck
                JOIN case_leads cl ON cl.org_id = $1 AND cl.case_id = ck.case_id AND cl.user_id = a.user_id
                JOIN safeguarding_cases sc ON sc.org_id = $1 AND sc.id = ck.case_id
                WHERE ck.org_id = $1 AND ck.child_id = g.child_id AND sc.closed_at IS NULL AND sc.ends_at > ",
            $over,
            " AND sc.opened_at <= a.at))"
        )
    };
}
pub(crate) use warns_no_one;

queries! {
    INSERT "access_log.insert" "INSERT INTO access_reads (org_id, group_id, at, id, user_id, key_id, class, operation)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    IS_STORED "access_log.is_stored" "SELECT id FROM access_groups WHERE org_id = $1 AND id = $2 LIMIT 1";
    INSERT_CHILD "access_log.insert_child" "INSERT INTO access_groups (org_id, id, child_id, capacity) VALUES ($1, $2, $3, $4)";
    OF_CHILD "access_log.of_child" concat!("SELECT v.capacity, ", COLUMNS, ", u.name FROM (",
        crate::access::children::visible!(" AND child_id = $10"),
        ") v LEFT JOIN access_groups g ON g.org_id = $1 AND g.child_id = v.child_id
        LEFT JOIN access_reads a ON a.org_id = $1 AND a.group_id = g.id AND (a.at, a.id) < ($11, $12) AND ", warns_no_one!("$14"), "
        LEFT JOIN users u ON u.id = a.user_id ORDER BY a.id IS NULL, a.at DESC, a.id DESC LIMIT $13");
}

/// How many children's reads wait before a reader writes them itself: so many that a list that is read all the time is not written all the
/// time, and so few that they are written in a few milliseconds.
const CROWD: usize = 50_000;

/// Children whose data is shown, each with the capacity that opened it.
pub type Seen = Vec<(ChildId, Capacity)>;

/// A read of one class of data of some children.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The event's id.
    pub id: AccessEventId,
    /// The organization.
    pub organization: OrganizationId,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub user: UserId,
    /// The API key that they used.
    pub key: Option<ApiKeyId>,
    /// The class.
    pub class: DataClass,
    /// The operation.
    pub operation: &'static str,
    /// The children.
    pub children: Seen,
}

impl Access {
    /// The same without children who were opened by themselves or a guardian. `None` if no one is left.
    fn recorded(mut self) -> Option<Self> {
        self.children.retain(|(_, capacity)| !matches!(capacity, Capacity::Child | Capacity::Guardian));
        (!self.children.is_empty()).then_some(self)
    }
}

/// Reads that wait to be recorded.
#[derive(Debug, Default)]
pub struct AccessLog {
    waiting: Mutex<Waiting>,
}

/// What waits.
#[derive(Debug, Default)]
struct Waiting {
    reads: Vec<Access>,
    /// How many children they are about.
    children: usize,
}

impl Waiting {
    fn add(&mut self, reads: impl IntoIterator<Item = Access>) {
        for read in reads {
            self.children += read.children.len();
            self.reads.push(read);
        }
    }
}

impl AccessLog {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads data of children, and notes what `read` says that it shows, to be recorded within a second. If too many reads wait, this records
    /// all of them first. What someone sees in an emergency is read in the transaction that records it, so that the check, the data and the
    /// record are of one moment.
    pub async fn read<T, F>(&self, store: &Store, access: Access, read: F) -> Result<T>
    where
        T: Send + 'static,
        F: AsyncFn(&mut Source<'_, '_>) -> Result<(T, Seen)> + Send + Sync + 'static,
    {
        let (found, children) = read(&mut Source::Store(store)).await?;
        let access = Access { children, ..access };
        if !access.children.iter().any(|(_, capacity)| *capacity == Capacity::BreakGlass) {
            self.note(store, access).await?;
            return Ok(found);
        }
        let recorded = store.write("access_log.read", async move |tx| {
            let (found, children) = read(&mut Source::Transaction(tx)).await?;
            record(tx, Access { children, ..access.clone() }).await?;
            Ok(found)
        });
        recorded.await
    }

    /// Notes a read that was not made in an emergency.
    pub async fn note(&self, store: &Store, access: Access) -> Result<()> {
        let Some(access) = access.recorded() else { return Ok(()) };
        let is_crowded = {
            let mut waiting = self.waiting();
            waiting.add([access]);
            waiting.children >= CROWD
        };
        if is_crowded { self.flush(store).await } else { Ok(()) }
    }

    /// Records what waits. If that fails, it waits on.
    pub async fn flush(&self, store: &Store) -> Result<()> {
        let taken = std::mem::take(&mut *self.waiting()).reads;
        if taken.is_empty() {
            return Ok(());
        }
        let batch = taken.clone();
        let written = store.write("access_log.flush", async move |tx| insert(tx, &batch).await);
        let written = written.await;
        if written.is_err() {
            self.waiting().add(taken);
        }
        written
    }
}

/// Records a read in its own transaction.
pub async fn record(tx: &mut Tx<'_>, access: Access) -> Result<()> {
    match access.recorded() {
        Some(access) => insert(tx, &[access]).await,
        None => Ok(()),
    }
}

async fn insert(tx: &mut Tx<'_>, reads: &[Access]) -> Result<()> {
    let mut stored = BTreeSet::new();
    let mut rows = Vec::with_capacity(reads.len());
    for Access { id: event, organization, at, user, key, class, operation, children } in reads {
        let (group, key) = (group(children), key.map(Id::uuid));
        if stored.insert((*organization, group)) {
            store_group(tx, (*organization, group), children).await?;
        }
        let (user, class) = (id(*user), class.name());
        rows.push(values![id(*organization), group, *at, id(*event), user, key, class, *operation].to_vec());
    }
    tx.run_each(INSERT, &rows).await
}

/// Stores who is in a group, unless it is stored.
async fn store_group(
    tx: &mut Tx<'_>,
    (organization, group): (OrganizationId, Uuid),
    children: &Seen,
) -> Result<()> {
    let org = id(organization);
    if first(tx, IS_STORED, values![org.clone(), group], |row| row.next::<Uuid>()).await?.is_some() {
        return Ok(());
    }
    let row = |(child, capacity): &(ChildId, Capacity)| {
        values![org.clone(), group, id(*child), capacity.name()].to_vec()
    };
    tx.run_each(INSERT_CHILD, &children.iter().map(row).collect::<Vec<_>>()).await
}

/// The id of a group: the same for the same children in the same capacities, in any order.
fn group(children: &Seen) -> Uuid {
    let mut children: Vec<_> =
        children.iter().map(|(child, capacity)| (child.uuid(), capacity.bit())).collect();
    children.sort_unstable();
    let mut hash = Sha256::new();
    for (child, capacity) in children {
        hash.update(child.as_bytes());
        hash.update(capacity.to_be_bytes());
    }
    let mut start = [0; 16];
    start.copy_from_slice(&hash.finalize()[..16]);
    Uuid::new_v8(start)
}

/// A read of a child's data, as its family sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The id.
    pub id: AccessEventId,
    /// The child.
    pub child: ChildId,
    /// When.
    pub at: Timestamp,
    /// Who.
    pub user: UserId,
    /// Their name.
    pub name: Option<String>,
    /// The API key that they used.
    pub key: Option<ApiKeyId>,
    /// In what capacity.
    pub capacity: Capacity,
    /// The class.
    pub class: DataClass,
    /// The operation.
    pub operation: String,
}

/// Who saw the data of a child, latest first, from a position, without what an open safeguarding case hides. `None` if the caller may not read the child's access log.
pub async fn of_child(
    reader: &mut impl Reader,
    scope: &ChildScope<Records>,
    child: ChildId,
    after: Option<(Timestamp, Uuid)>,
    limit: u32,
) -> Result<Option<Vec<Event>>> {
    let (at, last) = after.unwrap_or((Timestamp::MAX, Uuid::max()));
    let mut values = scope.values();
    let over = hidden_until(scope.now());
    values.extend([id(child), Value::from(at), Value::from(last), Value::from(limit), Value::from(over)]);
    let rows = reader.rows(OF_CHILD, &values, event).await?;
    let is_open = !rows.is_empty();
    Ok(is_open.then(|| rows.into_iter().flatten().collect()))
}

/// When a case must have ended at the latest, so that the family sees what was read for it.
pub(crate) fn hidden_until(now: Timestamp) -> Timestamp {
    now.saturating_sub(HIDDEN_AFTER_END).unwrap_or(Timestamp::MIN)
}

/// A row. It has no event if the child is open to the caller and no one has seen its data.
fn event(row: &mut Row<'_>) -> Result<Option<Event>> {
    row.skip(1);
    if row.next::<Option<AccessEventId>>()?.is_none() {
        return Ok(None);
    }
    row.back();
    listed(row).map(Some)
}

/// A row of [`COLUMNS`] and the name.
pub(crate) fn listed(row: &mut Row<'_>) -> Result<Event> {
    Ok(Event {
        id: row.next()?,
        child: row.next()?,
        at: row.next()?,
        user: row.next()?,
        key: row.next()?,
        capacity: row.next()?,
        class: row.next()?,
        operation: row.next()?,
        name: row.next()?,
    })
}
