//! Tests of the plan with the real league file, with later versions of it, and with generated files.

mod coburg;
mod generated;
mod matching;
mod parts;
mod worldcup;

use super::*;
use crate::playhq;
use jiff::Timestamp;
use jiff::civil::{Date, date, time};

use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::record::{Record, Shared};

pub(super) const COBURG: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/leagues/playhq/coburg-basketball-winter-2022.csv"
));

fn moment(random: u128) -> Moment {
    Moment::new(Timestamp::from_second(1_650_000_000).expect("a time"), random)
}

fn options() -> Options {
    Options {
        sport: Sport::parse("Basketball").expect("a sport"),
        time_zone: TimeZoneName::parse("Australia/Melbourne").expect("a zone"),
    }
}

fn named(text: &str) -> Name {
    Name::parse(text).expect("a name")
}

fn read(text: &str) -> Schedule {
    playhq::read(text.as_bytes()).expect("an export")
}

/// An organization that imports one file after another.
#[derive(Default)]
struct Organization {
    has: Existing,
    imports: u128,
}

impl Organization {
    /// An organization that has imported the real file.
    fn of_coburg() -> Self {
        let mut organization = Self::default();
        organization.import(read(COBURG));
        organization
    }

    fn import(&mut self, schedule: Schedule) -> Plan {
        self.imports += 1;
        let plan = plan(&moment(self.imports << 64), &options(), schedule, self.has.clone());
        for effect in plan.effects.clone() {
            self.has.apply(effect);
        }
        plan
    }

    fn game(&self, external_id: &str) -> &Game {
        let has_id = |game: &&Game| game.external_id.as_ref().is_some_and(|id| id.as_str() == external_id);
        self.has.games.iter().find(has_id).expect("the game")
    }
}

impl Existing {
    /// Applies an effect as the store does, and checks its references.
    fn apply(&mut self, effect: Effect) {
        match effect.after.expect("nothing is deleted") {
            AnyRecord::Venue(venue) => put(&mut self.venues, effect.before.is_some(), |one| one.id, venue),
            AnyRecord::Season(season) => {
                put(&mut self.seasons, effect.before.is_some(), |one| one.id, season);
            }
            AnyRecord::Division(division) => {
                assert!(self.seasons.iter().any(|season| season.id == division.season_id));
                put(&mut self.divisions, effect.before.is_some(), |one| one.id, division);
            }
            AnyRecord::Team(team) => {
                assert!(self.divisions.iter().any(|division| division.id == team.division_id));
                put(&mut self.teams, effect.before.is_some(), |one| one.id, team);
            }
            AnyRecord::Game(mut game) => {
                if let Some(AnyRecord::Game(before)) = &effect.before {
                    let at = game.updated_at;
                    Shared::make_mut(&mut game).note_change(before, at, Some("import"));
                }
                for side in [game.home(), game.away()].into_iter().flatten() {
                    let of_division = |team: &&Team| team.division_id == game.division_id;
                    assert!(self.teams.iter().filter(of_division).any(|team| team.id == side.team_id));
                }
                let known = |id| self.venues.iter().any(|venue| venue.id == id);
                assert!(game.venue_id.is_none_or(known));
                put(&mut self.games, effect.before.is_some(), |one| one.id, game);
            }
            other => panic!("an import must not change a {}", other.kind()),
        }
    }
}

fn put<R: Record, I: PartialEq>(records: &mut Vec<R>, exists: bool, id: impl Fn(&R) -> I, record: Shared<R>) {
    let record = Shared::into_record(record);
    let index = records.iter().position(|one| id(one) == id(&record));
    assert_eq!(index.is_some(), exists, "an update has a record, a creation has none");
    match index {
        Some(index) => records[index] = record,
        None => records.push(record),
    }
}

/// A game of a file without external ids: teams, time and place of `Round 1`, to be changed by the test.
fn game(home: &str, away: &str) -> Fixture {
    let side = |team| FixtureSide { team: named(team), score: None, external_id: None };
    let season = FixtureSeason { name: named("Cup 2022"), external_id: None };
    let sides = Sides::Game { home: side(home), away: side(away) };
    Fixture {
        round: Some(named("Round 1")),
        time: Some(time(9, 15, 0, 0)),
        place: Some(place("Oak Park", "Court 1")),
        ..Fixture::new(2, season, named("U12 Girls"), sides, SATURDAY)
    }
}

const SATURDAY: Date = date(2022, 4, 30);

fn place(venue: &str, court: &str) -> Place {
    Place { venue: named(venue), court: (!court.is_empty()).then(|| named(court)) }
}

/// A file with these fixtures, one in each line.
fn file(fixtures: impl IntoIterator<Item = Fixture>) -> Schedule {
    let fixtures: Vec<Fixture> =
        fixtures.into_iter().zip(2..).map(|(fixture, line)| Fixture { line, ..fixture }).collect();
    Schedule { rows: count(fixtures.iter()), fixtures, ..Schedule::default() }
}
