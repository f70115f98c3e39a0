//! Team App's schedule. It lists one team's events; the opponent is in the event's name (`Magic vs Rebels`) or in a line of the description
//! (`Opponent: Rebels`), and without one, the row is not a game.

use super::dialect::DateOrder;
use super::formats::{Format, LeagueFormat};
use super::league::{Fixture, FixtureSide, Place, Sides};
use super::rows::{Outcome, Terms, until};
use super::table::{Row, name};
use super::{BadRow, clock, titles};
use fieldhouse_domain::text::{ExternalId, Name};

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Teamapp,
    title: "Team App schedule",
    required: &["event_name", "start_date", "start_time", "location"],
    optional: &["team_name", "end_date", "end_time", "description", "reference_id"],
    date: Some(("start_date", DateOrder::Ymd)),
    sport: None,
    names_season: false,
    names_division: false,
    rules: &[
        "A row is a game if its event_name is \"A vs B\" or \"A @ B\", or if its description has a line \"Opponent: B\". Other events are skipped.",
        "With an opponent in the description, team_name is the home team: the file does not say who is at home.",
        "Dates are YYYY-MM-DD, times HH:MM:SS of 24 hours.",
        "The venue is the line \"Venue: ...\" of the description, or else the location.",
        "reference_id recognizes a game.",
        "access_groups, rsvp, comments, attendance_tracking, duty_roster and ticketing are not imported.",
    ],
};

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let title = row.text("event_name").unwrap_or_default();
    let Some((home, away)) = sides(row, title)? else {
        return Ok(Outcome::Skipped(format!("names no opponent: \"{}\"", super::table::shortened(title))));
    };
    let side = |team| FixtureSide { team, score: None, external_id: None };
    let date = row.required("start_date", |text| clock::date(text, terms.order))?;
    let time = row.settled("start_time", clock::time)?;
    let venue = match line(row, "venue") {
        Some(venue) => Some(name(venue).map_err(|wrong| row.bad(Some("description"), wrong.message))?),
        None => row.settled("location", name)?,
    };
    let sides = Sides::Game { home: side(home), away: side(away) };
    Ok(Outcome::Game(Box::new(Fixture {
        time,
        duration: until(row, terms, (date, time), ("end_date", "end_time"))?,
        place: venue.map(|venue| Place { venue, court: None }),
        external_id: row.optional("reference_id", ExternalId::parse)?,
        ..Fixture::new(row.line, terms.season(row)?, terms.division(row, "division")?, sides, date)
    })))
}

/// The home and the away team.
fn sides(row: &Row<'_>, title: &str) -> Result<Option<(Name, Name)>, BadRow> {
    let own = row.settled("team_name", name)?;
    let wrong = |column, text: &str| {
        name(text).map_err(|wrong| row.bad(Some(column), format!("\"{text}\" {}", wrong.message)))
    };
    if let Some(meeting) = titles::meeting(title, own.as_ref().map(Name::as_str)) {
        return Ok(Some((wrong("event_name", &meeting.home)?, wrong("event_name", &meeting.away)?)));
    }
    match (own, line(row, "opponent")) {
        (Some(own), Some(opponent)) => Ok(Some((own, wrong("description", opponent)?))),
        _ => Ok(None),
    }
}

/// A line of the description that starts with a label.
fn line<'r>(row: &'r Row<'_>, label: &str) -> Option<&'r str> {
    let labelled = |line: &'r str| {
        let (start, value) = line.split_once(':')?;
        (start.trim().eq_ignore_ascii_case(label) && !value.trim().is_empty()).then(|| value.trim())
    };
    row.text("description")?.lines().find_map(labelled)
}

#[cfg(test)]
mod tests;
