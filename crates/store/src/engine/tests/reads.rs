//! Read-only transactions.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::FutureExt as _;
use futures_util::future::try_join;

use super::*;

/// Writes a number from another thread and waits for it.
fn put_elsewhere(store: &Arc<Store>, number: i64) {
    let (store, runtime) = (store.clone(), tokio::runtime::Handle::current());
    let written = std::thread::spawn(move || {
        runtime.block_on(store.write("tests.elsewhere", async move |tx| put(tx, number).await))
    });
    written.join().expect("no panic").expect("it is written");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn queries_inside_see_one_snapshot_and_those_outside_the_newest_state() {
    for (store, _database) in both().await {
        let store = Arc::new(store);
        put_elsewhere(&store, 1);
        let read = store.read("tests.snapshot", async |tx| {
            let before = numbers(tx).await?;
            put_elsewhere(&store, before[0] + 1);
            let outside = numbers(&mut &*store).await?;
            let other = store.read("tests.inside", async |tx| numbers(tx).await).await?;
            let tx = &*tx;
            let (together, again) = try_join(numbers(&mut &*tx), numbers(&mut &*tx)).await?;
            Ok::<_, Error>([before, outside, other, together, again])
        });
        let newest = vec![1, 2];
        let name = store.engine().name();
        assert_eq!(
            read.await.unwrap(),
            [vec![1], newest.clone(), newest.clone(), vec![1], vec![1]],
            "{name}"
        );
        assert_eq!(numbers(&mut &*store).await.unwrap(), newest);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn it_ends_even_if_its_body_fails_or_panics() {
    for (store, _database) in both().await {
        let store = Arc::new(store);
        let failed: Result<()> = store
            .read("tests.fail", async |tx| {
                numbers(tx).await?;
                Err(Error::Overloaded("on purpose"))
            })
            .await;
        assert!(matches!(failed, Err(Error::Overloaded("on purpose"))));
        let panicking = store.read::<(), Error, _>("tests.panic", async |tx| {
            numbers(tx).await?;
            numbers(&mut &*store).await?;
            panic!("on purpose")
        });
        assert!(AssertUnwindSafe(panicking).catch_unwind().await.is_err());
        for number in 1..=5 {
            put_elsewhere(&store, number);
            // A connection that is still in a transaction would not see it.
            let newest = numbers(&mut &*store).await.unwrap().pop();
            assert_eq!(newest, Some(number), "{}", store.engine().name());
        }
    }
}

#[tokio::test]
async fn nothing_can_be_written_in_it() {
    for (store, _database) in both().await {
        let written = store.read("tests.write", async |tx| {
            tx.rows(PUT_BACK, values![&[1][..], 1_i64], |row| row.next::<i64>()).await
        });
        let written: Result<Vec<i64>> = written.await;
        assert!(matches!(written, Err(Error::Unavailable(_))), "{written:?}");
        assert_eq!(numbers(&mut &store).await.unwrap(), Vec::<i64>::new());
    }
}

#[tokio::test]
async fn it_has_a_deadline() {
    for (store, _database) in both().await {
        let begun = Instant::now();
        let endless: Result<()> = store
            .read("tests.endless", async |tx| {
                loop {
                    numbers(tx).await?;
                }
            })
            .await;
        assert!(matches!(endless, Err(Error::Deadline("tests.endless"))), "{endless:?}");
        assert!(begun.elapsed() < TRANSACTION_TIME * 2);
        let again: Result<_> = store.read("tests.again", async |tx| numbers(tx).await).await;
        assert_eq!(again.unwrap(), Vec::<i64>::new());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn readers_beside_a_writer_see_whole_transactions() {
    for (store, _database) in both().await {
        let store = Arc::new(store);
        let done = Arc::new(AtomicI64::new(0));
        let readers: Vec<_> = (0..4)
            .map(|_| {
                let (store, done) = (store.clone(), done.clone());
                tokio::spawn(async move {
                    let mut seen = 0;
                    while done.load(Ordering::Relaxed) == 0 || seen == 0 {
                        let read: Result<_> = store
                            .read("tests.pairs", async |tx| {
                                let first = numbers(tx).await?;
                                let tx = &*tx;
                                let others = try_join(numbers(&mut &*tx), numbers(&mut &*tx)).await?;
                                Ok((first, others))
                            })
                            .await;
                        let (first, (second, third)) = read.unwrap();
                        assert_eq!(first.iter().sum::<i64>(), 0, "a number and its opposite: {first:?}");
                        assert_eq!((&first, &first), (&second, &third));
                        seen = first.len();
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        for number in 1..=200 {
            let pair = store.write("tests.pair", async move |tx| {
                put(tx, number).await?;
                put(tx, -number).await
            });
            let pair: Result<()> = pair.await;
            pair.unwrap();
        }
        done.store(1, Ordering::Relaxed);
        for reader in readers {
            reader.await.expect("no panic");
        }
    }
}
