//! The changeset of the demo that waits for approval: it rains, and a Saturday's games of a venue move to Sunday.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::{Game, GameKind, GameStatus};
use fieldhouse_domain::ids::{TeamId, VenueId};
use fieldhouse_domain::text::{Name, Reason};
use jiff::civil::{Date, Weekday};
use jiff::{SignedDuration, Timestamp, ToSpan as _};
use serde_json::{Value, json};

/// How many games move: so few that the diff can be read, and so many that someone has to approve it.
const GAMES: RangeInclusive<usize> = 6..=12;
/// Games that start sooner do not move.
const SOONEST: SignedDuration = SignedDuration::from_hours(24);

/// What the changeset consists of.
pub(super) struct Rain {
    pub(super) title: Name,
    pub(super) reason: Reason,
    pub(super) operations: Vec<Value>,
}

/// Moves the games of one Saturday at a venue, if possible one where `teams` play. `None` if no game is upcoming.
pub(super) fn moved(league: &[AnyRecord], teams: &[TeamId], now: Timestamp) -> anyhow::Result<Option<Rain>> {
    let mut days: BTreeMap<(Date, VenueId), Vec<&Game>> = BTreeMap::new();
    let upcoming = league.iter().filter_map(|record| match record {
        AnyRecord::Game(game) if can_move(game, now) => Some(game),
        _ => None,
    });
    for game in upcoming {
        let date = game.time_zone.date(game.starts_at);
        if let Some(venue) = game.venue_id.filter(|_| date.weekday() == Weekday::Saturday) {
            days.entry((date, venue)).or_default().push(game);
        }
    }
    let plays = |game: &&Game| {
        [game.home_team_id, game.away_team_id].into_iter().flatten().any(|it| teams.contains(&it))
    };
    let is_better = |((date, _), games): &(&(Date, VenueId), &Vec<&Game>)| {
        (GAMES.contains(&games.len()), games.iter().any(plays), Reverse(*date), games.len())
    };
    let Some(((_, venue), games)) = days.iter().max_by_key(is_better) else { return Ok(None) };
    let name = league.iter().find_map(|record| match record {
        AnyRecord::Venue(found) if found.id == *venue => Some(found.name.to_string()),
        _ => None,
    });
    let name = name.unwrap_or_default();
    let operations = games.iter().map(|game| to_sunday(game)).collect::<anyhow::Result<_>>()?;
    Ok(Some(Rain {
        title: Name::parse(&format!("Rain: Saturday's games at {name} move to Sunday"))?,
        reason: Reason::parse("The roof leaks, and the courts are wet")?,
        operations,
    }))
}

fn can_move(game: &Game, now: Timestamp) -> bool {
    game.kind == GameKind::Game
        && game.status == GameStatus::Scheduled
        && !game.time_tbd
        && game.starts_at.duration_since(now) > SOONEST
}

fn to_sunday(game: &Game) -> anyhow::Result<Value> {
    let later = |time: Timestamp| -> anyhow::Result<Timestamp> {
        Ok(game.time_zone.zoned(time).checked_add(1.day())?.timestamp())
    };
    let mut set = json!({"starts_at": later(game.starts_at)?});
    if let Some(end) = game.ends_at {
        set["ends_at"] = json!(later(end)?);
    }
    Ok(json!({"op": "update", "resource": "games", "id": game.id, "if_version": game.version, "set": set}))
}
