//! Saved college programs of users and children in the store. Those of guests have their own table: `guests.rs`.

use constcat::concat;
use fieldhouse_domain::favorites::{ChildFavorite, Favorite};
use fieldhouse_domain::ids::{ChildId, FavoriteId, UserId};

use crate::access::Proof;
use crate::access::children::{ChildAccess, ChildScope, Records, Use, visible};
use crate::colleges::{self, PROGRAM_COLUMNS, Program};
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// The program of a saved program in the catalogue.
pub(crate) const CATALOGUED: &str =
    " LEFT JOIN programs p ON p.id = f.program_id LEFT JOIN colleges c ON c.id = p.college_id ";

/// Saved programs with their facts in the catalogue, in the owner's order.
macro_rules! saved {
    ($table:literal, $whose:literal) => {
        constcat::concat!(
            "SELECT ",
            fieldhouse_domain::favorites::Favorite::COLUMNS,
            ", ",
            $crate::colleges::PROGRAM_COLUMNS,
            " FROM ",
            $table,
            " f",
            $crate::favorites::CATALOGUED,
            "WHERE ",
            $whose,
            " ORDER BY f.rank, f.id"
        )
    };
}
pub(crate) use saved;

queries! {
    LIST "favorites.list" saved!("favorites", "f.org_id = $1 AND f.owner_id = $2");
    /// A row without a saved program if the child is open to the caller and has none.
    LIST_OF_CHILD "favorites.list_of_child" concat!("SELECT v.capacity, k.wrapped, ", ChildFavorite::COLUMNS, ", ", PROGRAM_COLUMNS,
        " FROM (", visible!(" AND child_id = $10"), ") v JOIN child_keys k ON k.org_id = $1 AND k.child_id = v.child_id
        LEFT JOIN child_favorites f ON f.org_id = $1 AND f.child_id = v.child_id", CATALOGUED, "ORDER BY f.rank, f.id");
    OF_CHILD "favorites.of_child" concat!("SELECT k.wrapped, ", ChildFavorite::COLUMNS, ", ", PROGRAM_COLUMNS, " FROM child_favorites f
        JOIN child_keys k ON k.org_id = $1 AND k.child_id = f.child_id", CATALOGUED, "WHERE f.org_id = $1 AND f.child_id = $2
        ORDER BY f.rank, f.id");
    CHILD_OF "favorites.child_of" "SELECT child_id FROM child_favorites WHERE org_id = $1 AND id = $2";
}

/// A saved program with its facts in the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The saved program.
    pub favorite: Favorite,
    /// The program in the catalogue. `None` for a custom program.
    pub program: Option<Program>,
    /// The child whose list it is on, and who saved it. `None` on lists of users and guests.
    pub child: Option<(ChildId, UserId)>,
}

/// The whole list of the acting user, in order. It contains at most [`fieldhouse_domain::favorites::MAX_SAVED`].
pub async fn list<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Vec<Listed>> {
    reader.rows(LIST, values![id(proof.organization()), id(proof.owner())], listed).await
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { favorite: row.record()?, program: colleges::optional_program(row)?, child: None })
}

/// The whole list of a child, in order. `None` if the caller may not read it.
pub async fn list_of_child(
    reader: &mut impl Reader,
    scope: &ChildScope<Records>,
    child: ChildId,
) -> Result<Option<Vec<Listed>>> {
    let mut values = scope.values();
    values.push(id(child));
    let (sealer, organization) = (reader.sealer().clone(), scope.organization());
    let row = |row: &mut Row<'_>| {
        row.skip(1);
        let entry = row.optional_sealed_record(&sealer, organization)?;
        let program = colleges::optional_program(row)?;
        Ok(entry.map(|entry| listed_of_child(entry, program)))
    };
    let rows = reader.rows(LIST_OF_CHILD, &values, row).await?;
    let is_open = !rows.is_empty();
    Ok(is_open.then(|| rows.into_iter().flatten().collect()))
}

/// The whole list of a child, in order.
pub async fn of_child<'tx, V: Use>(
    tx: &mut Tx<'tx>,
    access: &ChildAccess<'tx, Records, V>,
) -> Result<Vec<Listed>> {
    let (sealer, organization) = (tx.sealer().clone(), access.organization());
    let row = |row: &mut Row<'_>| {
        let entry = row.sealed_record(&sealer, organization)?;
        Ok(listed_of_child(entry, colleges::optional_program(row)?))
    };
    tx.rows(OF_CHILD, values![id(organization), id(access.child())], row).await
}

fn listed_of_child(entry: ChildFavorite, program: Option<Program>) -> Listed {
    let child = Some((entry.child_id, entry.saved_by));
    Listed { favorite: entry.entry(), program, child }
}

/// The child of a saved program, to ask which relation opens it. `None` if it is on no child's list.
pub async fn child_of<R: Reader>(
    reader: &mut R,
    proof: &impl Proof<R>,
    favorite: FavoriteId,
) -> Result<Option<ChildId>> {
    first(reader, CHILD_OF, values![id(proof.organization()), id(favorite)], |row| row.next()).await
}
