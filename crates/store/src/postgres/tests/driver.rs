//! Connections: where they lead, and what is sent and received on them.

use std::sync::Arc;

use bytes::Bytes;
use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};

use super::super::messages::{Piece, Response};
use super::super::wire::{Outbox, carry};
use super::*;

queries! {
    REPEAT "tests.driver.repeat" "SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT)";
    NOTHING "tests.driver.nothing" "SELECT CAST($1 AS TEXT) WHERE 1 = 2";
    NUMBER "tests.driver.number" "SELECT CAST(1 AS INTEGER)";
    ODD "tests.driver.odd" "SELECT CAST(ROW('x') AS odd)";
    TAKES_ODD "tests.driver.takes_odd" "SELECT COUNT(*) FROM (SELECT CAST($1 AS odd)) AS taken";
    STATEMENTS "tests.driver.statements" "SELECT COUNT(*) FROM pg_prepared_statements";
}

/// The address of a database with other settings, which may name more hosts.
fn address(database: &Database, before: &[(&str, u16)], settings: &str) -> String {
    let config: tokio_postgres::Config = database.url().expect("an address").parse().expect("one");
    let tokio_postgres::config::Host::Unix(folder) = &config.get_hosts()[0] else {
        panic!("the tests use a socket")
    };
    let mut hosts: Vec<_> = before.iter().map(|(host, port)| ((*host).to_owned(), *port)).collect();
    hosts.push((folder.display().to_string(), config.get_ports()[0]));
    let (hosts, ports): (Vec<_>, Vec<_>) =
        hosts.into_iter().map(|(host, port)| (host, port.to_string())).unzip();
    let name = config.get_dbname().expect("a name");
    format!("host={} port={} user=postgres dbname={name} {settings}", hosts.join(","), ports.join(","))
}

/// Why a server cannot be used.
async fn reason(url: &str) -> String {
    let refused = Postgres::connect(url, None, 1).await.map(drop).expect_err("no connection");
    refused.to_string().strip_prefix("the database cannot be used: ").expect("it is unavailable").to_owned()
}

#[tokio::test]
async fn hosts_are_tried_until_one_can_be_used() {
    let database = databases::postgres();
    let url = address(&database, &[("127.0.0.1", 1), ("no-such-host.invalid", 1)], "");
    let postgres = Postgres::connect(&url, None, 1).await.expect("the last one");
    assert_eq!(postgres.read(COUNT, values![], |row| row.next::<i64>()).await.unwrap(), [0]);
    let any = address(&database, &[("127.0.0.1", 1)], "load_balance_hosts=random connect_timeout=5");
    Postgres::connect(&any, None, 1).await.expect("either order");
}

#[tokio::test]
async fn an_address_whose_parts_do_not_belong_together_is_refused() {
    for (settings, reason) in [
        ("user=postgres", "it names no host"),
        ("host=a,b hostaddr=127.0.0.1", "it has 2 hosts and 1 addresses of hosts"),
        ("host=a,b port=1,2,3", "it has 2 hosts and 3 ports"),
    ] {
        let refused = self::reason(settings).await;
        assert_eq!(refused, format!("the database address: {reason}"));
    }
}

#[tokio::test]
async fn a_server_that_cannot_do_what_the_address_asks_for_is_not_used() {
    let database = databases::postgres();
    let only = |attribute: &str| format!("target_session_attrs={attribute}");
    let url = address(&database, &[], &only("read-write"));
    Postgres::connect(&url, None, 1).await.expect("it allows writes");
    let refused = reason(&address(&database, &[], &only("read-only"))).await;
    assert!(refused.contains("not read-only"), "{refused}");
    let standby = "options='-c default_transaction_read_only=on'";
    let refused = reason(&address(&database, &[], &format!("{} {standby}", only("read-write")))).await;
    assert!(refused.contains("does not allow writes"), "{refused}");
    let url = address(&database, &[], &format!("{} {standby}", only("read-only")));
    Postgres::connect(&url, None, 1).await.expect("it is read-only");
}

#[tokio::test]
async fn a_wrong_password_is_refused_with_the_reason() {
    let database = databases::postgres();
    let (url, authority) = database.url_by_tls().expect("an address");
    let config: tokio_postgres::Config = url.parse().expect("one");
    let password = String::from_utf8_lossy(config.get_password().expect("one")).into_owned();
    let wrong = url.replace(&password, "wrong");
    let refused = Postgres::connect(&wrong, Some(&authority), 1).await.map(drop).unwrap_err();
    let text = refused.to_string();
    assert!(text.contains("password authentication failed") && text.contains("28P01"), "{text}");
    assert!(!text.contains(&password), "{text}");
}

#[tokio::test]
async fn what_is_sent_and_received_may_be_larger_than_any_buffer() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let text = "x".repeat(100_000);
    let rows: Vec<_> = (0..200_i64).map(|number| values![&text, number].to_vec()).collect();
    let all: Vec<&[Value<'_>]> = rows.iter().map(Vec::as_slice).collect();
    let mut tx = postgres.begin_reading().await.unwrap();
    let read = tx.fetch_each(REPEAT, &all).await.unwrap();
    for (number, rows) in (0..).zip(&read) {
        let same = rows.read(REPEAT, |row| Ok(*row.text()? == *text && row.next::<i64>()? == number));
        assert_eq!(same.unwrap(), [true]);
    }
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn values_and_columns_of_another_number_or_type_are_refused() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let none = postgres.read(NOTHING, values!["x"], |row| row.next::<String>()).await.unwrap();
    assert!(none.is_empty());
    let too_many = postgres.read(NOTHING, values!["x", "y"], |row| row.next::<String>()).await;
    assert!(matches!(&too_many, Err(Error::Internal(text)) if text.contains('2')), "{too_many:?}");
    let other = postgres.read(NUMBER, values![], |row| row.next::<i64>()).await;
    assert!(matches!(&other, Err(Error::Corrupt { reason, .. }) if reason.contains("int4")), "{other:?}");
    let beyond = postgres.read(NUMBER, values![], |row| {
        row.skip(1);
        row.next::<i64>()
    });
    assert!(matches!(beyond.await, Err(Error::Corrupt { .. })));
}

#[tokio::test]
async fn types_of_a_database_are_neither_read_nor_taken() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    postgres.connection().await.unwrap().run_all("CREATE TYPE odd AS (field TEXT)").await.unwrap();
    let odd = postgres.read(ODD, values![], |row| row.next::<String>()).await;
    assert!(matches!(&odd, Err(Error::Corrupt { reason, .. }) if reason.contains("type")), "{odd:?}");
    let taken = postgres.read(TAKES_ODD, values!["(x)"], |row| row.next::<i64>()).await;
    assert!(matches!(&taken, Err(Error::Internal(text)) if text.contains("parameter")), "{taken:?}");
}

#[tokio::test]
async fn a_transaction_begins_even_if_its_first_query_could_not_be_sent() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let mut tx = postgres.begin_reading().await.unwrap();
    let unsent = tx.rows(NOTHING, values![], |row| row.next::<String>()).await;
    assert!(matches!(unsent, Err(Error::Internal(_))), "{unsent:?}");
    let isolation = tx.rows(SETTING, values!["transaction_isolation"], |row| row.next::<String>()).await;
    assert_eq!(isolation.unwrap(), ["read committed"], "and not the isolation of a single statement");
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_connection_with_an_open_transaction_is_not_used_again() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    postgres.connection().await.unwrap().run_all("BEGIN READ ONLY").await.unwrap();
    let read_only =
        postgres.read(SETTING, values!["transaction_read_only"], |row| row.next::<String>()).await;
    assert_eq!(read_only.unwrap(), ["off"]);
}

/// A connection to a server that a test plays.
fn played() -> (Arc<Outbox>, tokio::task::JoinHandle<Failure>, DuplexStream) {
    let (ours, server) = tokio::io::duplex(65_536);
    let outbox = Arc::new(Outbox::new());
    let carrier = tokio::spawn(carry(Box::new(ours), outbox.clone()));
    (outbox, carrier, server)
}

fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 4).expect("a short message");
    [&[tag], &length.to_be_bytes()[..], body].concat()
}

fn fatal(code: &str) -> Vec<u8> {
    message(b'E', format!("SFATAL\0C{code}\0Mended\0\0").as_bytes())
}

async fn failed(receipt: super::super::wire::Receipt) -> Failure {
    receipt.response().await.expect_err("a failure")
}

#[tokio::test]
async fn no_one_waits_for_a_connection_that_nothing_carries() {
    let (outbox, carrier, _server) = played();
    let waiting = outbox.send(Piece::simple("SELECT 1").unwrap());
    tokio::task::yield_now().await;
    carrier.abort();
    assert!(failed(waiting).await.can_retry());
    assert!(outbox.is_closed());
    assert!(failed(outbox.send(Piece::simple("SELECT 2").unwrap())).await.can_retry());
}

#[tokio::test]
async fn an_error_that_ends_an_idle_session_is_not_that_of_the_next_piece() {
    let (outbox, carrier, mut server) = played();
    server.write_all(&fatal("25P03")).await.unwrap();
    let next = outbox.send(Piece::simple("SELECT 1").unwrap());
    assert_eq!(carrier.await.unwrap().code().unwrap().code(), "25P03");
    assert!(matches!(failed(next).await, Failure::Lost(_)));
}

#[tokio::test]
async fn what_has_arrived_before_a_session_ends_is_given_to_those_who_wait() {
    let (outbox, carrier, mut server) = played();
    let receipts: Vec<_> = (0..3).map(|_| outbox.send(Piece::simple("SELECT 1").unwrap())).collect();
    server.read_exact(&mut [0; 10]).await.unwrap();
    let done = [message(b'S', b"a\0b\0"), message(b'C', b"SELECT 1\0"), message(b'Z', b"I")].concat();
    server.write_all(&[done, fatal("57P01")].concat()).await.unwrap();
    drop(server);
    let mut receipts = receipts.into_iter();
    receipts.next().unwrap().response().await.expect("it was run");
    let ended = failed(receipts.next().unwrap()).await;
    assert!(ended.can_retry() && ended.code().unwrap().code() == "57P01", "{ended:?}");
    assert!(matches!(failed(receipts.next().unwrap()).await, Failure::Lost(_)));
    assert_eq!(carrier.await.unwrap().code().unwrap().code(), "57P01");
}

#[tokio::test]
async fn a_response_to_nothing_and_half_a_message_end_the_connection() {
    let (outbox, carrier, mut server) = played();
    server.write_all(&message(b'Z', b"I")).await.unwrap();
    assert!(matches!(carrier.await.unwrap(), Failure::Internal(_)));
    assert!(outbox.is_closed());
    let (outbox, carrier, mut server) = played();
    server.write_all(&[b'D', 0, 0, 0, 1]).await.unwrap();
    assert!(matches!(carrier.await.unwrap(), Failure::Internal(_)));
    assert!(outbox.is_closed());
}

#[tokio::test]
async fn callers_that_want_a_statement_at_the_same_time_prepare_it_once() {
    let database = databases::postgres();
    let postgres = open(&database, 1).await;
    let connection = postgres.connection().await.unwrap();
    let (one, other) = join(connection.prepared(REPEAT), connection.prepared(REPEAT)).await;
    assert!(one.is_ok() && other.is_ok());
    let statements = connection.rows(STATEMENTS.sql, values![]).await.unwrap();
    assert_eq!(statements.read(STATEMENTS, |row| row.next::<i64>()).unwrap(), [2], "with this one");
}

/// Bytes that look like messages of the server, some of which are cut off.
fn messages() -> impl Strategy<Value = Vec<u8>> {
    let message = (any::<u8>(), -1_i32..40, prop::collection::vec(any::<u8>(), 0..40));
    let message = message.prop_map(|(tag, more, body)| {
        let length = i32::try_from(body.len()).unwrap_or_default() + if more < 30 { 4 } else { more };
        [&[b"DTtE1CZs"[usize::from(tag) % 8]], &length.to_be_bytes()[..], &body].concat()
    });
    prop::collection::vec(message, 0..6).prop_map(|messages| messages.concat())
}

proptest! {
    #[test]
    fn messages_that_no_server_should_send_are_errors(bytes in messages()) {
        if let Ok(response) = Response::of(Bytes::from(bytes))
            && let Ok(statement) = response.prepared("s0".to_owned())
            && let Ok(slot) = Piece::new().run(&statement, &[])
            && let Ok(rows) = response.rows(&slot)
        {
            let _ = (rows.read(NUMBER, |row| row.next::<i64>()), response.changed(&slot), response.has_more(&slot));
        }
    }
}
