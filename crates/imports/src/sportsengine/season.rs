//! SportsEngine's season management. Its files have no ids and do not name the season.

use super::{DELETED, OPEN_TEAM};
use crate::dialect::DateOrder;
use crate::formats::{Format, LeagueFormat};
use crate::league::{Fixture, Sides};
use crate::rows::{Outcome, Terms, length, place, status, teams};
use crate::table::{Row, count};
use crate::{BadRow, clock};

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::SportsengineSeason,
    title: "SportsEngine season management schedule",
    required: &["date", "time", "duration", "home team", "away team", "division name", "status"],
    optional: &["home team score", "away team score", "location"],
    date: Some(("date", DateOrder::Mdy)),
    sport: None,
    names_season: false,
    names_division: true,
    rules: &[
        "Dates are MM/DD/YYYY, times HH:MM AM/PM. Duration is in minutes.",
        "Status: Scheduled, In Progress, Completed, Postponed, Delayed (becomes postponed), Cancelled or Canceled.",
        "Unscheduled is a game without a time; without a date, it is skipped. Deleted rows are skipped.",
        "The file has no ids: a game is recognized by its teams, or by its time and location.",
    ],
};

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let Some(status) = row.required("status", status)? else {
        return Ok(Outcome::Skipped(DELETED.to_owned()));
    };
    let unscheduled = row.text("status").is_some_and(|status| status.eq_ignore_ascii_case("unscheduled"));
    let Some(sides) = teams(row, "home team", "away team")? else {
        return Ok(Outcome::Skipped(OPEN_TEAM.to_owned()));
    };
    if unscheduled && row.text("date").is_none_or(clock::is_open) {
        return Ok(Outcome::Skipped("is a game without a date".to_owned()));
    }
    let time = row.settled("time", clock::time)?.filter(|_| !unscheduled);
    let (season, division) = (terms.season(row)?, terms.division(row, "division name")?);
    let date = row.required("date", |text| clock::date(text, terms.order))?;
    Ok(Outcome::Game(Box::new(Fixture {
        status,
        time,
        duration: length(row, "duration", time, "end time")?,
        place: place(row, "location", "field")?,
        ..Fixture::new(row.line, season, division, scored(row, sides)?, date)
    })))
}

fn scored(row: &Row<'_>, sides: Sides) -> Result<Sides, BadRow> {
    let Sides::Game { mut home, mut away } = sides else { return Ok(sides) };
    home.score = row.optional("home team score", count)?;
    away.score = row.optional("away team score", count)?;
    Ok(Sides::Game { home, away })
}
