//! Games and byes.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::ids::{DivisionId, GameId, SeasonId, TeamId, VenueId};
use crate::record::{At, Cell, CellKind, Column, Field, Input, Record, enumeration};
use crate::text::{ExternalId, Name};
use crate::time::TimeZoneName;

enumeration! {
    /// Whether two teams play or one has a bye.
    GameKind {
        /// Two teams play.
        Game "game",
        /// A team has no game this round. Only the home side is set.
        Bye "bye",
    }
}

enumeration! {
    /// The status of a game.
    GameStatus {
        /// Not played yet.
        Scheduled "scheduled",
        /// To be played at another time; the game still has the old time.
        Postponed "postponed",
        /// Will not be played.
        Cancelled "cancelled",
        /// Being played.
        InProgress "in_progress",
        /// Played, with a final score.
        Final "final",
        /// Decided without being played.
        Forfeit "forfeit",
        /// Started but not finished.
        Abandoned "abandoned",
    }
}

/// One side of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The team.
    pub team_id: TeamId,
    /// Its score, if known.
    pub score: Option<i64>,
}

/// The last change of a game that families should know about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LastChange {
    /// When it was made.
    pub at: Timestamp,
    /// The changed fields.
    pub fields: Vec<String>,
    /// The reason.
    pub reason: Option<String>,
}

/// A game or a bye.
#[derive(Clone, PartialEq, Record)]
#[record(table = "games", alias = "g")]
pub struct Game {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: GameId,
    /// Its season.
    #[field(create_only)]
    pub season_id: SeasonId,
    /// Its division.
    #[field(client)]
    pub division_id: DivisionId,
    /// Its round, such as `Round 1`.
    #[field(client)]
    pub round: Option<Name>,
    /// Whether two teams play or one has a bye.
    #[field(create_only, default = GameKind::Game)]
    pub kind: GameKind,
    /// Its status.
    #[field(client, default = GameStatus::Scheduled)]
    pub status: GameStatus,
    /// When it starts. If only the day is known (`time_tbd`), midnight at the venue.
    #[field(client)]
    pub starts_at: Timestamp,
    /// Whether only the day is known.
    #[field(client, default = false)]
    pub time_tbd: bool,
    /// When it ends, if known.
    #[field(client)]
    pub ends_at: Option<Timestamp>,
    /// The IANA time zone of the venue.
    #[field(client)]
    pub time_zone: TimeZoneName,
    /// The venue, if known.
    #[field(client)]
    pub venue_id: Option<VenueId>,
    /// The court or field.
    #[field(client)]
    pub field: Option<Name>,
    /// The home team, or the team that has a bye. Null if not known yet.
    #[field(client)]
    pub home_team_id: Option<TeamId>,
    /// The home team's score, if known.
    #[field(client, min = 0, max = 10_000)]
    pub home_score: Option<i64>,
    /// The away team. Null for a bye, or if not known yet.
    #[field(client)]
    pub away_team_id: Option<TeamId>,
    /// The away team's score, if known.
    #[field(client, min = 0, max = 10_000)]
    pub away_score: Option<i64>,
    /// The last change that families should know about.
    #[field(server, initial = None)]
    pub last_change: Option<LastChange>,
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

/// How far ahead upcoming games are listed by default.
pub const UPCOMING_DEFAULT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The longest span of upcoming games that can be requested.
pub const UPCOMING_MAX: SignedDuration = SignedDuration::from_hours(180 * 24);

/// The fields whose change families should know about, each with its name in the API.
const NOTABLE: [(&str, &str); 9] = [
    ("starts_at", "starts_at"),
    ("time_tbd", "time_tbd"),
    ("venue_id", "venue_id"),
    ("field", "field"),
    ("status", "status"),
    ("home_team_id", "home"),
    ("home_score", "home"),
    ("away_team_id", "away"),
    ("away_score", "away"),
];

/// Stored as JSON.
impl Column for LastChange {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::record::image_of(self).to_string()))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        serde_json::from_str(cell.text()?).map_err(|error| error.to_string())
    }
}

/// Read from images only; no body contains it.
impl Field for LastChange {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match input {
            Input::Json(json) => Self::deserialize(json).ok().or_else(|| at.expected("a change of a game")),
            Input::Text(_) => at.expected("a change of a game"),
        }
    }
    fn schema() -> RefOr<Schema> {
        crate::record::Properties::reference::<Self>()
    }
}

impl Game {
    /// The home side. `None` if its team is not known yet.
    pub fn home(&self) -> Option<Side> {
        self.home_team_id.map(|team_id| Side { team_id, score: self.home_score })
    }

    /// The away side. `None` for a bye, or if its team is not known yet.
    pub fn away(&self) -> Option<Side> {
        self.away_team_id.map(|team_id| Side { team_id, score: self.away_score })
    }

    /// Records the differences from `before` that families should know about, with the reason.
    pub fn note_change(&mut self, before: &Self, at: Timestamp, reason: Option<&str>) {
        let changed = self.changed(before);
        let notable = NOTABLE.iter().filter(|(field, _)| changed.contains(field));
        let mut fields: Vec<String> = notable.map(|(_, shown)| (*shown).to_owned()).collect();
        fields.dedup();
        if !fields.is_empty() {
            self.last_change = Some(LastChange { at, fields, reason: reason.map(str::to_owned) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moment;

    fn game() -> Game {
        let moment = Moment::new(Timestamp::UNIX_EPOCH, 7);
        let zone = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let mut wanted = NewGame::new(moment.id(), moment.id(), moment.now(), zone);
        wanted.home_team_id = Some(moment.id());
        wanted.away_team_id = Some(moment.id());
        Game::create(&moment, wanted)
    }

    fn noted(change: impl FnOnce(&mut Game)) -> Option<Vec<String>> {
        let (before, mut after) = (game(), game());
        change(&mut after);
        after.note_change(&before, Timestamp::UNIX_EPOCH, Some("rain"));
        after.last_change.map(|change| {
            assert_eq!((change.at, change.reason.as_deref()), (Timestamp::UNIX_EPOCH, Some("rain")));
            change.fields
        })
    }

    #[test]
    fn families_are_told_what_changed_by_the_names_of_the_api() {
        let fields = noted(|game| {
            game.away_score = Some(2);
            game.home_score = Some(1);
            game.home_team_id = None;
            game.status = GameStatus::Final;
            game.field = Name::parse("2").ok();
            game.round = Name::parse("Final").ok();
        });
        let expected = ["field", "status", "home", "away"].map(str::to_owned);
        assert_eq!(fields, Some(expected.into()), "each side once, and nothing about the round");
        assert_eq!(noted(|game| game.time_tbd = true), Some(vec!["time_tbd".to_owned()]));
    }

    #[test]
    fn a_change_that_families_need_not_know_keeps_the_last_one() {
        let last = LastChange { at: Timestamp::UNIX_EPOCH, fields: vec!["status".to_owned()], reason: None };
        let before = Game { last_change: Some(last.clone()), ..game() };
        let mut after = Game { round: Name::parse("Round 2").ok(), version: 2, ..before.clone() };
        after.note_change(&before, Timestamp::MAX, Some("renamed"));
        assert_eq!(after.last_change, Some(last));
        assert_eq!(noted(|_| ()), None);
    }

    #[test]
    fn a_side_without_a_team_is_unknown_even_if_it_has_a_score() {
        let game = Game { home_score: Some(3), away_team_id: None, away_score: Some(1), ..game() };
        assert_eq!((game.home().and_then(|side| side.score), game.away()), (Some(3), None));
    }
}
