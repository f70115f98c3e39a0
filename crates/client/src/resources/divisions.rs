//! Divisions.

use fieldhouse_api::divisions::DivisionListQuery;
use fieldhouse_api::request::ListQuery;
use fieldhouse_domain::divisions::{ChangeDivision, NewDivision};
use fieldhouse_domain::ids::DivisionId;

use crate::resources::resource;

resource! {
    /// Divisions of seasons.
    Divisions {
        /// Lists divisions by name.
        list(query: DivisionListQuery) => DivisionList;
        /// Creates a division of a season.
        create(body: NewDivision) => DivisionCreate;
        /// Reads a division.
        read(id: DivisionId) => DivisionRead;
        /// Changes a division.
        change(id: DivisionId, body: ChangeDivision) => DivisionChange;
        /// Deletes a division without teams and games.
        delete(id: DivisionId) => DivisionDelete;
        /// Lists the changes of a division, newest first.
        history(id: DivisionId, query: ListQuery) => DivisionHistory;
    }
}
