//! SportsEngine's older schedule upload. Teams and divisions are ids: a new team is called `Team 123` until someone renames it, and is found
//! by its id afterwards.

use super::OPEN_TEAM;
use crate::dialect::DateOrder;
use crate::formats::{Format, LeagueFormat};
use crate::league::{Fixture, FixtureSide, Place, Sides};
use crate::rows::{Outcome, Terms, until};
use crate::table::{Row, name};
use crate::{BadRow, clock};
use fieldhouse_domain::text::{ExternalId, Name};

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::SportsengineLegacy,
    title: "SportsEngine schedule upload (legacy)",
    required: &["start_date", "start_time", "event_type", "team1_id", "team1_is_home", "team2_id"],
    optional: &[
        "end_date",
        "end_time",
        "location",
        "all_day_event",
        "team1_division_id",
        "team2_division_id",
        "team2_name",
        "game_id",
        "event_id",
    ],
    date: Some(("start_date", DateOrder::Mdy)),
    sport: None,
    names_season: false,
    names_division: false,
    rules: &[
        "Only rows whose Event_Type is Game are imported; other events are skipped.",
        "Dates are MM/DD/YYYY, times HH:MM of 24 hours; TBD, or All_Day_Event 1, is a game without a time.",
        "Teams are ids. A new team is named \"Team 123\" after its id, and an opponent without an id as in Team2_Name. Rename teams freely: the id stays.",
        "Team1_Is_Home 1 (or blank) makes Team1 the home team, 0 the away team.",
        "The division is \"Division 123\" after Team1_Division_ID. A game between two divisions is a bad row.",
        "Game_ID, or else Event_ID, recognizes a game.",
    ],
};

pub(crate) fn row(row: &Row<'_>, terms: &Terms) -> Result<Outcome, BadRow> {
    let kind = row.text("event_type").unwrap_or("Event");
    if !kind.eq_ignore_ascii_case("game") {
        return Ok(Outcome::not_a_game(kind));
    }
    let first = side(row, "team1_id", "team1_name")?;
    let second = side(row, "team2_id", "team2_name")?;
    let (Some(first), Some(second)) = (first, second) else {
        return Ok(Outcome::Skipped(OPEN_TEAM.to_owned()));
    };
    let (home, away) = match row.text("team1_is_home") {
        None | Some("1") => (first, second),
        Some("0") => (second, first),
        Some(_) => return Err(row.bad(Some("team1_is_home"), "must be 1 or 0")),
    };
    let date = row.required("start_date", |text| clock::date(text, terms.order))?;
    let all_day = row.text("all_day_event") == Some("1");
    let time = row.settled("start_time", clock::time)?.filter(|_| !all_day);
    let id = if row.text("game_id").is_some() { "game_id" } else { "event_id" };
    let place = row.settled("location", name)?.map(|venue| Place { venue, court: None });
    let sides = Sides::Game { home, away };
    let division = division(row, terms)?;
    Ok(Outcome::Game(Box::new(Fixture {
        time,
        duration: until(row, terms, (date, time), ("end_date", "end_time"))?,
        place,
        external_id: row.optional(id, ExternalId::parse)?,
        ..Fixture::new(row.line, terms.season(row)?, division, sides, date)
    })))
}

fn side(row: &Row<'_>, id: &'static str, named: &'static str) -> Result<Option<FixtureSide>, BadRow> {
    let external_id = row.settled(id, ExternalId::parse)?;
    let team = match (row.settled(named, name)?, &external_id) {
        (Some(team), _) => Some(team),
        (None, Some(key)) => Some(numbered(row, id, "Team", key.as_str())?),
        (None, None) => None,
    };
    Ok(team.map(|team| FixtureSide { team, score: None, external_id }))
}

fn division(row: &Row<'_>, terms: &Terms) -> Result<Name, BadRow> {
    const COLUMN: &str = "team1_division_id";
    match (row.text(COLUMN), row.text("team2_division_id")) {
        (Some(one), Some(other)) if one != other => {
            Err(row.bad(Some("team2_division_id"), "is another division than that of team 1"))
        }
        (Some(id), _) => numbered(row, COLUMN, "Division", id),
        (None, _) => terms.division(row, "division"),
    }
}

fn numbered(row: &Row<'_>, column: &str, kind: &str, id: &str) -> Result<Name, BadRow> {
    name(&format!("{kind} {id}")).map_err(|wrong| row.bad(Some(column), wrong.message))
}
