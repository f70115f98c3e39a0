//! Recognition of formats.

use super::*;

const PLAYHQ: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/leagues/playhq/coburg-basketball-winter-2022.csv"
));
const BEARS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/ics/bears.ics"));

fn auto() -> Reading {
    Reading::auto(TimeZoneName::parse("UTC").expect("a zone"))
}

fn wrong(text: &str, format: LeagueFormat) -> String {
    read(text.as_bytes(), &Reading { format, ..auto() }).expect_err("another file").to_string()
}

#[test]
fn a_file_of_another_format_is_named() {
    for (text, format, message) in [
        (BEARS, LeagueFormat::Playhq, "this looks like an iCalendar file, not like a PlayHQ fixture export"),
        (PLAYHQ, LeagueFormat::Ics, "this looks like a PlayHQ fixture export, not like an iCalendar file"),
        (
            "{\"matches\": []}",
            LeagueFormat::Teamsnap,
            "this looks like an openfootball season, not like a TeamSnap organization schedule",
        ),
        (
            "Date,Time,Home Team,Away Team,Location,Field,Game Type,Game Number\n",
            LeagueFormat::Playhq,
            "this looks like a GameChanger schedule, not like a PlayHQ fixture export",
        ),
    ] {
        assert_eq!(wrong(text, format), message);
    }
    assert_eq!(
        wrong("day,home,away\n1,2,3\n", LeagueFormat::Ics),
        "the file cannot be read as iCalendar: it does not start with BEGIN:VCALENDAR"
    );
    assert!(
        wrong("day,home,away\n1,2,3\n", LeagueFormat::Openfootball)
            .starts_with("the file cannot be read as JSON")
    );
}

#[test]
fn files_that_cannot_be_imported_are_named() {
    for (text, message) in [
        (
            "First Name,Last Name,Jersey #,Role label,Is Coach,Is Non-Player\n",
            "this looks like a TeamSnap tournament roster. Rosters cannot be imported: import the schedule",
        ),
        (
            "Date,Time,Home Team,Away Team,Location,Field,Game Type,Game Number\n",
            "this looks like a GameChanger schedule, which cannot be imported",
        ),
        ("day;home;away\n1;2;3\n", "the format of the file is not known; its columns are day, home, away"),
        (" \n\r\n", "the file is empty"),
    ] {
        assert_eq!(wrong(text, LeagueFormat::Auto), message);
    }
    let roster = "Team,Division,Non-Player,Email,Birthdate,Jersey Number,Position\n";
    assert!(wrong(roster, LeagueFormat::Teamsnap).contains("Rosters cannot be imported"));
}

#[test]
fn a_header_without_rows_is_refused_for_every_table() {
    for format in FORMATS.into_iter().filter(|format| !format.required.is_empty()) {
        let columns = [format.required, format.optional].concat();
        for end in ["", "\n", "\r\n,,\r\n"] {
            let season = Name::parse("Cup").ok();
            let header = format!("{}{end}", columns.join(","));
            let reading = Reading { format: format.name, season, ..auto() };
            let message = read(header.as_bytes(), &reading).expect_err("no rows").to_string();
            assert_eq!(message, "the file has a header and no rows", "{format}");
        }
    }
}

#[test]
fn every_format_of_the_list_has_one_entry_and_its_columns_identify_it() {
    let names: Vec<_> = FORMATS.iter().map(|format| format.name).collect();
    assert_eq!(names, LeagueFormat::ALL[1..]);
    for format in FORMATS.into_iter().filter(|format| !format.required.is_empty()) {
        let header = [format.required, format.optional].concat().join(",");
        let header = format!("{header},access_groups,rsvp\n");
        let table = Table::open(header.as_bytes(), None).expect("a header");
        assert_eq!(table.product().map(|product| product.title), Some(format.title));
        assert!(format.date.is_some_and(|(column, _)| format.required.contains(&column)));
    }
}
