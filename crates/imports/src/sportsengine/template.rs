//! SportsEngine's schedule template of 2026. Its files have neither ids nor seasons nor divisions.

use super::{DELETED, OPEN_TEAM};
use crate::dialect::DateOrder;
use crate::formats::{Format, LeagueFormat};
use crate::league::Fixture;
use crate::rows::{Outcome, Terms, is_game, length, place, status, teams};
use crate::table::Row;
use crate::{BadRow, clock};
use fieldhouse_domain::games::GameStatus;

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Sportsengine,
    title: "SportsEngine schedule template",
    required: &["event type", "date", "start time", "home team", "away team", "venue", "status"],
    optional: &["end time", "duration (minutes)", "event name (events only)", "teams (events only)"],
    date: Some(("date", DateOrder::Mdy)),
    sport: None,
    names_season: false,
    names_division: false,
    rules: &[
        "Only rows whose Event Type is Game are imported; other events are skipped.",
        "Dates are MM/DD/YYYY. Times have 12 hours with AM or PM, or 24 hours; TBD is a game without a time.",
        "Duration (minutes) or else End Time gives the end.",
        "Status: Scheduled, Unscheduled, In Progress, Completed, Postponed, Delayed (becomes postponed), Cancelled. Deleted rows are skipped.",
        "The file has no ids: a game is recognized by its teams, or by its time and venue.",
    ],
};

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let kind = row.text("event type").unwrap_or("Event");
    let sides = teams(row, "home team", "away team")?;
    if !is_game(row, "event type").unwrap_or(sides.is_some()) {
        return Ok(Outcome::not_a_game(kind));
    }
    let status = row.optional("status", status)?.unwrap_or(Some(GameStatus::Scheduled));
    let Some(status) = status else { return Ok(Outcome::Skipped(DELETED.to_owned())) };
    let Some(sides) = sides else { return Ok(Outcome::Skipped(OPEN_TEAM.to_owned())) };
    let time = row.settled("start time", clock::time)?;
    let (season, division) = (terms.season(row)?, terms.division(row, "division")?);
    let date = row.required("date", |text| clock::date(text, terms.order))?;
    Ok(Outcome::Game(Box::new(Fixture {
        status,
        time,
        duration: length(row, "duration (minutes)", time, "end time")?,
        place: place(row, "venue", "field")?,
        ..Fixture::new(row.line, season, division, sides, date)
    })))
}
