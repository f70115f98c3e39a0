//! Which games a changeset adds, moves and cancels, and which clashes it introduces.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::civil::Date;

use crate::effects::{AnyRecord, Effect};
use crate::games::{Game, GameKind, GameStatus, conflicts, occupies};
use crate::ids::{GameId, TeamId, UserId, VenueId};
use crate::record::Record;
use crate::venues::Venue;

/// What happens to a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum GameChange {
    /// It is created, or takes place after all.
    Added,
    /// It has another time, place or side.
    Moved,
    /// It is cancelled, postponed or deleted.
    Cancelled,
}

/// A game that families are told about.
#[derive(Clone, Copy, Debug)]
pub struct ChangedGame<'a> {
    /// What happens to it.
    pub change: GameChange,
    /// The game before. `None` if it is created.
    pub before: Option<&'a Game>,
    /// The game after. `None` if it is deleted.
    pub after: Option<&'a Game>,
    /// The game after; before, if it is deleted.
    pub shown: &'a Game,
}

/// The fields that say where and when a game takes place, and who plays.
const PLACES: [&str; 7] =
    ["starts_at", "ends_at", "time_tbd", "venue_id", "field", "home_team_id", "away_team_id"];

/// The games of effects that families are told about: those that start after `now`, before or after the change. Byes are not games.
pub fn changed_games(effects: &[Effect], now: Timestamp) -> Vec<ChangedGame<'_>> {
    effects.iter().filter_map(|effect| changed(effect, now)).collect()
}

fn changed(effect: &Effect, now: Timestamp) -> Option<ChangedGame<'_>> {
    let [before, after] = [&effect.before, &effect.after].map(|record| match record {
        Some(AnyRecord::Game(game)) => Some(&**game),
        _ => None,
    });
    let shown = after.or(before)?;
    let is_to_come = |game: &&Game| game.kind == GameKind::Game && game.starts_at > now;
    if !before.iter().chain(&after).any(is_to_come) {
        return None;
    }
    let change = match (before, after) {
        (before, Some(after)) if is_off(after) => {
            // A new game that is off already changes nothing for anyone.
            before.filter(|before| before.status != after.status).map(|_| GameChange::Cancelled)
        }
        (None, Some(_)) => Some(GameChange::Added),
        (Some(before), Some(_)) if is_off(before) => Some(GameChange::Added),
        (Some(before), Some(after)) => {
            let is_moved = after.changed(before).iter().any(|field| PLACES.contains(field));
            is_moved.then_some(GameChange::Moved)
        }
        (Some(before), None) => (before.status != GameStatus::Cancelled).then_some(GameChange::Cancelled),
        (None, None) => None,
    };
    change.map(|change| ChangedGame { change, before, after, shown })
}

fn is_off(game: &Game) -> bool {
    matches!(game.status, GameStatus::Cancelled | GameStatus::Postponed)
}

fn teams(game: &Game) -> impl Iterator<Item = TeamId> {
    [game.home_team_id, game.away_team_id].into_iter().flatten()
}

impl ChangedGame<'_> {
    /// The first start after `now`, before or after the change.
    pub(super) fn first_after(&self, now: Timestamp) -> Option<Timestamp> {
        let starts = self.before.into_iter().chain(self.after).map(|game| game.starts_at);
        starts.filter(|start| *start > now).min()
    }
}

/// The teams of changed games, before and after.
pub fn affected_teams(effects: &[Effect], now: Timestamp) -> BTreeSet<TeamId> {
    days_of_teams(effects, now).into_keys().collect()
}

/// The teams of changed games, before and after, with the days of these games in their time zones.
pub fn days_of_teams(effects: &[Effect], now: Timestamp) -> BTreeMap<TeamId, BTreeSet<Date>> {
    let mut days: BTreeMap<TeamId, BTreeSet<Date>> = BTreeMap::new();
    for game in changed_games(effects, now) {
        let both = || game.before.into_iter().chain(game.after);
        let on: BTreeSet<Date> = both().map(|game| game.time_zone.date(game.starts_at)).collect();
        for team in both().flat_map(teams) {
            days.entry(team).or_default().extend(&on);
        }
    }
    days
}

/// Two games at the same time.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlap {
    /// The changed game, afterwards.
    pub game: Game,
    /// The other game, afterwards.
    pub other: Game,
}

/// Games and venues as they were before effects. Those that the effects do not contain have not changed.
#[derive(Debug, Default)]
pub struct Earlier<'a> {
    games: BTreeMap<GameId, Option<&'a Game>>,
    venues: BTreeMap<VenueId, Option<&'a Venue>>,
}

impl<'a> Earlier<'a> {
    /// What effects have changed.
    pub fn of(effects: &'a [Effect]) -> Self {
        let mut earlier = Self::default();
        for effect in effects {
            match (&effect.before, &effect.after) {
                (Some(AnyRecord::Game(before)), _) => drop(earlier.games.insert(before.id, Some(before))),
                (None, Some(AnyRecord::Game(after))) => drop(earlier.games.insert(after.id, None)),
                (Some(AnyRecord::Venue(before)), _) => drop(earlier.venues.insert(before.id, Some(before))),
                (None, Some(AnyRecord::Venue(after))) => drop(earlier.venues.insert(after.id, None)),
                _ => {}
            }
        }
        earlier
    }

    fn game<'g>(&self, now: &'g Game) -> Option<&'g Game>
    where
        'a: 'g,
    {
        self.games.get(&now.id).copied().unwrap_or(Some(now))
    }

    fn venue<'v>(&self, of: &Game, now: &'v BTreeMap<VenueId, Venue>) -> Option<&'v Venue>
    where
        'a: 'v,
    {
        let id = of.venue_id?;
        self.venues.get(&id).copied().unwrap_or_else(|| now.get(&id))
    }
}

/// The overlaps of a changed game with others that did not exist before. `venues` are those of the game now and before.
pub fn new_overlaps(
    game: &Game,
    others: &[Game],
    venues: &BTreeMap<VenueId, Venue>,
    earlier: &Earlier<'_>,
) -> Vec<Overlap> {
    let venue = game.venue_id.and_then(|id| venues.get(&id));
    let found: BTreeSet<GameId> =
        conflicts(game, venue, others).into_iter().map(|conflict| conflict.id).collect();
    let existed = |other: &Game| match (earlier.game(game), earlier.game(other)) {
        (Some(game), Some(other)) => {
            !conflicts(game, earlier.venue(game, venues), std::slice::from_ref(other)).is_empty()
        }
        _ => false,
    };
    let new = others.iter().filter(|other| found.contains(&other.id) && !existed(other));
    new.map(|other| Overlap { game: game.clone(), other: other.clone() }).collect()
}

/// Someone of the staff of a team of a changed game, and a game of another team of theirs.
#[derive(Clone, Debug, PartialEq)]
pub struct Elsewhere {
    /// The member of staff.
    pub user: UserId,
    /// Their team in the changed game.
    pub team: TeamId,
    /// Their team in the other game.
    pub other_team: TeamId,
    /// The other game.
    pub other: Game,
}

/// Whether a member of staff would have to be at two games at the same time, and did not before. Games that share a team are a double
/// booking already.
pub fn is_new_clash(game: &Game, elsewhere: &Elsewhere, earlier: &Earlier<'_>) -> bool {
    let Elsewhere { team, other_team, other, .. } = elsewhere;
    let shares_team = teams(game).any(|team| teams(other).any(|theirs| theirs == team));
    let existed = match (earlier.game(game), earlier.game(other)) {
        (Some(game), Some(other)) => {
            let played = |game: &Game, team: &TeamId| teams(game).any(|of| of == *team);
            played(game, team) && played(other, other_team) && is_at_the_same_time(game, other)
        }
        _ => false,
    };
    is_at_the_same_time(game, other) && !shares_team && !existed
}

fn is_at_the_same_time(game: &Game, other: &Game) -> bool {
    let times = occupies(game).zip(occupies(other));
    times.is_some_and(|((start, end), (starts_at, ends_at))| {
        game.id != other.id && starts_at < end && start < ends_at
    })
}
