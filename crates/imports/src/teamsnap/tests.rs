//! Clearly invented files, written from TeamSnap's columns.

use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;
use jiff::civil::{date, time};

use crate::formats::{LeagueFormat, Read, Reading, read};
use crate::{DateOrder, Delimiter};

const SCHEDULE: &str = "\
Date,Start time,End time,Arrival Time,Short label,Event type,Division,Home Team,Away Team,Location
09/05/2026,09:00:00 AM,10:00:00 AM,30,Week 1,Game,U8 Invented,Invented Ants,Invented Bees,Made-up Oval
09/12/2026,09:00 AM,10:00 AM,30,Snacks: Bees,Game,U8 Invented,Invented Bees,Invented Ants,Made-up Oval
09/08/2026,05:00 PM,06:00 PM,10,,Practice,U8 Invented,Invented Ants,,Made-up Oval
09/10/2026,05:00 PM,06:00 PM,10,Photo day,,U8 Invented,Invented Ants,,Made-up Oval
";

fn reading() -> Reading {
    Reading {
        season: Name::parse("Invented Autumn").ok(),
        ..Reading::auto(TimeZoneName::parse("Europe/Dublin").expect("a zone"))
    }
}

fn of(text: &str, reading: &Reading) -> Read {
    read(text.as_bytes(), reading).expect("a schedule")
}

#[test]
fn a_schedule_is_read() {
    let read = of(SCHEDULE, &reading());
    assert_eq!((read.format, read.schedule.rows, read.schedule.bad.len()), (LeagueFormat::Teamsnap, 4, 0));
    let [first, second] = &read.schedule.fixtures[..] else { panic!("two games") };
    assert_eq!((first.date, first.time), (date(2026, 9, 5), Some(time(9, 0, 0, 0))));
    assert_eq!(first.duration.map(|length| length.as_mins()), Some(60));
    assert_eq!(first.round.as_ref().map(Name::as_str), Some("Week 1"));
    assert_eq!((second.round.as_ref(), second.division.as_str()), (None, "U8 Invented"));
    let reasons: Vec<_> = read.schedule.skipped.iter().map(|row| row.reason.as_str()).collect();
    assert_eq!(reasons, ["is not a game, but \"Practice\"", "has no two teams, so that it is not a game"]);
}

#[test]
fn an_ambiguous_order_of_dates_is_reported_and_can_be_set() {
    let read = of(SCHEDULE, &reading());
    assert_eq!(read.date_order, Some(DateOrder::Mdy));
    assert_eq!(
        read.notes,
        [
            "No date has a day above 12, so the dates were read as MM/DD/YYYY, as is usual in a TeamSnap organization schedule. Set the date order if they are written differently."
        ]
    );
    let read = of(SCHEDULE, &Reading { date_order: Some(DateOrder::Dmy), ..reading() });
    assert_eq!((read.notes.len(), read.schedule.fixtures[0].date), (0, date(2026, 5, 9)));
    let read = of(&SCHEDULE.replace("09/05/2026", "25/09/2026"), &reading());
    assert_eq!((read.notes.len(), read.date_order), (0, Some(DateOrder::Dmy)));
    assert_eq!(read.schedule.fixtures[1].date, date(2026, 12, 9));
}

#[test]
fn other_delimiters_and_line_ends_are_read() {
    let expected = of(SCHEDULE, &reading()).schedule;
    for (delimiter, letter) in [(Delimiter::Semicolon, ";"), (Delimiter::Tab, "\t")] {
        let text = format!("\u{feff}{}", SCHEDULE.replace(',', letter).replace('\n', "\r\n"));
        let read = of(&text, &reading());
        assert_eq!((read.delimiter, &read.schedule), (Some(delimiter), &expected));
        let set = of(&text, &Reading { delimiter: Some(delimiter), ..reading() });
        assert_eq!(set.schedule, expected);
    }
}

#[test]
fn a_division_that_is_set_is_not_used_if_the_file_names_its_own() {
    let read = of(SCHEDULE, &Reading { division: Name::parse("Open").ok(), ..reading() });
    assert_eq!(read.schedule.fixtures[0].division.as_str(), "U8 Invented");
    assert!(read.notes.contains(&"The division was not used, because the file names its own.".to_owned()));
}
