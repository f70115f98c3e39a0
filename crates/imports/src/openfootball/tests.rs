use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use jiff::civil::{date, time};

use crate::BadFile;
use crate::formats::{LeagueFormat, Read, Reading, read};
use crate::league::{Fixture, Sides};

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/leagues/", $name, ".json"))
    };
}

fn reading() -> Reading {
    Reading::auto(TimeZoneName::parse("Europe/London").expect("a zone"))
}

fn of(text: &str) -> Read {
    let read = read(text.as_bytes(), &reading()).expect("a season");
    assert_eq!((read.format, &read.schedule.bad[..]), (LeagueFormat::Openfootball, &[][..]));
    read
}

/// A season with one match, and these members of it.
fn with(members: &str) -> Result<Fixture, (u64, Option<String>, String)> {
    let text = format!(
        "{{\"name\": \"Cup 2026\", \"matches\": [\n{{\"date\": \"2026-05-03\", \"team1\": \"A\", \"team2\": \"B\"{members}}}]}}"
    );
    let read = read(text.as_bytes(), &reading()).expect("a season").schedule;
    match (read.fixtures.into_iter().next(), read.bad.into_iter().next()) {
        (Some(fixture), None) => Ok(fixture),
        (None, Some(bad)) => Err((bad.line, bad.column, bad.reason)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn leagues_are_read() {
    // The numbers were counted from the files with another program: matches, finals, postponed, without a time.
    for (text, season, division, counts) in [
        (
            file!("openfootball/2025-26_en.1"),
            "English Premier League 2025/26",
            "English Premier League",
            (380, 291, 1, 1),
        ),
        (
            file!("openfootball/2025-26_tr.1"),
            "Turkish Süper Lig 2025/26",
            "Turkish Süper Lig",
            (306, 99, 0, 162),
        ),
        (file!("openfootball/2025_mls"), "Major League Soccer 2025", "Major League Soccer", (510, 164, 0, 0)),
    ] {
        let games = of(text).schedule.fixtures;
        let with = |status| games.iter().filter(|game| game.status == status).count();
        let without_time = games.iter().filter(|game| game.time.is_none()).count();
        let found = (games.len(), with(GameStatus::Final), with(GameStatus::Postponed), without_time);
        assert_eq!(found, counts, "{season}");
        assert_eq!((games[0].season.name.as_str(), games[0].division.as_str()), (season, division));
        assert!(games.iter().all(|game| game.time_zone.is_none()));
    }
    let first = &of(file!("openfootball/2025-26_en.1")).schedule.fixtures[0];
    assert_eq!((first.line, first.date, first.time), (4, date(2025, 8, 15), Some(time(20, 0, 0, 0))));
    let Sides::Game { home, away } = &first.sides else { panic!("a game") };
    assert_eq!((home.team.as_str(), home.score, away.score), ("Liverpool FC", Some(4), Some(2)));
}

#[test]
fn a_tournament_has_offsets_groups_and_numbers() {
    let read = of(file!("worldcup/2026_worldcup.mid-tournament"));
    assert_eq!(read.sport.as_ref().map(|sport| sport.as_str()), Some("soccer"));
    let games = &read.schedule.fixtures;
    let first = &games[0];
    assert_eq!(
        (first.time, first.time_zone.as_ref().map(TimeZoneName::as_str)),
        (Some(time(13, 0, 0, 0)), Some("Etc/GMT+6"))
    );
    assert_eq!(first.round.as_ref().map(Name::as_str), Some("Matchday 1 (Group A)"));
    assert_eq!(first.place.as_ref().map(|place| place.venue.as_str()), Some("Mexico City"));
    let shoot_out = games.iter().find(|game| game.external_id.as_ref().map(ExternalId::as_str) == Some("74"));
    let Sides::Game { home, away } = &shoot_out.expect("game 74").sides else { panic!("a game") };
    assert_eq!((home.score, away.score), (Some(1), Some(1)), "after extra time, without the shoot-out");
    assert_eq!(games.iter().filter(|game| game.external_id.is_some()).count(), 32);
}

#[test]
fn statuses_and_scores_are_mapped() {
    use GameStatus::{Abandoned, Cancelled, Final, Forfeit, Postponed, Scheduled};
    for (members, status) in [
        ("", Scheduled),
        (", \"score\": {}", Scheduled),
        (", \"score\": null", Scheduled),
        (", \"score\": {\"ft\": [0, 0]}", Final),
        (", \"status\": \"postponed\", \"score\": {}", Postponed),
        (", \"status\": \"CANCELLED\"", Cancelled),
        (", \"status\": \"abandoned\", \"score\": {\"ft\": [1, 0]}", Abandoned),
        (", \"status\": \"awarded\", \"score\": {\"ft\": [3, 0]}", Forfeit),
    ] {
        assert_eq!(with(members).map(|game| game.status), Ok(status), "{members}");
    }
}

#[test]
fn times_have_offsets_of_hours_or_minutes() {
    for (text, day, clock, zone) in [
        ("13:00", 3, time(13, 0, 0, 0), None),
        ("13:00 UTC", 3, time(13, 0, 0, 0), Some("UTC")),
        ("13:00 UTC+9", 3, time(13, 0, 0, 0), Some("Etc/GMT-9")),
        // London is at UTC+1 in May: 01:00 of India is 20:30 of the day before.
        ("01:00 UTC+5:30", 2, time(20, 30, 0, 0), None),
    ] {
        let game = with(&format!(", \"time\": \"{text}\"")).expect(text);
        let found = (game.date, game.time, game.time_zone.as_ref().map(TimeZoneName::as_str));
        assert_eq!(found, (date(2026, 5, day), Some(clock), zone), "{text}");
    }
    assert_eq!(with(", \"time\": \"TBD\"").expect("a game").time, None);
}

#[test]
fn an_invalid_match_is_a_bad_row_with_its_line() {
    for (members, column) in [
        (", \"time\": \"13:00 UTC-25\"", Some("time")),
        (", \"time\": \"13:00 UTC*2\"", Some("time")),
        (", \"time\": \"noon\"", Some("time")),
        (", \"status\": \"eaten\"", Some("status")),
        (", \"score\": {\"ft\": [1]}", None),
        (", \"ground\": \"\"", Some("ground")),
    ] {
        let (line, found, _) = with(members).expect_err(members);
        assert_eq!((line, found.as_deref()), (2, column), "{members}");
    }
}

#[test]
fn other_json_is_refused() {
    let wrong = |text: &str| read(text.as_bytes(), &reading()).expect_err("no season");
    assert_eq!(
        wrong("{\"name\": \"Cup\"}").to_string(),
        "the format of the file is not known; it is JSON without a list of matches"
    );
    assert_eq!(wrong("{\"name\": \"Cup\", \"matches\": []}"), BadFile::NoRows);
    assert_eq!(wrong("{\"matches\": [{}]}"), BadFile::NoSeason);
    assert!(wrong("{\"name\": ").to_string().starts_with("the file cannot be read as JSON: EOF"));
}
