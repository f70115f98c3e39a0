//! League imports: from the fixtures of a file to effects on seasons, divisions, teams, venues and games.
//!
//! The plan knows no format. Each noun has its file below: `fixtures.rs` is what a file says, `seasons.rs`, `venues.rs` and
//! `drafts.rs` find or make the records around a game, `games.rs` recognises games and `merge.rs` says what becomes of them. An import
//! adds and changes; it never deletes: a game that a file no longer names stays as it is.

mod counts;
mod drafts;
mod fixtures;
mod games;
mod merge;
mod records;
mod seasons;
mod venues;

use std::collections::BTreeSet;

use fieldhouse_domain::Moment;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::games::{Game, GameKind};
use fieldhouse_domain::record::enumeration;
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::ExternalId;
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;

use super::BadRow;
pub use counts::Counts;
use drafts::Ledgers;
pub use fixtures::{Fixture, FixtureSeason, FixtureSide, Ground, Schedule, Sides};
use records::Found;
use venues::Venues;

enumeration! {
    /// A format of league files.
    LeagueFormat {
        /// PlayHQ's fixture export (CSV).
        Playhq "playhq",
    }
}

/// What a file does not say and the one who imports it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The sport of seasons that are made.
    pub sport: Sport,
    /// The zone of the file's clocks. Records that are made get it, and every game of the file.
    pub time_zone: TimeZoneName,
}

/// What to read of an organization before a plan is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Seasons by external id ...
    pub season_external_ids: BTreeSet<ExternalId>,
    /// ... and seasons by folded name, with all their divisions, teams and games.
    pub season_names: BTreeSet<String>,
    /// Venues by folded name.
    pub venue_names: BTreeSet<String>,
}

/// What an organization has now of what [`wanted`] asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Existing {
    /// The wanted seasons.
    pub seasons: Vec<Season>,
    /// All their divisions.
    pub divisions: Vec<Division>,
    /// All their teams.
    pub teams: Vec<Team>,
    /// The wanted venues.
    pub venues: Vec<Venue>,
    /// All games of the seasons.
    pub games: Vec<Game>,
}

/// What an import will do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The effects, in an order in which each finds what it refers to: venues, seasons, divisions, teams, games.
    pub effects: Vec<Effect>,
    /// How many of each.
    pub counts: Counts,
    /// Every row that is left out, in the order of the file.
    pub bad: Vec<BadRow>,
}

/// What a plan for these fixtures needs to know of the organization.
pub fn wanted(fixtures: &[Fixture]) -> Wanted {
    let mut wanted = Wanted::default();
    for fixture in fixtures {
        wanted.season_external_ids.extend(fixture.season.external_id.clone());
        wanted.season_names.insert(fixture.season.name.folded());
        wanted.venue_names.extend(fixture.ground.as_ref().map(|ground| ground.venue.folded()));
    }
    wanted
}

/// Compares a file with what exists and yields what is to change. The same file a second time changes nothing.
///
/// The file is the truth for what it says; what it leaves open leaves what is there. Seasons are found by external id, else by folded
/// name. Of one that exists only the days change, outwards, and it gains the id that it lacks; one that is made is `completed` where
/// no game of it is open, else `active`. Divisions are found by season and folded name, teams by division and folded name, venues by
/// folded name; those that exist keep how they are written, and venues gain courts. Games are found by their id; else by the meeting
/// (division, round and both teams; without a round the day; a bye by its one team); else by time and ground, which turns
/// placeholders into teams. A game that is found keeps its id.
pub fn plan(moment: &Moment, options: &Options, schedule: Schedule, existing: Existing) -> Plan {
    let mut bad = schedule.bad;
    let mut fixtures = fixtures::sift(schedule.fixtures, &options.time_zone, &mut bad);
    let seasons = seasons::resolve(moment, options, &mut fixtures, existing.seasons, &mut bad);
    let mut ledgers = Ledgers {
        seasons,
        divisions: Found::new(existing.divisions, |division| (division.season_id, division.name.folded())),
        teams: Found::new(existing.teams, |team| (team.division_id, team.name.folded())),
        venues: Venues::new(existing.venues),
    };
    let drafts: Vec<Game> =
        fixtures.iter().filter_map(|timed| ledgers.draft(moment, options, timed)).collect();
    bad.sort();
    let counts = Counts {
        byes: count(drafts.iter().filter(|game| game.kind == GameKind::Bye)),
        rows: schedule.rows,
        bad_rows: count(bad.iter()),
        ..Counts::default()
    };
    let (effects, counts) = settle(moment, ledgers, game_changes(existing.games, drafts), counts);
    Plan { effects, counts, bad }
}

fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    items.fold(0, |count, _| count + 1)
}

/// Each wanted game with the existing one that it is.
fn game_changes(existing: Vec<Game>, drafts: Vec<Game>) -> Vec<(Option<Game>, Game)> {
    let matched = games::matched(&existing, &drafts);
    let mut existing: Vec<Option<Game>> = existing.into_iter().map(Some).collect();
    let mut changes = Vec::with_capacity(drafts.len());
    for (draft, place) in drafts.into_iter().zip(matched) {
        let before = place.and_then(|place| existing[place].take());
        let after = match &before {
            Some(before) => merge::merged(before, &draft),
            None => draft,
        };
        changes.push((before, after));
    }
    changes
}

fn settle(
    moment: &Moment,
    ledgers: Ledgers,
    games: Vec<(Option<Game>, Game)>,
    counts: Counts,
) -> (Vec<Effect>, Counts) {
    let (mut effects, venues) = ledgers.venues.settle(moment);
    let (season_effects, seasons) = ledgers.seasons.settle(moment);
    let (division_effects, divisions) = ledgers.divisions.settle(moment);
    let (team_effects, teams) = ledgers.teams.settle(moment);
    let (game_effects, games) = records::settle(moment, games.into_iter());
    effects.extend([season_effects, division_effects, team_effects, game_effects].into_iter().flatten());
    let counts = Counts {
        seasons_created: seasons.created,
        seasons_updated: seasons.updated,
        seasons_unchanged: seasons.unchanged,
        divisions_created: divisions.created,
        divisions_updated: divisions.updated,
        divisions_unchanged: divisions.unchanged,
        teams_created: teams.created,
        teams_updated: teams.updated,
        teams_unchanged: teams.unchanged,
        venues_created: venues.created,
        venues_updated: venues.updated,
        venues_unchanged: venues.unchanged,
        games_created: games.created,
        games_updated: games.updated,
        games_unchanged: games.unchanged,
        ..counts
    };
    (effects, counts)
}

#[cfg(test)]
mod tests;
