//! Transactions, on both engines: many at once, and failed ones.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::seasons::{Scoring, Season};
use fieldhouse_store::{Change, Error, OrgScope, Store, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::{division, season};
use futures_util::FutureExt;
use tokio::task::JoinSet;

/// A club with one season, and permission to read it.
pub(crate) struct Played {
    pub(crate) store: Arc<Store>,
    pub(crate) club: Club,
    pub(crate) scope: Arc<OrgScope>,
    pub(crate) season: SeasonId,
}

impl Played {
    pub(crate) async fn found(store: Store) -> Self {
        let club = Club::found(&store, "Written Club").await;
        let season = season("Winter");
        club.create(&store, vec![AnyRecord::from(season.clone())]).await;
        let scope = Arc::new(club.owner().scope(&store).await);
        Self { store: Arc::new(store), club, scope, season: season.id }
    }

    pub(crate) async fn read(&self) -> Season {
        seasons::read(&mut &*self.store, &*self.scope, self.season).await.unwrap().expect("the season").season
    }
}

/// An update that adds one point for a win.
pub(crate) fn one_more(read: Season) -> Effect {
    let scoring = Scoring { win: read.scoring.win + 1, ..read.scoring };
    let after = Season { scoring, ..read.clone() };
    Effect::update(&clubs::moment(), AnyRecord::from(read), AnyRecord::from(after)).expect("it differs")
}

#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn count_up(
    store: Arc<Store>,
    club: Club,
    scope: Arc<OrgScope>,
    id: SeasonId,
    fails: bool,
) -> Result<(), Error> {
    let (operator, moment) = (store.operator(), clubs::moment());
    let counted = store.write("testing.count_up", async move |tx| {
        let moment = moment.again();
        let read = seasons::read(tx, &*scope, id).await?.expect("the season").season;
        let proof = clubs::permitted(tx, &operator, club.id()).await?;
        let change =
            Change { moment: &moment, operation: "seasons.update", request_id: "test", reason: None };
        // A collision in a part of a transaction must repeat the whole transaction.
        let part = tx.savepoint("testing.part").await?;
        let counted = tx.apply(&proof, change, &[one_more(read)]).await;
        tx.end(part, counted).await?;
        if fails { Err(Error::Overloaded("on purpose")) } else { Ok(()) }
    });
    counted.await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_400_concurrent_changes_exactly_the_acknowledged_ones_are_stored() {
    for database in databases::both() {
        let played = Played::found(database.open().await).await;
        let before = played.read().await;
        let mut changes = JoinSet::new();
        for number in 0..400 {
            let (store, club, scope) = (played.store.clone(), played.club.clone(), played.scope.clone());
            changes.spawn(count_up(store, club, scope, played.season, number % 2 == 1));
        }
        let mut succeeded = 0;
        for change in changes.join_all().await {
            match change {
                Ok(()) => succeeded += 1,
                Err(Error::Overloaded("on purpose")) => {}
                Err(error) => panic!("{} on {}", error, played.store.engine().name()),
            }
        }
        let after = played.read().await;
        assert_eq!(succeeded, 200);
        assert_eq!(after.scoring.win - before.scoring.win, 200, "on {}", played.store.engine().name());
        assert_eq!(after.version - before.version, 200);
    }
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn after_a_failed_statement_a_transaction_runs_no_other() {
    for database in databases::both() {
        let played = Played::found(database.open().await).await;
        let (operator, club, moment) = (played.store.operator(), played.club.id(), clubs::moment());
        // Of the last run: PostgreSQL takes the first duplicate for a collision.
        let seen = Arc::new(Mutex::new(None));
        let last = seen.clone();
        let written = played.store.write("testing.after_failure", async move |tx| {
            let moment = moment.again();
            let proof = clubs::permitted(tx, &operator, club).await?;
            let change =
                Change { moment: &moment, operation: "seasons.create", request_id: "test", reason: None };
            tx.apply(&proof, change, &[Effect::create(AnyRecord::from(season("Spring")))]).await?;
            let taken = tx.apply(&proof, change, &[Effect::create(AnyRecord::from(season("Winter")))]).await;
            let another = Effect::create(AnyRecord::from(season("Summer")));
            let refused = tx.apply(&proof, change, &[another]).await;
            *last.lock().unwrap() = Some((taken, refused));
            Ok::<_, Error>(())
        });
        let written = written.await;
        let (taken, refused) = seen.lock().unwrap().take().expect("it ran");
        assert!(matches!(taken, Err(Error::Duplicate(_))), "{taken:?}");
        assert!(matches!(refused, Err(Error::Internal(_))), "{refused:?}");
        assert!(
            matches!(written, Err(Error::Internal(_))),
            "the error is returned, although the body ignored it: {written:?}"
        );
        let all =
            seasons::list(&mut &*played.store, &*played.scope, &seasons::Filter::default(), None, 10).await;
        assert_eq!(
            all.unwrap().records.len(),
            1,
            "nothing of it is stored, on {}",
            played.store.engine().name()
        );
    }
}

#[tokio::test]
async fn errors_tell_missing_references_from_duplicate_keys() {
    for database in databases::both() {
        let played = Played::found(database.open().await).await;
        let create = async |record| {
            clubs::apply(&played.store, played.club.id(), vec![Effect::create(record)]).await.unwrap_err()
        };
        let taken = create(AnyRecord::from(season("WINTER"))).await;
        assert!(
            matches!(&taken, Error::Duplicate(taken) if taken.table == "seasons" && taken.field.as_deref() == Some("name")),
            "{taken:?}"
        );
        let missing = create(AnyRecord::from(division(&season("nowhere"), "U12"))).await;
        assert!(matches!(missing, Error::Reference(_)), "{missing:?}");
    }
}

#[tokio::test]
async fn a_body_that_panics_leaves_the_store_as_it_was() {
    for database in databases::both() {
        let played = with_one_connection(&database).await;
        let club = played.club.id();
        let panicking = clubs::write(&played.store, club, async |tx, proof| {
            let moment = clubs::moment();
            let change =
                Change { moment: &moment, operation: "seasons.create", request_id: "test", reason: None };
            tx.apply(proof, change, &[Effect::create(AnyRecord::from(season("Spring")))]).await?;
            panic!("on purpose")
        });
        // On SQLite it becomes an error, because all callers share the writer; on PostgreSQL it reaches the caller.
        let panicked: Result<Result<(), Error>, _> = AssertUnwindSafe(panicking).catch_unwind().await;
        assert!(!matches!(panicked, Ok(Ok(()))), "{panicked:?}");
        clubs::apply(&played.store, club, vec![one_more(played.read().await)]).await.unwrap();
        let all =
            seasons::list(&mut &*played.store, &*played.scope, &seasons::Filter::default(), None, 10).await;
        assert_eq!(all.unwrap().records.len(), 1);
    }
}

/// A store with only one connection, so that a broken one is noticed.
pub(crate) async fn with_one_connection(database: &Database) -> Played {
    let mut options = database.options();
    if let fieldhouse_store::Options::Postgres { connections, .. } = &mut options {
        *connections = 1;
    }
    Played::found(Store::open(&options).await.unwrap()).await
}
