//! Tables of games: what the readers of CSV formats share.

use jiff::SignedDuration;
use jiff::civil::{Date, Time};

use super::clock;
use super::dialect::DateOrder;
use super::formats::{Format, Read, Reading};
use super::league::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use super::table::{self, Table, name, shortened};
use super::{BadFile, BadRow, SkippedRow};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{self, InvalidValue, Name};

/// Reads one row.
pub(super) type Row = fn(&table::Row<'_>, &Terms) -> Result<Outcome, BadRow>;

/// What a row becomes.
#[derive(Debug, PartialEq)]
pub(super) enum Outcome {
    /// A game or a bye.
    Game(Box<Fixture>),
    /// Nothing, with the reason.
    Skipped(String),
}

/// What the rows do not say.
#[derive(Debug)]
pub(super) struct Terms {
    /// The order of dates.
    pub(super) order: DateOrder,
    /// The season, if rows do not name it.
    pub(super) season: Option<FixtureSeason>,
    /// The division, for rows that do not name it.
    pub(super) division: Option<Name>,
}

/// Reads a table.
pub(super) fn read(
    format: &'static Format,
    row: Row,
    text: &str,
    reading: &Reading,
) -> Result<Read, BadFile> {
    let table = Table::open(text.as_bytes(), reading.delimiter)?;
    table.require(format.title, format.required)?;
    let delimiter = table.delimiter();
    let (order, assumed) = match (reading.date_order, format.date) {
        (Some(order), _) => (order, false),
        (None, Some((column, default))) => table.date_clues(column).order(default),
        (None, None) => (DateOrder::Ymd, false),
    };
    let season = reading.season.clone().filter(|_| !format.names_season);
    let season = season.map(|name| FixtureSeason { name, external_id: None });
    let division = reading.division.clone().or_else(|| season.as_ref().map(|season| season.name.clone()));
    if season.is_none() && !format.names_season {
        return Err(BadFile::NoSeason);
    }
    let terms = Terms { order, season, division };
    let schedule = schedule(table, |line| row(line, &terms))?;
    let notes = assumed.then(|| assumption(format, order)).into_iter().collect();
    Ok(Read {
        format: format.name,
        delimiter: Some(delimiter),
        date_order: Some(order),
        time_zone: reading.zone().clone(),
        sport: None,
        notes,
        schedule,
    })
}

fn schedule(
    table: Table<'_>,
    mut row: impl FnMut(&table::Row<'_>) -> Result<Outcome, BadRow>,
) -> Result<Schedule, BadFile> {
    let read = table.read(|line| Ok((line.line, row(line)?)))?;
    let mut schedule = Schedule { bad: read.bad, rows: read.rows, ..Schedule::default() };
    for (line, outcome) in read.good {
        schedule.add(line, outcome);
    }
    Ok(schedule)
}

fn assumption(format: &Format, order: DateOrder) -> String {
    let (title, pattern) = (format.title, order.pattern());
    format!(
        "No date has a day above 12, so the dates were read as {pattern}, as is usual in a {title}. Set the date order if they are written differently."
    )
}

impl Schedule {
    pub(super) fn add(&mut self, line: u64, outcome: Outcome) {
        match outcome {
            Outcome::Game(fixture) => self.fixtures.push(*fixture),
            Outcome::Skipped(reason) => self.skipped.push(SkippedRow { line, reason }),
        }
    }
}

impl Terms {
    /// The season of a row that does not name it.
    pub(super) fn season(&self, row: &table::Row<'_>) -> Result<FixtureSeason, BadRow> {
        self.season.clone().ok_or_else(|| row.bad(None, "has no season"))
    }

    /// The division that a row names, or else the one of the whole file.
    pub(super) fn division(&self, row: &table::Row<'_>, column: &'static str) -> Result<Name, BadRow> {
        let named = row.optional(column, name)?.or_else(|| self.division.clone());
        named.ok_or_else(|| row.bad(Some(column), "is blank"))
    }
}

impl Outcome {
    /// A row with an event that is not a game, by the product's word for it.
    pub(super) fn not_a_game(kind: &str) -> Self {
        Self::Skipped(format!("is not a game, but \"{}\"", shortened(kind)))
    }
}

/// A game of two teams. `None` if one of them is not known yet.
pub(super) fn teams(
    row: &table::Row<'_>,
    home: &'static str,
    away: &'static str,
) -> Result<Option<Sides>, BadRow> {
    let side = |team| FixtureSide { team, score: None, external_id: None };
    let both = (row.settled(home, name)?, row.settled(away, name)?);
    Ok(match both {
        (Some(home), Some(away)) => Some(Sides::Game { home: side(home), away: side(away) }),
        _ => None,
    })
}

/// A venue and the court or field in it.
pub(super) fn place(
    row: &table::Row<'_>,
    venue: &'static str,
    court: &'static str,
) -> Result<Option<Place>, BadRow> {
    let court = row.settled(court, name)?;
    Ok(row.settled(venue, name)?.map(|venue| Place { venue, court }))
}

/// How long a game takes: the given duration, or else the time until its end.
pub(super) fn length(
    row: &table::Row<'_>,
    minutes: &'static str,
    start: Option<Time>,
    end: &'static str,
) -> Result<Option<SignedDuration>, BadRow> {
    let given = row.settled(minutes, clock::minutes)?.flatten();
    let end = row.settled(end, clock::time)?;
    Ok(given.or_else(|| clock::between(start?, end?)))
}

/// How long a game takes, from its end. An end before the start is a bad row.
pub(super) fn until(
    row: &table::Row<'_>,
    terms: &Terms,
    (date, start): (Date, Option<Time>),
    (end_date, end_time): (&'static str, &'static str),
) -> Result<Option<SignedDuration>, BadRow> {
    let day = row.settled(end_date, |text| clock::date(text, terms.order))?.unwrap_or(date);
    let (Some(start), Some(end)) = (start, row.settled(end_time, clock::time)?) else { return Ok(None) };
    let length = date.to_datetime(start).duration_until(day.to_datetime(end));
    if length.is_negative() {
        return Err(row.bad(Some(end_time), "is before the start"));
    }
    Ok(Some(length).filter(|length| length.is_positive()))
}

/// Whether a product's kind of event is a game. `None` if the row does not say it.
pub(super) fn is_game(row: &table::Row<'_>, column: &str) -> Option<bool> {
    const GAMES: [&str; 6] = ["game", "match", "scrimmage", "playoff", "tournament", "friendly"];
    let kind = text::fold(row.text(column)?);
    Some(kind.split(' ').any(|word| GAMES.contains(&word)))
}

/// A status in the words that several products share; `None` for a game that the product has deleted.
pub(super) fn status(text: &str) -> Result<Option<GameStatus>, InvalidValue> {
    Ok(Some(match text::fold(text).as_str() {
        "scheduled" | "unscheduled" => GameStatus::Scheduled,
        "in progress" => GameStatus::InProgress,
        "completed" | "final" => GameStatus::Final,
        "postponed" | "delayed" => GameStatus::Postponed,
        "cancelled" | "canceled" => GameStatus::Cancelled,
        "forfeit" | "forfeited" => GameStatus::Forfeit,
        "abandoned" | "suspended" => GameStatus::Abandoned,
        "deleted" => return Ok(None),
        _ => {
            let fix = "Use Scheduled, Unscheduled, In Progress, Completed, Postponed, Delayed, Cancelled or Deleted.";
            return Err(InvalidValue::new("unknown_status", "is not a known status", fix));
        }
    }))
}

/// Whether a value names a round: `Week 3`, `Round of 16`, `Preseason`.
pub(super) fn is_round(text: &str) -> bool {
    const STARTS: [&str; 11] = [
        "round",
        "week",
        "wk",
        "matchday",
        "preseason",
        "pre season",
        "playoff",
        "quarter",
        "semi",
        "final",
        "group",
    ];
    let folded = text::fold(text);
    text.chars().count() <= 60 && !text.contains('\n') && STARTS.iter().any(|start| folded.starts_with(start))
}
