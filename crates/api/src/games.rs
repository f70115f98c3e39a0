//! Games on the wire.

use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::ids::{ChildId, DivisionId, GameId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use jiff::civil::DateTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::games::LastChange;

/// A game or a bye.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Game {
    /// The id.
    pub id: GameId,
    /// Its season.
    pub season_id: SeasonId,
    /// Its division.
    pub division_id: DivisionId,
    /// Its round: `Round 1`.
    pub round: Option<String>,
    /// Whether two teams meet or one rests.
    pub kind: GameKind,
    /// Where it stands.
    pub status: GameStatus,
    /// When it starts; where only the day is known (`time_tbd`), midnight at the venue.
    pub starts_at: Timestamp,
    /// When it ends, where that is known.
    pub ends_at: Option<Timestamp>,
    /// The IANA zone of its clock.
    pub time_zone: String,
    /// What that clock shows at the start.
    #[schema(value_type = String, example = "2022-04-30T09:15:00")]
    pub local_start: DateTime,
    /// Whether only the day is known.
    pub time_tbd: bool,
    /// Where it is played, where that is known.
    pub venue: Option<GameVenue>,
    /// The home side; the resting team of a bye.
    pub home: Option<Side>,
    /// The away side; null for a bye.
    pub away: Option<Side>,
    /// The caller's children who play in it.
    pub my_children: Vec<ChildId>,
    /// What last changed that families should know.
    pub last_change: Option<LastChange>,
    /// The id that another system gave it.
    pub external_id: Option<String>,
    /// When the record was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// Where a game is played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GameVenue {
    /// The venue.
    pub id: VenueId,
    /// Its name.
    pub name: String,
    /// The court or field.
    pub field: Option<String>,
}

/// One side of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Side {
    /// The team.
    pub team_id: TeamId,
    /// Its name.
    pub name: String,
    /// Its score, once there is one.
    pub score: Option<i64>,
}

/// Filters of the list of upcoming games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct GamesUpcomingQuery {
    /// The earliest start; now unless said otherwise.
    pub from: Option<Timestamp>,
    /// Starts before this; 30 days after `from` unless said otherwise, 180 at most.
    pub to: Option<Timestamp>,
    /// Only games of this team.
    pub team_id: Option<TeamId>,
    /// Only games of this season.
    pub season_id: Option<SeasonId>,
    /// Only games that stand here.
    pub status: Option<GameStatus>,
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
}
