//! Calendars (iCalendar, RFC 5545). Teams are in the titles of events, as people write them (`titles.rs`).

mod event;
mod lines;

use std::collections::HashMap;

use super::formats::{Format, LeagueFormat, Read, Reading};
use super::league::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use super::rows::{Outcome, is_round};
use super::table::{name, shortened};
use super::titles::{self, Meeting};
use super::{BadFile, BadRow, MAX_ROWS};
use event::{Event, Zones};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{ExternalId, Name, fold};
use fieldhouse_domain::time::TimeZoneName;
use lines::Line;

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Ics,
    title: "iCalendar file",
    required: &[],
    optional: &[],
    date: None,
    sport: None,
    names_season: true,
    names_division: false,
    rules: &[
        "An event whose title is \"A @ B\", \"A at B\", \"A vs B\" or \"A v B\" is a game. With @ and at, B is at home; else A is. Other events are skipped.",
        "\"vs. B\" and \"@ B\" are games of the calendar's team: the team in most titles, or else the calendar's name.",
        "A title with the word bye, or with \"open date\", is a bye of the calendar's team.",
        "Times may be in UTC, with a TZID, or without a zone: then X-WR-TIMEZONE or the organization's zone applies. time_zone replaces it.",
        "A description or a part of the title that names a round (Week 3) is the round. Results in titles are not imported.",
        "STATUS:CANCELLED cancels a game. Repeating events are skipped. UID, with RECURRENCE-ID, recognizes a game.",
        "The season is X-WR-CALNAME unless it is set.",
    ],
};

pub(crate) fn read(text: &str, reading: &Reading) -> Result<Read, BadFile> {
    if !starts(text) {
        let reason = "it does not start with BEGIN:VCALENDAR".to_owned();
        return Err(BadFile::Syntax { format: "iCalendar", reason });
    }
    let (head, events) = calendar(lines::lines(text))?;
    let property = |wanted: &str| head.iter().find(|line| line.name == wanted).map(Line::text);
    let title = property("X-WR-CALNAME").and_then(|title| name(&title).ok());
    let season = reading.season.clone().or_else(|| title.clone()).ok_or(BadFile::NoSeason)?;
    let of_file = property("X-WR-TIMEZONE").and_then(|zone| TimeZoneName::parse(zone.trim()).ok());
    let zones = Zones {
        usual: reading.time_zone.clone().or(of_file).unwrap_or_else(|| reading.home_zone.clone()),
        named: reading.time_zone.is_some(),
    };
    let calendar = Calendar {
        division: reading.division.clone().unwrap_or_else(|| season.clone()),
        season: FixtureSeason { name: season, external_id: None },
        own: own_team(&events).or_else(|| title.map(|title| title.as_str().to_owned())),
        has_own: own_team(&events).is_some(),
        zones,
    };
    let mut schedule = Schedule { rows: events.len() as u64, ..Schedule::default() };
    for event in &events {
        match calendar.outcome(event) {
            Ok(outcome) => schedule.add(event.line, outcome),
            Err(reason) => schedule.bad.push(BadRow { line: event.line, column: None, reason }),
        }
    }
    Ok(Read {
        format: LeagueFormat::Ics,
        delimiter: None,
        date_order: None,
        time_zone: calendar.zones.usual,
        sport: None,
        notes: Vec::new(),
        schedule,
    })
}

/// Whether a file starts as a calendar does.
pub(crate) fn starts(text: &str) -> bool {
    const START: &str = "BEGIN:VCALENDAR";
    text.trim_start().get(..START.len()).is_some_and(|start| start.eq_ignore_ascii_case(START))
}

/// The properties of the calendar itself, and its events.
fn calendar(lines: Vec<Line>) -> Result<(Vec<Line>, Vec<Event>), BadFile> {
    let (mut head, mut events): (Vec<Line>, Vec<Event>) = (Vec::new(), Vec::new());
    let mut open: Vec<String> = Vec::new();
    for line in lines {
        match (line.name.as_str(), open.as_slice()) {
            ("BEGIN", _) => {
                let kind = line.value.trim().to_ascii_uppercase();
                if kind == "VEVENT" && open.len() == 1 {
                    events.push(Event { line: line.number, properties: Vec::new() });
                }
                open.push(kind);
            }
            ("END", _) => drop(open.pop()),
            (_, [_]) => head.push(line),
            (_, [_, kind]) if kind == "VEVENT" => {
                if let Some(event) = events.last_mut() {
                    event.properties.push(line);
                }
            }
            _ => {}
        }
    }
    match events.len() as u64 {
        0 => Err(BadFile::NoRows),
        count if count > MAX_ROWS => Err(BadFile::TooManyRows),
        _ => Ok((head, events)),
    }
}

/// The team that more than half of the titles name.
fn own_team(events: &[Event]) -> Option<String> {
    let titles = events.iter().filter_map(|event| titles::meeting(&event.text("SUMMARY")?, None));
    let mut teams: HashMap<String, (usize, String)> = HashMap::new();
    let mut count = 0;
    for Meeting { home, away } in titles {
        count += 1;
        for team in [home, away] {
            teams.entry(fold(&team)).or_insert((0, team)).0 += 1;
        }
    }
    let most = teams.into_values().max_by(|one, other| (one.0, &other.1).cmp(&(other.0, &one.1)))?;
    (most.0 * 2 > count).then_some(most.1)
}

/// What the events of a calendar have in common.
struct Calendar {
    season: FixtureSeason,
    division: Name,
    /// The team whose calendar it is.
    own: Option<String>,
    /// Whether titles show that team. Otherwise it is the calendar's name.
    has_own: bool,
    zones: Zones,
}

impl Calendar {
    fn outcome(&self, event: &Event) -> Result<Outcome, String> {
        let title = event.text("SUMMARY").unwrap_or_default();
        if event.property("RRULE").is_some() || event.property("RDATE").is_some() {
            return Ok(Outcome::Skipped(format!(
                "repeats, so that it is not a game: \"{}\"",
                shortened(&title)
            )));
        }
        let own = self.own.as_deref();
        let sides = match (titles::meeting(&title, own), own.filter(|_| self.has_own)) {
            (Some(Meeting { home, away }), _) => Sides::Game { home: side(&home)?, away: side(&away)? },
            (None, _) if !titles::is_bye(&title) => {
                return Ok(Outcome::Skipped(format!("names no two teams: \"{}\"", shortened(&title))));
            }
            (None, Some(own)) => Sides::Bye { team: side(own)?.team },
            (None, None) => {
                let reason = "is a bye, but the calendar does not show whose calendar it is";
                return Ok(Outcome::Skipped(reason.to_owned()));
            }
        };
        let start = event.start(&self.zones)?;
        let cancelled = event.text("STATUS").is_some_and(|status| status.eq_ignore_ascii_case("CANCELLED"));
        let fixture = Fixture::new(event.line, self.season.clone(), self.division.clone(), sides, start.date);
        Ok(Outcome::Game(Box::new(Fixture {
            round: round(event, &title),
            status: if cancelled { GameStatus::Cancelled } else { GameStatus::Scheduled },
            time: start.time,
            duration: event.length(&start, &self.zones)?,
            place: place(event)?,
            external_id: id(event),
            time_zone: start.zone,
            ..fixture
        })))
    }
}

fn side(team: &str) -> Result<FixtureSide, String> {
    let team = name(team)
        .map_err(|wrong| format!("has the team \"{}\", which {}", shortened(team), wrong.message))?;
    Ok(FixtureSide { team, score: None, external_id: None })
}

/// The round: the description, or a sentence of the title.
fn round(event: &Event, title: &str) -> Option<Name> {
    let description = event.text("DESCRIPTION").filter(|text| is_round(text));
    let sentence =
        || title.split(". ").map(|part| part.trim().trim_end_matches('.')).find(|part| is_round(part));
    let text = description
        .or_else(|| sentence().filter(|part| titles::meeting(part, None).is_none()).map(str::to_owned))?;
    name(&text).ok()
}

fn place(event: &Event) -> Result<Option<Place>, String> {
    let Some(text) = event.text("LOCATION").filter(|text| !super::clock::is_open(text)) else {
        return Ok(None);
    };
    let venue =
        name(&text.replace('\n', ", ")).map_err(|wrong| format!("has a LOCATION that {}", wrong.message))?;
    Ok(Some(Place { venue, court: None }))
}

/// The id of an event; of an exception to a repeating event, with its date.
fn id(event: &Event) -> Option<ExternalId> {
    let uid = event.text("UID")?;
    let id = match event.text("RECURRENCE-ID") {
        Some(recurrence) => format!("{uid}/{recurrence}"),
        None => uid,
    };
    ExternalId::parse(&id).ok()
}

#[cfg(test)]
mod tests;
