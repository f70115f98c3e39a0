//! Teams of a season.

use jiff::Timestamp;

use crate::ids::{DivisionId, SeasonId, TeamId};
use crate::record::Record;
use crate::text::{ExternalId, Name};

/// A team of a season.
#[derive(Clone, PartialEq, Record)]
#[record(table = "teams", alias = "t", derived(name_folded = self.name.folded()))]
pub struct Team {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: TeamId,
    /// Its season.
    #[field(create_only)]
    pub season_id: SeasonId,
    /// Its division.
    #[field(client)]
    pub division_id: DivisionId,
    /// Its name, unique in the division regardless of case and accents.
    #[field(client)]
    pub name: Name,
    /// A short name, for small screens.
    #[field(client)]
    pub short_name: Option<Name>,
    /// The id that another system gave it.
    #[field(client)]
    pub external_id: Option<ExternalId>,
    /// When it was created.
    #[field(server, moment, initial = moment.now())]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping, initial = moment.now())]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping, initial = 1)]
    pub version: i64,
}
