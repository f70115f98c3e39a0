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
mod report;
mod seasons;
mod similar;
mod venues;

use std::collections::BTreeSet;

use fieldhouse_domain::Moment;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::games::{Game, GameKind};
use fieldhouse_domain::ids::{SeasonId, VenueId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::teams::Team;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_domain::venues::Venue;

use super::{BadRow, SkippedRow};
pub use counts::Counts;
use drafts::Lookups;
pub use fixtures::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use records::Found;
pub use report::{Match, MatchHow, MatchKind, Suggestion};
use venues::Venues;

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
    /// The names of other seasons, for suggestions.
    pub other_seasons: Vec<(SeasonId, Name)>,
    /// The names of other venues, for suggestions.
    pub other_venues: Vec<(VenueId, Name)>,
}

/// The changes that an import makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The effects, in an order in which each follows what it refers to: venues, seasons, divisions, teams, games.
    pub effects: Vec<Effect>,
    /// Their numbers.
    pub counts: Counts,
    /// The bad rows, in the order of the file.
    pub bad: Vec<BadRow>,
    /// The rows that are not games, in the order of the file.
    pub skipped: Vec<SkippedRow>,
    /// What the names of the file are in the organization.
    pub matches: Vec<Match>,
    /// The new names that look like another spelling.
    pub suggestions: Vec<Suggestion>,
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
/// gets wider dates and a missing external id; a new one is `completed` if none of its games is open, else `active`, and so is a completed
/// one that gains an open game. Divisions are found by
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
        team_ids: existing
            .teams
            .iter()
            .filter_map(|team| Some(((team.division_id, team.external_id.clone()?), team.name.folded())))
            .collect(),
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
        skipped_rows: count(schedule.skipped.iter()),
        ..Counts::default()
    };
    let changes = game_changes(existing.games, drafts);
    seasons::reopen(&mut lookups.seasons, &changes);
    let matches = matches(&lookups, &changes);
    let suggestions = suggestions(&lookups, &existing.other_seasons, &existing.other_venues);
    let (effects, counts) = effects(moment, lookups, changes, counts);
    Plan { effects, counts, bad, skipped: schedule.skipped, matches, suggestions }
}

fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    items.fold(0, |count, _| count + 1)
}

/// A game before and after the import, and the key that found it.
struct GameChange {
    before: Option<(Game, games::Pass)>,
    after: Game,
}

/// Pairs each game of the file with its existing game.
fn game_changes(existing: Vec<Game>, drafts: Vec<Game>) -> Vec<GameChange> {
    let matched = games::matched(&existing, &drafts);
    let mut existing: Vec<Option<Game>> = existing.into_iter().map(Some).collect();
    let mut changes = Vec::with_capacity(drafts.len());
    for (draft, found) in drafts.into_iter().zip(matched) {
        let before = found.and_then(|(index, pass)| Some((existing[index].take()?, pass)));
        let after = match &before {
            Some((before, _)) => merge::merged(before, &draft),
            None => draft,
        };
        changes.push(GameChange { before, after });
    }
    changes
}

fn matches(lookups: &Lookups, games: &[GameChange]) -> Vec<Match> {
    let teams = lookups.teams.all().map(|team| (team.id, team.name.to_string())).collect();
    let games = games.iter().filter_map(|change| {
        let (before, pass) = change.before.as_ref()?;
        Some((before, &change.after, *pass))
    });
    [
        report::matches(lookups.seasons.mentions()),
        report::matches(lookups.divisions.mentions()),
        report::matches(lookups.teams.mentions()),
        report::matches(lookups.venues.lookup.mentions()),
        report::games(games, &teams),
    ]
    .concat()
}

fn suggestions(
    lookups: &Lookups,
    seasons: &[(SeasonId, Name)],
    venues: &[(VenueId, Name)],
) -> Vec<Suggestion> {
    let divisions = &lookups.divisions;
    let teams = &lookups.teams;
    [
        report::suggestions(
            MatchKind::Season,
            seasons.iter().map(|(id, name)| ((), name.as_str(), id.to_string())),
            lookups.seasons.created().map(|season| ((), season.name.as_str())),
        ),
        report::suggestions(
            MatchKind::Division,
            divisions.known().map(|known| (known.season_id, known.name.as_str(), known.id.to_string())),
            divisions.created().map(|new| (new.season_id, new.name.as_str())),
        ),
        report::suggestions(
            MatchKind::Team,
            teams.known().map(|known| (known.division_id, known.name.as_str(), known.id.to_string())),
            teams.created().map(|new| (new.division_id, new.name.as_str())),
        ),
        report::suggestions(
            MatchKind::Venue,
            venues.iter().map(|(id, name)| ((), name.as_str(), id.to_string())),
            lookups.venues.lookup.created().map(|venue| ((), venue.name.as_str())),
        ),
    ]
    .concat()
}

fn effects(
    moment: &Moment,
    lookups: Lookups,
    games: Vec<GameChange>,
    counts: Counts,
) -> (Vec<Effect>, Counts) {
    let (mut effects, venues) = lookups.venues.effects(moment);
    let (season_effects, seasons) = lookups.seasons.effects(moment);
    let (division_effects, divisions) = lookups.divisions.effects(moment);
    let (team_effects, teams) = lookups.teams.effects(moment);
    let games = games.into_iter().map(|change| (change.before.map(|(game, _)| game), change.after));
    let (game_effects, games) = records::effects(moment, games);
    let touched = touched_seasons(&season_effects, &division_effects);
    effects.extend([season_effects, division_effects, team_effects, game_effects].into_iter().flatten());
    let counts = Counts {
        seasons_created: seasons.created,
        seasons_updated: seasons.updated + touched,
        seasons_unchanged: seasons.unchanged.saturating_sub(touched),
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

/// The number of seasons of which nothing changes but that they gain a division, which gives them a new version.
fn touched_seasons(seasons: &[Effect], divisions: &[Effect]) -> u64 {
    let season = |effect: &Effect| match effect.record() {
        Some(AnyRecord::Season(season)) => Some(season.id),
        Some(AnyRecord::Division(division)) => Some(division.season_id),
        _ => None,
    };
    let changed: BTreeSet<SeasonId> = seasons.iter().filter_map(season).collect();
    let gaining: BTreeSet<SeasonId> = divisions.iter().filter_map(season).collect();
    gaining.difference(&changed).count() as u64
}

#[cfg(test)]
mod tests;
