//! Saved college programs of users in the store. Those of guests are in a table of their own: `guests.rs`.

use fieldhouse_domain::favorites::Favorite;
use fieldhouse_domain::ids::{OrganizationId, UserId};

use crate::access::{OrgScope, OrgWrite};
use crate::colleges::{self, Program};
use crate::engine::{Reader, Tx};
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

/// Saved programs with what the catalogue says of them, in their owner's order.
macro_rules! saved {
    ($table:literal, $whose:literal) => {
        constcat::concat!(
            "SELECT ",
            fieldhouse_domain::favorites::Favorite::COLUMNS,
            ", ",
            $crate::colleges::PROGRAM_COLUMNS,
            " FROM ",
            $table,
            " f LEFT JOIN programs p ON p.id = f.program_id LEFT JOIN colleges c ON c.id = p.college_id WHERE ",
            $whose,
            " ORDER BY f.rank, f.id"
        )
    };
}
pub(crate) use saved;

queries! {
    LIST "favorites.list" saved!("favorites", "f.org_id = $1 AND f.owner_id = $2");
}

/// A saved program with what the catalogue says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// What was saved.
    pub favorite: Favorite,
    /// The catalogue's program; none for one that the catalogue does not hold.
    pub program: Option<Program>,
}

/// The caller's whole list, in their order. It holds at most [`fieldhouse_domain::favorites::MOST`].
pub async fn list(reader: &mut impl Reader, scope: &OrgScope) -> Result<Vec<Listed>> {
    of_user(reader, scope.organization(), scope.user()).await
}

/// The list of the user who writes, in this transaction.
pub async fn list_to_write<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    user: UserId,
) -> Result<Vec<Listed>> {
    of_user(tx, proof.organization(), user).await
}

async fn of_user(reader: &mut impl Reader, org: OrganizationId, user: UserId) -> Result<Vec<Listed>> {
    reader.rows(LIST, values![id(org), id(user)], listed).await
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { favorite: row.record()?, program: colleges::optional_program(row)? })
}
