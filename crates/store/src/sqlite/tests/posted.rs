//! What the transactions of a batch have posted to the ledger: it is written once, and everything reads it as it is.

use fieldhouse_domain::ids::{Id as _, OrganizationId};
use jiff::Timestamp;
use uuid::Uuid;

use super::*;
use crate::ledger::heads;

fn club() -> OrganizationId {
    OrganizationId::from_uuid(Uuid::from_u128(1))
}

/// A store with a table of heads, in which the club has one.
async fn with_head() -> Notes {
    let notes = Notes::open().await;
    let table = "CREATE TABLE ledger_heads (org_id BLOB NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
        posted_at INTEGER NOT NULL, chain BLOB NOT NULL) STRICT";
    notes.store.with_writer("tests.table", |writer| Ok(writer.execute_batch(table)?)).await.expect("a table");
    let create =
        notes.store.write("tests.create", async |tx| heads::create(tx, club(), Timestamp::UNIX_EPOCH).await);
    create.await.expect("a head");
    notes
}

/// Advances the head by one entry. Returns its new number.
async fn advance(tx: &mut Tx<'_>) -> Result<i64> {
    let mut head = heads::lock(tx, club()).await?;
    let from = head.seq;
    head.seq += 1;
    heads::advance(tx, club(), from, head).await?;
    Ok(from + 1)
}

/// The number that a query of the transaction finds in the table.
async fn found(tx: &mut Tx<'_>) -> Result<i64> {
    heads::read(tx, club()).await.map(|head| head.seq)
}

/// The number in the table after all commits.
async fn stored(notes: &Notes) -> i64 {
    let seq = |writer: &mut Connection| {
        Ok(writer.query_row("SELECT seq FROM ledger_heads", [], |row| row.get::<_, i64>(0))?)
    };
    notes.store.with_writer("tests.stored", seq).await.expect("a head")
}

#[tokio::test]
async fn the_transactions_of_a_batch_continue_each_other() {
    let notes = with_head().await;
    let (held, go_on) = notes.hold();
    let one = || notes.store.write("tests.advance", async |tx| advance(tx).await);
    let reading = notes.store.write("tests.read", async |tx| {
        let before = found(tx).await?;
        Ok::<_, Error>((before, advance(tx).await?, found(tx).await?))
    });
    let release = async { drop(go_on) };
    let (held, first, second, read, last, ()) = tokio::join!(held, one(), one(), reading, one(), release);
    held.expect("the writer continues");
    assert_eq!((first.unwrap(), second.unwrap()), (1, 2));
    assert_eq!(read.unwrap(), (2, 3, 3), "a query finds what others and its own transaction have done");
    assert_eq!((last.unwrap(), stored(&notes).await), (4, 4));
}

#[tokio::test]
async fn a_transaction_that_is_undone_advances_nothing() {
    let notes = with_head().await;
    let (held, go_on) = notes.hold();
    let one = || notes.store.write("tests.advance", async |tx| advance(tx).await);
    let refused = notes.store.write("tests.refused", async |tx| {
        tx.run(NOTE, values![1_i64, "x"]).await?;
        advance(tx).await?;
        Err::<(), _>(Error::Overloaded("refused"))
    });
    let in_part = notes.store.write("tests.part", async |tx| {
        let first = advance(tx).await?;
        let part = tx.savepoint("tests.part").await?;
        let failed = advance(tx).await.and(Err(Error::Overloaded("refused")));
        let failed: Result<()> = tx.end(part, failed).await;
        assert!(failed.is_err());
        Ok::<_, Error>((first, advance(tx).await?))
    });
    let release = async { drop(go_on) };
    let (held, first, refused, second, parts, last, ()) =
        tokio::join!(held, one(), refused, one(), in_part, one(), release);
    held.expect("the writer continues");
    assert!(refused.is_err());
    assert_eq!((first.unwrap(), second.unwrap(), parts.unwrap(), last.unwrap()), (1, 2, (3, 4), 5));
    assert_eq!(stored(&notes).await, 5);
}
