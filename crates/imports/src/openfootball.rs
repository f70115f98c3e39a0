//! A season of openfootball (<https://github.com/openfootball>), as JSON: one object with a name and a list of matches.
//!
//! Leagues have local times without a zone; tournaments have an offset (`13:00 UTC-6`), which is that of the ground. All teams of a file are
//! in one division, because those of a tournament meet across its groups; the group is part of the round.

use jiff::civil::Time;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::formats::{Format, LeagueFormat, Read, Reading};
use super::league::{Fixture, FixtureSeason, FixtureSide, Place, Schedule, Sides};
use super::table::{name, shortened};
use super::{BadFile, BadRow, MAX_ROWS, clock, dialect};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{ExternalId, InvalidValue, Name, fold};
use fieldhouse_domain::time::TimeZoneName;

pub(crate) const FORMAT: Format = Format {
    name: LeagueFormat::Openfootball,
    title: "openfootball season",
    required: &[],
    optional: &[],
    date: None,
    sport: Some("soccer"),
    names_season: true,
    names_division: false,
    rules: &[
        "One JSON object with name and matches: round, group, date, time, team1, team2, ground, score, status, num.",
        "Dates are YYYY-MM-DD. A time is in the time zone of the import, or has an offset: 13:00 UTC-6.",
        "The score is that of full time, or after extra time; penalty shoot-outs are not imported. A game without a score is scheduled.",
        "Status: postponed, cancelled, abandoned, awarded (becomes a forfeit).",
        "num recognizes a game, or else the round with both teams, or else the time and ground: so placeholders such as 1A and W74 become teams.",
        "All teams are in one division, named after the season without its years.",
    ],
};

#[derive(Deserialize)]
struct Season<'a> {
    name: Option<String>,
    #[serde(borrow)]
    matches: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Match {
    round: Option<String>,
    group: Option<String>,
    num: Option<i64>,
    date: String,
    time: Option<String>,
    team1: Team,
    team2: Team,
    ground: Option<String>,
    score: Option<Score>,
    status: Option<String>,
}

/// A team: its name, or in older files an object.
#[derive(Deserialize)]
#[serde(untagged)]
enum Team {
    Name(String),
    Object { name: String },
}

#[derive(Default, Deserialize)]
struct Score {
    ft: Option<[i64; 2]>,
    et: Option<[i64; 2]>,
}

pub(crate) fn read(text: &str, reading: &Reading) -> Result<Read, BadFile> {
    let season: Season<'_> = serde_json::from_str(text).map_err(|error| syntax(&error))?;
    let Some(matches) = season.matches else {
        return Err(BadFile::Unknown { found: "it is JSON without a list of matches".to_owned() });
    };
    if matches.is_empty() {
        return Err(BadFile::NoRows);
    }
    if matches.len() as u64 > MAX_ROWS {
        return Err(BadFile::TooManyRows);
    }
    let named = season.name.as_deref().and_then(|text| name(text).ok());
    let name_of_season = reading.season.clone().or(named).ok_or(BadFile::NoSeason)?;
    let division = reading.division.clone().unwrap_or_else(|| without_years(&name_of_season));
    let season = FixtureSeason { name: name_of_season, external_id: None };
    let mut schedule = Schedule { rows: matches.len() as u64, ..Schedule::default() };
    let (mut line, mut at) = (1, 0);
    for raw in matches {
        let start = (raw.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        line += text.get(at..start).unwrap_or_default().matches('\n').count() as u64;
        at = start;
        match fixture(line, raw.get(), &season, &division, reading.zone()) {
            Ok(fixture) => schedule.fixtures.push(fixture),
            Err((column, reason)) => {
                schedule.bad.push(BadRow { line, column: column.map(str::to_owned), reason });
            }
        }
    }
    Ok(Read {
        format: LeagueFormat::Openfootball,
        delimiter: None,
        date_order: None,
        time_zone: reading.zone().clone(),
        sport: None,
        notes: Vec::new(),
        schedule,
    })
}

fn syntax(error: &serde_json::Error) -> BadFile {
    BadFile::Syntax { format: "JSON", reason: error.to_string() }
}

/// A season's name without its years: of `Süper Lig 2025/26`, `Süper Lig`.
fn without_years(season: &Name) -> Name {
    let is_year = |word: &&str| word.starts_with(|letter: char| letter.is_ascii_digit());
    let words: Vec<&str> = season.as_str().split(' ').collect();
    let years = words.iter().rev().take_while(|word| is_year(word)).count();
    name(&words[..words.len() - years].join(" ")).unwrap_or_else(|_| season.clone())
}

type Wrong = (Option<&'static str>, String);

fn fixture(
    line: u64,
    json: &str,
    season: &FixtureSeason,
    division: &Name,
    zone: &TimeZoneName,
) -> Result<Fixture, Wrong> {
    let game: Match = serde_json::from_str(json).map_err(|error| (None, format!("is no match: {error}")))?;
    let score = game.score.unwrap_or_default();
    let result = score.et.or(score.ft);
    let status = status(game.status.as_deref(), result.is_some())?;
    let side = |column, team: Team, score: Option<i64>| {
        let (Team::Name(text) | Team::Object { name: text }) = team;
        let team = value(column, &text, name)?;
        Ok::<_, Wrong>(FixtureSide { team, score, external_id: None })
    };
    let home = side("team1", game.team1, result.map(|score| score[0]))?;
    let away = side("team2", game.team2, result.map(|score| score[1]))?;
    let date = value("date", &game.date, |text| clock::date(text, dialect::DateOrder::Ymd))?;
    let fixture = Fixture::new(line, season.clone(), division.clone(), Sides::Game { home, away }, date);
    let ground = game.ground.filter(|ground| !clock::is_open(ground));
    let place = ground.map(|ground| value("ground", &ground, name)).transpose()?;
    let fixture = Fixture {
        round: round(game.round.as_deref(), game.group.as_deref())?,
        status,
        place: place.map(|venue| Place { venue, court: None }),
        external_id: game.num.and_then(|number| ExternalId::parse(&number.to_string()).ok()),
        ..fixture
    };
    match game.time.filter(|time| !clock::is_open(time)) {
        Some(time) => timed(fixture, &time, zone),
        None => Ok(fixture),
    }
}

fn value<T>(
    column: &'static str,
    text: &str,
    parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
) -> Result<T, Wrong> {
    parse(text).map_err(|wrong| (Some(column), format!("\"{}\" {}", shortened(text), wrong.message)))
}

fn round(round: Option<&str>, group: Option<&str>) -> Result<Option<Name>, Wrong> {
    let text = match (round, group) {
        (Some(round), Some(group)) => format!("{round} ({group})"),
        (Some(one), None) | (None, Some(one)) => one.to_owned(),
        (None, None) => return Ok(None),
    };
    value("round", &text, name).map(Some)
}

fn status(text: Option<&str>, has_result: bool) -> Result<GameStatus, Wrong> {
    let Some(text) = text else {
        return Ok(if has_result { GameStatus::Final } else { GameStatus::Scheduled });
    };
    match fold(text).as_str() {
        "postponed" => Ok(GameStatus::Postponed),
        "cancelled" | "canceled" | "annulled" => Ok(GameStatus::Cancelled),
        "abandoned" | "suspended" => Ok(GameStatus::Abandoned),
        "awarded" | "forfeit" => Ok(GameStatus::Forfeit),
        _ => Err((Some("status"), format!("\"{}\" is not a known status", shortened(text)))),
    }
}

/// Adds the time. One with an offset of whole hours gets a zone with that offset, so that the clock at the ground stays as in the file.
fn timed(fixture: Fixture, text: &str, zone: &TimeZoneName) -> Result<Fixture, Wrong> {
    let (clock_text, offset) = match text.split_once(" UTC") {
        Some((clock_text, offset)) => (clock_text, Some(offset.trim())),
        None => (text, None),
    };
    let time = value("time", clock_text, clock::time)?;
    let Some(offset) = offset else { return Ok(Fixture { time: Some(time), ..fixture }) };
    let wrong = || (Some("time"), format!("\"{}\" has an unknown offset", shortened(text)));
    let minutes = offset_minutes(offset).ok_or_else(wrong)?;
    if minutes % 60 == 0 {
        let name = if minutes == 0 { "UTC".to_owned() } else { format!("Etc/GMT{:+}", -minutes / 60) };
        let own = TimeZoneName::parse(&name).map_err(|_| wrong())?;
        return Ok(Fixture { time: Some(time), time_zone: Some(own), ..fixture });
    }
    let (date, time) = moved(&fixture, time, minutes, zone).ok_or_else(wrong)?;
    Ok(Fixture { date, time: Some(time), ..fixture })
}

/// The date and time in `zone` of a time with an offset in minutes.
fn moved(
    fixture: &Fixture,
    time: Time,
    minutes: i32,
    zone: &TimeZoneName,
) -> Option<(jiff::civil::Date, Time)> {
    let offset = jiff::tz::Offset::from_seconds(minutes * 60).ok()?;
    let local = zone.local(offset.to_timestamp(fixture.date.to_datetime(time)).ok()?);
    Some((local.date(), local.time()))
}

/// The minutes of `+5:30` or `-6`; an empty text is zero.
fn offset_minutes(text: &str) -> Option<i32> {
    let (sign, digits) = match text.as_bytes().first() {
        None => return Some(0),
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        Some(_) => return None,
    };
    let (hours, minutes) = digits.split_once(':').unwrap_or((digits, "0"));
    let (hours, minutes): (i32, i32) = (hours.parse().ok()?, minutes.parse().ok()?);
    ((0..=14).contains(&hours) && (0..60).contains(&minutes)).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests;
