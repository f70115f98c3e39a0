//! Any record is read as it was written, and an unreadable row is reported with its place.

use std::net::IpAddr;

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::LastChange;
use fieldhouse_domain::ids::{Id, SeasonId, UserId};
use fieldhouse_domain::sessions::{Client, Session};
use fieldhouse_domain::text::{Address, Name};
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::idempotency::{self, Slot, StoredResponse};
use fieldhouse_store::{Error, Store, games, records, seasons, sessions, venues as stored};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::{division, game, season, team, venue};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::runtime::Runtime;
use uuid::Uuid;

use crate::raw;

/// Any text except NUL, which PostgreSQL cannot store and the domain's parsers refuse.
fn text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just('\u{1}'),
        Just('\u{7f}'),
        Just('\u{202e}'),
        Just('\u{10ffff}'),
        Just('\''),
        Just('"'),
        Just('\\')
    ];
    let letter = prop_oneof![4 => any::<char>(), 1 => odd].prop_filter("NUL", |letter| *letter != '\0');
    proptest::collection::vec(letter, 0..40).prop_map(|letters| letters.into_iter().collect())
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![any::<i64>(), Just(i64::MIN), Just(i64::MAX), Just(0), -1000_i64..1000]
}

fn real() -> impl Strategy<Value = f64> {
    let extreme = prop_oneof![
        Just(f64::MAX),
        Just(f64::MIN_POSITIVE),
        Just(f64::INFINITY),
        Just(-37.743_212_345_678_9)
    ];
    prop_oneof![4 => any::<f64>().prop_filter("a number", |real| !real.is_nan()), 1 => extreme]
}

fn time() -> impl Strategy<Value = Timestamp> {
    (Timestamp::MIN.as_microsecond()..=Timestamp::MAX.as_microsecond())
        .prop_map(|micros| Timestamp::from_microsecond(micros).expect("within range"))
}

fn some_venue() -> impl Strategy<Value = Venue> {
    let place = (proptest::option::of(text()), proptest::option::of(real()), proptest::option::of(real()));
    (text(), place, proptest::collection::vec("[a-zé\"\\\\]{1,9}", 0..4), time()).prop_map(
        |(name, (address, latitude, longitude), fields, created_at)| Venue {
            name: Name::stored(name),
            address: address.map(Address::stored),
            latitude,
            longitude,
            fields: fields.into_iter().map(Name::stored).collect(),
            created_at,
            ..venue("")
        },
    )
}

fn some_session() -> impl Strategy<Value = Session> {
    let client = (proptest::option::of(text()), proptest::option::of(any::<IpAddr>()));
    let tokens = (number(), any::<[u8; 32]>(), proptest::option::of(any::<[u8; 32]>()), any::<bool>());
    (client, text(), tokens, time(), proptest::option::of(time())).prop_map(
        |(
            (user_agent, ip),
            method,
            (generation, token_digest, previous_digest, retried),
            ends,
            revoked_at,
        )| {
            let stranger = UserId::from_uuid(Uuid::nil());
            let opened = Session::open(&clubs::moment(), stranger, &method, Client { user_agent, ip });
            Session { generation, previous_digest, retried, expires_at: ends, revoked_at, ..opened }
                .with_token(token_digest)
        },
    )
}

fn some_answer() -> impl Strategy<Value = StoredResponse> {
    let body = proptest::option::of(proptest::collection::vec(any::<u8>(), 0..200));
    (any::<[u8; 32]>(), number(), text(), body, proptest::option::of(text()), time()).prop_map(
        |(request_digest, status, headers, body, created_id, created_at)| StoredResponse {
            request_digest,
            status,
            headers,
            body,
            created_id,
            created_at,
        },
    )
}

async fn reads_back(store: &Store, club: &Club, venues: &[Venue], session: &Session, kept: &StoredResponse) {
    let slot = Slot { organization: None, caller: [0; 32], operation: "x", key: session.id.to_string() };
    let records = venues.iter().cloned().map(AnyRecord::from).chain([AnyRecord::from(session.clone())]);
    club.create(store, records.collect()).await;
    let (venues, kept) = (venues.to_vec(), kept.clone());
    let id = session.id;
    let written = clubs::write(store, club.id(), async move |tx, proof| {
        idempotency::insert(tx, &slot, &kept).await?;
        assert_eq!(idempotency::find(tx, &slot, clubs::NOW).await?.as_ref(), Some(&kept));
        for venue in &venues {
            let found = stored::by_name(tx, proof, &venue.name.folded()).await?;
            assert_eq!(found.as_ref(), Some(venue));
        }
        sessions::user_of(tx, proof.organization(), id).await
    });
    assert_eq!(written.await.unwrap(), Some(session.user_id));
    let read = clubs::write_as(store, club.id(), session.user_id, async move |tx, proof| {
        records::read::<Session, _>(tx, proof, id).await
    });
    assert_eq!(read.await.unwrap().as_ref(), Some(session));
}

fn records_are_read_as_written_on(database: &Database) {
    let runtime = Runtime::new().unwrap();
    let (store, club) = runtime.block_on(async {
        let store = database.open().await;
        let club = Club::found(&store, "Rows").await;
        (store, club)
    });
    let strategy = (some_venue(), some_session(), some_answer());
    let mut runner = TestRunner::new(ProptestConfig { cases: 100, ..ProptestConfig::default() });
    let outcome = runner.run(&strategy, |(venue, session, kept)| {
        let session = Session { id: clubs::moment().id(), user_id: club.owner().user.id, ..session };
        let id = clubs::moment().id();
        // Unique in the club by its name, whatever it folds to.
        let venue = Venue { id, name: Name::stored(format!("{} {id}", venue.name)), ..venue };
        runtime.block_on(reads_back(&store, &club, &[venue], &session, &kept));
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn records_are_read_as_written_on_sqlite() {
    records_are_read_as_written_on(&databases::sqlite());
}

#[test]
fn records_are_read_as_written_on_postgresql() {
    records_are_read_as_written_on(&databases::postgres());
}

#[tokio::test]
async fn an_unreadable_row_is_reported_with_its_query_and_column() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Corrupt").await;
        let scope = club.owner().scope(&store).await;
        let season = season("Winter");
        let open = division(&season, "Open");
        let home = team(&open, "Eagles");
        let mut played = game(&open, home.id, home.id, clubs::NOW);
        played.last_change = Some(LastChange { at: clubs::NOW, fields: Vec::new(), reason: None });
        let records = [AnyRecord::from(season.clone()), AnyRecord::from(open), AnyRecord::from(home)];
        club.create(&store, records.into_iter().chain([AnyRecord::from(played.clone())]).collect()).await;

        let shown = |read: Result<(), Error>| match read {
            Err(Error::Corrupt { query, column, row, .. }) => (query, column, row),
            other => panic!("{other:?}"),
        };
        let uuid = |id: SeasonId| id.uuid().to_string();
        for (column, wrong, right) in [
            ("status", "'bogus'", "'active'"),
            ("starts_on", "'2026-13-01'", "NULL"),
            ("tiebreakers", "'[1]'", "'[]'"),
        ] {
            raw::execute(&database, &format!("UPDATE seasons SET {column} = {wrong}")).await;
            let read = seasons::read(&mut &store, &scope, season.id).await.map(drop);
            assert_eq!(shown(read), ("seasons.read", column.to_owned(), uuid(season.id)));
            raw::execute(&database, &format!("UPDATE seasons SET {column} = {right}")).await;
        }
        raw::execute(&database, "UPDATE games SET last_change = '{}'").await;
        let read = games::read(&mut &store, &scope, played.id).await.map(drop);
        assert_eq!(shown(read).1, "last_change");
        raw::execute(&database, "UPDATE games SET last_change = NULL, starts_at = 9223372036854775807").await;
        let read = games::read(&mut &store, &scope, played.id).await.map(drop);
        assert_eq!(shown(read).1, "starts_at");
    }
}
