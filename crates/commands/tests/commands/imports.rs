//! League imports: what is found, what is counted and what is refused.

use std::sync::Arc;

use fieldhouse_commands::imports::{Imported, League, LeagueFile, snapshot};
use fieldhouse_commands::{Error, seasons};
use fieldhouse_domain::Moment;
use fieldhouse_domain::seasons::ChangeSeason;
use fieldhouse_domain::seasons::shown::Season;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{ExternalId, Name};
use fieldhouse_domain::time::TimeZoneName;
use fieldhouse_imports::BadRow;
use fieldhouse_imports::league::{
    Counts, Fixture, FixtureSeason, FixtureSide, Options, Place, Schedule, Sides,
};
use fieldhouse_store::seasons::Filter;
use fieldhouse_store::{Store, seasons as stored};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases;
use fieldhouse_testing::leagues::parsed;
use jiff::civil::{date, time};

use crate::{body, job, request, venues};

fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

/// A game of two teams at the same place.
fn fixture(line: u64, season: (&str, Option<&str>), division: &str, teams: [&str; 2]) -> Fixture {
    let external = |text: &str| ExternalId::parse(text).unwrap();
    let [home, away] = teams.map(|team| FixtureSide { team: name(team), score: None, external_id: None });
    let season = FixtureSeason { name: name(season.0), external_id: season.1.map(external) };
    Fixture {
        round: Some(name("Round 1")),
        time: Some(time(9, 15, 0, 0)),
        place: Some(Place { venue: name("Oval"), court: None }),
        external_id: Some(external(&format!("game {line}"))),
        ..Fixture::new(line, season, name(division), Sides::Game { home, away }, date(2026, 4, 4))
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
    let schedule = Schedule { fixtures, bad, skipped: Vec::new(), rows };
    League { file: Arc::new(LeagueFile { options, schedule, skip_bad }), planned: None, dry_run: false }
}

async fn counts(store: &Store, club: &Club, fixtures: Vec<Fixture>) -> Counts {
    match job(store, club, import(fixtures, Vec::new(), false)).await.unwrap() {
        Imported::Done(plan) if plan.bad.is_empty() => plan.counts,
        other => panic!("{other:?}"),
    }
}

async fn listed(store: &Store, club: &Club) -> Vec<Season> {
    let scope = club.owner().scope(store).await;
    let listing = stored::list(&mut &*store, &scope, &Filter::default(), None, 100).await.unwrap();
    let mut listed = parsed(&listing.records);
    listed.sort_by_key(|season| season.created_at);
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
    skipped_rows: 0,
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
            let renamed = if listed.external_id.is_some() { "Hiver" } else { "CÁRNIVAL!" };
            let change = ChangeSeason { name: Some(name(renamed)), ..ChangeSeason::default() };
            job(store, &club, seasons::Change { id: listed.id, change }).await.unwrap();
        }
        assert_eq!(counts(store, &club, file()).await, UNCHANGED);
        let mut names: Vec<String> =
            listed(store, &club).await.into_iter().map(|season| season.name).collect();
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
        let versions = |listed: Vec<Season>| -> Vec<(String, i64, usize)> {
            let told = |season: Season| (season.name, season.version, season.divisions.len());
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

/// The import of a file that was planned on the current records.
async fn planned(store: &Store, club: &Club, fixtures: Vec<Fixture>, random: u128) -> League {
    let League { file, .. } = import(fixtures, Vec::new(), false);
    let scope = club.owner().scope(store).await;
    let of_file = file.clone();
    let existing = store.read("test", async move |tx| snapshot(tx, &scope, &of_file).await).await.unwrap();
    let planned = file.planned(&Moment::new(clubs::NOW, random << 64), existing).unwrap();
    League { file, planned: Some(planned), dry_run: false }
}

#[tokio::test]
async fn a_plan_whose_records_have_changed_is_refused_as_stale() {
    for database in databases::both() {
        let store = &database.open().await;
        let club = Club::found(store, "Stale").await;
        let first = planned(store, &club, file(), 1).await;
        let second = planned(store, &club, file(), 2).await;
        assert!(matches!(job(store, &club, first).await, Ok(Imported::Done(_))));
        let stale = job(store, &club, second).await;
        assert!(matches!(stale, Err(Error::Stale)), "the season exists now: {stale:?}");

        let again = planned(store, &club, file(), 3).await;
        assert!(
            matches!(job(store, &club, again).await, Ok(Imported::Done(plan)) if plan.effects.is_empty())
        );
        for change in ["venue", "season", "another season"] {
            let later = Fixture { date: date(2026, 5, 2), ..file().remove(0) };
            let plan = planned(store, &club, vec![later], 4).await;
            match change {
                "venue" => {
                    let body = body(&[("name", "Oval"), ("address", "1 Oval Road")]);
                    let scope = club.owner().scope(store).await;
                    let oval = fieldhouse_store::venues::by_name(&mut &*store, &scope, "oval").await.unwrap();
                    let command = fieldhouse_commands::venues::Change { id: oval.unwrap().id, change: body };
                    job(store, &club, command).await.unwrap();
                }
                "season" => {
                    let winter =
                        listed(store, &club).await.into_iter().find(|season| season.external_id.is_some());
                    let change = ChangeSeason { name: Some(name("Hiver")), ..ChangeSeason::default() };
                    job(store, &club, seasons::Change { id: winter.unwrap().id, change }).await.unwrap();
                }
                _ => {
                    let elsewhere = vec![fixture(9, ("Indoor", None), "Open", ["Eagles", "Hawks"])];
                    let Imported::Done(_) =
                        job(store, &club, import(elsewhere, Vec::new(), false)).await.unwrap()
                    else {
                        panic!()
                    };
                }
            }
            let result = job(store, &club, plan).await;
            let is_stale = matches!(result, Err(Error::Stale));
            assert_eq!(is_stale, change != "another season", "{change}: {result:?}");
        }
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
            other => panic!("{other:?}"),
        }
        assert_eq!((listed(store, &club).await, venues(store, &club).await), (vec![], vec![]));
        match job(store, &club, import(file(), bad.clone(), true)).await.unwrap() {
            Imported::Done(plan) => {
                assert_eq!((plan.counts, &plan.bad), (Counts { rows: 4, bad_rows: 1, ..CREATED }, &bad));
            }
            other => panic!("{other:?}"),
        }
        let coach = club.person(fieldhouse_domain::roles::Role::Coach);
        let denied = request(store, coach, None, import(file(), Vec::new(), false)).await;
        assert!(matches!(denied, Err(Error::Denied(_))), "{denied:?}");
    }
}
