//! Children in the store. Every read needs a proof that a relation opens the child's data: see [`crate::access::children`].

pub(crate) mod lines;
pub(crate) mod shown;

pub use lines::{Line, list, read_line};

use constcat::concat;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::children::contacts::ChildContact;
use fieldhouse_domain::children::emergencies::ChildEmergency;
use fieldhouse_domain::children::identities::ChildIdentity;
use fieldhouse_domain::children::medical::ChildMedical;
use fieldhouse_domain::children::performances::ChildPerformance;
use fieldhouse_domain::children::relations::RelationKind;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{ChildId, Id as _};
use fieldhouse_domain::record::{Record, Table};
use jiff::Timestamp;

use crate::access::OrgWrite;
use crate::access::children::{
    ChildAccess, ChildScope, Class, Contact, Emergency, Identity, Listed, Medical, Performance, Profile,
    Roster, Use, read_capacity, visible,
};
use crate::engine::{Reader, Tx, first};
use crate::error::{Error, Result};
use crate::query::{Query, queries};
use crate::records::{self, Stored};
use crate::row::Row;
use crate::value::{id, values};

queries! {
    /// The user's own children, with what opens them: relations of the family, the first capacity first.
    FAMILY "children.family" visible!(family, "v.child_id, c.display_name, v.kind, v.starts_at", " ORDER BY c.name_folded, c.id, v.capacity");
    NAME "children.name" "SELECT display_name FROM children WHERE org_id = $1 AND id = $2";
}

/// Data of a child, and in what capacity it was opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened<T> {
    /// In what capacity.
    pub capacity: Capacity,
    /// The data.
    pub data: T,
}

/// A child of a family.
#[derive(Clone, PartialEq, Eq)]
pub struct Own {
    /// The child.
    pub id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
    /// What the person is to the child.
    pub kind: RelationKind,
    /// Since when.
    pub since: Timestamp,
}

impl std::fmt::Debug for Own {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Own({}, {})", self.id, self.kind)
    }
}

fn own(row: &mut Row<'_>) -> Result<Own> {
    Ok(Own { id: row.next()?, display_name: row.next()?, kind: row.next()?, since: row.next()? })
}

/// The caller's own children now: themselves as a child, and those whose guardian they are; by name.
pub async fn family(reader: &mut impl Reader, scope: &ChildScope<Roster>) -> Result<Vec<Own>> {
    Ok(each_once(reader.rows(FAMILY, &scope.values(), own).await?))
}

/// The same, in a transaction.
pub async fn family_of<'tx>(tx: &mut Tx<'tx>, proof: &OrgWrite<'tx>) -> Result<Vec<Own>> {
    let Some(values) = proof.values_of::<Roster>()? else { return Ok(Vec::new()) };
    Ok(each_once(tx.rows(FAMILY, &values, own).await?))
}

/// Each child once, with the first of the relations that open it.
fn each_once(mut children: Vec<Own>) -> Vec<Own> {
    children.dedup_by_key(|child| child.id);
    children
}

/// The name by which a child is known in its teams.
pub async fn name<'tx, C: Class, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, C, V>,
) -> Result<String> {
    let values = values![id(access.organization()), id(access.child())];
    let name = first(tx, NAME, values, |row| row.next()).await?;
    name.ok_or_else(|| Error::Internal(format!("{} does not exist", access.child())))
}

/// A class whose data is one record of the child.
pub trait ClassRecord: Class {
    /// The record.
    type Record: Stored + TryFrom<AnyRecord>;
}

/// A class whose record may be read without a transaction of its own.
pub trait ListedRecord: ClassRecord + Listed {
    /// The statement that reads it with the capacity that opens it.
    #[doc(hidden)]
    const READ: &'static Query;
}

impl ClassRecord for Medical {
    type Record = ChildMedical;
}

macro_rules! listed_records {
    ($($class:ident $record:ident $name:literal;)+) => {
        $(impl ClassRecord for $class {
            type Record = $record;
        }
        impl ListedRecord for $class {
            const READ: &'static Query = {
                const TABLE: Table = <$record as Record>::TABLE;
                const WRAPPED: [&str; 2] = if <$record as Record>::SEALED.is_empty() {
                    ["", ""]
                } else {
                    ["k.wrapped, ", " JOIN child_keys k ON k.org_id = $1 AND k.child_id = v.child_id"]
                };
                const SQL: &str = concat!("SELECT v.capacity, ", WRAPPED[0], TABLE.columns, " FROM (", visible!(" AND child_id = $10"), ") v JOIN ",
                    TABLE.name, " ", TABLE.alias, " ON ", TABLE.alias, ".org_id = $1 AND ", TABLE.alias, ".id = v.child_id", WRAPPED[1]);
                &Query::new($name, SQL)
            };
        })+
        /// The statements that read the classes.
        pub(crate) const CLASS_QUERIES: &[&Query] = &[$(<$class as ListedRecord>::READ),+];
    };
}
listed_records! {
    Profile Child "children.profile";
    Identity ChildIdentity "children.identity";
    Contact ChildContact "children.contact";
    Emergency ChildEmergency "children.emergency";
    Performance ChildPerformance "children.performance";
}

/// One class of data of a child. `None` if no relation opens it to the caller.
pub async fn read<C: ListedRecord>(
    reader: &mut impl Reader,
    scope: &ChildScope<C>,
    child: ChildId,
) -> Result<Option<Opened<C::Record>>> {
    let mut values = scope.values();
    values.push(id(child));
    let organization = scope.organization();
    let sealer = reader.sealer().clone();
    first(reader, C::READ, &values, |row| {
        let capacity = read_capacity(row.next()?)?;
        let is_sealed = !<C::Record as Record>::SEALED.is_empty();
        let data = if is_sealed { row.sealed_record(&sealer, organization)? } else { row.record()? };
        Ok(Opened { capacity, data })
    })
    .await
}

/// One class of data of a child, in a transaction.
pub async fn record<'tx, C: ClassRecord, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, C, V>,
) -> Result<C::Record> {
    let uuid = access.child().uuid();
    let found =
        records::read_of::<C::Record>(tx, access.organization(), <C::Record as Record>::Id::from_uuid(uuid));
    found.await?.ok_or_else(|| Error::Internal(format!("{} has no {}", access.child(), C::CLASS)))
}
