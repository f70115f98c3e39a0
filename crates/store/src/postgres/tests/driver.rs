//! Connections: where they lead, and what is sent and received on them.

use bytes::Bytes;
use proptest::prelude::*;

use super::super::messages::{Piece, Response};
use super::*;

queries! {
    REPEAT "tests.driver.repeat" "SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT)";
    NOTHING "tests.driver.nothing" "SELECT CAST($1 AS TEXT) WHERE 1 = 2";
    NUMBER "tests.driver.number" "SELECT CAST(1 AS INTEGER)";
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

async fn reason(url: &str) -> String {
    match Postgres::connect(url, None, 1).await {
        Err(Error::Unavailable(reason)) => reason,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it was connected"),
    }
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
