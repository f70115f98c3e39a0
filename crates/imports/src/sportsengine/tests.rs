//! Clearly invented files, written from the columns of SportsEngine's formats.

use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use jiff::SignedDuration;
use jiff::civil::{date, time};

use crate::formats::{LeagueFormat, Read, Reading, read};
use crate::league::{Fixture, Sides};
use crate::{BadFile, DateOrder};

fn reading() -> Reading {
    Reading {
        season: Name::parse("Invented Cup").ok(),
        ..Reading::auto(TimeZoneName::parse("America/Chicago").expect("a zone"))
    }
}

fn of(text: &str, format: LeagueFormat) -> Read {
    let read = read(text.as_bytes(), &reading()).expect("a schedule");
    assert_eq!(read.format, format);
    read
}

fn teams(fixture: &Fixture) -> [&str; 2] {
    let Sides::Game { home, away } = &fixture.sides else { panic!("a game") };
    [home.team.as_str(), away.team.as_str()]
}

fn skipped(read: &Read) -> Vec<(u64, &str)> {
    read.schedule.skipped.iter().map(|row| (row.line, row.reason.as_str())).collect()
}

const TEMPLATE: &str = "\
Event Type,Event Name (Events Only),Description (Events Only),Date,Start Time,End Time,Duration (minutes),All Day Event (Events Only),Home Team,Away Team,Teams (Events Only),Venue,Status
Game,,,04/18/2026,9:00 AM,,60,,Invented Owls,Invented Foxes,,Made-up Park,Scheduled
Game,,,04/18/2026,10:30 PM,12:00 AM,,,Invented Bears,Invented Owls,,Made-up Park,Delayed
Game,,,04/19/2026,TBD,,,,Invented Foxes,Invented Bears,,TBD,Cancelled
Game,,,04/19/2026,9:00 AM,,60,,Invented Foxes,TBD,,Made-up Park,Scheduled
Game,,,04/25/2026,9:00 AM,,60,,Invented Foxes,Invented Owls,,Made-up Park,Deleted
Practice,Owls practice,,04/20/2026,17:00,18:00,60,,,,Invented Owls,Made-up Park,Scheduled
";

#[test]
fn the_template_is_read() {
    let read = of(TEMPLATE, LeagueFormat::Sportsengine);
    let games = &read.schedule.fixtures;
    let lengths: Vec<_> = games.iter().map(|game| game.duration.map(|length| length.as_mins())).collect();
    assert_eq!(lengths, [Some(60), Some(90), None]);
    let statuses: Vec<_> = games.iter().map(|game| game.status).collect();
    assert_eq!(statuses, [GameStatus::Scheduled, GameStatus::Postponed, GameStatus::Cancelled]);
    assert_eq!((games[0].date, games[0].time), (date(2026, 4, 18), Some(time(9, 0, 0, 0))));
    assert_eq!((games[2].time, games[2].place.as_ref()), (None, None));
    assert_eq!(teams(&games[1]), ["Invented Bears", "Invented Owls"]);
    assert_eq!((games[0].season.name.as_str(), games[0].division.as_str()), ("Invented Cup", "Invented Cup"));
    assert_eq!(
        skipped(&read),
        [
            (5, "is a game with a team that is not known yet"),
            (6, "is deleted in SportsEngine; an import deletes nothing, so cancel or delete the game here"),
            (7, "is not a game, but \"Practice\""),
        ]
    );
    assert_eq!((read.schedule.rows, read.schedule.bad.len(), read.date_order), (6, 0, Some(DateOrder::Mdy)));
}

#[test]
fn a_season_must_be_named_if_the_file_does_not() {
    let unnamed = Reading { season: None, ..reading() };
    assert_eq!(read(TEMPLATE.as_bytes(), &unnamed), Err(BadFile::NoSeason));
}

const SEASON: &str = "\
Date,Time,Duration,Home Team,Home Team Score,Away Team,Away Team Score,Division Name,Location,Status
05/02/2026,09:00 AM,50,Invented Owls,3,Invented Foxes,1,U10 Invented,Made-up Park,Completed
05/09/2026,01:15 PM,50,Invented Foxes,,Invented Owls,,U10 Invented,,In Progress
05/10/2026,01:15 PM,50,Invented Foxes,,Invented Bears,,U10 Invented,,Canceled
05/11/2026,12:00 AM,50,Invented Bears,,Invented Owls,,U10 Invented,,Unscheduled
,,50,Invented Bears,,Invented Foxes,,U10 Invented,,Unscheduled
05/12/2026,01:15 PM,50,Invented Foxes,,Invented Bears,,U10 Invented,,Snowed in
05/12/2026,01:15 PM,an hour,Invented Foxes,,Invented Bears,,U10 Invented,,Scheduled
";

#[test]
fn season_management_is_read() {
    use GameStatus::{Cancelled, Final, InProgress, Scheduled};
    let read = of(SEASON, LeagueFormat::SportsengineSeason);
    let games = &read.schedule.fixtures;
    let statuses: Vec<_> = games.iter().map(|game| game.status).collect();
    assert_eq!(statuses, [Final, InProgress, Cancelled, Scheduled]);
    assert_eq!(games[3].time, None, "an unscheduled game has no time");
    let Sides::Game { home, away } = &games[0].sides else { panic!("a game") };
    assert_eq!((home.score, away.score, games[0].division.as_str()), (Some(3), Some(1), "U10 Invented"));
    assert_eq!(skipped(&read), [(6, "is a game without a date")]);
    let bad: Vec<_> = read.schedule.bad.iter().map(|bad| (bad.line, bad.column.as_deref())).collect();
    assert_eq!(bad, [(7, Some("status")), (8, Some("duration"))]);
}

const LEGACY: &str = "\
Start_Date,Start_Time,End_Date,End_Time,Title,Description,Location,Location_URL,All_Day_Event,Event_Type,Tags,Team1_ID,Team1_Division_ID,Team1_Is_Home,Team2_ID,Team2_Division_ID,Team2_Name,Custom_Opponent,Event_ID,Game_ID
06/06/2026,23:00,06/07/2026,00:15,,,Made-up Rink,,,Game,,101,7,1,102,7,,,,g-1
06/13/2026,18:30,,,,,Made-up Rink,,,Game,,101,7,0,,,Invented Visitors,1,e-2,
06/14/2026,TBD,,,,,,,1,Game,,102,7,,101,7,,,,g-3
06/15/2026,18:30,,,Barbecue,,,,,Party,,101,7,,,,,,,
06/20/2026,18:30,,,,,,,,Game,,101,7,1,201,8,,,,g-4
06/21/2026,18:30,06/20/2026,18:00,,,,,,Game,,101,7,1,102,7,,,,g-5
06/22/2026,18:30,,,,,,,,Game,,101,7,maybe,102,7,,,,g-6
";

#[test]
fn the_legacy_upload_is_read() {
    let read = of(LEGACY, LeagueFormat::SportsengineLegacy);
    let games = &read.schedule.fixtures;
    let ids: Vec<_> =
        games.iter().filter_map(|game| game.external_id.as_ref()).map(|id| id.as_str()).collect();
    assert_eq!(ids, ["g-1", "e-2", "g-3"]);
    assert_eq!(teams(&games[0]), ["Team 101", "Team 102"]);
    assert_eq!(teams(&games[1]), ["Invented Visitors", "Team 101"], "team 1 is away");
    assert_eq!((games[0].duration, games[2].time), (Some(SignedDuration::from_mins(75)), None));
    assert_eq!(games[0].division.as_str(), "Division 7");
    assert_eq!(skipped(&read), [(5, "is not a game, but \"Party\"")]);
    let bad: Vec<_> = read.schedule.bad.iter().map(|bad| (bad.line, bad.column.as_deref())).collect();
    assert_eq!(bad, [(6, Some("team2_division_id")), (7, Some("end_time")), (8, Some("team1_is_home"))]);
}
