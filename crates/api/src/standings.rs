//! Standings in requests and responses.

use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId};
use fieldhouse_domain::record::{Body, enumeration};
use fieldhouse_domain::seasons::Tiebreaker;
use fieldhouse_domain::standings::Criterion;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::spreadsheet::{ListFormat, Sheet};

/// The columns of a table as CSV.
pub const SHEET: Sheet = Sheet {
    records: "/data/rows",
    columns: &[
        "rank",
        "team.id",
        "team.name",
        "played",
        "won",
        "drawn",
        "lost",
        "scored",
        "conceded",
        "difference",
        "points",
        "decided_by",
    ],
};

enumeration! {
    /// How a forfeit counts.
    ForfeitRule {
        /// By its entered score. With the score of one side only, that side has won, without points scored.
        EnteredScore "entered_score",
    }
}

/// Which standings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct StandingsQuery {
    /// Only teams and games of this division. Without it, one table has all teams of the season.
    pub division_id: Option<DivisionId>,
    /// `csv` returns the rows as CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
}

/// The table of a season or a division.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Standings {
    /// The season.
    pub season_id: SeasonId,
    /// The division. Null for the whole season.
    pub division_id: Option<DivisionId>,
    /// When the newest of the records that the table is computed from changed.
    pub as_of: Timestamp,
    /// The rules of the table.
    pub ruleset: Ruleset,
    /// The teams, the best first.
    pub rows: Vec<StandingsRow>,
    /// The number of games that are over and do not count: cancelled, abandoned, or without the scores that decide them. Byes are not counted
    /// here.
    pub excluded_games: i64,
}

/// The rules of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Ruleset {
    /// The points for a win.
    pub win: i64,
    /// The points for a draw.
    pub draw: i64,
    /// The points for a loss.
    pub loss: i64,
    /// How a forfeit counts.
    pub forfeit: ForfeitRule,
    /// The criteria that rank teams with equal points, in order.
    pub tiebreakers: Vec<Tiebreaker>,
}

/// A team in a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandingsRow {
    /// The rank: 1 is the best. Teams that are equal in everything share one.
    pub rank: i64,
    /// The team.
    pub team: StandingsTeam,
    /// Games that count.
    pub played: i64,
    /// Games won.
    pub won: i64,
    /// Games drawn.
    pub drawn: i64,
    /// Games lost.
    pub lost: i64,
    /// Points scored.
    pub scored: i64,
    /// Points conceded.
    pub conceded: i64,
    /// Points scored minus points conceded.
    pub difference: i64,
    /// Points in the table.
    pub points: i64,
    /// What separates the team from the one above. Null for the first row, and for a team that shares its rank with the one above.
    pub decided_by: Option<Criterion>,
}

/// The team of a row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandingsTeam {
    /// The id.
    pub id: TeamId,
    /// Its name.
    pub name: String,
}
