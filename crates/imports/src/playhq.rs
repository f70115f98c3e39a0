//! PlayHQ's fixture export ("advanced fixture"), read into format-neutral fixtures.
//!
//! One row is a game or a bye of one grade. Dates are DD/MM/YYYY and times HH:MM:SS in the venue's local time, without a zone. A bye has
//! its team in the column `bye`, and no status and game id. Unknown values are blank or `TBC`.

use jiff::civil::{Date, Time};

use super::league::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use super::table::{Row, Table, count, name};
use super::{BadFile, BadRow};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{self, ExternalId, InvalidValue};

/// The required columns. `team a result` and `team b result` are optional.
const COLUMNS: [&str; 16] = [
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
];

/// The valid years of games. Any other year is a typo.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;

/// Reads an export. Bad rows are listed separately; only a file that is not such an export is refused.
pub fn read(bytes: &[u8]) -> Result<Schedule, BadFile> {
    let table = Table::open(bytes)?;
    table.require("PlayHQ fixture export", &COLUMNS)?;
    let read = table.read(fixture)?;
    Ok(Schedule { fixtures: read.good, bad: read.bad, rows: read.rows })
}

fn fixture(row: &Row<'_>) -> Result<Fixture, BadRow> {
    let sides = sides(row)?;
    Ok(Fixture {
        line: row.line,
        season: season(row)?,
        division: row.required("grade", name)?,
        round: row.optional("round", name)?,
        status: status(row, &sides)?,
        sides,
        date: row.required("game date", date)?,
        time: settled(row, "time", time)?,
        place: place(row)?,
        external_id: row.optional("game id", ExternalId::parse)?,
    })
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
    match settled(row, team, name)? {
        Some(team) => Ok(Some(FixtureSide { team, score: points })),
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
    let court = settled(row, COURT, name)?;
    match settled(row, "venue", name)? {
        Some(venue) => Ok(Some(Place { venue, court })),
        None if court.is_some() => Err(row.bad(Some(COURT), "is a court without a venue")),
        None => Ok(None),
    }
}

/// The value of a column; `None` if it is not known yet.
fn settled<T>(
    row: &Row<'_>,
    column: &'static str,
    parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Result<Option<T>, BadRow> {
    let open = |text: &str| matches!(text::fold(text).as_str(), "tbc" | "tbd" | "tba");
    if row.text(column).is_some_and(open) { Ok(None) } else { row.optional(column, parse) }
}

fn date(text: &str) -> Result<Date, InvalidValue> {
    let wrong = || InvalidValue::new("not_a_date", "is not a date", "Write it as DD/MM/YYYY.");
    let [day, month, year] = numbers(text, '/').and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)?;
    let (day, month) = (i8::try_from(day), i8::try_from(month));
    let (Ok(day), Ok(month), true) = (day, month, YEARS.contains(&year)) else { return Err(wrong()) };
    Date::new(year, month, day).map_err(|_| wrong())
}

fn time(text: &str) -> Result<Time, InvalidValue> {
    let wrong = || InvalidValue::new("not_a_time", "is not a time of day", "Write it as HH:MM or HH:MM:SS.");
    let parts = numbers(text, ':').ok_or_else(wrong)?;
    let parts: Option<Vec<i8>> = parts.into_iter().map(|part| part.try_into().ok()).collect();
    match parts.as_deref() {
        Some([hour, minute]) => Time::new(*hour, *minute, 0, 0).map_err(|_| wrong()),
        Some([hour, minute, second]) => Time::new(*hour, *minute, *second, 0).map_err(|_| wrong()),
        _ => Err(wrong()),
    }
}

/// Integers between separators; `None` if there is anything else.
fn numbers(text: &str, separator: char) -> Option<Vec<i16>> {
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    text.split(separator).map(|part| part.parse().ok().filter(|_| plain(part))).collect()
}

#[cfg(test)]
mod tests;
