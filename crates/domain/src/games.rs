//! Games and byes.

use jiff::{SignedDuration, Timestamp};

use crate::ids::{DivisionId, GameId, SeasonId, TeamId, VenueId};
use crate::record::{enumeration, record};
use crate::text::{ExternalId, Name};
use crate::time::TimeZoneName;

enumeration! {
    /// Whether two teams meet or one rests.
    GameKind {
        /// Two teams meet.
        Game "game",
        /// A team rests this round; only its home side is set.
        Bye "bye",
    }
}

enumeration! {
    /// Where a game stands.
    GameStatus {
        /// To be played.
        Scheduled "scheduled",
        /// Put off; the time is the old one.
        Postponed "postponed",
        /// Will not be played.
        Cancelled "cancelled",
        /// Being played.
        InProgress "in_progress",
        /// Played.
        Final "final",
        /// Decided without play.
        Forfeit "forfeit",
        /// Broken off.
        Abandoned "abandoned",
    }
}

/// One side of a game. A side whose team is not known yet, or which a bye does not have, is absent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The team.
    pub team_id: TeamId,
    /// Its score, once there is one.
    pub score: Option<i64>,
}

/// What last changed about a game that families should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LastChange {
    /// When.
    pub at: Timestamp,
    /// Which fields.
    pub fields: Vec<String>,
    /// Why.
    pub reason: Option<String>,
}

record! {
    /// A game or a bye.
    Game {
        /// The id.
        id: GameId,
        /// Its season.
        season_id: SeasonId,
        /// Its division.
        division_id: DivisionId,
        /// Its round: `Round 1`.
        round: Option<Name>,
        /// Whether two teams meet or one rests.
        kind: GameKind,
        /// Where it stands.
        status: GameStatus,
        /// When it starts; where only the day is known, midnight at the venue.
        starts_at: Timestamp,
        /// Whether only the day is known.
        time_tbd: bool,
        /// When it ends, where that is known.
        ends_at: Option<Timestamp>,
        /// The zone of its clock.
        time_zone: TimeZoneName,
        /// Where it is played, where that is known.
        venue_id: Option<VenueId>,
        /// On which court or field.
        field: Option<Name>,
        /// The home side; the resting team of a bye.
        home: Option<Side>,
        /// The away side.
        away: Option<Side>,
        /// What last changed that families should know.
        last_change: Option<LastChange>,
        /// The id that another system gave it.
        external_id: Option<ExternalId>,
        /// When the record was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// How far ahead upcoming games are listed unless asked otherwise.
pub const UPCOMING_DEFAULT: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The longest span that may be asked for.
pub const UPCOMING_LONGEST: SignedDuration = SignedDuration::from_hours(180 * 24);

/// The fields whose change families should hear of.
const NOTABLE: [&str; 7] = ["starts_at", "time_tbd", "venue_id", "field", "status", "home", "away"];

impl Game {
    /// Notes what differs from `before` that families should know, with its reason.
    pub fn note_change(&mut self, before: &Self, at: Timestamp, reason: &str) {
        let fields: Vec<String> = self
            .changed(before)
            .into_iter()
            .filter(|field| NOTABLE.contains(field))
            .map(str::to_owned)
            .collect();
        if !fields.is_empty() {
            self.last_change = Some(LastChange { at, fields, reason: Some(reason.to_owned()) });
        }
    }
}
