//! The rules of games: between the fields of one, with the records that it refers to, and between games at the same time.

use jiff::civil::Time;
use jiff::{SignedDuration, Timestamp};

use super::{ChangeGame, Game, GameKind, GameResult, GameStatus, ResultStatus};
use crate::Refusal;
use crate::divisions::Division;
use crate::ids::GameId;
use crate::record::Record;
use crate::refusal::Check;
use crate::teams::Team;
use crate::text::Name;
use crate::venues::Venue;

/// The longest time from the start of a game to its end.
pub const LONGEST: SignedDuration = SignedDuration::from_hours(14 * 24);

/// The records that a game refers to. `None` if there is no such record.
#[derive(Debug, Default)]
pub struct Places {
    /// Its division.
    pub division: Option<Division>,
    /// Its home team.
    pub home: Option<Team>,
    /// Its away team.
    pub away: Option<Team>,
    /// Its venue.
    pub venue: Option<Venue>,
}

/// A game at the same time as another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The game.
    pub id: GameId,
    /// When it starts.
    pub starts_at: Timestamp,
    /// When it ends.
    pub ends_at: Timestamp,
}

/// Checks the rules between the fields of a game, as far as they are known.
pub(super) fn check(game: &ChangeGame, check: &mut Check) {
    check_times(game, check);
    let (home, away) = (game.home_team_id.flatten(), game.away_team_id.flatten());
    if home.is_some() && home == away {
        let fix = "Send another team, or leave one of them out.";
        check.refuse("/away_team_id", "same_team", "is also the home team", fix);
    }
    let sides = [
        ("/home_score", game.home_score, game.home_team_id),
        ("/away_score", game.away_score, game.away_team_id),
    ];
    for (pointer, score, team) in sides {
        if score.flatten().is_none() {
            continue;
        }
        if let Some(status) = game.status.filter(|status| !has_scores(*status)) {
            let message = format!("is a score, but the game is {status}");
            let fix = "Leave it out, or send the status in_progress, final, forfeit or abandoned too.";
            check.refuse(pointer, "no_score_yet", message, fix);
        } else if team == Some(None) {
            let fix = "Send the team too, or leave the score out.";
            check.refuse(pointer, "no_team", "is the score of a team that is not known", fix);
        }
    }
}

fn check_times(game: &ChangeGame, check: &mut Check) {
    let (starts_at, ends_at) = (game.starts_at, game.ends_at.flatten());
    if let (Some(start), Some(end)) = (starts_at, ends_at) {
        let fix = "Send a time after starts_at, at most 14 days later.";
        if end <= start {
            check.refuse("/ends_at", "before_start", "is not after the start", fix);
        } else if end.duration_since(start) > LONGEST {
            check.refuse("/ends_at", "too_long", "is more than 14 days after the start", fix);
        }
    }
    if game.time_tbd != Some(true) {
        return;
    }
    if ends_at.is_some() {
        let fix = "Leave it out, or send time_tbd: false.";
        check.refuse("/ends_at", "time_unknown", "is set, but the time is not known yet", fix);
    }
    if let (Some(start), Some(zone)) = (starts_at, &game.time_zone) {
        let midnight = zone.instant(zone.date(start).to_datetime(Time::midnight()));
        if midnight != Some(start) {
            let message = "is not midnight in the game's time zone, but only the day is known";
            let fix = "Send midnight of that day in time_zone, or time_tbd: false.";
            check.refuse("/starts_at", "not_midnight", message, fix);
        }
    }
}

/// Whether a game with a status may have scores.
fn has_scores(status: GameStatus) -> bool {
    use GameStatus::{Abandoned, Final, Forfeit, InProgress};
    matches!(status, InProgress | Final | Forfeit | Abandoned)
}

/// Refuses wrong references of a game, all together: records that do not exist, and a division and teams of another season. Teams of another
/// division are refused where they or the division are new; a team that moves to another division later keeps its games.
pub fn refuse_wrong_places(before: Option<&Game>, game: &Game, places: &Places) -> Result<(), Refusal> {
    let mut check = Check::default();
    check_kind(game, &mut check);
    match &places.division {
        None => check.missing("/division_id"),
        Some(division) if division.season_id != game.season_id => {
            let fix = "Send a division of the game's season.";
            check.refuse("/division_id", "other_season", "belongs to another season", fix);
        }
        Some(_) => {}
    }
    let moves = before.is_none_or(|before| before.division_id != game.division_id);
    let sides = [
        ("/home_team_id", game.home_team_id, before.and_then(|game| game.home_team_id), &places.home),
        ("/away_team_id", game.away_team_id, before.and_then(|game| game.away_team_id), &places.away),
    ];
    for (pointer, id, id_before, team) in sides {
        match (id, team) {
            (Some(_), None) => check.missing(pointer),
            (Some(_), Some(team)) if team.season_id != game.season_id => {
                let fix = "Send a team of the game's season.";
                check.refuse(pointer, "other_season", "plays in another season", fix);
            }
            (Some(_), Some(team)) if team.division_id != game.division_id && (moves || id != id_before) => {
                let fix = "Send a team of the game's division.";
                check.refuse(pointer, "other_division", "plays in another division", fix);
            }
            _ => {}
        }
    }
    if game.venue_id.is_some() && places.venue.is_none() {
        check.missing("/venue_id");
    }
    check.finish(Some(()))
}

/// A bye has one side and no score.
fn check_kind(game: &Game, check: &mut Check) {
    if game.kind != GameKind::Bye {
        return;
    }
    if game.home_team_id.is_none() {
        check.refuse("/home_team_id", "required", "is required for a bye", "Send the team that has the bye.");
    }
    if game.away_team_id.is_some() {
        check.refuse("/away_team_id", "bye", "is set, but a bye has one side", "Leave it out.");
    }
    if game.home_score.is_some() {
        check.refuse("/home_score", "bye", "is set, but a bye has no score", "Leave it out.");
    }
}

/// The game with a result. A bye has none, nor a game whose sides are not both known, or that is cancelled.
pub fn with_result(game: &Game, result: &GameResult) -> Result<Game, Refusal> {
    let state = |why: &str| Err(Refusal::State(why.to_owned()));
    if game.kind == GameKind::Bye {
        return state("a bye has no result");
    }
    if game.home_team_id.is_none() || game.away_team_id.is_none() {
        return state("a game has a result when both teams are known. Set them first");
    }
    if game.status == GameStatus::Cancelled {
        return state("the game is cancelled. Schedule it again first");
    }
    let mut check = Check::default();
    let scores = [("/home_score", result.home_score), ("/away_score", result.away_score)];
    let missing = scores.map(|(pointer, score)| score.flatten().is_none().then_some(pointer));
    let required = match result.status {
        ResultStatus::Final | ResultStatus::InProgress => missing,
        // The side with a score has won.
        ResultStatus::Forfeit if missing.iter().all(Option::is_some) => missing,
        ResultStatus::Forfeit | ResultStatus::Abandoned => [None, None],
    };
    for pointer in required.into_iter().flatten() {
        let message = format!("is required for the status {}", result.status);
        check.refuse(pointer, "required", message, "Send the score of the team.");
    }
    check.finish(Some(()))?;
    game.with(ChangeGame {
        status: Some(result.status.of_game()),
        home_score: Some(result.home_score.flatten()),
        away_score: Some(result.away_score.flatten()),
        ..ChangeGame::default()
    })
}

/// The time that a game takes up: none for a bye, without a known end, or if it is not played then.
pub fn occupies(game: &Game) -> Option<(Timestamp, Timestamp)> {
    let takes_place = !matches!(game.status, GameStatus::Cancelled | GameStatus::Postponed);
    let is_played = game.kind == GameKind::Game && takes_place && !game.time_tbd;
    game.ends_at.filter(|_| is_played).map(|end| (game.starts_at, end))
}

/// Whether a change may cause an overlap: another time, place, team or status.
pub fn is_moved(before: &Game, after: &Game) -> bool {
    const MOVES: [&str; 8] =
        ["starts_at", "ends_at", "time_tbd", "venue_id", "field", "home_team_id", "away_team_id", "status"];
    after.changed(before).iter().any(|field| MOVES.contains(field))
}

/// The other games at the same time that share a team, or the field of the venue. Without a field, a game takes up the whole venue only if
/// the venue has no more than one.
pub fn conflicts(game: &Game, venue: Option<&Venue>, others: &[Game]) -> Vec<Conflict> {
    let Some((start, end)) = occupies(game) else { return Vec::new() };
    let clashing = others.iter().filter_map(|other| {
        let (starts_at, ends_at) = occupies(other)?;
        let clashes = other.id != game.id && starts_at < end && start < ends_at;
        let shared = shares_team(game, other) || shares_field(game, venue, other);
        (clashes && shared).then_some(Conflict { id: other.id, starts_at, ends_at })
    });
    clashing.collect()
}

fn shares_team(game: &Game, other: &Game) -> bool {
    let teams = |game: &Game| [game.home_team_id, game.away_team_id].into_iter().flatten();
    teams(game).any(|team| teams(other).any(|theirs| theirs == team))
}

fn shares_field(game: &Game, venue: Option<&Venue>, other: &Game) -> bool {
    let Some(venue) = venue.filter(|_| game.venue_id.is_some() && game.venue_id == other.venue_id) else {
        return false;
    };
    let field = |game: &Game| game.field.as_ref().map(Name::folded);
    match (field(game), field(other)) {
        (Some(one), Some(another)) => one == another,
        _ => venue.fields.len() <= 1,
    }
}
