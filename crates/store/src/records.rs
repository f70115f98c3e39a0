//! Records of every kind in the store: the statements that write them, which are derived from their fields, and the function that runs
//! them.

use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::favorites::Favorite;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::policy::sees_all_keys;
use fieldhouse_domain::record::{Record, Table};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::users::User;
use fieldhouse_domain::venues::Venue;
use fieldhouse_domain::with_record;

use crate::access::Proof;
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::query::Query;
use crate::row;
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
    tenant: bool,
}

impl Statements {
    fn all(self) -> impl Iterator<Item = &'static Query> {
        [Some(self.read), Some(self.insert), Some(self.update), self.delete].into_iter().flatten()
    }
}

/// A kind of record that is stored.
pub trait Stored: Record + Into<AnyRecord> {
    /// The statements of its table.
    #[doc(hidden)]
    const STATEMENTS: Statements;
    /// Whether a proof for the organization is enough to see the record. A record with an owner may be visible to the owner only.
    #[doc(hidden)]
    fn is_visible<R: Reader>(&self, proof: &impl Proof<R>) -> bool;
}

macro_rules! statements {
    ($name:literal, $table:expr, $deleted:ident) => {{
        const TABLE: Table = $table;
        Statements {
            read: &Query { name: concat!($name, ".by_key"), sql: TABLE.read },
            insert: &Query { name: concat!($name, ".insert"), sql: TABLE.insert },
            update: &Query { name: concat!($name, ".update"), sql: TABLE.update },
            delete: delete!($deleted, $name, TABLE),
            tenant: TABLE.tenant,
        }
    }};
}

macro_rules! delete {
    (deleted, $name:literal, $table:ident) => {
        Some(&Query { name: concat!($name, ".delete"), sql: $table.delete })
    };
    (permanent, $name:literal, $table:ident) => {
        None
    };
}

/// Who may see a record. The key of a favorite contains its owner, so that others' are not read at all.
macro_rules! visible {
    (all, $record:ident, $proof:ident) => {
        true
    };
    (itself, $record:ident, $proof:ident) => {
        $record.id == $proof.organization()
    };
    (own_user, $record:ident, $proof:ident) => {
        Some($record.id) == $proof.owner()
    };
    (own, $record:ident, $proof:ident) => {
        Some($record.user_id) == $proof.owner()
    };
    // A key sees only itself, a user their own keys, an admin all keys of the organization.
    (key, $record:ident, $proof:ident) => {
        match $proof.through() {
            Some(key) => key == $record.id,
            None => Some($record.user_id) == $proof.owner() || sees_all_keys($proof.role()),
        }
    };
}

macro_rules! stored {
    ($($record:ident $name:literal $deleted:ident $visible:ident;)+) => {
        $(impl Stored for $record {
            const STATEMENTS: Statements = statements!($name, $record::TABLE, $deleted);
            fn is_visible<R: Reader>(&self, _proof: &impl Proof<R>) -> bool { visible!($visible, self, _proof) }
        })+
        /// Every statement that writes records.
        pub(crate) fn queries() -> impl Iterator<Item = &'static Query> {
            let all = [$($record::STATEMENTS,)+];
            let guests = [Some(GUESTS.insert), Some(GUESTS.update), GUESTS.delete];
            all.into_iter().flat_map(Statements::all).chain(guests.into_iter().flatten())
        }
    };
}

stored! {
    Organization "organizations" permanent itself;
    User "users" permanent own_user;
    Member "members" deleted all;
    Session "sessions" permanent own;
    ApiKey "api_keys" permanent key;
    Season "seasons" deleted all;
    Division "divisions" deleted all;
    Team "teams" deleted all;
    Venue "venues" deleted all;
    Game "games" deleted all;
    Favorite "favorites" deleted all;
}

/// The statements of guests' lists, which have the same columns as users' lists.
const GUESTS: Statements = statements!(
    "guest_favorites",
    match Favorite::TWIN {
        Some(twin) => twin,
        None => Favorite::TABLE,
    },
    deleted
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
    let found: Option<S> = first(reader, table.read, &values, row::record).await?;
    Ok(found.filter(|record| record.is_visible(proof)))
}

/// A record of an organization by its id, to derive what follows from an effect.
pub(crate) async fn read_of<S: Stored>(
    tx: &mut Tx<'_>,
    organization: OrganizationId,
    record_id: S::Id,
) -> Result<Option<S>> {
    first(tx, S::STATEMENTS.read, values![id(organization), id(record_id)], row::record).await
}

/// Writes an effect on a record of an organization, or on a shared record. The caller must also pass the effect to the ledger.
pub(crate) async fn write(tx: &mut Tx<'_>, org: OrganizationId, effect: &Effect) -> Result<()> {
    tx.unrecorded.note_written();
    let written = match (&effect.before, &effect.after) {
        (before, Some(after)) => {
            with_record!(after, after => save(tx, Some(org), before.is_none(), after).await?)
        }
        (Some(before), None) => with_record!(before, before => delete(tx, Some(org), before).await?),
        (None, None) => 0,
    };
    if written == 1 { Ok(()) } else { Err(moved(effect)) }
}

/// Writes an effect on a guest's list.
pub(crate) async fn write_of_guest(tx: &mut Tx<'_>, effect: &Effect) -> Result<()> {
    let written = match (&effect.before, &effect.after) {
        (before, Some(AnyRecord::Favorite(after))) => {
            let query = if before.is_none() { GUESTS.insert } else { GUESTS.update };
            tx.run(query, &all(None, after.cells())).await?
        }
        (Some(AnyRecord::Favorite(before)), None) => match GUESTS.delete {
            Some(query) => tx.run(query, &all(None, before.key_cells())).await?,
            None => 0,
        },
        _ => return Err(Error::Internal("a guest can write only a list".to_owned())),
    };
    if written == 1 { Ok(()) } else { Err(moved(effect)) }
}

async fn save<R: Stored>(tx: &mut Tx<'_>, org: Option<OrganizationId>, new: bool, record: &R) -> Result<u64> {
    let org = org.filter(|_| R::STATEMENTS.tenant);
    let query = if new { R::STATEMENTS.insert } else { R::STATEMENTS.update };
    tx.run(query, &all(org, record.cells())).await
}

async fn delete<R: Stored>(tx: &mut Tx<'_>, org: Option<OrganizationId>, record: &R) -> Result<u64> {
    let org = org.filter(|_| R::STATEMENTS.tenant);
    let never = || Error::Internal(format!("records of the kind {} are never deleted", R::KIND));
    let query = R::STATEMENTS.delete.ok_or_else(never)?;
    tx.run(query, &all(org, record.key_cells())).await
}

/// The organization, if there is one, then the columns.
fn all(org: Option<OrganizationId>, cells: Vec<fieldhouse_domain::record::Cell<'_>>) -> Vec<Value<'_>> {
    org.map(id).into_iter().chain(cells.into_iter().map(Value::from)).collect()
}

/// A record that is not at the version that the command read.
fn moved(effect: &Effect) -> Error {
    let id = effect.record().map(AnyRecord::id).unwrap_or_default();
    Error::Internal(format!("{id} is not at the version that the command read in this transaction"))
}
