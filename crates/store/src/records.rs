//! Records of every kind in the store: the statements that write them, which the derive makes from their fields, and the one function
//! that runs them.

use fieldhouse_domain::api_keys::ApiKey;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::Favorite;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::record::{Record, Table};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sessions::Session;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::users::User;
use fieldhouse_domain::venues::Venue;
use fieldhouse_domain::with_record;

use crate::engine::Tx;
use crate::error::{Error, Result};
use crate::query::Query;
use crate::value::{Value, id};

/// The statements that write one table.
#[derive(Debug)]
pub(crate) struct Statements {
    insert: &'static Query,
    update: &'static Query,
    /// None: such records are never deleted.
    delete: Option<&'static Query>,
    tenant: bool,
}

/// A kind of record that effects are about.
pub(crate) trait Stored: Record {
    /// The statements of its table.
    const STATEMENTS: Statements;
}

macro_rules! statements {
    ($name:literal, $table:expr, $deleted:ident) => {{
        const TABLE: Table = $table;
        Statements {
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

macro_rules! stored {
    ($($record:ident $name:literal $deleted:ident;)+) => {
        $(impl Stored for $record {
            const STATEMENTS: Statements = statements!($name, $record::TABLE, $deleted);
        })+
        /// Every statement that writes records.
        pub(crate) fn queries() -> impl Iterator<Item = &'static Query> {
            let all = [$($record::STATEMENTS,)+ GUESTS];
            all.into_iter().flat_map(|table| [Some(table.insert), Some(table.update), table.delete]).flatten()
        }
    };
}

stored! {
    Organization "organizations" permanent;
    User "users" permanent;
    Member "members" deleted;
    Session "sessions" permanent;
    ApiKey "api_keys" permanent;
    Season "seasons" deleted;
    Division "divisions" deleted;
    Team "teams" deleted;
    Venue "venues" deleted;
    Game "games" deleted;
    Favorite "favorites" deleted;
}

/// The statements of guests' lists, which have the columns of users' lists.
const GUESTS: Statements = statements!(
    "guest_favorites",
    match Favorite::TWIN {
        Some(twin) => twin,
        None => Favorite::TABLE,
    },
    deleted
);

/// Writes an effect on a record of an organization, or on a record that belongs to none.
/// The ledger must be given every effect that is written here.
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
        _ => return Err(Error::Internal("a guest has nothing but a list".to_owned())),
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
    let never = || Error::Internal(format!("a {} is never deleted", R::KIND));
    let query = R::STATEMENTS.delete.ok_or_else(never)?;
    tx.run(query, &all(org, record.key_cells())).await
}

/// The organization where there is one, then the columns.
fn all(org: Option<OrganizationId>, cells: Vec<fieldhouse_domain::record::Cell<'_>>) -> Vec<Value<'_>> {
    org.map(id).into_iter().chain(cells.into_iter().map(Value::from)).collect()
}

/// A record that is not at the version that the command read.
fn moved(effect: &Effect) -> Error {
    let id = effect.record().map(AnyRecord::id).unwrap_or_default();
    Error::Internal(format!("{id} is not at the version that the command read in this transaction"))
}
