//! Tests of the PostgreSQL driver that need its internals: settings of sessions, and the mapping of errors.

pub(crate) mod driver;
pub(crate) mod lanes;
mod reads;
pub(crate) mod shared;

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use fieldhouse_testing::databases::{self, Database};
use futures_util::future::join;

use super::*;
use crate::deadline::TRANSACTION_TIME;
use crate::engine::Reader as _;
use crate::query::queries;
use crate::value::values;

queries! {
    SETTING "tests.postgres.setting" "SELECT current_setting($1)";
    PLANNED_EACH_TIME "tests.postgres.planned_each_time" @planned_each_time "SELECT current_setting($1)";
    FAILS_PLANNED "tests.postgres.fails_planned" @planned_each_time "SELECT CAST($1 AS TEXT), 1 / (LENGTH($1) - 1)";
    HURRY "tests.postgres.hurry" "SET LOCAL statement_timeout = '50ms'";
    IMPATIENT "tests.postgres.impatient" "SET LOCAL lock_timeout = '50ms'";
    SLEEP "tests.postgres.sleep" "SELECT COUNT(*) FROM pg_sleep(20)";
    LOCK "tests.postgres.lock" "LOCK TABLE seasons IN ACCESS EXCLUSIVE MODE";
    COUNT "tests.postgres.count" "SELECT COUNT(*) FROM seasons";
    READ_ONLY "tests.postgres.read_only" "SET TRANSACTION READ ONLY";
    COLLIDE "tests.postgres.collide" "SELECT CAST(tests_collide() AS BIGINT)";
    WAITING "tests.postgres.waiting" "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND wait_event_type = 'Lock'";
    KILL "tests.postgres.kill" "SELECT pg_terminate_backend(pg_backend_pid())";
    SESSIONS "tests.postgres.sessions" "SELECT COUNT(*) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'fieldhouse'";
    CLEAR "tests.postgres.clear" "DELETE FROM key_ring_fingerprints";
}

async fn open(database: &Database, connections: usize) -> Postgres {
    let url = database.url().expect("an address");
    Postgres::connect(&url, None, connections).await.expect("a pool")
}

#[tokio::test]
async fn every_session_has_limits_and_plans_alike() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    for (setting, shown) in [
        ("statement_timeout", "10s"),
        ("lock_timeout", "5s"),
        ("idle_in_transaction_session_timeout", "30s"),
        ("application_name", "fieldhouse"),
        ("enable_seqscan", "off"),
        ("enable_bitmapscan", "off"),
        ("jit", "off"),
        ("plan_cache_mode", "force_generic_plan"),
    ] {
        let effective = postgres.read(SETTING, values![setting], |row| row.next::<String>()).await.unwrap();
        assert_eq!(effective, [shown], "{setting}");
    }
    let isolation = postgres.write("tests.isolation", async |tx| {
        tx.rows(SETTING, values!["transaction_isolation"], |row| row.next::<String>()).await
    });
    assert_eq!(isolation.await.unwrap(), ["serializable"]);
}

#[tokio::test]
async fn only_a_query_that_is_planned_each_time_has_a_plan_of_its_own() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let mode = async |query: &'static Query| {
        let read = postgres.read(query, values!["plan_cache_mode"], |row| row.next::<String>()).await;
        read.expect("a setting").remove(0)
    };
    assert_eq!(mode(PLANNED_EACH_TIME).await, "force_custom_plan");
    assert_eq!(mode(SETTING).await, "force_generic_plan", "after it");
    postgres.read(FAILS_PLANNED, values!["1"], |_| Ok(())).await.unwrap_err();
    assert_eq!(mode(SETTING).await, "force_generic_plan", "after an error");
    let failed =
        postgres.write("tests.planned", async |tx| tx.rows(FAILS_PLANNED, values!["1"], |_| Ok(())).await);
    failed.await.unwrap_err();
    assert_eq!(mode(SETTING).await, "force_generic_plan", "after a rollback");
}

#[tokio::test]
async fn timeouts_differ_from_other_errors() {
    let database = databases::postgres();
    let postgres = open(&database, 3).await;
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

#[tokio::test]
async fn a_transaction_that_always_collides_ends_at_its_deadline() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let function = "CREATE FUNCTION tests_collide() RETURNS BIGINT LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'always' USING ERRCODE = 'serialization_failure'; END $$";
    postgres.connection().await.unwrap().run_all(function).await.unwrap();
    let (begun, runs) = (Instant::now(), AtomicU32::new(0));
    let late = postgres.write("tests.collide", async |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        tx.rows(COLLIDE, values![], |row| row.next::<i64>()).await
    });
    let late = late.await;
    assert!(matches!(late, Err(Error::Deadline("tests.collide"))), "{late:?}");
    assert!(begun.elapsed() < TRANSACTION_TIME * 2 && runs.into_inner() > 5);
    assert_eq!(postgres.read(COUNT, values![], |row| row.next::<i64>()).await.unwrap(), [0]);
}

#[tokio::test]
async fn the_server_stops_the_statement_of_a_late_transaction() {
    let database = databases::postgres();
    let postgres = open(&database, 3).await;
    let holder = postgres.connection().await.unwrap();
    holder.run_all("BEGIN; LOCK TABLE seasons IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let begun = Instant::now();
    let late =
        postgres.write("tests.late", async |tx| tx.rows(COUNT, values![], |row| row.next::<i64>()).await);
    let late = late.await;
    assert!(matches!(late, Err(Error::Deadline("tests.late"))), "{late:?}");
    assert!(begun.elapsed() < TRANSACTION_TIME + Duration::from_secs(1), "it does not wait for the lock");
    let waiting = || postgres.read(WAITING, values![], |row| row.next::<i64>());
    while waiting().await.unwrap() != [0] {
        assert!(begun.elapsed() < TRANSACTION_TIME + Duration::from_secs(1), "nor does the server");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
