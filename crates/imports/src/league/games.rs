//! Which game of the file is which game that exists.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;

use fieldhouse_domain::games::{Game, GameKind};
use fieldhouse_domain::ids::{DivisionId, SeasonId, TeamId, VenueId};
use fieldhouse_domain::text::{ExternalId, Name};

/// By what a game is recognised, surest first. Each pass looks at what the passes before have left, so that a weak sign never takes
/// away a game that another row has a strong one for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// The file's own id.
    Id,
    /// The same meeting at the same time.
    MeetingAndTime,
    /// The same teams in the same round of the same division, or on the same day where there are no rounds. A bye: the same team.
    Meeting,
    /// The same time on the same ground: a placeholder (`Winner of game 7`) has become a team.
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

/// For each wanted game the place of the existing one that it is. No existing game is two wanted ones.
///
/// Two games that both have an id and not the same are two games, whatever else they have in common.
pub(super) fn matched(existing: &[Game], wanted: &[Game]) -> Vec<Option<usize>> {
    let mut matched = vec![None; wanted.len()];
    let mut taken = vec![false; existing.len()];
    for pass in Pass::ALL {
        let mut free = free(pass, existing, &taken);
        for (game, slot) in wanted.iter().zip(&mut matched).filter(|(_, slot)| slot.is_none()) {
            let found = candidates(pass, game)
                .find_map(|(key, has_id)| taken_from(free.get_mut(&(key, has_id))?, existing, game));
            if let Some(place) = found {
                taken[place] = true;
                *slot = Some(place);
            }
        }
    }
    matched
}

/// Takes one of several games that are alike: the earliest at the same venue, or else the earliest.
fn taken_from(places: &mut Vec<usize>, existing: &[Game], game: &Game) -> Option<usize> {
    let at = places.iter().rposition(|place| existing[*place].venue_id == game.venue_id);
    let at = at.or(places.len().checked_sub(1))?;
    Some(places.remove(at))
}

/// The existing games that are not taken, by key and by whether they have an id; the earliest last.
fn free(pass: Pass, existing: &[Game], taken: &[bool]) -> HashMap<(Key, bool), Vec<usize>> {
    let mut places: Vec<usize> = (0..existing.len()).filter(|place| !taken[*place]).collect();
    places.sort_by_key(|place| std::cmp::Reverse((existing[*place].starts_at, existing[*place].id)));
    let mut free: HashMap<_, Vec<usize>> = HashMap::new();
    for place in places {
        let game = &existing[place];
        if let Some(key) = key(pass, game) {
            free.entry((key, game.external_id.is_some())).or_default().push(place);
        }
    }
    free
}

/// Under which keys a wanted game may be found, and whether with an id there.
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
