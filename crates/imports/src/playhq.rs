//! PlayHQ's fixture export ("advanced fixture"), read into format-neutral fixtures.
//!
//! One row is a game or a bye of one grade. Dates are DD/MM/YYYY and times HH:MM:SS in the venue's local time, without a zone. A bye has
//! its team in the column `bye`, and no status and game id. Unknown values are blank or `TBC`.

use super::clock;
use super::dialect::DateOrder;
use super::formats::{self, Format, LeagueFormat, Reading};
use super::league::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use super::rows::{Outcome, Terms};
use super::table::{Row, count, name};
use super::{BadFile, BadRow};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{self, ExternalId, InvalidValue};
use fieldhouse_domain::time::TimeZoneName;

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Playhq,
    title: "PlayHQ fixture export",
    required: &[
        "game date",
        "grade",
        "round",
        "team a",
        "team a score",
        "team b",
        "team b score",
        "bye",
        "game status",
        "venue",
        "playing surface",
        "time",
        "organisation",
        "competition",
        "season",
        "game id",
    ],
    optional: &["team a result", "team b result"],
    date: Some(("game date", DateOrder::Dmy)),
    sport: None,
    names_season: true,
    names_division: true,
    rules: &[
        "Dates are DD/MM/YYYY, times HH:MM:SS in the venue's local time, without a zone. TBC is not known yet.",
        "A row with a team in the column bye is a bye.",
        "Game status: UPCOMING, IN PROGRESS, PENDING (becomes in progress), FINAL, POSTPONED, CANCELLED, WASHOUT (becomes cancelled), ABANDONED, FORFEIT.",
        "The season is named after competition and season. The division is the grade.",
        "Game id recognizes a game; a bye is recognized by its team and round.",
        "The file has no ends of games.",
    ],
};

/// Reads an export whose format is known. Bad rows are listed separately; only a file that is not such an export is refused.
pub fn read(bytes: &[u8]) -> Result<Schedule, BadFile> {
    let reading =
        Reading { format: LeagueFormat::Playhq, ..Reading::auto(TimeZoneName::stored("UTC".to_owned())) };
    formats::read(bytes, &reading).map(|read| read.schedule)
}

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let (sides, division) = (sides(row)?, row.required("grade", name)?);
    let date = row.required("game date", |text| clock::date(text, terms.order))?;
    Ok(Outcome::Game(Box::new(Fixture {
        round: row.optional("round", name)?,
        status: status(row, &sides)?,
        time: row.settled("time", clock::time)?,
        place: place(row)?,
        external_id: row.optional("game id", ExternalId::parse)?,
        ..Fixture::new(row.line, season(row)?, division, sides, date)
    })))
}

/// A season is identified by organisation, competition and season, and named after the last two.
fn season(row: &Row<'_>) -> Result<FixtureSeason, BadRow> {
    let part = |column| row.required(column, |text| text::line(text, ExternalId::MAX_LENGTH));
    let (organisation, competition, season) = (part("organisation")?, part("competition")?, part("season")?);
    let wrong =
        |wrong: InvalidValue| row.bad(Some("season"), format!("and the competition: {}", wrong.message));
    let id = ExternalId::parse(&format!("playhq:{organisation}/{competition}/{season}")).map_err(wrong)?;
    Ok(FixtureSeason {
        name: name(&format!("{competition} {season}")).map_err(wrong)?,
        external_id: Some(id),
    })
}

fn sides(row: &Row<'_>) -> Result<Sides, BadRow> {
    let home = side(row, "team a", "team a score")?;
    let away = side(row, "team b", "team b score")?;
    match (row.optional("bye", name)?, home, away) {
        (Some(team), None, None) => Ok(Sides::Bye { team }),
        (Some(_), _, _) => Err(row.bad(Some("bye"), "has a bye in a row with a game")),
        (None, Some(home), Some(away)) if home.team.folded() == away.team.folded() => {
            Err(row.bad(Some("team b"), "is the same team as team a"))
        }
        (None, Some(home), Some(away)) => Ok(Sides::Game { home, away }),
        (None, None, None) => Err(row.bad(None, "has neither two teams nor a bye")),
        (None, None, _) => Err(row.bad(Some("team a"), "is blank: a game has two teams")),
        (None, _, None) => Err(row.bad(Some("team b"), "is blank: a game has two teams")),
    }
}

fn side(row: &Row<'_>, team: &'static str, score: &'static str) -> Result<Option<FixtureSide>, BadRow> {
    let points = row.optional(score, count)?;
    match row.settled(team, name)? {
        Some(team) => Ok(Some(FixtureSide { team, score: points, external_id: None })),
        None if points.is_some() => Err(row.bad(Some(score), format!("is a score without a {team}"))),
        None => Ok(None),
    }
}

/// A bye has no status in the file and is scheduled. A forfeit has the status final and is shown in a team's result.
fn status(row: &Row<'_>, sides: &Sides) -> Result<GameStatus, BadRow> {
    const COLUMN: &str = "game status";
    if matches!(sides, Sides::Bye { .. }) {
        let of_bye = |text: &str| {
            if text::fold(text) == "bye" { Ok(GameStatus::Scheduled) } else { game_status(text) }
        };
        return Ok(row.optional(COLUMN, of_bye)?.unwrap_or(GameStatus::Scheduled));
    }
    let status = row.required(COLUMN, game_status)?;
    let forfeited = |column| row.text(column).is_some_and(|result| text::fold(result).starts_with("forfeit"));
    let by_forfeit =
        status == GameStatus::Final && (forfeited("team a result") || forfeited("team b result"));
    Ok(if by_forfeit { GameStatus::Forfeit } else { status })
}

/// `Pending` is PlayHQ's word for a game that has started and has no result yet. A washout was not played.
fn game_status(text: &str) -> Result<GameStatus, InvalidValue> {
    match text::fold(text).as_str() {
        "upcoming" | "scheduled" => Ok(GameStatus::Scheduled),
        "in progress" | "live" | "pending" => Ok(GameStatus::InProgress),
        "final" | "finalised" | "completed" => Ok(GameStatus::Final),
        "postponed" => Ok(GameStatus::Postponed),
        "cancelled" | "canceled" | "washout" | "washed out" => Ok(GameStatus::Cancelled),
        "abandoned" => Ok(GameStatus::Abandoned),
        "forfeit" | "forfeited" => Ok(GameStatus::Forfeit),
        _ => Err(InvalidValue::new(
            "unknown_status",
            "is not a known status",
            "Use UPCOMING, IN PROGRESS, FINAL, POSTPONED, CANCELLED, ABANDONED or FORFEIT.",
        )),
    }
}

fn place(row: &Row<'_>) -> Result<Option<Place>, BadRow> {
    const COURT: &str = "playing surface";
    let court = row.settled(COURT, name)?;
    match row.settled("venue", name)? {
        Some(venue) => Ok(Some(Place { venue, court })),
        None if court.is_some() => Err(row.bad(Some(COURT), "is a court without a venue")),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests;
