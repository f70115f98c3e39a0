//! What the transactions of a batch have posted to the ledger: it is written once, and everything reads it as it is.

use fieldhouse_domain::ids::{Id as _, OrganizationId};
use futures_util::future::join_all;
use jiff::Timestamp;
use uuid::Uuid;

use super::*;
use crate::ledger::entries::Written;
use crate::ledger::{heads, posting};

fn club() -> OrganizationId {
    OrganizationId::from_uuid(Uuid::from_u128(1))
}

fn other_club() -> OrganizationId {
    OrganizationId::from_uuid(Uuid::from_u128(2))
}

/// A store with the tables of the ledger, in which two clubs have a head.
async fn with_head() -> Notes {
    let notes = Notes::open().await;
    let tables = "CREATE TABLE ledger_heads (org_id BLOB NOT NULL PRIMARY KEY, epoch INTEGER NOT NULL, seq INTEGER NOT NULL,
            posted_at INTEGER NOT NULL, chain BLOB NOT NULL) STRICT;
        CREATE TABLE ledger_entries (org_id BLOB NOT NULL, seq INTEGER NOT NULL, id, at, posted_at, user_id, key_id, on_behalf_of, operation,
            request_id, changeset_id, reason, reason_salt, reason_digest, chain, PRIMARY KEY (org_id, seq));
        CREATE TABLE ledger_effects (org_id, seq, position, kind, record_id, verb, version, clears_to, changed, before, after, salt, digest,
            child_id)";
    notes.store.with_writer("tests.table", |writer| Ok(writer.execute_batch(tables)?)).await.expect("tables");
    for club in [club(), other_club()] {
        let create = notes
            .store
            .write("tests.create", async move |tx| heads::create(tx, club, Timestamp::UNIX_EPOCH).await);
        create.await.expect("a head");
    }
    notes
}

/// Posts an entry without effects.
async fn post(tx: &mut Tx<'_>, club: OrganizationId) -> Result<()> {
    let entry = Written {
        id: Uuid::nil(),
        at: 0,
        user_id: None,
        key_id: None,
        on_behalf_of: None,
        operation: "tests.post".into(),
        request_id: String::new(),
        changeset_id: None,
        reason: None,
        reason_salt: None,
        effects: Vec::new(),
    };
    posting::append(tx, club, entry).await
}

/// Stores an entry that no head knows, so that the first one that is posted is refused.
async fn plant(notes: &Notes, club: OrganizationId) {
    let plant = move |writer: &mut Connection| {
        let sql = "INSERT INTO ledger_entries (org_id, seq) VALUES (?1, 1)";
        Ok(writer.execute(sql, [club.uuid().as_bytes()]).map(drop)?)
    };
    notes.store.with_writer("tests.plant", plant).await.expect("an entry");
}

/// The numbers of a club's head and of its entries.
async fn ledger(notes: &Notes, club: OrganizationId) -> (i64, i64) {
    let read = move |writer: &mut Connection| {
        let sql = "SELECT seq, (SELECT COUNT(*) FROM ledger_entries e WHERE e.org_id = h.org_id) FROM ledger_heads h WHERE org_id = ?1";
        Ok(writer.query_row(sql, [club.uuid().as_bytes()], |row| Ok((row.get(0)?, row.get(1)?)))?)
    };
    notes.store.with_writer("tests.ledger", read).await.expect("a ledger")
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
        let sql = "SELECT seq FROM ledger_heads WHERE org_id = ?1";
        Ok(writer.query_row(sql, [club().uuid().as_bytes()], |row| row.get::<_, i64>(0))?)
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

#[tokio::test]
async fn an_entry_that_is_refused_is_an_error_of_its_own_transaction() {
    let notes = with_head().await;
    plant(&notes, club()).await;
    for _ in 0..2 {
        let (held, go_on) = notes.hold();
        let of = |club| notes.store.write("tests.post", async move |tx| post(tx, club).await);
        let release = async { drop(go_on) };
        let (held, first, refused, second, ()) =
            tokio::join!(held, of(other_club()), of(club()), of(other_club()), release);
        held.expect("the writer continues");
        assert!(matches!(refused, Err(Error::Unavailable(_))), "{refused:?}");
        first.and(second).expect("others are committed");
    }
    assert_eq!((ledger(&notes, club()).await, ledger(&notes, other_club()).await), ((0, 1), (4, 4)));
}

#[tokio::test]
async fn an_entry_that_another_transaction_could_not_write_is_not_acknowledged() {
    let notes = with_head().await;
    plant(&notes, club()).await;
    let (held, go_on) = notes.hold();
    // So many that some are in one batch.
    let pairs = (0..20).map(|_| async {
        let refused = notes.store.write("tests.post", async |tx| post(tx, club()).await);
        let reads = notes.store.write("tests.read", async |tx| found(tx).await);
        tokio::join!(refused, reads)
    });
    let release = async { drop(go_on) };
    let (held, all, ()) = tokio::join!(held, join_all(pairs), release);
    held.expect("the writer continues");
    for (refused, read) in all {
        assert!(refused.is_err(), "its entry is not in the ledger");
        assert_eq!(read.expect("it is run again without what was refused"), 0);
    }
    assert_eq!(ledger(&notes, club()).await, (0, 1));
}
