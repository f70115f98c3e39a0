//! Games in requests and responses.

use fieldhouse_domain::games::{ChangeGame, GameSort, GameStatus};
use fieldhouse_domain::ids::{ChildId, DivisionId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::text::{Name, Reason};
use jiff::Timestamp;

pub use fieldhouse_domain::games::shown::{Game, GameVenue, Side};
pub use fieldhouse_domain::games::{GameResult, LastChange, NewGame};

use crate::spreadsheet::{ListFormat, Sheet};

/// The columns of lists of games as CSV.
pub const SHEET: Sheet = Sheet::of_page(&[
    "id",
    "season_id",
    "division_id",
    "round",
    "kind",
    "status",
    "local_start",
    "time_zone",
    "time_tbd",
    "starts_at",
    "ends_at",
    "home.name",
    "home_score",
    "away.name",
    "away_score",
    "venue.name",
    "field",
    "home_team_id",
    "away_team_id",
    "venue_id",
    "last_change.at",
    "last_change.fields",
    "last_change.reason",
    "external_id",
    "created_at",
    "updated_at",
    "version",
]);

/// Filters of the list of upcoming games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct GamesUpcomingQuery {
    /// The earliest start; default now.
    pub from: Option<Timestamp>,
    /// Only games that start before this time; default 30 days after `from`, at most 180 days.
    pub to: Option<Timestamp>,
    /// Only games of this team.
    pub team_id: Option<TeamId>,
    /// Only games of the teams in which this child is on the day. The child must be open to the caller; a key needs the scope
    /// `children:read`.
    pub child_id: Option<ChildId>,
    /// With `true`, only games of the teams in which the caller's own children are on the day, and of the teams that the caller is staff of
    /// today.
    pub mine: Option<bool>,
    /// Only games of this season.
    pub season_id: Option<SeasonId>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
    /// `csv` returns CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Filters and order of the list of games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct GameListQuery {
    /// Only games that start at this time or later. With one of `from` and `to`, the range has 366 days, the maximum; without both it has
    /// no limit.
    pub from: Option<Timestamp>,
    /// Only games that start before this time.
    pub to: Option<Timestamp>,
    /// Only games of this season.
    pub season_id: Option<SeasonId>,
    /// Only games of this division.
    pub division_id: Option<DivisionId>,
    /// Only games of this team, at home and away.
    pub team_id: Option<TeamId>,
    /// Only games at this venue.
    pub venue_id: Option<VenueId>,
    /// Only games with this status.
    pub status: Option<GameStatus>,
    /// Only games of the round with this name, such as `Round 1`.
    pub round: Option<Name>,
    /// The order: `starts_at` (the default) or `-starts_at`, which reverses it.
    pub sort: Option<GameSort>,
    /// The `page.sync` of an earlier list: returns only records that changed since then, in the order of their changes, and deleted records
    /// in `deleted`. No change is missed. Cannot be combined with a filter.
    pub since: Option<String>,
    /// Only records that changed after this time, and deleted records in `deleted`, as with `since`. Cannot be combined with a filter.
    pub updated_since: Option<Timestamp>,
    /// `csv` returns CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query parameters of an operation that moves a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct GameMoveQuery {
    /// With `true`, the game may overlap with other games of its teams and at its venue.
    pub allow_overlap: Option<bool>,
}

/// A change of a game, with its reason.
#[derive(Clone, Debug, Default, PartialEq, Body)]
#[body(title = "GameChange")]
pub struct GamePatch {
    /// The fields to change.
    #[body(flatten)]
    pub change: ChangeGame,
    /// The reason, which families see in `last_change`. It is stored in the history too.
    pub reason: Option<Reason>,
}
