//! What a league file says, whatever its format: fixtures in the file's own words, with local dates and times.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::{Date, Time};

use crate::BadRow;
use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;

/// A league file, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The rows that could be taken.
    pub fixtures: Vec<Fixture>,
    /// The rows that could not.
    pub bad: Vec<BadRow>,
    /// How many rows the file has, good and bad.
    pub rows: u64,
}

/// One game or bye, as a file tells it. What is none, the file does not say.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// The line of the file that it is on.
    pub line: u64,
    /// Its season.
    pub season: FixtureSeason,
    /// Its division (grade).
    pub division: Name,
    /// Its round.
    pub round: Option<Name>,
    /// Who plays, or rests.
    pub sides: Sides,
    /// The place in the file.
    pub status: GameStatus,
    /// The day, where it is played.
    pub date: Date,
    /// The time on clocks there; none: to be decided.
    pub time: Option<Time>,
    /// Where it is played.
    pub ground: Option<Ground>,
    /// The id that the file gives it.
    pub external_id: Option<ExternalId>,
}

/// The season of a fixture.
#[derive(Clone, Debug, PartialEq)]
pub struct FixtureSeason {
    /// Its name.
    pub name: Name,
    /// The id by which the file's system knows it.
    pub external_id: Option<ExternalId>,
}

/// Who plays, or rests.
#[derive(Clone, Debug, PartialEq)]
pub enum Sides {
    /// Two different teams meet.
    Game {
        /// The home side.
        home: FixtureSide,
        /// The away side.
        away: FixtureSide,
    },
    /// A team rests.
    Bye {
        /// The team.
        team: Name,
    },
}

/// One side of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct FixtureSide {
    /// The team.
    pub team: Name,
    /// Its score.
    pub score: Option<i64>,
}

/// Where a game is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// The venue.
    pub venue: Name,
    /// Its court, field or rink.
    pub court: Option<Name>,
}

impl FixtureSeason {
    /// What tells the seasons of one file apart.
    pub(super) fn key(&self) -> String {
        self.external_id.as_ref().map_or_else(|| self.name.folded(), ToString::to_string)
    }
}

impl Fixture {
    /// Whether two teams meet or one rests.
    pub fn kind(&self) -> GameKind {
        match self.sides {
            Sides::Game { .. } => GameKind::Game,
            Sides::Bye { .. } => GameKind::Bye,
        }
    }

    fn instant(&self, time_zone: &TimeZoneName) -> Option<Timestamp> {
        time_zone.instant(self.date.to_datetime(self.time.unwrap_or(Time::midnight())))
    }

    fn teams(&self) -> [String; 2] {
        match &self.sides {
            Sides::Bye { team } => [team.folded(), String::new()],
            Sides::Game { home, away } => {
                let mut teams = [home.team.folded(), away.team.folded()];
                teams.sort();
                teams
            }
        }
    }

    /// What no two rows of a file have in common: its id, or else the meeting of two teams at one time.
    fn identity(&self) -> Identity {
        let season = self.season.key();
        match &self.external_id {
            Some(id) => Identity::Id(season, id.clone()),
            None => Identity::Meeting {
                season,
                division: self.division.folded(),
                round: self.round.as_ref().map(Name::folded),
                teams: self.teams(),
                at: (self.date, self.time),
            },
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Id(String, ExternalId),
    Meeting {
        season: String,
        division: String,
        round: Option<String>,
        teams: [String; 2],
        at: (Date, Option<Time>),
    },
}

/// A fixture and the instant at which it starts.
pub(super) struct Timed {
    pub(super) fixture: Fixture,
    pub(super) starts_at: Timestamp,
}

/// The fixtures that stand once in the file and whose teams and time can be; the others become bad rows.
pub(super) fn sift(fixtures: Vec<Fixture>, time_zone: &TimeZoneName, bad: &mut Vec<BadRow>) -> Vec<Timed> {
    let mut seen = HashMap::new();
    let mut sifted = Vec::with_capacity(fixtures.len());
    for fixture in fixtures {
        let line = fixture.line;
        let earlier = seen.insert(fixture.identity(), line);
        let [one, other] = fixture.teams();
        let verdict = match (earlier, fixture.instant(time_zone)) {
            (Some(earlier), _) => Err(format!("says the same game or bye as line {earlier}")),
            _ if one == other => Err("names one team on both sides".to_owned()),
            (None, None) => Err("has a time that no clock shows".to_owned()),
            (None, Some(starts_at)) => Ok(starts_at),
        };
        match verdict {
            Ok(starts_at) => sifted.push(Timed { fixture, starts_at }),
            Err(reason) => bad.push(BadRow { line, column: None, reason }),
        }
    }
    sifted
}
