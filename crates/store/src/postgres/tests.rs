//! Tests of the PostgreSQL driver that need its internals: settings of sessions, and the mapping of errors.

use fieldhouse_testing::databases::{self, Database};
use futures_util::future::join;

use super::*;
use crate::engine::Reader as _;
use crate::query::queries;
use crate::value::values;

queries! {
    SETTING "tests.postgres.setting" "SELECT current_setting($1)";
    HURRY "tests.postgres.hurry" "SET LOCAL statement_timeout = '50ms'";
    IMPATIENT "tests.postgres.impatient" "SET LOCAL lock_timeout = '50ms'";
    SLEEP "tests.postgres.sleep" "SELECT COUNT(*) FROM pg_sleep(20)";
    LOCK "tests.postgres.lock" "LOCK TABLE seasons IN ACCESS EXCLUSIVE MODE";
    COUNT "tests.postgres.count" "SELECT COUNT(*) FROM seasons";
    READ_ONLY "tests.postgres.read_only" "SET TRANSACTION READ ONLY";
    CLEAR "tests.postgres.clear" "DELETE FROM key_ring_fingerprints";
}

async fn open(database: &Database, connections: usize) -> Postgres {
    let url = database.url().expect("an address");
    Postgres::connect(&url, None, connections).await.expect("a pool")
}

#[tokio::test]
async fn every_session_has_limits() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    for (setting, shown) in [
        ("statement_timeout", "10s"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "30s"),
        ("application_name", "fieldhouse"),
    ] {
        let in_force = postgres.read(SETTING, values![setting], |row| row.next::<String>()).await.unwrap();
        assert_eq!(in_force, [shown], "{setting}");
    }
    let isolation = postgres.write("tests.isolation", async |tx| {
        tx.rows(SETTING, values!["transaction_isolation"], |row| row.next::<String>()).await
    });
    assert_eq!(isolation.await.unwrap(), ["serializable"]);
}

#[tokio::test]
async fn time_outs_end_and_differ_from_other_errors() {
    let database = databases::postgres();
    let postgres = open(&database, 2).await;
    let slow = postgres.write("tests.slow", async |tx| {
        tx.run(HURRY, values![]).await?;
        tx.rows(SLEEP, values![], |row| row.next::<i64>()).await
    });
    let slow = slow.await;
    assert!(matches!(slow, Err(Error::Timeout)), "{slow:?}");

    let (locked, is_locked) = (tokio::sync::Notify::new(), tokio::sync::Notify::new());
    let holder = postgres.write("tests.hold", async |tx| {
        tx.run(LOCK, values![]).await?;
        locked.notify_one();
        is_locked.notified().await;
        Ok::<_, Error>(())
    });
    let waiter = async {
        locked.notified().await;
        let waited = postgres.write("tests.wait", async |tx| {
            tx.run(IMPATIENT, values![]).await?;
            tx.rows(COUNT, values![], |row| row.next::<i64>()).await
        });
        let waited = waited.await;
        is_locked.notify_one();
        waited
    };
    let (held, too_long) = join(holder, waiter).await;
    assert!(held.is_ok() && matches!(too_long, Err(Error::LockTimeout)), "{held:?} {too_long:?}");

    let standby = postgres.write("tests.standby", async |tx| {
        tx.run(READ_ONLY, values![]).await?;
        tx.run(CLEAR, values![]).await
    });
    let standby = standby.await;
    assert!(matches!(standby, Err(Error::Unavailable(_))), "{standby:?}");
    let faulty = postgres.read(SETTING, values![], |row| row.next::<String>()).await;
    assert!(matches!(faulty, Err(Error::Internal(_))), "a bug is not an outage: {faulty:?}");
}

#[tokio::test]
async fn waiting_too_long_for_a_connection_is_an_overload() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let taken = postgres.connection().await.unwrap();
    let waited = postgres.read(COUNT, values![], |row| row.next::<i64>()).await;
    assert!(matches!(waited, Err(Error::Overloaded(_))), "{waited:?}");
    drop(taken);
    assert_eq!(postgres.read(COUNT, values![], |row| row.next::<i64>()).await.unwrap(), [0]);
}
