use jiff::civil::{date, time};
use proptest::prelude::*;

use super::*;
use fieldhouse_domain::games::GameKind;

const COBURG: &[u8] = include_bytes!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../data/leagues/playhq/coburg-basketball-winter-2022.csv"
));

/// A good row, column by column. Tests change columns.
const GAME: [(&str, &str); 17] = [
    ("game date", "30/04/2022"),
    ("grade", "U12 Girls"),
    ("round", "Round 1"),
    ("team a", "Magic"),
    ("team a score", "20"),
    ("team a result", "WON"),
    ("team b", "Rebels"),
    ("team b score", "0"),
    ("bye", ""),
    ("game status", "FINAL"),
    ("venue", "Oak Park"),
    ("playing surface", "Court 1"),
    ("time", "09:15:00"),
    ("organisation", "Coburg"),
    ("competition", "Junior"),
    ("season", "Winter 2022"),
    ("game id", "18e7c402"),
];

/// The game after changing some columns.
fn game_with(changes: &[(&str, &str)]) -> Schedule {
    let value = |(column, value): &(&'static str, &'static str)| {
        let other = changes.iter().find(|(name, _)| name == column);
        format!("\"{}\"", other.map_or(*value, |(_, other)| other))
    };
    let header = GAME.map(|(column, _)| column).join(",");
    let row = GAME.iter().map(value).collect::<Vec<_>>().join(",");
    read(format!("{header}\n{row}\n").as_bytes()).expect("an export")
}

fn fixture_with(changes: &[(&str, &str)]) -> Fixture {
    let schedule = game_with(changes);
    assert_eq!(schedule.bad, []);
    schedule.fixtures.into_iter().next().expect("one fixture")
}

#[test]
fn an_export_is_read() {
    let schedule = read(COBURG).expect("an export");
    assert_eq!((schedule.rows, schedule.fixtures.len(), schedule.bad.len()), (319, 319, 0));
    let count = |wanted: &dyn Fn(&Fixture) -> bool| schedule.fixtures.iter().filter(|f| wanted(f)).count();
    assert_eq!(count(&|fixture| fixture.kind() == GameKind::Bye), 20);
    assert_eq!(count(&|fixture| fixture.status == GameStatus::Final), 16);
    assert_eq!(count(&|fixture| fixture.place.is_none()), 21, "the byes and one game");
    assert_eq!(count(&|fixture| fixture.time.is_none()), 21, "the same");
    let first = &schedule.fixtures[0];
    assert_eq!((first.line, first.date, first.time), (2, date(2022, 4, 30), Some(time(9, 15, 0, 0))));
    assert_eq!(first.division.as_str(), "Saturday U10 Boys Division 3");
    assert_eq!(first.season.name.as_str(), "Junior Domestic Winter 2022");
    assert_eq!(
        first.season.external_id.as_ref().map(ExternalId::as_str),
        Some("playhq:Coburg Basketball Association/Junior Domestic/Winter 2022")
    );
    let Sides::Game { home, away } = &first.sides else { panic!("a game") };
    assert_eq!((home.team.as_str(), home.score), ("Rebels U10 Boys Blue", Some(10)));
    assert_eq!((away.team.as_str(), away.score), ("Magic U10 Boys Gold", Some(10)));
}

#[test]
fn statuses_are_mapped() {
    use GameStatus::{Abandoned, Cancelled, Final, Forfeit, InProgress, Postponed, Scheduled};
    for (text, status) in [
        ("FINAL", Final),
        ("upcoming", Scheduled),
        ("IN_PROGRESS", InProgress),
        ("Pending", InProgress),
        ("POSTPONED", Postponed),
        ("CANCELLED", Cancelled),
        ("WASHOUT", Cancelled),
        ("ABANDONED", Abandoned),
        ("FORFEIT", Forfeit),
    ] {
        assert_eq!(fixture_with(&[("game status", text)]).status, status, "{text}");
    }
    assert_eq!(fixture_with(&[("team a result", "FORFEIT")]).status, Forfeit);
}

#[test]
fn unknown_values_are_left_out() {
    let open =
        fixture_with(&[("time", "TBC"), ("venue", "tbd"), ("playing surface", ""), ("team a score", "")]);
    assert_eq!((open.time, open.place), (None, None));
    let rest = [("team a", ""), ("team a score", ""), ("team b", ""), ("team b score", "")];
    let mut bye = vec![("bye", "Magic"), ("game status", ""), ("game id", ""), ("round", "")];
    bye.extend(rest);
    let bye = fixture_with(&bye);
    assert_eq!((bye.kind(), bye.status, bye.external_id), (GameKind::Bye, GameStatus::Scheduled, None));
}

#[test]
fn an_invalid_row_is_refused_with_its_column() {
    let long = "x".repeat(201);
    for (column, value) in [
        ("game date", "31/04/2022"),
        ("game date", "30/04/22"),
        ("game date", "30/04/0022"),
        ("game date", "+1/04/2022"),
        ("game date", ""),
        ("time", "25:00"),
        ("time", "9am"),
        ("grade", ""),
        ("grade", &long),
        ("team a", ""),
        ("team b", "TBC"),
        ("team b", " MAGIC "),
        ("team a score", "-1"),
        ("team a score", "1.5"),
        ("team a score", "+1"),
        ("team b score", "99999999999"),
        ("game status", ""),
        ("game status", "SNOWED IN"),
        ("bye", "Rebels"),
        ("venue", ""),
        ("organisation", ""),
        ("season", &long),
        ("game id", &long),
    ] {
        let schedule = game_with(&[(column, value)]);
        let [bad] = schedule.bad.try_into().expect("one bad row");
        let expected = match (column, value) {
            ("team a", _) => "team a score",
            ("team b", "TBC") => "team b score",
            ("venue", _) => "playing surface",
            _ => column,
        };
        assert_eq!(
            (bad.line, bad.column.as_deref()),
            (2, Some(expected)),
            "{column} {value}: {}",
            bad.reason
        );
        assert!(schedule.fixtures.is_empty() && schedule.rows == 1);
    }
    let [bad] = game_with(&[("game status", "SNOWED IN")]).bad.try_into().expect("one bad row");
    assert!(bad.reason.starts_with("\"SNOWED IN\" is not a known status"), "{}", bad.reason);
}

#[test]
fn another_table_is_refused_with_the_missing_columns() {
    let wrong = read(b"date,home,away\n2022-04-30,Magic,Rebels\n").expect_err("no export").to_string();
    assert!(wrong.starts_with("the file lacks columns of the PlayHQ fixture export: game date, grade"));
    assert!(wrong.ends_with("its columns are date, home, away"), "{wrong}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_damaged_export_is_read_without_a_panic(at in 0usize..82_000, junk: Vec<u8>, cut in 0usize..300) {
        let mut bytes = COBURG.to_vec();
        let end = (at + cut).min(bytes.len());
        bytes.splice(at.min(end)..end, junk);
        if let Ok(schedule) = read(&bytes) {
            let read = u64::try_from(schedule.fixtures.len() + schedule.bad.len()).expect("small");
            prop_assert_eq!(read, schedule.rows);
        }
    }
}
