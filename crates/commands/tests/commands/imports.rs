//! League imports: what is found, what is counted and what is refused.

use fieldhouse_commands::imports::{Imported, League};
use fieldhouse_commands::{Error, seasons};
use fieldhouse_domain::games::GameStatus;
use fieldhouse_domain::seasons::ChangeSeason;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::BadRow;
use fieldhouse_imports::league::{
    Counts, Fixture, FixtureSeason, FixtureSide, Options, Place, Schedule, Sides,
};
use fieldhouse_store::seasons::{Filter, Listed};
use fieldhouse_store::{Store, seasons as stored};
use fieldhouse_testing::clubs::Club;
use fieldhouse_testing::databases;
use jiff::civil::{date, time};

use crate::{job, request, venues};

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A game of two teams at the same place.
fn fixture(line: u64, season: (&str, Option<&str>), division: &str, teams: [&str; 2]) -> Fixture {
    let external = |text: &str| ExternalId::parse(text).unwrap();
    let [home, away] = teams.map(|team| FixtureSide { team: name(team), score: None });
    Fixture {
        line,
        season: FixtureSeason { name: name(season.0), external_id: season.1.map(external) },
        division: name(division),
        round: Some(name("Round 1")),
        sides: Sides::Game { home, away },
        status: GameStatus::Scheduled,
        date: date(2026, 4, 4),
        time: Some(time(9, 15, 0, 0)),
        place: Some(Place { venue: name("Oval"), court: None }),
        external_id: Some(external(&format!("game {line}"))),
    }
}

/// One season that has an external id, and one that has only a name.
fn file() -> Vec<Fixture> {
    vec![
        fixture(2, ("Winter", Some("w")), "U12", ["Eagles", "Hawks"]),
        fixture(3, ("Winter", Some("w")), "U14", ["Eagles", "Hawks"]),
        fixture(4, ("Carnival", None), "Open", ["Eagles", "Owls"]),
    ]
}

fn import(fixtures: Vec<Fixture>, bad: Vec<BadRow>, skip_bad: bool) -> League {
    let options = Options {
        sport: Sport::parse("netball").unwrap(),
        time_zone: TimeZoneName::parse("Australia/Melbourne").unwrap(),
    };
    let rows = u64::try_from(fixtures.len() + bad.len()).unwrap();
    League { options, schedule: Schedule { fixtures, bad, rows }, skip_bad }
}

async fn counts(store: &Store, club: &Club, fixtures: Vec<Fixture>) -> Counts {
    match job(store, club, import(fixtures, Vec::new(), false)).await.unwrap() {
        Imported::Done(counts, bad) if bad.is_empty() => counts,
        other => panic!("{other:?}"),
    }
}

async fn listed(store: &Store, club: &Club) -> Vec<Listed> {
    let scope = club.owner().scope(store).await;
    let listing = stored::list(&mut &*store, &scope, &Filter::default(), None, 100).await.unwrap();
    let mut listed = listing.records;
    listed.sort_by_key(|listed| listed.season.created_at);
    listed
}

const CREATED: Counts = Counts {
    seasons_created: 2,
    divisions_created: 3,
    teams_created: 6,
    venues_created: 1,
    games_created: 3,
    rows: 3,
    ..NOTHING
};
const UNCHANGED: Counts = Counts {
    seasons_unchanged: 2,
    divisions_unchanged: 3,
    teams_unchanged: 6,
    venues_unchanged: 1,
    games_unchanged: 3,
    rows: 3,
    ..NOTHING
};
const NOTHING: Counts = Counts {
    seasons_created: 0,
    seasons_updated: 0,
    seasons_unchanged: 0,
    divisions_created: 0,
    divisions_updated: 0,
    divisions_unchanged: 0,
    teams_created: 0,
    teams_updated: 0,
    teams_unchanged: 0,
    venues_created: 0,
    venues_updated: 0,
    venues_unchanged: 0,
    games_created: 0,
    games_updated: 0,
    games_unchanged: 0,
    byes: 0,
    rows: 0,
    bad_rows: 0,
};

#[tokio::test]
async fn a_file_finds_what_the_organization_has_and_nothing_of_another() {
    for database in databases::both() {
        let store = &database.open().await;
        let (club, other) = (Club::found(store, "Imports").await, Club::found(store, "Elsewhere").await);
        assert_eq!(counts(store, &club, file()).await, CREATED);
        assert_eq!(counts(store, &club, file()).await, UNCHANGED);
        // The other organization has none of it, although every name and external id is the same.
        let before = listed(store, &club).await;
        assert_eq!(counts(store, &other, file()).await, CREATED);
        assert_eq!(counts(store, &other, file()).await, UNCHANGED);
        assert_eq!(listed(store, &club).await, before);
        assert_eq!(
            (venues(store, &club).await, listed(store, &other).await.len()),
            (vec!["Oval".to_owned()], 2)
        );
    }
}

#[tokio::test]
async fn a_season_is_found_by_external_id_under_another_name_and_else_by_folded_name() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Names").await;
        counts(store, &club, file()).await;
        for listed in listed(store, &club).await {
            let renamed = if listed.season.external_id.is_some() { "Hiver" } else { "CÁRNIVAL!" };
            let change = ChangeSeason { name: Some(name(renamed)), ..ChangeSeason::default() };
            job(store, &club, seasons::Change { id: listed.season.id, change }).await.unwrap();
        }
        assert_eq!(counts(store, &club, file()).await, UNCHANGED);
        let mut names: Vec<String> =
            listed(store, &club).await.into_iter().map(|listed| listed.season.name.into()).collect();
        names.sort();
        assert_eq!(names, ["CÁRNIVAL!", "Hiver"], "existing names stay");
        // Without its external id, a season under another name is a new one.
        let nameless = vec![fixture(9, ("Winter", None), "U12", ["Eagles", "Hawks"])];
        assert_eq!(counts(store, &club, nameless).await.seasons_created, 1);
    }
}

#[tokio::test]
async fn a_season_that_gains_a_division_is_counted_as_updated() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Gains").await;
        counts(store, &club, file()).await;
        let versions = |listed: Vec<Listed>| -> Vec<(String, i64, usize)> {
            let told =
                |listed: Listed| (listed.season.name.into(), listed.season.version, listed.divisions.len());
            let mut versions: Vec<_> = listed.into_iter().map(told).collect();
            versions.sort();
            versions
        };
        let seasons = versions(listed(store, &club).await);
        assert_eq!(seasons, [("Carnival".to_owned(), 1, 1), ("Winter".to_owned(), 1, 2)]);
        let mut more = file();
        more.push(fixture(5, ("Carnival", None), "Juniors", ["Eagles", "Owls"]));
        let expected = Counts {
            seasons_updated: 1,
            seasons_unchanged: 1,
            divisions_created: 1,
            teams_created: 2,
            games_created: 1,
            rows: 4,
            ..UNCHANGED
        };
        assert_eq!(counts(store, &club, more.clone()).await, expected);
        let seasons = versions(listed(store, &club).await);
        assert_eq!(seasons, [("Carnival".to_owned(), 2, 2), ("Winter".to_owned(), 1, 2)]);
        // A season with wider dates and a new division is updated once.
        let later = Fixture {
            date: date(2026, 5, 2),
            ..fixture(6, ("Carnival", None), "Seniors", ["Eagles", "Owls"])
        };
        let again = counts(store, &club, vec![later]).await;
        assert_eq!((again.seasons_updated, again.seasons_unchanged), (1, 0));
    }
}

#[tokio::test]
async fn bad_rows_refuse_the_whole_file_unless_they_are_skipped() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Bad rows").await;
        let bad = vec![BadRow { line: 7, column: None, reason: "is bad".to_owned() }];
        match job(store, &club, import(file(), bad.clone(), false)).await.unwrap() {
            Imported::Refused(rows) => assert_eq!(rows, bad),
            other @ Imported::Done(..) => panic!("{other:?}"),
        }
        assert_eq!((listed(store, &club).await, venues(store, &club).await), (vec![], vec![]));
        match job(store, &club, import(file(), bad.clone(), true)).await.unwrap() {
            Imported::Done(counts, rows) => {
                assert_eq!((counts, rows), (Counts { rows: 4, bad_rows: 1, ..CREATED }, bad));
            }
            other @ Imported::Refused(_) => panic!("{other:?}"),
        }
        let coach = club.person(fieldhouse_domain::roles::Role::Coach);
        let denied = request(store, coach, None, import(file(), Vec::new(), false)).await;
        assert!(matches!(denied, Err(Error::Denied(_))), "{denied:?}");
    }
}
