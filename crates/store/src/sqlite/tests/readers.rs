//! Readers: many stores in one process, closed while other threads read them; and what a reader keeps while nothing is written.

use std::thread;

use super::*;

#[tokio::test]
async fn each_store_is_read_through_its_own_connection() {
    let (one, other) = (Notes::open().await, Notes::open().await);
    one.write(1, "x").await.unwrap();
    other.write(2, "x").await.unwrap();
    assert_eq!((one.ids(), other.ids(), one.ids()), (vec![1], vec![2], vec![1]));
    drop(one);
    assert_eq!(other.ids(), [2]);
}

#[tokio::test]
async fn a_transaction_may_hold_the_last_reference_to_its_store() {
    let notes = Arc::new(Notes::open().await);
    let folder = notes.folder.clone();
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let body = notes.clone();
    let caller = tokio::spawn(async move {
        let notes = body.clone();
        let write = notes.store.write("tests.last", async move |tx| {
            let _ = wait.lock().map(|wait| wait.recv());
            let _ = &body;
            tx.run(NOTE, values![1_i64, "x"]).await
        });
        write.await
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    caller.abort();
    let _ = caller.await;
    drop(notes);
    go_on.send(()).unwrap();
    let other = Connection::open(folder.path().join(FILE)).unwrap();
    let written =
        || other.query_row("SELECT COUNT(*) FROM notes", [], |row| row.get::<_, i64>(0)).unwrap() == 1;
    let begun = Instant::now();
    while !written() {
        assert!(begun.elapsed() < Duration::from_secs(10), "the transaction still holds the store");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Reads until readers take the database for quiet.
fn read_often(notes: &Notes) {
    (0..1000).for_each(|_| drop(notes.ids()));
}

#[tokio::test]
async fn a_reader_maps_a_quiet_database() {
    let notes = Notes::open().await;
    let mapped = || notes.store.read(MAPPED, values![], |row| row.next::<i64>()).expect("a number")[0];
    assert_eq!(mapped(), 0);
    read_often(&notes);
    assert!(mapped() > 0, "nothing is written");
    for id in 1..=3 {
        notes.write(id, "x").await.expect("room");
    }
    assert_eq!(mapped(), 0);
    assert_eq!(notes.ids(), [1, 2, 3]);
}

#[tokio::test]
async fn a_reader_of_a_quiet_database_keeps_its_snapshot_until_something_is_committed() {
    let notes = Notes::open().await;
    notes.ids();
    assert_eq!(notes.store.readers.idle(), (1, 0));
    read_often(&notes);
    assert_eq!(notes.store.readers.idle(), (1, 1));
    notes.write(1, "x").await.expect("room");
    assert_eq!(notes.ids(), [1], "the next read sees what was committed");
    assert_eq!(notes.store.readers.idle(), (1, 1), "one commit does not end the quiet");
    for id in 2..=3 {
        notes.write(id, "x").await.expect("room");
    }
    assert_eq!(notes.ids(), [1, 2, 3]);
    assert_eq!(notes.store.readers.idle(), (1, 0));
}

#[tokio::test]
async fn reads_together_have_one_snapshot_also_when_a_reader_has_it_already() {
    let notes = Arc::new(Notes::open().await);
    read_often(&notes);
    let other = notes.clone();
    let together = notes.store.read_together("tests.together", &async |tx: &mut crate::ReadTx<'_>| {
        let before: Vec<i64> = tx.rows(NOTES, values![], |row| row.next()).await?;
        let writer = other.clone();
        let write = thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(writer.write(1, "x"))
        });
        write.join().expect("no panic")?;
        let after: Vec<i64> = tx.rows(NOTES, values![], |row| row.next()).await?;
        Ok::<_, Error>((before, after, other.ids()))
    });
    assert_eq!(together.expect("they are read"), (vec![], vec![], vec![1]));
    assert_eq!(notes.ids(), [1]);
}

#[tokio::test]
async fn the_log_is_emptied_although_idle_readers_have_a_snapshot() {
    let notes = Arc::new(Notes::open().await);
    let other = notes.clone();
    let reader = thread::spawn(move || read_often(&other));
    reader.join().expect("no panic");
    read_often(&notes);
    assert_eq!(notes.store.readers.idle(), (2, 2), "one for each thread");
    notes.write(1, "x").await.expect("room");
    assert!(notes.store.empty_log().await.expect("it can be asked"));
    let log = notes.folder.path().join("fieldhouse.db-wal");
    assert_eq!(std::fs::metadata(log).expect("a log").len(), 0);
    assert_eq!(notes.ids(), [1]);
}

#[tokio::test]
async fn a_failed_read_leaves_a_reader_that_can_be_used() {
    let notes = Notes::open().await;
    read_often(&notes);
    let endless = notes.store.read(ENDLESS, values![], |row| row.next::<i64>());
    assert!(endless.is_err(), "{endless:?}");
    assert_eq!(notes.ids(), [0_i64; 0]);
    notes.write(1, "x").await.expect("room");
    assert_eq!(notes.ids(), [1]);
}
