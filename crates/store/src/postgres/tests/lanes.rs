//! Single reads that share connections.

use std::sync::Arc;

use futures_util::future::{join_all, try_join_all};
use tokio::net::TcpListener;

use super::super::lanes::{HELD_UP, MAX_READS, RETRY_AFTER};
use super::*;

queries! {
    ECHO "tests.lanes.echo" "SELECT CAST($1 AS TEXT), CAST(pg_backend_pid() AS BIGINT)";
    PAUSE "tests.lanes.pause" "SELECT CAST(pg_backend_pid() AS BIGINT) FROM (SELECT pg_sleep(CAST(CAST($1 AS TEXT) AS INTEGER))) AS paused";
    FAIL "tests.lanes.fail" "SELECT 1 / (LENGTH($1) - 1)";
    PREPARED "tests.lanes.prepared" "SELECT CAST(COUNT(*) AS BIGINT) FROM pg_prepared_statements WHERE statement = $1";
    TERMINATE "tests.lanes.terminate" "SELECT pg_terminate_backend(CAST(CAST($1 AS TEXT) AS INTEGER))";
}

async fn echo(postgres: &Postgres, text: &str) -> Result<(String, i64)> {
    let rows = postgres.read(ECHO, values![text], |row| Ok((row.next()?, row.next()?))).await?;
    Ok(rows.into_iter().next().expect("a row"))
}

/// Reads `count` times at once, and returns the processes of the server that responded.
pub(super) async fn processes(postgres: &Postgres, count: usize) -> Vec<i64> {
    let texts: Vec<String> = (0..count).map(|number| format!("text {number}")).collect();
    let read = try_join_all(texts.iter().map(|text| echo(postgres, text))).await.expect("rows");
    let mut processes = Vec::new();
    for (text, (read, process)) in texts.iter().zip(read) {
        assert_eq!(*text, read, "its own row");
        processes.push(process);
    }
    processes.sort_unstable();
    processes.dedup();
    processes
}

fn tls() -> MakeRustlsConnect {
    MakeRustlsConnect::new(tls::client(None).expect("certificates"))
}

/// Reads for a number of seconds, and returns the process of the server.
async fn pause(postgres: &Postgres, seconds: &str) -> Result<i64> {
    Ok(postgres.read(PAUSE, values![seconds], |row| row.next()).await?[0])
}

/// The processes of both lanes. A lane whose last read was given up is busy until the server has run it.
pub(super) async fn both_lanes(postgres: &Postgres) -> Vec<i64> {
    for _ in 0..200 {
        let lanes = processes(postgres, 2).await;
        if lanes.len() == 2 {
            return lanes;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("one of the lanes is still busy");
}

/// A store with two lanes that are open and know the statements, and two connections for transactions.
pub(super) async fn with_two_lanes(database: &Database) -> (Postgres, Vec<i64>) {
    let postgres = open(database, 4).await;
    postgres.open_lanes().await;
    both_lanes(&postgres).await;
    let lanes = both_lanes(&postgres).await;
    (postgres, lanes)
}

#[tokio::test]
async fn reads_share_the_lanes_until_they_are_full() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    assert_eq!(processes(&postgres, 2 * MAX_READS).await, lanes);
    let others = processes(&postgres, 2 * MAX_READS + 2).await;
    assert!(others.len() > 2 && lanes.iter().all(|lane| others.contains(lane)), "{others:?}");

    let held = [postgres.connection().await.expect("one"), postgres.connection().await.expect("two")];
    assert_eq!(processes(&postgres, 2).await, lanes, "transactions do not keep reads waiting");
    drop(held);
}

#[tokio::test]
async fn a_store_has_one_session_until_it_reads_or_serves_and_then_lanes_that_prepare_a_statement_once() {
    let database = databases::postgres();
    let (postgres, watcher) = (open(&database, 4).await, open(&database, 1).await);
    let sessions =
        async || watcher.read(SESSIONS, values![], |row| row.next::<i64>()).await.expect("a number");
    assert_eq!(sessions().await, [2], "with the watcher's");
    postgres.open_lanes().await;
    assert_eq!(sessions().await, [4]);
    postgres.open_lanes().await;
    assert_eq!(sessions().await, [4], "no more than there are");

    processes(&postgres, 2 * MAX_READS).await;
    let count = async |_| postgres.read(PREPARED, values![ECHO.sql], |row| row.next::<i64>()).await;
    let counts = try_join_all((0..2).map(count)).await.expect("rows");
    // Not exactly once: on a busy machine a read may leave its lane for a connection that does not know the statement.
    assert!(counts.iter().all(|count| count[0] <= 1), "{counts:?}");
}

#[tokio::test]
async fn lanes_that_cannot_be_opened_leave_reads_to_the_other_connections() {
    let database = databases::postgres();
    let mut postgres = open(&database, 2).await;
    let nowhere = "postgres://127.0.0.1:1".parse().expect("an address");
    postgres.lanes = Lanes::new(pool(nowhere, tls(), SETTINGS, 1).expect("a pool"));
    postgres.open_lanes().await;
    assert_eq!(processes(&postgres, 8).await.len(), 1);
}

#[tokio::test]
async fn a_lane_that_cannot_be_opened_is_tried_again_only_after_a_pause() {
    let database = databases::postgres();
    let mut postgres = open(&database, 2).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let tries = Arc::new(AtomicU32::new(0));
    let counted = tries.clone();
    let refusing = tokio::spawn(async move {
        while let Ok((connection, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            drop(connection);
        }
    });
    let refused = format!("postgres://127.0.0.1:{port}?sslmode=disable").parse().expect("an address");
    postgres.lanes = Lanes::new(pool(refused, tls(), SETTINGS, 1).expect("a pool"));
    let begun = Instant::now();
    for _ in 0..3 {
        processes(&postgres, 8).await;
    }
    let first = tries.load(Ordering::Relaxed);
    let most = 1 + begun.elapsed().as_millis() / RETRY_AFTER.as_millis();
    assert!(first > 0 && u128::from(first) <= most, "{first} attempts, at most {most}");
    tokio::time::sleep(RETRY_AFTER).await;
    processes(&postgres, 1).await;
    assert_eq!(tries.load(Ordering::Relaxed), first + 1);
    refusing.abort();
}

#[tokio::test]
async fn one_connection_is_no_lane_and_the_lanes_count_as_connections() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    processes(&postgres, 40).await;
    assert_eq!(postgres.read(SESSIONS, values![], |row| row.next::<i64>()).await.unwrap(), [1]);
    drop(postgres);
    let postgres = open(&database, 6).await;
    processes(&postgres, 100).await;
    let sessions = postgres.read(SESSIONS, values![], |row| row.next::<i64>()).await.unwrap();
    assert!(sessions[0] <= 6, "{sessions:?}");
}

#[tokio::test]
async fn an_error_is_only_that_of_its_own_read() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let failing = join_all((0..4).map(async |_| postgres.read(FAIL, values!["1"], |_| Ok(())).await));
    let (failed, read) = join(failing, processes(&postgres, 8)).await;
    assert!(failed.iter().all(|read| matches!(read, Err(Error::Internal(_)))), "{failed:?}");
    assert_eq!(read, lanes);
}

#[tokio::test]
async fn a_slow_read_holds_up_others_only_for_the_limit() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    try_join_all((0..2).map(|_| pause(&postgres, "0"))).await.expect("both lanes know the statement");
    let begun = Instant::now();
    let behind = async {
        let read = processes(&postgres, 8).await;
        let waited = begun.elapsed();
        let then = Instant::now();
        let later = processes(&postgres, 8).await;
        (read, waited, later, then.elapsed())
    };
    let (slow, (read, waited, later, then)) = join(pause(&postgres, "2"), behind).await;
    assert!(waited >= HELD_UP && waited < Duration::from_secs(2), "{waited:?}");
    let (shared, others): (Vec<_>, Vec<_>) = read.into_iter().partition(|process| lanes.contains(process));
    assert!(
        shared.len() == 1 && !others.is_empty(),
        "those behind it were run again: {shared:?} and {others:?}"
    );
    assert!(later == shared && then < Duration::from_secs(2), "{later:?}, {then:?}");
    assert!(!lanes.contains(&slow.expect("a row")), "it does not keep the lane after it has ended");
}

#[tokio::test]
async fn a_dropped_read_leaves_its_lane_busy_until_the_server_is_done() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let dropped = tokio::time::timeout(HELD_UP / 2, pause(&postgres, "2"));
    assert!(dropped.await.is_err());
    tokio::time::sleep(HELD_UP).await;
    let begun = Instant::now();
    assert_eq!(processes(&postgres, 8).await.len(), 1, "only the other lane");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(processes(&postgres, 8).await, lanes, "it is used again");
}

#[tokio::test]
async fn a_lane_whose_session_ended_is_replaced_and_its_reads_are_run_again() {
    let database = databases::postgres();
    let (postgres, lanes) = with_two_lanes(&database).await;
    let reading = pause(&postgres, "2");
    let ending = async {
        for lane in &lanes {
            let process = lane.to_string();
            let ended = postgres.connection().await?.rows(TERMINATE.sql, values![&process]).await?;
            assert_eq!(ended.read(TERMINATE, |row| row.next::<bool>())?, [true], "{lane}");
        }
        Ok(())
    };
    let (read, ended): (_, Result<()>) = join(reading, ending).await;
    ended.expect("they are ended");
    assert!(!lanes.contains(&read.expect("a row")), "it was run again");
    for _ in 0..2 {
        processes(&postgres, 2).await;
    }
    let now = processes(&postgres, 2).await;
    assert!(now.len() == 2 && now.iter().all(|process| !lanes.contains(process)), "{now:?}");
    assert_eq!(
        postgres.read(SETTING, values!["statement_timeout"], |row| row.next::<String>()).await.unwrap(),
        ["10s"]
    );
}

#[tokio::test]
async fn the_sessions_of_a_store_end_with_it() {
    let database = databases::postgres();
    let (postgres, _) = with_two_lanes(&database).await;
    drop(postgres);
    let watcher = open(&database, 1).await;
    let begun = Instant::now();
    while watcher.read(SESSIONS, values![], |row| row.next::<i64>()).await.unwrap() != [1] {
        assert!(begun.elapsed() < Duration::from_secs(5));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
