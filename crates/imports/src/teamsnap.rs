//! TeamSnap's schedule of an organization (Clubs & Leagues, Business). Its files have no ids and do not name the season.

use super::dialect::DateOrder;
use super::formats::{Format, LeagueFormat};
use super::league::Fixture;
use super::rows::{Outcome, Terms, is_game, is_round, length, place, teams};
use super::table::{Row, name};
use super::{BadRow, clock};

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Teamsnap,
    title: "TeamSnap organization schedule",
    required: &["date", "start time", "division", "home team", "location"],
    optional: &["end time", "arrival time", "short label", "event type", "away team", "location details"],
    date: Some(("date", DateOrder::Mdy)),
    sport: None,
    names_season: false,
    names_division: true,
    rules: &[
        "A row without an Away Team, or whose Event type is not a game, is skipped.",
        "Dates are MM/DD/YYYY, or DD/MM/YYYY where the organization uses the international format. Times are HH:MM AM/PM.",
        "Short label is the round if it names one, such as Week 3. Location Details is the court or field.",
        "Arrival Time is not imported.",
        "The file has no ids and no statuses: a game is recognized by its teams, or by its time and location.",
    ],
};

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let sides = teams(row, "home team", "away team")?;
    if is_game(row, "event type") == Some(false) {
        return Ok(Outcome::not_a_game(row.text("event type").unwrap_or_default()));
    }
    let Some(sides) = sides else {
        return Ok(Outcome::Skipped("has no two teams, so that it is not a game".to_owned()));
    };
    let time = row.settled("start time", clock::time)?;
    let date = row.required("date", |text| clock::date(text, terms.order))?;
    let round = row.text("short label").is_some_and(is_round);
    let (season, division) = (terms.season(row)?, terms.division(row, "division")?);
    Ok(Outcome::Game(Box::new(Fixture {
        round: if round { row.optional("short label", name)? } else { None },
        time,
        duration: length(row, "duration", time, "end time")?,
        place: place(row, "location", "location details")?,
        ..Fixture::new(row.line, season, division, sides, date)
    })))
}

#[cfg(test)]
mod tests;
