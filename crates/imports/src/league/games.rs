//! Matches games of the file with existing games.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;

use fieldhouse_domain::games::{Game, GameKind};
use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::text::{ExternalId, Name};

/// The keys for matching games, surest first. Each pass uses only games that earlier passes did not match, so that a weak key never takes a
/// game from a row with a strong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pass {
    /// The external id.
    Id,
    /// The same teams at the same time.
    MeetingAndTime,
    /// The same teams in the same round and division, or on the same date if there are no rounds. For a bye, the same team.
    Meeting,
    /// The same time at the same place: a placeholder (`Winner of game 7`) has become a team.
    Slot,
}

impl Pass {
    const ALL: [Self; 4] = [Self::Id, Self::MeetingAndTime, Self::Meeting, Self::Slot];
}

#[derive(PartialEq, Eq, Hash)]
enum Key {
    Id(SeasonId, ExternalId),
    Meeting(DivisionId, Round, [Option<TeamId>; 2], Option<(Timestamp, bool)>),
    Slot(SeasonId, Timestamp, VenueId, Option<String>),
}

#[derive(PartialEq, Eq, Hash)]
enum Round {
    Named(String),
    Day(Date),
}

/// The index of the existing game for each game of the file, and the key that found it. An existing game is matched at most once.
///
/// Two games with different external ids are different games, whatever else they have in common.
pub(super) fn matched(existing: &[Game], wanted: &[Game]) -> Vec<Option<(usize, Pass)>> {
    let mut matched = vec![None; wanted.len()];
    let mut taken = vec![false; existing.len()];
    for pass in Pass::ALL {
        let mut free = free(pass, existing, &taken);
        for (game, slot) in wanted.iter().zip(&mut matched).filter(|(_, slot)| slot.is_none()) {
            let found = candidates(pass, game)
                .find_map(|(key, has_id)| taken_from(free.get_mut(&(key, has_id))?, existing, game));
            if let Some(index) = found {
                taken[index] = true;
                *slot = Some((index, pass));
            }
        }
    }
    matched
}

/// Takes one of several similar games: the earliest at the same venue, or else the earliest.
fn taken_from(indexes: &mut Vec<usize>, existing: &[Game], game: &Game) -> Option<usize> {
    let at = indexes.iter().rposition(|index| existing[*index].venue_id == game.venue_id);
    let at = at.or(indexes.len().checked_sub(1))?;
    Some(indexes.remove(at))
}

/// The unmatched existing games, by key and by whether they have an external id; the earliest last.
fn free(pass: Pass, existing: &[Game], taken: &[bool]) -> HashMap<(Key, bool), Vec<usize>> {
    let mut indexes: Vec<usize> = (0..existing.len()).filter(|index| !taken[*index]).collect();
    indexes.sort_by_key(|index| std::cmp::Reverse((existing[*index].starts_at, existing[*index].id)));
    let mut free: HashMap<_, Vec<usize>> = HashMap::new();
    for index in indexes {
        let game = &existing[index];
        if let Some(key) = key(pass, game) {
            free.entry((key, game.external_id.is_some())).or_default().push(index);
        }
    }
    free
}

/// The keys to find a game of the file by, and whether the existing one may have an external id.
fn candidates(pass: Pass, game: &Game) -> impl Iterator<Item = (Key, bool)> {
    let with_ids: &[bool] = match (pass, &game.external_id) {
        (Pass::Id, _) => &[true],
        (_, Some(_)) => &[false],
        (_, None) => &[false, true],
    };
    with_ids.iter().filter_map(move |with_id| Some((key(pass, game)?, *with_id)))
}

fn key(pass: Pass, game: &Game) -> Option<Key> {
    let at = (game.starts_at, game.time_tbd);
    match pass {
        Pass::Id => Some(Key::Id(game.season_id, game.external_id.clone()?)),
        Pass::MeetingAndTime => Some(Key::Meeting(game.division_id, round(game), teams(game), Some(at))),
        Pass::Meeting => Some(Key::Meeting(game.division_id, round(game), teams(game), None)),
        Pass::Slot if game.kind == GameKind::Bye || game.time_tbd => None,
        Pass::Slot => {
            let court = game.field.as_ref().map(Name::folded);
            Some(Key::Slot(game.season_id, game.starts_at, game.venue_id?, court))
        }
    }
}

fn round(game: &Game) -> Round {
    match &game.round {
        Some(round) => Round::Named(round.folded()),
        None => Round::Day(game.time_zone.date(game.starts_at)),
    }
}

fn teams(game: &Game) -> [Option<TeamId>; 2] {
    let mut teams = [game.home_team_id, game.away_team_id];
    if game.kind == GameKind::Game {
        teams.sort_unstable();
    }
    teams
}
