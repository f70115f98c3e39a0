//! Streamed rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::future::try_join_all;

use super::*;
use crate::engine::stream::{BATCH, Part, STALL_TIME};

const MANY: i64 = 100_000;
/// How many streams are read at once on either engine.
const AT_ONCE: usize = 4;

fn count(to: i64) -> Part<i64> {
    Part::new(COUNT_UP, values![to].to_vec(), |row| row.next())
}

async fn all(mut rows: Rows<i64>) -> Result<Vec<i64>> {
    let mut all = Vec::new();
    while let Some(row) = rows.next().await? {
        all.push(row);
    }
    Ok(all)
}

/// A stream of which only the first row is taken.
async fn begun(store: &Store) -> Result<Rows<i64>> {
    let mut rows = store.stream("tests.begun", vec![count(MANY)])?;
    assert_eq!(rows.next().await?, Some(1));
    Ok(rows)
}

#[tokio::test]
async fn few_of_100_000_rows_are_in_memory() {
    for (store, _database) in both().await {
        let made = Arc::new(AtomicI64::new(0));
        let counted = made.clone();
        let part = Part::new(COUNT_UP, values![MANY].to_vec(), move |row| {
            counted.fetch_add(1, Ordering::SeqCst);
            row.next::<i64>()
        });
        let mut rows = store.stream("tests.many", vec![part]).unwrap();
        let (mut taken, mut most) = (0, 0);
        while let Some(row) = rows.next().await.unwrap() {
            taken += 1;
            assert_eq!(row, taken);
            if taken % 1000 == 0 {
                // Gives the reader time to run ahead.
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            most = most.max(made.load(Ordering::SeqCst) - taken);
        }
        assert_eq!(taken, MANY);
        let batch = i64::try_from(BATCH).unwrap();
        assert!((batch..=4 * batch).contains(&most), "{most} rows on {}", store.engine().name());
    }
}

#[tokio::test]
async fn all_queries_of_a_stream_see_one_snapshot_while_others_write() {
    for (store, _database) in both().await {
        let first = store.write("tests.first", async |tx| {
            for number in 1..=250 {
                put(tx, number).await?;
            }
            Ok(())
        });
        let first: Result<()> = first.await;
        first.unwrap();
        let numbers_of = || Part::new(NUMBERS, Vec::new(), |row| row.next());
        let mut rows = store.stream("tests.snapshot", vec![numbers_of(), count(3), numbers_of()]).unwrap();
        assert_eq!(rows.next().await.unwrap(), Some(1));
        let later: Result<()> = store.write("tests.later", async |tx| put(tx, 251).await).await;
        later.unwrap();
        let expected: Vec<i64> = (2..=250).chain(1..=3).chain(1..=250).collect();
        assert_eq!(all(rows).await.unwrap(), expected, "{}", store.engine().name());
        let newer = store.stream("tests.newer", vec![numbers_of()]).unwrap();
        assert_eq!(all(newer).await.unwrap().len(), 251);
    }
}

#[tokio::test]
async fn slow_consumers_block_neither_writers_nor_readers() {
    for (store, _database) in both().await {
        let held = try_join_all((0..AT_ONCE).map(|_| begun(&store))).await.unwrap();
        let started = Instant::now();
        for number in 1..=20 {
            let written: Result<()> =
                store.write("tests.beside", async move |tx| put(tx, number).await).await;
            written.unwrap();
            assert_eq!(numbers(&mut &store).await.unwrap().pop(), Some(number));
        }
        assert!(started.elapsed() < STALL_TIME, "{:?}", started.elapsed());
        drop(held);
    }
}

#[tokio::test]
async fn a_dropped_stream_makes_room_at_once() {
    for (store, _database) in both().await {
        let started = Instant::now();
        let mut rounds = 0;
        while rounds < 5 {
            let held = try_join_all((0..AT_ONCE).map(|_| begun(&store))).await.unwrap();
            let waiting = store.stream("tests.waiting", vec![count(10)]).unwrap();
            drop(held);
            assert_eq!(all(waiting).await.unwrap().len(), 10);
            rounds += 1;
        }
        assert!(started.elapsed() < STALL_TIME * 5, "no stream had to be cut off first");
    }
}

#[tokio::test]
async fn a_stream_whose_rows_are_not_taken_in_time_ends_with_an_error() {
    for (store, _database) in both().await {
        let held = try_join_all((0..AT_ONCE).map(|_| begun(&store))).await.unwrap();
        tokio::time::sleep(STALL_TIME + Duration::from_millis(500)).await;
        let next = store.stream("tests.next", vec![count(5)]).unwrap();
        assert_eq!(all(next).await.unwrap().len(), 5, "there is room again");
        for rows in held {
            let cut = all(rows).await;
            assert!(matches!(cut, Err(Error::Deadline("tests.begun"))), "{:?}", cut.map(|rows| rows.len()));
        }
    }
}

#[tokio::test]
async fn a_stream_that_fails_or_panics_returns_an_error_and_the_next_one_works() {
    for (store, _database) in both().await {
        let part = |fails: bool| {
            Part::new(COUNT_UP, values![1000_i64].to_vec(), move |row| match row.next::<i64>()? {
                500 if fails => Err(Error::Overloaded("on purpose")),
                500 => panic!("on purpose"),
                number => Ok(number),
            })
        };
        for _ in 0..=AT_ONCE {
            let failed = all(store.stream("tests.fails", vec![part(true)]).unwrap()).await;
            assert!(matches!(failed, Err(Error::Overloaded("on purpose"))));
            assert!(all(store.stream("tests.panics", vec![part(false)]).unwrap()).await.is_err());
        }
        let faulty = store.stream("tests.faulty", vec![Part::new(COUNT_UP, Vec::new(), |row| row.next())]);
        assert!(all(faulty.unwrap()).await.is_err(), "a value is missing");
        let next = store.stream("tests.next", vec![count(5)]).unwrap();
        assert_eq!(all(next).await.unwrap(), [1, 2, 3, 4, 5], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn too_many_waiting_streams_are_refused() {
    for (store, _database) in both().await {
        let held = try_join_all((0..AT_ONCE).map(|_| begun(&store))).await.unwrap();
        // SQLite's queue is full; on PostgreSQL the wait for a connection times out.
        let mut refused = None;
        let mut waiting = Vec::new();
        for _ in 0..100 {
            match store.stream("tests.waiting", vec![count(1)]) {
                Ok(rows) => waiting.push(rows),
                Err(error) => refused = Some(error),
            }
        }
        if store.engine() == Engine::Postgres {
            refused = waiting[0].next().await.err();
        }
        assert!(matches!(refused, Some(Error::Overloaded(_))), "{refused:?}");
        drop((held, waiting));
        let (dropped, mut next) = (Instant::now(), store.stream("tests.next", vec![count(5)]));
        while next.is_err() && dropped.elapsed() < STALL_TIME {
            tokio::time::sleep(Duration::from_millis(1)).await;
            next = store.stream("tests.next", vec![count(5)]);
        }
        let next = next.expect("dropped streams make room");
        assert_eq!(all(next).await.unwrap().len(), 5);
    }
}

#[tokio::test]
async fn closing_a_store_cuts_off_its_streams() {
    for (store, _database) in both().await {
        let rows = begun(&store).await.unwrap();
        let engine = store.engine();
        let started = Instant::now();
        drop(store);
        assert!(started.elapsed() < STALL_TIME, "closing does not wait until the rows are taken");
        if engine == Engine::Sqlite {
            assert!(all(rows).await.is_err());
        }
    }
}
