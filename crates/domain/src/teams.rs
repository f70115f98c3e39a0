//! Teams of a season.

use jiff::Timestamp;

use crate::ids::{DivisionId, SeasonId, TeamId};
use crate::record::record;
use crate::text::{ExternalId, Name};

record! {
    /// A team of a season.
    Team {
        /// The id.
        id: TeamId,
        /// Its season.
        season_id: SeasonId,
        /// Its division; its name is unique in it by its folded form.
        division_id: DivisionId,
        /// Its name.
        name: Name,
        /// Its name where there is little room.
        short_name: Option<Name>,
        /// The id that another system gave it.
        external_id: Option<ExternalId>,
        /// When it was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}
