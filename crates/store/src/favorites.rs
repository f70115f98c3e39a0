//! Saved college programs of users in the store. Those of guests have their own table: `guests.rs`.

use fieldhouse_domain::favorites::Favorite;

use crate::access::Proof;
use crate::colleges::{self, Program};
use crate::engine::Reader;
use crate::error::Result;
use crate::query::queries;
use crate::row::Row;
use crate::value::{id, values};

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

/// A saved program with its facts in the catalogue.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    /// The saved program.
    pub favorite: Favorite,
    /// The program in the catalogue. `None` for a custom program.
    pub program: Option<Program>,
}

/// The whole list of the acting user, in order. It contains at most [`fieldhouse_domain::favorites::MAX_SAVED`].
pub async fn list<R: Reader>(reader: &mut R, proof: &impl Proof<R>) -> Result<Vec<Listed>> {
    reader.rows(LIST, values![id(proof.organization()), id(proof.owner())], listed).await
}

pub(crate) fn listed(row: &mut Row<'_>) -> Result<Listed> {
    Ok(Listed { favorite: row.record()?, program: colleges::optional_program(row)? })
}
