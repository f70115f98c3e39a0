//! Statements that must change one row, which PostgreSQL gets with the statement that follows them.

use uuid::Uuid;

use super::*;

/// Writes a number that must not exist yet.
async fn put_one(tx: &mut Tx<'_>, number: i64) -> Result<()> {
    tx.run_one(PUT, values![&number.to_be_bytes()[..], number], Uuid::nil()).await
}

/// Changes a row that does not exist.
async fn miss(tx: &mut Tx<'_>) -> Result<()> {
    tx.run_one(CHANGE, values![&[0_u8; 8][..], 1_i64], Uuid::nil()).await
}

fn has_moved<T>(result: &Result<T>) -> bool {
    matches!(result, Err(Error::Internal(reason)) if reason.contains("is not at the version"))
}

#[tokio::test]
async fn what_follows_sees_all_of_them_in_their_order() {
    for (store, _database) in both().await {
        let written = store.write("tests.many", async |tx| {
            for number in 1..=250 {
                put_one(tx, number).await?;
            }
            assert_eq!(numbers(tx).await?, (1..=250).collect::<Vec<_>>());
            put_one(tx, 251).await?;
            tx.run_one(CHANGE, values![&251_i64.to_be_bytes()[..], 300_i64], Uuid::nil()).await?;
            put(tx, 251_000).await?;
            put_one(tx, 252).await
        });
        written.await.expect("everything is written");
        let found = numbers(&mut &store).await.unwrap();
        assert_eq!(found[249..], [250, 252, 300, 251_000], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn one_that_changes_no_row_fails_its_transaction() {
    for (store, _database) in both().await {
        let before_a_read = store.write("tests.read", async |tx| {
            put_one(tx, 1).await?;
            miss(tx).await?;
            numbers(tx).await
        });
        let before_a_read = before_a_read.await;
        assert!(has_moved(&before_a_read), "{before_a_read:?}");
        let before_a_write = store.write("tests.write", async |tx| {
            miss(tx).await?;
            put(tx, 1).await
        });
        let before_a_write = before_a_write.await;
        assert!(has_moved(&before_a_write), "{before_a_write:?}");
        let at_the_end = store.write("tests.end", async |tx| {
            put_one(tx, 1).await?;
            miss(tx).await
        });
        let at_the_end = at_the_end.await;
        assert!(has_moved(&at_the_end), "{at_the_end:?}");
        assert!(numbers(&mut &store).await.unwrap().is_empty(), "{}", store.engine().name());
    }
}

#[tokio::test]
async fn one_that_fails_in_a_part_fails_the_part() {
    for (store, _database) in both().await {
        let written = store.write("tests.parts", async |tx| {
            put_one(tx, 1).await?;
            let part = tx.savepoint("tests.part").await?;
            let missed = async {
                put_one(tx, 2).await?;
                miss(tx).await
            }
            .await;
            let missed = tx.end(part, missed).await;
            assert!(has_moved(&missed), "{missed:?}");
            let part = tx.savepoint("tests.planned").await?;
            let planned = put_one(tx, 3).await.and(Err::<(), _>(Error::Overloaded("as planned")));
            let planned = tx.end(part, planned).await;
            assert!(matches!(planned, Err(Error::Overloaded("as planned"))), "{planned:?}");
            let part = tx.savepoint("tests.checked").await?;
            let checked = miss(tx).await.and(Err::<(), _>(Error::Overloaded("as planned")));
            let checked = tx.end(part, checked).await;
            assert!(has_moved(&checked), "what fails counts although the part is undone: {checked:?}");
            put_one(tx, 4).await
        });
        let written: Result<()> = written.await;
        written.expect("the rest is written");
        assert_eq!(numbers(&mut &store).await.unwrap(), [1, 4], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn a_duplicate_is_one_also_at_the_end() {
    for (store, _database) in both().await {
        store.write("tests.first", async |tx| put_one(tx, 1).await).await.unwrap();
        let again = store.write("tests.again", async |tx| {
            put_one(tx, 2).await?;
            put_one(tx, 1).await
        });
        let again = again.await;
        assert!(matches!(again, Err(Error::Duplicate(_))), "{again:?}");
        assert_eq!(numbers(&mut &store).await.unwrap(), [1], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn one_that_fails_counts_although_its_transaction_fails_as_planned() {
    for (store, _database) in both().await {
        let validated = store.write("tests.validated", async |tx| {
            put_one(tx, 1).await?;
            miss(tx).await?;
            Err::<(), _>(Error::Overloaded("as planned"))
        });
        let validated = validated.await;
        assert!(has_moved(&validated), "{validated:?}");
        assert!(numbers(&mut &store).await.unwrap().is_empty(), "{}", store.engine().name());
        store.write("tests.next", async |tx| put_one(tx, 1).await).await.expect("the connection can be used");
        let duplicate = store.write("tests.duplicate", async |tx| {
            put_one(tx, 1).await?;
            Err::<(), _>(Error::Overloaded("as planned"))
        });
        let duplicate = duplicate.await;
        assert!(matches!(duplicate, Err(Error::Duplicate(_))), "{duplicate:?}");
    }
}

#[tokio::test]
async fn a_duplicate_is_the_error_of_its_own_statement() {
    for (store, _database) in both().await {
        store.write("tests.first", async |tx| put_one(tx, 2).await).await.unwrap();
        let failed_at = store.write("tests.which", async |tx| {
            for number in 1..=3 {
                let part = tx.savepoint("tests.part").await?;
                let put = put_one(tx, number).await;
                let is_duplicate = matches!(put, Err(Error::Duplicate(_)));
                tx.end(part, put).await.or_else(|error| if is_duplicate { Ok(()) } else { Err(error) })?;
                if is_duplicate {
                    return Ok(number);
                }
            }
            Ok::<_, Error>(0)
        });
        assert_eq!(failed_at.await.unwrap(), 2, "{}", store.engine().name());
    }
}
