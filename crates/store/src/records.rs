//! Records of every kind in the store: the statements that write them, which are derived from their fields, and the function that runs
//! them.

use constcat::concat;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::favorites::Favorite;
use fieldhouse_domain::ids::{Id as _, OrganizationId};
use fieldhouse_domain::kinds::{Owned, Visibility};
use fieldhouse_domain::ledger::Trace;
use fieldhouse_domain::record::{Cell, Record, Shared, Table};
use fieldhouse_domain::{each_record, with_record};
use uuid::Uuid;

use crate::access::{OrgWrite, Proof};
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::ledger::reading::{CHANGES, changes};
use crate::ledger::{Changed, Point};
use crate::query::Query;
use crate::row::Row;
use crate::sealing::{CHILD, SealError, names_its_child, seal_all};
use crate::value::{Value, id, values};

/// The statements that write one table.
#[derive(Debug)]
#[doc(hidden)]
pub struct Statements {
    read: &'static Query,
    insert: &'static Query,
    update: &'static Query,
    /// `None` if such records are never deleted.
    delete: Option<&'static Query>,
    /// `None` if such records have no history, one in several organizations, or one that a relation must open.
    changed: Option<&'static Query>,
    tenant: bool,
}

impl Statements {
    fn all(self) -> impl Iterator<Item = &'static Query> {
        [Some(self.read), Some(self.insert), Some(self.update), self.delete, self.changed]
            .into_iter()
            .flatten()
    }
}

/// A kind of record that is stored.
pub trait Stored: Owned + Into<AnyRecord> {
    /// The statements of its table.
    #[doc(hidden)]
    const STATEMENTS: Statements;
}

macro_rules! statements {
    ($table:expr, $kind:expr, $sealed:expr, $child:expr) => {{
        const TABLE: Table = $table;
        const SEALED_READ: &str = concat!(
            "SELECT k.wrapped, ",
            TABLE.columns,
            " FROM ",
            TABLE.name,
            " ",
            TABLE.alias,
            " JOIN child_keys k ON k.org_id = ",
            TABLE.alias,
            ".org_id AND k.child_id = ",
            TABLE.alias,
            ".",
            $child,
            " WHERE ",
            TABLE.alias,
            ".org_id = $1 AND ",
            TABLE.alias,
            ".id = $2"
        );
        Statements {
            read: &if $sealed {
                Query::new(concat!(TABLE.name, ".by_key"), SEALED_READ)
            } else {
                Query::new(concat!(TABLE.name, ".by_key"), TABLE.read).read_row_once()
            },
            insert: &Query::new(concat!(TABLE.name, ".insert"), TABLE.insert),
            update: &Query::new(concat!(TABLE.name, ".update"), TABLE.update),
            delete: if $kind.is_deleted() {
                Some(&Query::new(concat!(TABLE.name, ".delete"), TABLE.delete))
            } else {
                None
            },
            changed: if TABLE.tenant && has_feed($kind) {
                const CHANGED: &str = concat!(
                    "WITH page AS (",
                    CHANGES,
                    ") SELECT page.seq, page.position, page.id, page.verb, page.at, ",
                    TABLE.columns,
                    " FROM page LEFT JOIN ",
                    TABLE.name,
                    " ",
                    TABLE.alias,
                    " ON ",
                    TABLE.alias,
                    ".org_id = $1 AND ",
                    TABLE.alias,
                    ".id = page.id"
                );
                Some(&Query::new(concat!(TABLE.name, ".changed"), CHANGED))
            } else {
                None
            },
            tenant: TABLE.tenant,
        }
    }};
}

macro_rules! stored {
    ($($record:path),+) => {
        $(impl Stored for $record {
            const STATEMENTS: Statements = statements!(
                <$record as Record>::TABLE,
                <$record as Record>::KIND,
                is_sealed::<$record>(),
                child_column::<$record>()
            );
        })+
        /// Every statement that writes records.
        pub(crate) fn queries() -> impl Iterator<Item = &'static Query> {
            let all = [$(<$record as Stored>::STATEMENTS),+];
            let guests = [Some(GUESTS.insert), Some(GUESTS.update), GUESTS.delete];
            all.into_iter().flat_map(Statements::all).chain(guests.into_iter().flatten())
        }
    };
}
each_record!(stored);

/// Whether fields of a record are stored sealed.
const fn is_sealed<R: Record>() -> bool {
    !R::SEALED.is_empty()
}

/// The column with the UUID of the child whose key seals a record: `child_id`, or the record's own id.
const fn child_column<R: Record>() -> &'static str {
    if names_its_child::<R>() { CHILD } else { "id" }
}

/// Whether there is a feed of the changed records of a kind. For records that a relation opens, losing it would look like a deletion.
const fn has_feed(kind: Kind) -> bool {
    matches!(kind.trace(), Trace::Images) && !matches!(kind.visibility(), Visibility::Relations)
}

/// Whether a proof for the organization is enough to read a record.
fn is_visible<S: Stored, R: Reader>(record: &S, proof: &impl Proof<R>) -> bool {
    let is_owner = || proof.owner().is_some_and(|owner| record.owner() == Some(owner.uuid()));
    match S::KIND.visibility() {
        Visibility::Members => true,
        Visibility::Itself => record.id().uuid() == proof.organization().uuid(),
        Visibility::Owner => is_owner(),
        Visibility::KeyHolders => match proof.through() {
            Some(key) => key.uuid() == record.id().uuid(),
            None => is_owner(),
        },
        // No role opens a child's data. The operator has no user.
        Visibility::Relations => proof.owner().is_none(),
    }
}

/// The statements of guests' lists, which have the same columns as users' lists.
const GUESTS: Statements = statements!(
    match Favorite::TWIN {
        Some(twin) => twin,
        None => Favorite::TABLE,
    },
    Kind::Favorite,
    false,
    "id"
);

/// A record by its id. `None` if it does not exist or the proof does not permit reading it.
pub async fn read<S: Stored, R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    record_id: S::Id,
) -> Result<Option<S>> {
    let table = S::STATEMENTS;
    let org = table.tenant.then(|| id(proof.organization()));
    let owner = (S::KIND == Kind::Favorite).then(|| id(proof.owner()));
    let values: Vec<Value<'_>> = org.into_iter().chain(owner).chain([id(record_id)]).collect();
    let found: Option<S> = read_one(reader, proof.organization(), &values).await?;
    reader.note_read((S::KIND, record_id.uuid()), found.as_ref().map(Record::version));
    Ok(found.filter(|record| is_visible(record, proof)))
}

/// Reads records of an organization before commands ask for them one by one.
pub async fn read_ahead<'tx, S: Stored>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>, ids: &[Uuid]) -> Result<()> {
    let org = proof.organization();
    let all: Vec<_> = ids.iter().map(|record_id| values![id(org), *record_id].to_vec()).collect();
    tx.read_ahead(S::STATEMENTS.read, &all).await
}

/// Reads a record, and notes nothing.
pub(crate) async fn read_one<S: Stored>(
    reader: &mut impl Reader,
    organization: OrganizationId,
    values: &[Value<'_>],
) -> Result<Option<S>> {
    let sealer = reader.sealer().clone();
    let record = |row: &mut Row<'_>| {
        if is_sealed::<S>() { row.sealed_record(&sealer, organization) } else { row.record() }
    };
    first(reader, S::STATEMENTS.read, values, record).await
}

/// Records of a kind that changed after a position in the ledger, each once, in the order of their latest entries, and deleted ones.
pub async fn changed<S: Stored, R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    after: Point,
    limit: u32,
) -> Result<Vec<Changed<S>>> {
    let no_history = || Error::Internal(format!("a {} has no history", S::KIND));
    let query = S::STATEMENTS.changed.ok_or_else(no_history)?;
    let mut found = Vec::<S>::new();
    let of = (proof.organization(), S::KIND);
    let mut changes: Vec<Changed<S>> = changes(reader, query, of, after, limit, |row| {
        let record = row.optional_record()?;
        let exists = record.is_some();
        found.extend(record);
        Ok(exists)
    })
    .await?;
    for change in &mut changes {
        let at = found.iter().position(|record| record.id().uuid() == change.id);
        change.record = at.map(|at| found.swap_remove(at));
    }
    Ok(changes)
}

/// A record of an organization by its id, to derive what follows from an effect.
pub(crate) async fn read_of<S: Stored>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    record_id: S::Id,
) -> Result<Option<S>> {
    read_one(tx, organization, values![id(organization), id(record_id)]).await
}

/// Writes an effect on a shared record, without an organization. The caller must also pass the effect to the ledger.
pub(crate) async fn write_shared(tx: &mut Tx<'_>, effect: &Effect) -> Result<()> {
    tx.unrecorded.note_written();
    match (&effect.before, &effect.after) {
        (before, Some(AnyRecord::User(after))) => save(tx, None, before.is_none(), after).await,
        _ => Err(Error::Internal("only a user is written without an organization".to_owned())),
    }
}

/// Writes an effect on a record of an organization, or on a shared record. The caller must also pass the effect to the ledger.
pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, effect: &Effect) -> Result<()> {
    tx.unrecorded.note_written();
    match (&effect.before, &effect.after) {
        (before, Some(after)) => {
            with_record!(after, after => save(tx, Some(org), before.is_none(), after).await)
        }
        (Some(before), None) => with_record!(before, before => delete(tx, Some(org), &**before).await),
        (None, None) => Err(Error::Internal("an effect without a record".to_owned())),
    }
}

/// Writes an effect on a guest's list.
pub(crate) async fn write_of_guest(tx: &mut Tx<'_>, effect: &Effect) -> Result<()> {
    let (query, cells, record) = match (&effect.before, &effect.after) {
        (before, Some(AnyRecord::Favorite(after))) => {
            let query = if before.is_none() { GUESTS.insert } else { GUESTS.update };
            (Some(query), after.stored_cells(), after)
        }
        (Some(AnyRecord::Favorite(before)), None) => (GUESTS.delete, before.key_cells().into(), before),
        _ => return Err(Error::Internal("a guest can write only a list".to_owned())),
    };
    let query = query.ok_or_else(|| never_deleted(Kind::Favorite))?;
    tx.run_one(query, &all(None, &cells), record.id().uuid()).await
}

async fn save<R: Stored>(
    tx: &mut Tx<'_>,
    org: Option<OrganizationId>,
    new: bool,
    record: &Shared<R>,
) -> Result<()> {
    let org = org.filter(|_| R::STATEMENTS.tenant);
    let query = if new { R::STATEMENTS.insert } else { R::STATEMENTS.update };
    let mut cells = record.stored_cells();
    if is_sealed::<R>() {
        let of = org.zip(record.child());
        let of = of.ok_or_else(|| Error::Internal(format!("a {} belongs to no child", R::KIND)))?;
        let key = tx.child_key(of).await?.ok_or(SealError::Erased)?;
        seal_all::<R>(&key, cells.to_mut())?;
    }
    tx.run_one(query, &all(org, &cells), record.id().uuid()).await
}

async fn delete<R: Stored>(tx: &mut Tx<'_>, org: Option<OrganizationId>, record: &R) -> Result<()> {
    let org = org.filter(|_| R::STATEMENTS.tenant);
    let query = R::STATEMENTS.delete.ok_or_else(|| never_deleted(R::KIND))?;
    tx.run_one(query, &all(org, &record.key_cells()), record.id().uuid()).await
}

fn never_deleted(kind: Kind) -> Error {
    Error::Internal(format!("records of the kind {kind} are never deleted"))
}

/// The organization, if there is one, then the columns.
fn all<'a>(org: Option<OrganizationId>, cells: &'a [Cell<'_>]) -> Vec<Value<'a>> {
    org.map(id).into_iter().chain(cells.iter().map(|cell| Value::from(cell.borrowed()))).collect()
}

/// Why a record was not written.
pub(crate) fn moved(record: Uuid) -> String {
    format!("{record} is not at the version that the command read in this transaction")
}
