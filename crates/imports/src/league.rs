//! League imports: from the fixtures of a file to effects on seasons, divisions, teams, venues and games.
//!
//! The plan is independent of the format. Each noun has a file: `fixtures.rs` is the content of a file, `seasons.rs`, `venues.rs` and
//! `drafts.rs` find or create the records around a game, `games.rs` matches games and `merge.rs` merges them. An import never deletes: a
//! game that a file no longer contains stays.

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
use drafts::Lookups;
pub use fixtures::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use records::Found;
use venues::Venues;

enumeration! {
    /// A format of league files.
    LeagueFormat {
        /// PlayHQ's fixture export (CSV).
        Playhq "playhq",
    }
}

/// What the file does not contain and the caller provides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The sport of new seasons.
    pub sport: Sport,
    /// The time zone of the file's local times, of new records and of every game in the file.
    pub time_zone: TimeZoneName,
}

/// The records of an organization to read before planning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Seasons by external id ...
    pub season_external_ids: BTreeSet<ExternalId>,
    /// ... and seasons by folded name, with all their divisions, teams and games.
    pub season_names: BTreeSet<String>,
    /// Venues by folded name.
    pub venue_names: BTreeSet<String>,
}

/// The existing records that [`wanted`] asks for.
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

/// The changes that an import makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The effects, in an order in which each follows what it refers to: venues, seasons, divisions, teams, games.
    pub effects: Vec<Effect>,
    /// Their numbers.
    pub counts: Counts,
    /// The skipped rows, in the order of the file.
    pub bad: Vec<BadRow>,
}

/// The records of the organization that a plan for these fixtures needs.
pub fn wanted(fixtures: &[Fixture]) -> Wanted {
    let mut wanted = Wanted::default();
    for fixture in fixtures {
        wanted.season_external_ids.extend(fixture.season.external_id.clone());
        wanted.season_names.insert(fixture.season.name.folded());
        wanted.venue_names.extend(fixture.place.as_ref().map(|place| place.venue.folded()));
    }
    wanted
}

/// Compares a file with the existing records and returns the changes. Importing the same file again changes nothing.
///
/// What the file contains wins; what it leaves out stays. Seasons are found by external id or else by folded name. An existing season only
/// gets wider dates and a missing external id; a new one is `completed` if none of its games is open, else `active`. Divisions are found by
/// season and folded name, teams by division and folded name, venues by folded name; existing ones keep their spelling, and venues gain
/// courts. Games are found by external id; else by division, round and teams (without a round, by date; a bye by its team); else by time
/// and place, which turns placeholders into teams. A matched game keeps its id.
pub fn plan(moment: &Moment, options: &Options, schedule: Schedule, existing: Existing) -> Plan {
    let mut bad = schedule.bad;
    let mut fixtures = fixtures::valid(schedule.fixtures, &options.time_zone, &mut bad);
    let seasons = seasons::resolve(moment, options, &mut fixtures, existing.seasons, &mut bad);
    let mut lookups = Lookups {
        seasons,
        divisions: Found::new(existing.divisions, |division| (division.season_id, division.name.folded())),
        teams: Found::new(existing.teams, |team| (team.division_id, team.name.folded())),
        venues: Venues::new(existing.venues),
    };
    let drafts: Vec<Game> =
        fixtures.iter().filter_map(|timed| lookups.draft(moment, options, timed)).collect();
    bad.sort();
    let counts = Counts {
        byes: count(drafts.iter().filter(|game| game.kind == GameKind::Bye)),
        rows: schedule.rows,
        bad_rows: count(bad.iter()),
        ..Counts::default()
    };
    let (effects, counts) = effects(moment, lookups, game_changes(existing.games, drafts), counts);
    Plan { effects, counts, bad }
}

fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    items.fold(0, |count, _| count + 1)
}

/// Pairs each game of the file with its existing game.
fn game_changes(existing: Vec<Game>, drafts: Vec<Game>) -> Vec<(Option<Game>, Game)> {
    let matched = games::matched(&existing, &drafts);
    let mut existing: Vec<Option<Game>> = existing.into_iter().map(Some).collect();
    let mut changes = Vec::with_capacity(drafts.len());
    for (draft, index) in drafts.into_iter().zip(matched) {
        let before = index.and_then(|index| existing[index].take());
        let after = match &before {
            Some(before) => merge::merged(before, &draft),
            None => draft,
        };
        changes.push((before, after));
    }
    changes
}

fn effects(
    moment: &Moment,
    lookups: Lookups,
    games: Vec<(Option<Game>, Game)>,
    counts: Counts,
) -> (Vec<Effect>, Counts) {
    let (mut effects, venues) = lookups.venues.effects(moment);
    let (season_effects, seasons) = lookups.seasons.effects(moment);
    let (division_effects, divisions) = lookups.divisions.effects(moment);
    let (team_effects, teams) = lookups.teams.effects(moment);
    let (game_effects, games) = records::effects(moment, games.into_iter());
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
