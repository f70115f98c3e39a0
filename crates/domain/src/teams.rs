//! Teams of a season.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Refusal;
use crate::divisions::Division;
use crate::ids::{DivisionId, SeasonId, TeamId};
use crate::record::{Record, enumeration};
use crate::text::{ExternalId, InvalidValue, Name};

enumeration! {
    /// The order of a list of teams.
    TeamSort {
        /// By name.
        Name "name",
        /// By name, in reverse.
        NameReversed "-name",
    }
}

/// A team of a season.
#[derive(Clone, PartialEq, Serialize, Deserialize, Record)]
#[record(table = "teams", alias = "t", wire, derived(name_folded = self.name.folded()))]
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

/// Refuses a division of another season: a team plays in one season.
pub fn refuse_other_season(team: &Team, division: &Division) -> Result<(), Refusal> {
    if division.season_id == team.season_id {
        return Ok(());
    }
    let fix = "Send a division of the team's season.";
    Err(Refusal::field("/division_id", InvalidValue::new("other_season", "belongs to another season", fix)))
}
