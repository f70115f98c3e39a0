//! A clearly invented file, written from Team App's columns.

use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use jiff::civil::{date, time};

use crate::DateOrder;
use crate::formats::{LeagueFormat, Reading, read};
use crate::league::Sides;

const SCHEDULE: &str = "\
event_name,team_name,start_date,end_date,start_time,end_time,description,location,access_groups,rsvp,comments,attendance_tracking,duty_roster,ticketing,reference_id
Invented Gold - Round 3,Invented Gold,2026-05-16,2026-05-16,08:30:00,09:10:00,\"Please be early.
Opponent: Imagined Blue
Venue: Made-up Stadium Court 2
Address: 1 Nowhere Road\",1 Nowhere Road,Invented Gold,1,1,0,1,0,ref-1
Imagined Blue vs Invented Gold,Invented Gold,2026-05-23,2026-05-23,08:30:00,09:10:00,,Made-up Stadium,Invented Gold,1,1,0,1,0,
@ Imagined Red,Invented Gold,2026-05-30,,08:30:00,,,TBC,Invented Gold,1,1,0,1,0,
Training,Invented Gold,2026-05-20,2026-05-20,17:00:00,18:00:00,Bring water.,Made-up Stadium,Invented Gold,1,1,0,1,0,
Imagined Blue vs Invented Gold,Invented Gold,2026-06-06,2026-06-05,08:30:00,09:10:00,,,Invented Gold,1,1,0,1,0,
";

#[test]
fn a_schedule_is_read() {
    let reading = Reading {
        season: Name::parse("Invented Winter").ok(),
        ..Reading::auto(TimeZoneName::parse("Australia/Melbourne").expect("a zone"))
    };
    let read = read(SCHEDULE.as_bytes(), &reading).expect("a schedule");
    assert_eq!((read.format, read.date_order), (LeagueFormat::Teamapp, Some(DateOrder::Ymd)));
    let teams = read.schedule.fixtures.iter().map(|game| match &game.sides {
        Sides::Game { home, away } => (game.line, home.team.as_str(), away.team.as_str()),
        Sides::Bye { .. } => panic!("no bye"),
    });
    assert_eq!(
        teams.collect::<Vec<_>>(),
        [
            (2, "Invented Gold", "Imagined Blue"),
            (6, "Imagined Blue", "Invented Gold"),
            (7, "Imagined Red", "Invented Gold"),
        ]
    );
    let first = &read.schedule.fixtures[0];
    assert_eq!((first.date, first.time), (date(2026, 5, 16), Some(time(8, 30, 0, 0))));
    assert_eq!(first.duration.map(|length| length.as_mins()), Some(40));
    assert_eq!(first.external_id.as_ref().map(ExternalId::as_str), Some("ref-1"));
    let venues =
        read.schedule.fixtures.iter().map(|game| game.place.as_ref().map(|place| place.venue.as_str()));
    assert_eq!(venues.collect::<Vec<_>>(), [Some("Made-up Stadium Court 2"), Some("Made-up Stadium"), None]);
    let skipped: Vec<_> = read.schedule.skipped.iter().map(|row| (row.line, row.reason.as_str())).collect();
    assert_eq!(skipped, [(8, "names no opponent: \"Training\"")]);
    let bad: Vec<_> = read.schedule.bad.iter().map(|bad| (bad.line, bad.column.as_deref())).collect();
    assert_eq!(bad, [(9, Some("end_time"))]);
}
