//! Read transactions: round trips, sessions that end, and dropped futures.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::Poll;
use std::time::Duration;

use futures_util::future::{try_join, try_join3};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::engine::{ReadTx, Tx};

/// The delay of a slow proxy in each direction.
const DELAY: Duration = Duration::from_millis(100);

/// A TCP proxy to the server that can be made slow.
struct Proxy {
    url: String,
    slow: Arc<AtomicBool>,
}

impl Proxy {
    async fn to(url: &str) -> Self {
        let config: tokio_postgres::Config = url.parse().expect("an address");
        let port = config.get_ports()[0];
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let own = listener.local_addr().expect("an address").port();
        let slow = Arc::new(AtomicBool::new(false));
        let is_slow = slow.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(("127.0.0.1", port)).await.expect("the server");
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(forward(from_client, to_server, is_slow.clone()));
                tokio::spawn(forward(from_server, to_client, is_slow.clone()));
            }
        });
        Self { url: url.replace(&format!(":{port}"), &format!(":{own}")), slow }
    }
}

async fn forward(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, is_slow: Arc<AtomicBool>) {
    let (sender, mut arriving) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut buffer = vec![0; 65_536];
        while let Ok(read @ 1..) = from.read(&mut buffer).await {
            let delay = if is_slow.load(Ordering::Relaxed) { DELAY } else { Duration::ZERO };
            let _ = sender.send((tokio::time::Instant::now() + delay, buffer[..read].to_vec()));
        }
    });
    while let Some((due, bytes)) = arriving.recv().await {
        tokio::time::sleep_until(due).await;
        if to.write_all(&bytes).await.is_err() {
            break;
        }
    }
}

async fn count(tx: &ReadTx<'_>) -> Result<Vec<i64>> {
    (&*tx).rows(COUNT, values![], |row| row.next()).await
}

#[tokio::test]
async fn queries_that_are_awaited_together_take_one_round_trip_with_begin_and_commit() {
    let database = databases::postgres();
    let (url, authority) = database.url_by_tls().expect("an address");
    let proxy = Proxy::to(&url).await;
    let postgres = Postgres::connect(&proxy.url, Some(&authority), 1).await.expect("a pool");
    let together = async |tx: &mut ReadTx<'_>| {
        let tx = &*tx;
        try_join3(count(tx), count(tx), count(tx)).await
    };
    postgres.read_together("tests.prepare", &together).await.unwrap();
    proxy.slow.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    postgres.read_together("tests.together", &together).await.unwrap();
    let took = begun.elapsed();
    assert!(took >= DELAY * 2 && took < DELAY * 4, "one round trip: {took:?}");

    let isolated = async |tx: &mut ReadTx<'_>| -> Result<_> {
        let shown = async |name| (&*tx).rows(SETTING, values![name], |row| row.next::<String>()).await;
        let names = ["transaction_isolation", "transaction_read_only", "transaction_isolation"];
        try_join3(shown(names[0]), shown(names[1]), shown(names[2])).await
    };
    let (isolation, read_only, _) = postgres.read_together("tests.settings", &isolated).await.unwrap();
    assert_eq!((isolation.concat(), read_only.concat()), ("repeatable read".to_owned(), "on".to_owned()));
}

#[tokio::test]
async fn a_transaction_that_writes_begins_in_one_round_trip_with_its_first_query() {
    let database = databases::postgres();
    let (url, authority) = database.url_by_tls().expect("an address");
    let proxy = Proxy::to(&url).await;
    let postgres = Postgres::connect(&proxy.url, Some(&authority), 1).await.expect("a pool");
    let isolation = async || {
        let shown = async |tx: &mut Tx<'_>| {
            tx.rows(SETTING, values!["transaction_isolation"], |row| row.next::<String>()).await
        };
        postgres.write("tests.isolation", shown).await
    };
    isolation().await.unwrap();
    proxy.slow.store(true, Ordering::Relaxed);
    let begun = Instant::now();
    assert_eq!(isolation().await.unwrap(), ["serializable"]);
    let took = begun.elapsed();
    assert!(took >= DELAY * 4 && took < DELAY * 6, "and another one for COMMIT: {took:?}");
    let begun = Instant::now();
    postgres.write("tests.nothing", async |_: &mut Tx<'_>| Ok::<_, Error>(())).await.unwrap();
    assert!(begun.elapsed() < DELAY, "nothing is sent");
}

#[tokio::test]
async fn it_is_run_again_if_its_session_ends() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let runs = AtomicU32::new(0);
    let killed = async |tx: &mut ReadTx<'_>| -> Result<_> {
        if runs.fetch_add(1, Ordering::Relaxed) == 0 {
            tx.rows(KILL, values![], |row| row.next::<bool>()).await?;
        }
        count(tx).await
    };
    assert_eq!(postgres.read_together("tests.kill", &killed).await.unwrap(), [0]);
    assert_eq!(runs.into_inner(), 2);
}

/// Polls a future a number of times, then drops it.
async fn poll_times<F: Future>(future: F, times: u32) -> Option<F::Output> {
    let mut future = std::pin::pin!(future);
    let mut polls = 0;
    std::future::poll_fn(|context| {
        polls += 1;
        match future.as_mut().poll(context) {
            Poll::Pending if polls == times => Poll::Ready(None),
            polled => polled.map(Some),
        }
    })
    .await
}

#[tokio::test]
async fn it_can_be_dropped_at_any_await_and_the_pool_stays_clean() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let body = async |tx: &mut ReadTx<'_>| -> Result<_> {
        count(tx).await?;
        try_join(count(tx), count(tx)).await?;
        count(tx).await
    };
    let (mut dropped, mut finished) = (0, 0);
    for times in 1.. {
        match poll_times(postgres.read_together("tests.drop", &body), times).await {
            Some(read) => {
                read.unwrap();
                finished += 1;
            }
            None => dropped += 1,
        }
        let values = values!["transaction_read_only"];
        let read_only = postgres.read(SETTING, values, |row| row.next::<String>()).await.unwrap();
        assert_eq!(read_only, ["off"], "no transaction is open after {times} polls");
        if finished == 3 {
            break;
        }
    }
    assert!(dropped >= 2, "{dropped}");
    let sessions = postgres.read(SESSIONS, values![], |row| row.next::<i64>()).await.unwrap();
    assert_eq!(sessions, [1], "the pool has one session");
}
