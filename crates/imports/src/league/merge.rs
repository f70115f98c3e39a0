//! What becomes of a game that exists when a file speaks of it.

use fieldhouse_domain::games::{Game, GameStatus, Side};
use fieldhouse_domain::text::Name;

/// The game as it was, with what the file says. What the file leaves open leaves what is there:
/// - a score that the file does not give stays with its team, also where the teams change sides; a team that is no longer in the
///   game takes its score away;
/// - a time to be decided leaves the known time, unless the file puts the game on another day;
/// - no ground leaves the ground, and no court the court where the venue is the same; no round leaves the round; another
///   spelling leaves the spelling;
/// - `scheduled` is what every game of a file starts with: it takes back that a game was postponed or cancelled, and never that it
///   was begun, played, forfeited or abandoned, so that an older file does not undo a result;
/// - an end moves with the start.
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

/// What the file says of a name; where it says nothing, or the same in another spelling, the name as it was.
fn said(before: Option<&Name>, wanted: Option<Name>) -> Option<Name> {
    match (before, wanted) {
        (Some(before), Some(wanted)) if before.folded() != wanted.folded() => Some(wanted),
        (None, wanted) => wanted,
        (Some(before), _) => Some(before.clone()),
    }
}

/// The game before with the wanted start.
fn clock(before: &Game, wanted: &Game) -> Game {
    let day = |game: &Game| game.time_zone.date(game.starts_at);
    if wanted.time_tbd && !before.time_tbd && day(before) == day(wanted) {
        return before.clone();
    }
    let length = before.ends_at.map(|end| end.duration_since(before.starts_at));
    Game {
        starts_at: wanted.starts_at,
        time_tbd: wanted.time_tbd,
        time_zone: wanted.time_zone.clone(),
        ends_at: length.and_then(|length| wanted.starts_at.checked_add(length).ok()),
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
