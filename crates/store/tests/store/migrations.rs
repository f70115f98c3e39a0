//! Migrations: applied once, by one program at a time, never backwards, never after an edit.

use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::divisions::{Division, DivisionGender};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::shown::Game as Shown;
use fieldhouse_domain::games::{Game, GameKind};
use fieldhouse_domain::policy::{ChildTouch, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::rosters::RosterEntry;
use fieldhouse_domain::text::Name;
use fieldhouse_store::access::children::Roster;
use fieldhouse_store::migrations::{self, Status};
use fieldhouse_store::seasons::{self, Filter};
use fieldhouse_store::{Engine, Error, Options, Store, children, games, guests};
use fieldhouse_testing::clubs::{self, ANY_MEMBER, Club, NOW};
use fieldhouse_testing::databases;
use fieldhouse_testing::families::{child, guardian, roster_entry, with_classes};
use fieldhouse_testing::leagues::{division, game, parsed, season, team, venue};
use jiff::civil::date;

use crate::raw;

#[tokio::test]
async fn a_second_run_does_nothing() {
    for database in databases::both_blank() {
        let store = database.open().await;
        let known = migrations::ALL.last().expect("a migration").number;
        assert_eq!(migrations::status(&store).await.unwrap(), Status { applied: 0, known });
        let first: Vec<_> = migrations::run(&store).await.unwrap().iter().map(|step| step.number).collect();
        assert_eq!(first.last(), Some(&known));
        assert!(migrations::run(&store).await.unwrap().is_empty());
        assert_eq!(migrations::status(&store).await.unwrap(), Status { applied: known, known });
    }
}

#[tokio::test]
async fn reading_the_schema_version_changes_nothing() {
    let [sqlite, postgres] = databases::both_blank();
    for database in [&sqlite, &postgres] {
        migrations::status(&database.open().await).await.unwrap();
    }
    let tables: i64 =
        raw::sqlite(&sqlite).query_row("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
    let row = raw::postgres(&postgres).await;
    let row =
        row.query_one("SELECT COUNT(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace", &[]).await;
    assert_eq!((tables, row.unwrap().get::<_, i64>(0)), (0, 0));
}

#[tokio::test]
async fn concurrent_programs_apply_each_step_once() {
    for _ in 0..3 {
        let [_, database] = databases::both_blank();
        let programs = [database.open().await, database.open().await, database.open().await];
        let [first, second, third] = &programs;
        let (first, second, third) =
            tokio::join!(migrations::run(first), migrations::run(second), migrations::run(third));
        let steps = [first.unwrap(), second.unwrap(), third.unwrap()].map(|steps| steps.len());
        assert_eq!(steps.iter().sum::<usize>(), migrations::ALL.len(), "each step by one of them: {steps:?}");
        migrations::status(&programs[0]).await.unwrap();
    }
}

#[tokio::test]
async fn a_failed_step_is_rolled_back() {
    for database in databases::both_blank() {
        // It conflicts with one of the last tables.
        raw::execute(&database, "CREATE TABLE key_ring_fingerprints (finger INTEGER)").await;
        let store = database.open().await;
        assert!(migrations::run(&store).await.is_err(), "a table is in the way");
        assert_eq!(migrations::status(&store).await.unwrap().applied, 0);
        raw::execute(&database, "DROP TABLE key_ring_fingerprints").await;
        migrations::run(&store).await.expect("no table is left of the first run");
    }
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    for database in databases::both() {
        let newer = "INSERT INTO schema_migrations (number, name, checksum) VALUES (9999, 'x', 'y')";
        raw::execute(&database, newer).await;
        let store = database.open().await;
        let known = migrations::ALL.last().expect("a migration").number;
        for refused in [migrations::status(&store).await.map(drop), migrations::run(&store).await.map(drop)] {
            assert!(
                matches!(refused, Err(Error::NewerSchema { found: 9999, known: shown }) if shown == known),
                "{refused:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_edited_step_is_refused() {
    for database in databases::both() {
        raw::execute(&database, "UPDATE schema_migrations SET checksum = 'another' WHERE number = 1").await;
        let refused = migrations::run(&database.open().await).await;
        assert!(matches!(refused, Err(Error::EditedMigration(1))), "{:?}", refused.err());
    }
}

#[tokio::test]
async fn a_database_that_cannot_be_opened_is_reported_with_the_reason() {
    let folder = databases::sqlite();
    let missing = folder.folder().expect("a folder").join("missing");
    let refused = Store::open(&Options::Sqlite { folder: missing }).await.err();
    assert!(matches!(refused, Some(Error::Unavailable(_))), "{refused:?}");
    std::fs::write(folder.folder().expect("a folder").join("fieldhouse.db"), [b'x'; 8192]).unwrap();
    let refused = Store::open(&folder.options()).await.err();
    assert!(
        matches!(&refused, Some(Error::Unavailable(why)) if why.contains("not a database")),
        "{refused:?}"
    );
}

#[tokio::test]
async fn seasons_of_before_show_their_divisions_as_those_of_today_do() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Riverside").await;
        let winter = season("Winter");
        let mut records: Vec<AnyRecord> = vec![season("Summer").into(), winter.clone().into()];
        for name in ["U10 \"Stars\" \\ Á", "open", "Ärzte", "100 %"] {
            let (age_group, gender) = (Some(Name::stored(name.to_owned())), Some(DivisionGender::Girls));
            records.push(division(&winter, &format!("{name} plain")).into());
            records.push(Division { age_group, gender, ..division(&winter, name) }.into());
        }
        club.create(&store, records).await;
        let scope = club.owner().scope(&store).await;
        let listed = async || {
            let listing = seasons::list(&mut &store, &scope, &Filter::default(), None, 10).await;
            parsed(&listing.unwrap().records)
        };
        let today = listed().await;
        assert_eq!(today.iter().map(|season| season.divisions.len()).sum::<usize>(), 8);
        database.execute("UPDATE seasons SET shown = ''");
        assert_eq!(listed().await, today, "rendered when they are read");
        let step = migrations::ALL.iter().find(|step| step.name == "divisions_shown").expect("the step");
        let sql = step.sql(database.engine());
        let (_, fill) = sql.split_once(';').expect("a column, and how it is filled");
        database.execute("UPDATE seasons SET divisions = '[]'");
        assert_ne!(listed().await, today);
        database.execute(fill);
        assert_eq!(listed().await, today);
        assert_eq!(store.render_seasons(club.id()).await.unwrap(), 2);
        assert_eq!(listed().await, today);
        assert_eq!(store.render_seasons(club.id()).await.unwrap(), 0);
    }
}

/// Each of these steps writes a table again, so it must change nothing of its own result.
#[tokio::test]
async fn tables_in_another_order_have_the_same_rows_and_references_on_sqlite() {
    let database = databases::sqlite();
    let store = database.open().await;
    let club = Club::found(&store, "Riverside").await;
    let (winter, spring) = (season("Winter"), season("Spring"));
    let boys = division(&winter, "Boys");
    club.create(&store, vec![winter.into(), spring.into(), boys.into()]).await;
    let token = [7; 32];
    let guest = store.write("testing.create_guest", async move |tx| {
        Ok::<_, Error>(tx.create_guest(&clubs::moment(), &token).await?.guest())
    });
    let guest = guest.await.unwrap();
    let raw = raw::sqlite(&database);
    let saved = "PRAGMA foreign_keys = ON;
        INSERT INTO guest_favorites (owner_id, id, custom, custom_folded, stage, fit, rank, tags, created_at, updated_at, version)
        SELECT id, id, 'a', 'a', 'interested', 'reach', 1, '[]', created_at, created_at, 1 FROM guests";
    raw.execute_batch(saved).unwrap();
    let scope = club.owner().scope(&store).await;
    let seen = async || {
        let seasons = seasons::list(&mut &store, &scope, &Filter::default(), None, 10).await.unwrap();
        (seasons.records, guests::find(&mut &store, &token, NOW).await.unwrap())
    };
    let before = seen().await;
    assert_eq!((before.0.len(), before.1), (2, Some(guest)));
    for name in ["seasons_in_order", "guests_in_order"] {
        let step = migrations::ALL.iter().find(|step| step.name == name).expect("the step");
        raw.execute_batch(&format!("BEGIN; {}; COMMIT", step.sql(Engine::Sqlite))).unwrap();
    }
    assert_eq!(seen().await, before);
    for referred in ["DELETE FROM seasons WHERE name = 'Winter'", "DELETE FROM guests"] {
        assert!(raw.execute_batch(referred).is_err(), "something refers to it: {referred}");
    }
    raw.execute_batch("DELETE FROM seasons WHERE name = 'Spring'").unwrap();
}

#[tokio::test]
async fn games_of_before_show_names_as_those_of_today_do() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Riverside").await;
        let winter = season("Winter");
        let boys = division(&winter, "Boys");
        let (home, away, park) = (team(&boys, "Ärzte \"A\""), team(&boys, "Blue"), venue("Park"));
        let played = game(&boys, home.id, away.id, NOW);
        let rests = Game { kind: GameKind::Bye, away_team_id: None, ..game(&boys, away.id, home.id, NOW) };
        let at_park = Game { venue_id: Some(park.id), ..game(&boys, away.id, home.id, NOW) };
        let of_club: Vec<AnyRecord> = vec![winter.into(), boys.into(), home.into(), away.into(), park.into()];
        let games = [played, rests, at_park].map(AnyRecord::from);
        club.create(&store, of_club.into_iter().chain(games).collect()).await;
        let scope = club.owner().scope(&store).await;
        let listed = async || {
            let listing = games::list(&mut &store, &scope, &games::Filter::default(), None, 10).await;
            listing.unwrap().records
        };
        let today = listed().await;
        let names = |game: &Shown| {
            let sides = [&game.home, &game.away].into_iter().flatten().filter(|side| !side.name.is_empty());
            sides.count() + game.venue.iter().filter(|venue| !venue.name.is_empty()).count()
        };
        assert_eq!(parsed(&today).iter().map(names).sum::<usize>(), 6);
        let step = migrations::ALL.iter().find(|step| step.name == "names_shown").expect("the step");
        let sql = step.sql(database.engine());
        let fill = sql.find("UPDATE").expect("how the columns are filled");
        database.execute("UPDATE games SET home_name = NULL, away_name = NULL, venue_name = NULL");
        assert_ne!(listed().await, today);
        database.execute(&sql[fill..]);
        assert_eq!(listed().await, today);
    }
}

#[tokio::test]
async fn children_of_before_show_places_as_those_of_today_do() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Riverside").await;
        let parent = club.person(Role::Member);
        let winter = season("Winter");
        let boys = division(&winter, "Boys");
        let (home, away) = (team(&boys, "Ärzte \"A\""), team(&boys, "Blue"));
        let (kim, lee) = (child("Kim K."), child("Lee L."));
        let position = Some(Name::stored("left \\ \"wing\"".to_owned()));
        let ended = RosterEntry { ends_on: Some(date(2026, 12, 31)), ..roster_entry(&away, &kim) };
        let entries = [RosterEntry { position, jersey_number: Some(7), ..roster_entry(&home, &kim) }, ended];
        let of_club: Vec<AnyRecord> = vec![winter.into(), boys.into(), home.into(), away.into()];
        let family = [&kim, &lee].into_iter().flat_map(|child| {
            with_classes(child).into_iter().chain([guardian(child, parent.user.id).into()])
        });
        let entries = entries.map(AnyRecord::from);
        club.create(&store, of_club.into_iter().chain(family).chain(entries).collect()).await;
        let touch = ChildTouch::Listed { class: DataClass::Roster };
        let scope = parent.scope_for(&store, Requirement { child: touch, ..ANY_MEMBER }).await;
        let listed = async || {
            let lines = scope.children::<Roster>(NOW).unwrap();
            children::list(&mut &store, &lines, None, 10).await.unwrap().expect("a list")
        };
        let today = listed().await;
        assert_eq!(parsed(&today).iter().map(|child| child.teams.len()).collect::<Vec<_>>(), [2, 0]);
        assert_eq!(store.render_children(club.id()).await.unwrap(), 0);
        let step = migrations::ALL.iter().find(|step| step.name == "places_shown").expect("the step");
        let sql = step.sql(database.engine());
        let fill = sql.find("UPDATE").expect("how the column is filled");
        let (fill, _) = sql[fill..].split_once(';').expect("its end");
        database.execute("UPDATE children SET places = '[]'");
        assert_ne!(listed().await, today);
        database.execute(fill);
        assert_eq!(listed().await, today, "rendered when they are read");
        let kim = scope.children::<Roster>(NOW).unwrap();
        let kim = children::read_line(&mut &store, &kim, today[0].id).await.unwrap();
        assert_eq!(kim.as_ref(), Some(&today[0]));
        assert_eq!(store.render_children(club.id()).await.unwrap(), 1);
        assert_eq!(listed().await, today);
        assert_eq!(store.render_children(club.id()).await.unwrap(), 0);
    }
}
