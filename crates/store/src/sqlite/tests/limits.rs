//! Limits on time, on the queue and on the write-ahead log.

use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::join_all;

use super::*;

#[tokio::test]
async fn a_statement_that_takes_too_long_is_interrupted() {
    let notes = Notes::open().await;
    let endless = notes.store.read(ENDLESS, values![], |row| row.next::<i64>());
    assert!(matches!(endless, Err(Error::Timeout)), "{endless:?}");
    assert_eq!(notes.ids(), Vec::<i64>::new(), "the reader still works");
    let endless = notes.store.write("tests.endless", async |tx| {
        tx.run(NOTE, values![1_i64, "x"]).await?;
        tx.rows(ENDLESS, values![], |row| row.next::<i64>()).await
    });
    let endless = endless.await;
    assert!(matches!(endless, Err(Error::Timeout)), "{endless:?}");
    notes.write(2, "x").await.expect("the writer still works");
    assert_eq!(notes.ids(), [2]);
}

#[tokio::test]
async fn a_deadline_applies_to_its_statement_only() {
    let notes = Notes::open().await;
    notes.write(1, "x").await.unwrap();
    tokio::time::sleep(STATEMENT_TIME * 2).await;
    // Enough transactions that SQLite checks the clock while it begins and ends them.
    for _ in 0..10 {
        let idle = join_all((0..1000).map(|_| notes.store.write("tests.idle", async |_| Ok::<_, Error>(()))));
        assert!(idle.await.iter().all(Result::is_ok));
    }
    assert_eq!(DEADLINE.get(), None);
}

#[tokio::test]
async fn writes_above_the_limit_of_the_queue_are_refused() {
    let notes = Notes::open().await;
    let (held, go_on) = notes.hold();
    let too_many = 50;
    let most = i64::try_from(queue::QUEUE).unwrap();
    let writes = join_all((1..=most + too_many).map(|id| notes.write(id, "x")));
    let release = async { drop(go_on) };
    let (held, written, ()) = tokio::join!(held, writes, release);
    held.unwrap();
    let refused = written.iter().filter(|written| matches!(written, Err(Error::Overloaded(_)))).count();
    let kept = written.iter().filter(|written| written.is_ok()).count();
    // The write that holds the writer may still have been in the queue when the first one was added.
    assert!((50..=51).contains(&refused), "{refused}");
    assert_eq!((kept + refused, notes.ids().len()), (written.len(), kept));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn the_write_ahead_log_stays_small_under_constant_load() {
    let notes = Arc::new(Notes::open().await);
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (notes, done) = (notes.clone(), done.clone());
            std::thread::spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    notes.ids();
                }
            })
        })
        .collect();
    let text = "x".repeat(2000);
    let mut largest = 0;
    for round in 0..120 {
        let written = join_all((0..250).map(|at| notes.write(round * 250 + at, &text))).await;
        assert!(written.iter().all(Result::is_ok));
        largest =
            largest.max(std::fs::metadata(notes.folder.path().join("fieldhouse.db-wal")).unwrap().len());
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        reader.join().expect("no reader panics");
    }
    assert!(largest < 24 << 20, "60 MB were written; log {largest}");
}

#[tokio::test]
async fn a_transaction_whose_turn_comes_too_late_fails_and_never_runs() {
    let notes = Notes::open().await;
    let (held, go_on) = notes.hold();
    let late = async {
        let late = notes.write(1, "x").await;
        drop(go_on);
        late
    };
    let (held, late) = tokio::join!(held, late);
    held.expect("statements of migrations have no deadline");
    assert!(matches!(late, Err(Error::Deadline("tests.note"))), "{late:?}");
    notes.write(2, "x").await.expect("the writer still works");
    assert_eq!(notes.ids(), [2]);
}

#[tokio::test]
async fn a_finished_transaction_does_not_wait_for_all_later_ones() {
    let notes = Notes::open().await;
    let slow = async |id: i64| {
        let slow = notes.store.write("tests.slow", async move |tx| {
            std::thread::sleep(Duration::from_millis(100));
            tx.run(NOTE, values![id, "x"]).await
        });
        slow.await.expect("it is committed");
        Instant::now()
    };
    let begun = Instant::now();
    let done = join_all((1..=12).map(slow)).await;
    let first = done[0] - begun;
    assert!(first < Duration::from_secs(1) && begun.elapsed() >= Duration::from_millis(1200), "{first:?}");
    assert_eq!(notes.ids().len(), 12);
}
