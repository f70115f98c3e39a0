//! Many stores in one process, closed while other threads read them.

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
async fn a_thread_lets_go_of_stores_that_were_closed_elsewhere() {
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
async fn the_last_hold_on_a_store_may_be_a_transaction_of_its_own() {
    let notes = Arc::new(Notes::open().await);
    let (gone, is_gone) = mpsc::channel::<()>();
    let (go_on, wait) = mpsc::channel::<()>();
    let wait = std::sync::Mutex::new(wait);
    let body = (notes.clone(), gone);
    let caller = tokio::spawn(async move {
        let store = body.0.clone();
        let write = store.store.write("tests.last", async move |_| {
            let _ = wait.lock().map(|wait| wait.recv());
            let _ = &body;
            Ok::<_, Error>(())
        });
        write.await
    });
    tokio::time::sleep(Duration::from_millis(50)).await;
    caller.abort();
    let _ = caller.await;
    drop(notes);
    go_on.send(()).unwrap();
    // Told by the channel's end, when the body and with it the store are gone.
    assert_eq!(is_gone.recv_timeout(Duration::from_secs(10)), Err(mpsc::RecvTimeoutError::Disconnected));
}
