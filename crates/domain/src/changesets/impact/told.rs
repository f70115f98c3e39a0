//! Changed games in words: a short text for samples, and lines for messages to families.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::civil::Date;
use serde_json::{Map, Value as Json};
use uuid::Uuid;

use super::GameSample;
use super::games::{ChangedGame, GameChange, changed_games};
use crate::effects::Effect;
use crate::games::{Game, GameKind, GameStatus};
use crate::ids::{DivisionId, GameId, Id as _, SeasonId, TeamId, VenueId};
use crate::record::Record;
use crate::text::Name;
use crate::time::TimeZoneName;

/// The names of teams and venues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of teams.
    pub teams: BTreeMap<TeamId, String>,
    /// Of venues.
    pub venues: BTreeMap<VenueId, String>,
}

impl Names {
    /// The name of a team; its id if the name is not known.
    pub fn team(&self, id: TeamId) -> String {
        self.teams.get(&id).cloned().unwrap_or_else(|| id.to_string())
    }

    fn sides(&self, home: Option<TeamId>, away: Option<TeamId>) -> String {
        let name = |team: Option<TeamId>| team.map_or_else(|| "to be decided".to_owned(), |id| self.team(id));
        format!("{} – {}", name(home), name(away))
    }

    /// A game in a few words.
    pub fn sample(&self, game: &Game) -> GameSample {
        let format = if game.time_tbd { "%a %Y-%m-%d" } else { "%a %Y-%m-%d %H:%M" };
        let start = game.time_zone.zoned(game.starts_at).strftime(format).to_string();
        let sides = match game.kind {
            GameKind::Game => self.sides(game.home_team_id, game.away_team_id),
            GameKind::Bye => {
                format!("{} (bye)", game.home_team_id.map(|id| self.team(id)).unwrap_or_default())
            }
        };
        GameSample { id: game.id, text: format!("{sides}, {start}") }
    }
}

/// A changed game as a message tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToldGame {
    /// Who plays whom.
    pub title: String,
    /// Time and place before. `None` if the game is new.
    pub before: Option<String>,
    /// Time and place afterwards, or that it is off.
    pub after: String,
}

/// The maximum number of games that a message lists.
pub const TOLD: usize = 20;

/// The changed games in which a recipient is interested, soonest first. `is_theirs` says so of a team on a day. Only games that start after
/// `now` count.
pub fn told(
    effects: &[Effect],
    now: Timestamp,
    names: &Names,
    is_theirs: impl Fn(TeamId, Date) -> bool,
) -> Vec<ToldGame> {
    let is_theirs = |game: &Game| {
        let day = game.time_zone.date(game.starts_at);
        [game.home_team_id, game.away_team_id].into_iter().flatten().any(|team| is_theirs(team, day))
    };
    let mut games: Vec<ChangedGame<'_>> = changed_games(effects, now);
    games.retain(|game| game.before.into_iter().chain(game.after).any(is_theirs));
    games.sort_by_key(|game| (game.shown.starts_at, game.shown.id));
    games.iter().map(|game| told_game(game, names)).collect()
}

fn told_game(game: &ChangedGame<'_>, names: &Names) -> ToldGame {
    let title = names.sides(game.shown.home_team_id, game.shown.away_team_id);
    let at = |of: &Game| {
        let sides = names.sides(of.home_team_id, of.away_team_id);
        let place = names.place(of);
        if sides == title { place } else { format!("{sides}, {place}") }
    };
    let off = |of: &Game| match of.status {
        GameStatus::Postponed => "postponed; the new time is not known yet".to_owned(),
        _ => "cancelled".to_owned(),
    };
    let (before, after) = match (game.change, game.before, game.after) {
        (GameChange::Cancelled, before, after) => {
            (before.map(at), after.map_or_else(|| "cancelled".to_owned(), off))
        }
        // It takes place after all; its earlier time was called off.
        (GameChange::Added, before, _) => (before.map(off), at(game.shown)),
        (GameChange::Moved, before, _) => (before.map(at), at(game.shown)),
    };
    ToldGame { title, before, after }
}

impl Names {
    /// When and where a game is.
    fn place(&self, game: &Game) -> String {
        let format = if game.time_tbd { "%A, %-d %B %Y" } else { "%A, %-d %B %Y at %H:%M (%Z)" };
        let mut place = game.time_zone.zoned(game.starts_at).strftime(format).to_string();
        let venue = game.venue_id.map(|id| self.venues.get(&id).cloned().unwrap_or_else(|| id.to_string()));
        for part in venue.into_iter().chain(game.field.as_ref().map(Name::to_string)) {
            place.push_str(", ");
            place.push_str(&part);
        }
        place
    }
}

/// The games as lines of a message, the first [`TOLD`] of them.
pub fn lines(games: &[ToldGame]) -> String {
    let listed = games.iter().take(TOLD).map(|ToldGame { title, before, after }| match before {
        Some(before) => format!("{title}\n    before: {before}\n    now:    {after}\n\n"),
        None => format!("{title}\n    new:    {after}\n\n"),
    });
    let more = match games.len().saturating_sub(TOLD) {
        0 => None,
        1 => Some("And 1 more game.\n\n".to_owned()),
        more => Some(format!("And {more} more games.\n\n")),
    };
    listed.chain(more).collect()
}

/// A game from its image. `None` if the image is not one of a game.
pub fn game_of_image(image: &Map<String, Json>) -> Option<Game> {
    let nowhere = Uuid::nil();
    let mut game = Game {
        id: GameId::from_uuid(nowhere),
        season_id: SeasonId::from_uuid(nowhere),
        division_id: DivisionId::from_uuid(nowhere),
        round: None,
        kind: GameKind::Game,
        status: GameStatus::Scheduled,
        starts_at: Timestamp::UNIX_EPOCH,
        time_tbd: false,
        ends_at: None,
        local_start: None,
        time_zone: TimeZoneName::utc(),
        venue_id: None,
        field: None,
        home_team_id: None,
        home_score: None,
        away_team_id: None,
        away_score: None,
        last_change: None,
        external_id: None,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
        version: 1,
    };
    let is_complete =
        ["id", "status", "starts_at", "time_zone"].iter().all(|field| image.contains_key(*field));
    let read = image.iter().all(|(field, value)| game.set(field, value).is_ok());
    (is_complete && read).then_some(game)
}
