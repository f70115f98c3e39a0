//! Games and byes. The rules between their fields and with other games are in `rules.rs`.

mod rules;
pub mod shown;

use std::borrow::Cow;

use jiff::civil::DateTime;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::ids::{DivisionId, GameId, SeasonId, TeamId, VenueId};
use crate::record::{At, Body, Cell, CellKind, Column, Field, Input, Record, enumeration};
use crate::text::{ExternalId, Name, Reason};
use crate::time::TimeZoneName;

pub use rules::{Conflict, LONGEST, Places, conflicts, is_moved, occupies, refuse_wrong_places, with_result};

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

enumeration! {
    /// The order of a list of games.
    GameSort {
        /// By start, earliest first.
        StartsAt "starts_at",
        /// By start, latest first.
        StartsAtReversed "-starts_at",
    }
}

enumeration! {
    /// The status of a game with a result.
    ResultStatus {
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

impl ResultStatus {
    /// The status of the game.
    pub fn of_game(self) -> GameStatus {
        match self {
            Self::InProgress => GameStatus::InProgress,
            Self::Final => GameStatus::Final,
            Self::Forfeit => GameStatus::Forfeit,
            Self::Abandoned => GameStatus::Abandoned,
        }
    }
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Body)]
pub struct GameResult {
    /// The home team's score. Required for a game that is final or in progress; a forfeit needs the score of at least one side.
    #[body(min = 0, max = 10_000)]
    pub home_score: Option<Option<i64>>,
    /// The away team's score.
    #[body(min = 0, max = 10_000)]
    pub away_score: Option<Option<i64>>,
    /// The status.
    pub status: ResultStatus,
    /// The reason, which families see in `last_change`. It is stored in the history too.
    pub reason: Option<Reason>,
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
#[record(table = "games", alias = "g", rules = rules::check, derived(shown = shown::stored(self, &image())))]
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
    /// The local time of the start as it was set. It stays when the rules of the time zone change, and `starts_at` follows it. Null for
    /// games from before it was stored.
    #[field(server, initial = Some(new.time_zone.local(new.starts_at)))]
    pub local_start: Option<DateTime>,
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
    #[field(server, stamp, initial = None)]
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
/// The longest span of a list of games.
pub const SPAN_MAX: SignedDuration = SignedDuration::from_hours(366 * 24);

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
        Cell::Text(Cow::Owned(crate::rendered::json(self)))
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

    /// The local time of the start.
    pub fn local_start(&self) -> DateTime {
        self.local_start.unwrap_or_else(|| self.time_zone.local(self.starts_at))
    }

    /// Sets the local time of the start to what `starts_at` means, unless it means the same already. A time that clocks skip or show twice
    /// is kept as it was set.
    pub fn note_local_start(&mut self) {
        let same = |local: DateTime| self.time_zone.instant(local) == Some(self.starts_at);
        if !self.local_start.is_some_and(same) {
            self.local_start = Some(self.time_zone.local(self.starts_at));
        }
    }

    /// The game with the UTC times that its local start has by the rules of its time zone now. `None` if nothing differs.
    pub fn by_rules_now(&self) -> Option<Self> {
        let Some(local) = self.local_start else {
            return Some(Self { local_start: Some(self.time_zone.local(self.starts_at)), ..self.clone() });
        };
        let starts_at = self.time_zone.instant(local)?;
        if starts_at == self.starts_at || self.time_zone.local(self.starts_at) == local {
            return None;
        }
        let length = self.ends_at.map(|end| end.duration_since(self.starts_at));
        let ends_at = length.and_then(|length| starts_at.checked_add(length).ok());
        Some(Self { starts_at, ends_at, ..self.clone() })
    }

    /// Records the differences from `before` that families should know about, with the reason.
    pub fn note_change(&mut self, before: &Self, at: Timestamp, reason: Option<&str>) {
        let mut changed = self.changed(before);
        if (self.local_start, &self.time_zone) == (before.local_start, &before.time_zone) {
            // Only the rules of the time zone changed: the game starts when everyone expects it.
            changed.retain(|field| *field != "starts_at" || self.local_start.is_none());
        }
        let notable = NOTABLE.iter().filter(|(field, _)| changed.contains(field));
        let mut fields: Vec<String> = notable.map(|(_, shown)| (*shown).to_owned()).collect();
        fields.dedup();
        if !fields.is_empty() {
            self.last_change = Some(LastChange { at, fields, reason: reason.map(str::to_owned) });
        }
    }
}

#[cfg(test)]
mod tests;
