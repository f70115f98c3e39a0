//! Readers: many stores in one process, closed while other threads read them; and what a reader maps.

use std::thread;

use super::super::readers::READERS;
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
async fn a_thread_drops_its_readers_of_closed_stores() {
    let (one, other) = (Notes::open().await, Arc::new(Notes::open().await));
    let one = Arc::new(one);
    let (read, has_read) = mpsc::channel::<()>();
    let (close, closed) = mpsc::channel::<()>();
    let on_thread = (one.clone(), other.clone());
    let reader = thread::spawn(move || {
        let (one, other) = on_thread;
        one.ids();
        drop(one);
        read.send(()).unwrap();
        closed.recv().unwrap();
        let before = READERS.with_borrow(Vec::len);
        other.ids();
        (before, READERS.with_borrow(Vec::len))
    });
    has_read.recv().unwrap();
    one.write(1, "x").await.unwrap();
    drop(one);
    close.send(()).unwrap();
    assert_eq!(
        reader.join().expect("no panic"),
        (1, 1),
        "the closed store's reader made room for the other's"
    );
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

#[tokio::test]
async fn a_reader_maps_a_quiet_database() {
    let notes = Notes::open().await;
    let mapped = || notes.store.read(MAPPED, values![], |row| row.next::<i64>()).expect("a number")[0];
    assert_eq!(mapped(), 0);
    (0..1000).for_each(|_| drop(notes.ids()));
    assert!(mapped() > 0, "nothing is written");
    for id in 1..=3 {
        notes.write(id, "x").await.expect("room");
    }
    assert_eq!(mapped(), 0);
    assert_eq!(notes.ids(), [1, 2, 3]);
}
