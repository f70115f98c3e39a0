use fieldhouse_domain::games::{GameKind, GameStatus};
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use jiff::SignedDuration;
use jiff::civil::{date, time};

use crate::BadFile;
use crate::formats::{LeagueFormat, Read, Reading, read};
use crate::league::{Fixture, Sides};

const BEARS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/ics/bears.ics"));
const PACKERS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/ics/Packers.ics"));

fn reading() -> Reading {
    Reading::auto(TimeZoneName::parse("America/New_York").expect("a zone"))
}

fn of(text: &str) -> Read {
    let read = read(text.as_bytes(), &reading()).expect("a calendar");
    assert_eq!(read.format, LeagueFormat::Ics);
    read
}

/// A calendar with one event that has these properties.
fn with(properties: &str) -> Read {
    let properties = properties.replace('|', "\r\n");
    of(&format!(
        "BEGIN:VCALENDAR\r\nX-WR-CALNAME:Magic\r\nBEGIN:VEVENT\r\nUID:1\r\n{properties}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    ))
}

fn game(properties: &str) -> Fixture {
    let read = with(properties);
    read.schedule.fixtures.into_iter().next().expect(properties)
}

fn teams(fixture: &Fixture) -> [&str; 2] {
    match &fixture.sides {
        Sides::Game { home, away } => [home.team.as_str(), away.team.as_str()],
        Sides::Bye { team } => [team.as_str(), ""],
    }
}

#[test]
fn a_calendar_of_games_is_read() {
    let read = of(BEARS);
    let (games, schedule) = (&read.schedule.fixtures, &read.schedule);
    assert_eq!((schedule.rows, games.len(), schedule.skipped.len(), schedule.bad.len()), (21, 21, 0, 0));
    assert_eq!(read.time_zone.as_str(), "Canada/Mountain", "that of the calendar");
    let first = &games[0];
    assert_eq!(
        (teams(first), first.season.name.as_str()),
        (["Bears", "Dolphins"], "2005 Chicago Bears Schedule")
    );
    assert_eq!((first.date, first.time), (date(2005, 8, 8), Some(time(18, 0, 0, 0))));
    assert_eq!(first.duration, Some(SignedDuration::from_hours(3)));
    assert_eq!(first.round.as_ref().map(Name::as_str), Some("Preseason"));
    assert_eq!(games[5].round.as_ref().map(Name::as_str), Some("Week #1"));
    assert!(games.iter().all(|game| game.external_id.is_some()));
}

#[test]
fn a_calendar_with_notes_byes_and_other_events_is_read() {
    let read = of(PACKERS);
    let (games, schedule) = (&read.schedule.fixtures, &read.schedule);
    assert_eq!((schedule.rows, schedule.bad.len()), (66, 0));
    let byes: Vec<_> =
        games.iter().filter(|game| game.kind() == GameKind::Bye).map(|bye| teams(bye)[0]).collect();
    assert_eq!(byes, ["Packers", "Packers", "Packers"]);
    let skipped: Vec<_> = schedule.skipped.iter().map(|row| row.reason.as_str()).collect();
    assert_eq!(
        skipped,
        [
            "names no two teams: \"Playoff #1. Packers-Vikings.  3:30 Fox.\"",
            "names no two teams: \"Superbowl!\""
        ]
    );
    assert_eq!(games.len(), 64);
    let found = |day| games.iter().find(|game| game.date == day).expect("a game");
    let rams = found(date(2004, 11, 29));
    assert_eq!(
        (teams(rams), rams.duration),
        (["Green Bay", "St. Louis Rams"], Some(SignedDuration::from_hours(3)))
    );
    assert_eq!(found(date(2003, 11, 2)).round.as_ref().map(Name::as_str), Some("Wk-9"));
}

#[test]
fn times_are_in_utc_in_a_zone_or_in_that_of_the_calendar() {
    for (start, day, hour, zone) in [
        ("DTSTART:20260503T010000Z", 2, Some(21), None),
        ("DTSTART;TZID=America/Chicago:20260503T090000", 3, Some(9), Some("America/Chicago")),
        ("DTSTART:20260503T090000", 3, Some(9), None),
        ("DTSTART;VALUE=DATE:20260503", 3, None, None),
    ] {
        let game = game(&format!("SUMMARY:Magic vs Rebels|{start}"));
        assert_eq!((game.date, game.time.map(|time| time.hour())), (date(2026, 5, day), hour), "{start}");
        assert_eq!(game.time_zone.as_ref().map(TimeZoneName::as_str), zone, "{start}");
    }
    let unknown = "SUMMARY:Magic vs Rebels|DTSTART;TZID=Eastern Time:20260503T090000";
    assert_eq!(
        with(unknown).schedule.bad[0].reason,
        "has an unknown time zone: \"Eastern Time\". Set time_zone"
    );
    let text =
        format!("BEGIN:VCALENDAR\nBEGIN:VEVENT\n{}\nEND:VEVENT\nEND:VCALENDAR", unknown.replace('|', "\n"));
    let chicago = TimeZoneName::parse("America/Chicago").ok();
    let set = Reading { time_zone: chicago, season: Name::parse("Cup").ok(), ..reading() };
    let read = read(text.as_bytes(), &set).expect("a calendar");
    assert_eq!((read.time_zone.as_str(), read.schedule.fixtures.len()), ("America/Chicago", 1));
}

#[test]
fn ends_are_durations_or_times() {
    for (end, minutes) in [
        ("DURATION:PT1H30M", Some(90)),
        ("DURATION:P1D", Some(1440)),
        ("DTEND:20260503T161500Z", Some(195)),
        ("DTEND:20260503T100000", Some(60)),
        ("DTEND:20260503T090000", None),
        ("PRIORITY:1", None),
    ] {
        let game = game(&format!("SUMMARY:Magic vs Rebels|DTSTART:20260503T090000|{end}"));
        assert_eq!(game.duration.map(|length| length.as_mins()), minutes, "{end}");
    }
    for end in ["DURATION:-PT1H", "DURATION:long", "DTEND:20260503T080000", "DTEND:tomorrow"] {
        let read = with(&format!("SUMMARY:Magic vs Rebels|DTSTART:20260503T090000|{end}"));
        assert_eq!(read.schedule.bad.len(), 1, "{end}");
    }
}

#[test]
fn the_calendars_team_is_the_other_side_of_a_short_title() {
    let start = "|DTSTART:20260503T090000";
    assert_eq!(teams(&game(&format!("SUMMARY:vs. Rebels{start}"))), ["Magic", "Rebels"]);
    assert_eq!(teams(&game(&format!("SUMMARY:@ Rebels{start}"))), ["Rebels", "Magic"]);
    let bye = with(&format!("SUMMARY:Bye{start}"));
    assert_eq!(
        bye.schedule.skipped[0].reason,
        "is a bye, but the calendar does not show whose calendar it is"
    );
}

#[test]
fn statuses_places_and_ids_are_read() {
    let place = "LOCATION:Made-up Park\\, Field 2\\nSomewhere";
    let game = game(&format!(
        "SUMMARY:Magic vs Rebels|DTSTART:20260503T090000|STATUS:CANCELLED|{place}|RECURRENCE-ID:20260503T090000|BEGIN:VALARM|SUMMARY:no|END:VALARM"
    ));
    assert_eq!(game.status, GameStatus::Cancelled);
    assert_eq!(game.place.expect("a place").venue.as_str(), "Made-up Park, Field 2, Somewhere");
    assert_eq!(game.external_id.expect("an id").as_str(), "1/20260503T090000");
    let repeating = with("SUMMARY:Magic vs Rebels|DTSTART:20260503T090000|RRULE:FREQ=WEEKLY");
    assert_eq!(
        repeating.schedule.skipped[0].reason,
        "repeats, so that it is not a game: \"Magic vs Rebels\""
    );
}

#[test]
fn a_calendar_without_events_or_without_a_name_is_refused() {
    let wrong = |text: &str| read(text.as_bytes(), &reading()).expect_err("no season");
    assert_eq!(wrong("BEGIN:VCALENDAR\nEND:VCALENDAR\n"), BadFile::NoRows);
    assert_eq!(wrong("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VEVENT\nEND:VCALENDAR\n"), BadFile::NoSeason);
}
