//! Savepoints: a failed part is undone, and its transaction continues.

use super::*;

fn on_purpose<T>() -> Result<T> {
    Err(Error::Overloaded("on purpose"))
}

async fn part(tx: &mut Tx<'_>, number: i64) -> Result<()> {
    let part = tx.savepoint("tests.part").await?;
    let result = put(tx, number).await;
    tx.end(part, result).await
}

async fn undone(tx: &mut Tx<'_>, number: i64) -> Result<()> {
    let part = tx.savepoint("tests.undone").await?;
    let result = put(tx, number).await.and_then(|()| on_purpose::<()>());
    let result = tx.end(part, result).await;
    assert!(matches!(result, Err(Error::Overloaded("on purpose"))), "{result:?}");
    Ok(())
}

#[tokio::test]
async fn a_part_that_fails_is_undone_and_the_rest_is_written() {
    for (store, _database) in both().await {
        let written = store.write("tests.parts", async |tx| {
            put(tx, 1).await?;
            undone(tx, 2).await?;
            assert_eq!(numbers(tx).await?, [1]);
            part(tx, 3).await?;
            put(tx, 2).await
        });
        let written: Result<()> = written.await;
        written.unwrap();
        assert_eq!(numbers(&mut &store).await.unwrap(), [1, 2, 3], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn parts_can_be_nested() {
    for (store, _database) in both().await {
        let written = store.write("tests.nested", async |tx| {
            let outer = tx.savepoint("tests.outer").await?;
            let result: Result<()> = async {
                put(tx, 1).await?;
                undone(tx, 2).await?;
                part(tx, 3).await?;
                assert_eq!(numbers(tx).await?, [1, 3]);
                Ok(())
            }
            .await;
            tx.end(outer, result).await?;
            let outer = tx.savepoint("tests.outer").await?;
            let result = part(tx, 4).await.and_then(|()| on_purpose::<()>());
            let outer = tx.end(outer, result).await;
            assert!(outer.is_err(), "the inner part is undone with the outer one");
            Ok::<_, Error>(())
        });
        written.await.unwrap();
        assert_eq!(numbers(&mut &store).await.unwrap(), [1, 3], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn a_transaction_can_handle_a_duplicate_in_a_part() {
    for (store, _database) in both().await {
        store.write("tests.first", async |tx| put(tx, 1).await).await.unwrap();
        let written = store.write("tests.duplicate", async |tx| {
            for number in [1, 2, 1, 3] {
                match part(tx, number).await {
                    Err(Error::Duplicate(_)) => {
                        let most = numbers(tx).await?.into_iter().max();
                        put(tx, most.unwrap_or_default() + 10).await?;
                    }
                    other => other?,
                }
            }
            Ok::<_, Error>(())
        });
        written.await.unwrap();
        assert_eq!(numbers(&mut &store).await.unwrap(), [1, 2, 3, 11, 21], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn a_part_that_ignores_a_failed_statement_fails_and_the_rest_is_written() {
    for (store, _database) in both().await {
        store.write("tests.first", async |tx| put(tx, 1).await).await.unwrap();
        let written = store.write("tests.hide", async |tx| {
            put(tx, 2).await?;
            let hidden = tx.savepoint("tests.hidden").await?;
            put(tx, 3).await?;
            let _ = put(tx, 1).await;
            let hidden = tx.end(hidden, Ok::<_, Error>(())).await;
            assert!(matches!(hidden, Err(Error::Internal(_))));
            put(tx, 4).await
        });
        let written: Result<()> = written.await;
        written.unwrap();
        assert_eq!(numbers(&mut &store).await.unwrap(), [1, 2, 4], "{}", store.engine().name());
    }
}

#[tokio::test]
async fn a_transaction_that_leaves_a_savepoint_open_writes_nothing() {
    for (store, _database) in both().await {
        let written = store.write("tests.leave", async |tx| {
            put(tx, 1).await?;
            let left = tx.savepoint("tests.left").await?;
            put(tx, 2).await?;
            drop(left);
            Ok(())
        });
        let written: Result<()> = written.await;
        assert!(matches!(&written, Err(Error::Internal(why)) if why.contains("open")), "{written:?}");
        let written = store.write("tests.leave", async |tx| {
            let outer = tx.savepoint("tests.outer").await?;
            let left = tx.savepoint("tests.left").await?;
            put(tx, 2).await?;
            drop(left);
            let outer = tx.end(outer, on_purpose::<()>()).await;
            assert!(outer.is_err());
            Ok(())
        });
        let written: Result<()> = written.await;
        assert!(matches!(&written, Err(Error::Internal(_))), "{written:?}");
        assert_eq!(numbers(&mut &store).await.unwrap(), Vec::<i64>::new());
    }
}
