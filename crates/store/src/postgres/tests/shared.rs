//! Read transactions that are sent as one piece on a lane.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::Poll;

use futures_util::future::{try_join, try_join_all};

use super::lanes::{both_lanes, with_two_lanes};
use super::*;
use crate::engine::ReadTx;

queries! {
    PLACE "tests.shared.place" "SELECT CAST(pg_backend_pid() AS BIGINT), current_setting('transaction_isolation'),
        CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT),
        CAST(EXTRACT(EPOCH FROM transaction_timestamp()) * 1000000 AS BIGINT)";
    OTHER_PLACE "tests.shared.other_place" "SELECT CAST(pg_backend_pid() AS BIGINT), current_setting('transaction_isolation'),
        CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS TEXT) AS BIGINT),
        CAST(EXTRACT(EPOCH FROM transaction_timestamp()) * 1000000 AS BIGINT) WHERE 1 = 1";
    WRITE "tests.shared.write" "SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)";
    DIVIDE "tests.shared.divide" "SELECT CAST(1 / (LENGTH($1) - 1) AS BIGINT)";
}

/// The process of the server that ran a query, its isolation level, its snapshot, and when its transaction began.
type Place = (i64, String, i64, i64);

fn found(row: &mut Row<'_>) -> Result<Place> {
    Ok((row.next()?, row.next()?, row.next()?, row.next()?))
}

async fn place(tx: &ReadTx<'_>, query: &'static Query) -> Result<Place> {
    Ok((&*tx).rows(query, values![], found).await?.remove(0))
}

async fn both_places(postgres: &Postgres) -> Result<(Place, Place)> {
    let body = async |tx: &mut ReadTx<'_>| try_join(place(tx, PLACE), place(tx, OTHER_PLACE)).await;
    postgres.read_at_once("tests.shared", &body).await
}

#[tokio::test]
async fn its_queries_have_one_snapshot_on_a_lane() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    for _ in 0..3 {
        let (one, other) = both_places(&postgres).await.unwrap();
        assert_eq!(one, other);
        assert!(lanes.contains(&one.0), "also if the statements were not prepared: {one:?} {lanes:?}");
        assert_eq!(one.1, "repeatable read");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_other_read_is_in_its_transaction() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let (postgres, seen) = (Arc::new(postgres), Arc::new(Mutex::new(HashSet::new())));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..8 {
        let (postgres, seen) = (postgres.clone(), seen.clone());
        tasks.spawn(async move {
            for _ in 0..200 {
                let (process, _, _, begun) = if number % 2 == 0 {
                    let (one, other) = both_places(&postgres).await.unwrap();
                    assert_eq!(one, other);
                    one
                } else {
                    postgres.read(PLACE, values![], found).await.unwrap().remove(0)
                };
                assert!(seen.lock().unwrap().insert((process, begun)), "a transaction of its own");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    assert_eq!(both_lanes(&postgres).await, lanes);
}

#[tokio::test]
async fn one_that_reads_again_after_a_result_has_a_connection_for_itself() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let runs = AtomicU32::new(0);
    let body = async |tx: &mut ReadTx<'_>| {
        runs.fetch_add(1, Ordering::Relaxed);
        let first = place(tx, PLACE).await?;
        Ok::<_, Error>((first, place(tx, PLACE).await?))
    };
    for expected in [3, 5] {
        let (first, second) = postgres.read_at_once("tests.again", &body).await.unwrap();
        assert_eq!(first, second, "one snapshot");
        assert!(!lanes.contains(&first.0), "{first:?} {lanes:?}");
        assert_eq!(runs.load(Ordering::Relaxed), expected, "and one attempt more to prepare the query");
    }
}

#[tokio::test]
async fn its_errors_do_not_reach_others() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let fails = async |tx: &mut ReadTx<'_>| {
        let divided = async |text| (&*tx).rows(DIVIDE, values![text], |row| row.next::<i64>()).await;
        try_join(divided("two"), divided("1")).await
    };
    for _ in 0..4 {
        let (failed, read) = join(
            postgres.read_at_once("tests.fails", &fails),
            try_join_all((0..8).map(|_| both_places(&postgres))),
        )
        .await;
        assert!(matches!(failed, Err(Error::Internal(_))), "{failed:?}");
        assert!(read.unwrap().iter().all(|(one, other)| one == other && lanes.contains(&one.0)));
    }
}

#[tokio::test]
async fn it_can_be_dropped_at_any_await() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    both_places(&postgres).await.unwrap();
    for times in 1..4 {
        let mut polls = 0;
        let mut read = Box::pin(both_places(&postgres));
        std::future::poll_fn(|context| {
            polls += 1;
            match read.as_mut().poll(context) {
                Poll::Pending if polls < times => Poll::Pending,
                _ => Poll::Ready(()),
            }
        })
        .await;
        drop(read);
        let connection = postgres.connection().await.unwrap();
        let written = connection.rows(WRITE.sql, values![]).await.unwrap();
        let written = written.read(WRITE, |row| row.next::<i64>()).unwrap()[0];
        let after = try_join_all((0..4).map(|_| both_places(&postgres))).await.unwrap();
        assert!(
            after.iter().all(|(one, other)| one == other && one.2 > written),
            "no transaction is open after {times} polls: {after:?}"
        );
    }
    assert_eq!(both_lanes(&postgres).await, lanes);
}

#[tokio::test]
async fn it_uses_the_pool_if_there_is_no_lane() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let (one, other) = both_places(&postgres).await.unwrap();
    assert_eq!((one.1.as_str(), &one), ("repeatable read", &other));
    let [one, other] = postgres.fetch([(PLACE, values![]), (OTHER_PLACE, values![])]).await.unwrap();
    let (one, other) = (one.read(PLACE, found).unwrap(), other.read(OTHER_PLACE, found).unwrap());
    assert_eq!((one[0].1.as_str(), &one), ("repeatable read", &other), "the statements of a piece");
}
