//! The content of a league file in any format: fixtures, with names as in the file and local dates and times.

use std::collections::HashMap;

use jiff::civil::{Date, Time};
use jiff::{SignedDuration, Timestamp};

use crate::{BadRow, SkippedRow};
use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;

/// A parsed league file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// The good rows.
    pub fixtures: Vec<Fixture>,
    /// The bad rows.
    pub bad: Vec<BadRow>,
    /// The rows that are not games.
    pub skipped: Vec<SkippedRow>,
    /// The number of rows: good, bad and skipped.
    pub rows: u64,
}

/// One game or bye of a file. `None` means that the file does not contain the value.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixture {
    /// The line in the file.
    pub line: u64,
    /// Its season.
    pub season: FixtureSeason,
    /// Its division (grade).
    pub division: Name,
    /// Its round.
    pub round: Option<Name>,
    /// The teams that play, or the team with a bye.
    pub sides: Sides,
    /// Its status.
    pub status: GameStatus,
    /// The local date.
    pub date: Date,
    /// The local time; `None` if it is not known yet.
    pub time: Option<Time>,
    /// How long it takes.
    pub duration: Option<SignedDuration>,
    /// The zone of its date and time, if it is not that of the whole file.
    pub time_zone: Option<TimeZoneName>,
    /// Where it is played.
    pub place: Option<Place>,
    /// The external id.
    pub external_id: Option<ExternalId>,
}

/// The season of a fixture.
#[derive(Clone, Debug, PartialEq)]
pub struct FixtureSeason {
    /// Its name.
    pub name: Name,
    /// The external id.
    pub external_id: Option<ExternalId>,
}

/// The teams that play, or the team with a bye.
#[derive(Clone, Debug, PartialEq)]
pub enum Sides {
    /// Two different teams play.
    Game {
        /// The home side.
        home: FixtureSide,
        /// The away side.
        away: FixtureSide,
    },
    /// A team has a bye.
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
    /// Its score, if known.
    pub score: Option<i64>,
    /// The external id of the team.
    pub external_id: Option<ExternalId>,
}

/// Where a game is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The venue.
    pub venue: Name,
    /// Its court, field or rink.
    pub court: Option<Name>,
}

impl FixtureSeason {
    /// The key that identifies a season in the file.
    pub(super) fn key(&self) -> String {
        self.external_id.as_ref().map_or_else(|| self.name.folded(), ToString::to_string)
    }
}

impl Fixture {
    /// A scheduled game or bye of which nothing else is known.
    pub fn new(line: u64, season: FixtureSeason, division: Name, sides: Sides, date: Date) -> Self {
        Self {
            line,
            season,
            division,
            round: None,
            sides,
            status: GameStatus::Scheduled,
            date,
            time: None,
            duration: None,
            time_zone: None,
            place: None,
            external_id: None,
        }
    }

    /// Whether two teams play or one has a bye.
    pub fn kind(&self) -> GameKind {
        match self.sides {
            Sides::Game { .. } => GameKind::Game,
            Sides::Bye { .. } => GameKind::Bye,
        }
    }

    fn instant(&self, time_zone: &TimeZoneName) -> Option<Timestamp> {
        let time_zone = self.time_zone.as_ref().unwrap_or(time_zone);
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

    /// The key that no two rows may share: the external id, or else the teams and the time.
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

/// A fixture with its instant of start.
pub(super) struct Timed {
    pub(super) fixture: Fixture,
    pub(super) starts_at: Timestamp,
}

/// Separates valid fixtures from repeated and impossible ones, which become bad rows.
pub(super) fn valid(fixtures: Vec<Fixture>, time_zone: &TimeZoneName, bad: &mut Vec<BadRow>) -> Vec<Timed> {
    let mut seen = HashMap::new();
    let mut sifted = Vec::with_capacity(fixtures.len());
    for fixture in fixtures {
        let line = fixture.line;
        let earlier = seen.insert(fixture.identity(), line);
        let [one, other] = fixture.teams();
        let verdict = match (earlier, fixture.instant(time_zone)) {
            (Some(earlier), _) => Err(format!("repeats the game or bye of line {earlier}")),
            _ if one == other => Err("has the same team on both sides".to_owned()),
            (None, None) => Err("has an impossible time".to_owned()),
            (None, Some(starts_at)) => Ok(starts_at),
        };
        match verdict {
            Ok(starts_at) => sifted.push(Timed { fixture, starts_at }),
            Err(reason) => bad.push(BadRow { line, column: None, reason }),
        }
    }
    sifted
}
