//! Merges a game of the file into an existing game.

use fieldhouse_domain::games::{Game, GameStatus, Side};
use fieldhouse_domain::text::Name;

/// The existing game, changed by the file. What the file leaves out stays:
/// - a missing score keeps the score of the team, even if the teams change sides; a team that is no longer in the game loses its score;
/// - an unknown time keeps the known time, unless the date changes;
/// - a missing place keeps the place, a missing court the court at the same venue, a missing round the round; another spelling keeps the
///   existing one;
/// - `scheduled`, the initial status of every game in a file, replaces postponed and cancelled, but never in progress, final, forfeit or
///   abandoned, so that an older file does not undo a result;
/// - an unknown end moves with the start.
pub(super) fn merged(before: &Game, wanted: &Game) -> Game {
    let clock = clock(before, wanted);
    let (venue_id, field) = match wanted.venue_id {
        None => (before.venue_id, before.field.clone()),
        same if same == before.venue_id => (same, said(before.field.as_ref(), wanted.field.clone())),
        other => (other, wanted.field.clone()),
    };
    Game {
        division_id: wanted.division_id,
        round: said(before.round.as_ref(), wanted.round.clone()),
        kind: wanted.kind,
        status: status(before.status, wanted.status),
        venue_id,
        field,
        home_team_id: wanted.home_team_id,
        home_score: wanted.home().and_then(|side| score(before, side)),
        away_team_id: wanted.away_team_id,
        away_score: wanted.away().and_then(|side| score(before, side)),
        external_id: wanted.external_id.clone().or_else(|| before.external_id.clone()),
        ..clock
    }
}

/// The name in the file. The existing name, if the file has none or the same one in another spelling.
fn said(before: Option<&Name>, wanted: Option<Name>) -> Option<Name> {
    match (before, wanted) {
        (Some(before), Some(wanted)) if before.folded() != wanted.folded() => Some(wanted),
        (None, wanted) => wanted,
        (Some(before), _) => Some(before.clone()),
    }
}

/// The existing game with the start of the file.
fn clock(before: &Game, wanted: &Game) -> Game {
    let day = |game: &Game| game.time_zone.date(game.starts_at);
    if wanted.time_tbd && !before.time_tbd && day(before) == day(wanted) {
        return before.clone();
    }
    let is_same = before.starts_at == wanted.starts_at && before.time_zone == wanted.time_zone;
    let length = before.ends_at.map(|end| end.duration_since(before.starts_at));
    Game {
        starts_at: wanted.starts_at,
        local_start: if is_same { before.local_start } else { wanted.local_start },
        time_tbd: wanted.time_tbd,
        time_zone: wanted.time_zone.clone(),
        ends_at: wanted
            .ends_at
            .or_else(|| length.and_then(|length| wanted.starts_at.checked_add(length).ok())),
        ..before.clone()
    }
}

fn status(before: GameStatus, wanted: GameStatus) -> GameStatus {
    use GameStatus::{Abandoned, Final, Forfeit, InProgress, Scheduled};
    match (before, wanted) {
        (InProgress | Final | Forfeit | Abandoned, Scheduled) => before,
        _ => wanted,
    }
}

fn score(before: &Game, wanted: Side) -> Option<i64> {
    let sides = [before.home(), before.away()];
    let same = sides.into_iter().flatten().find(|side| side.team_id == wanted.team_id);
    wanted.score.or_else(|| same?.score)
}
