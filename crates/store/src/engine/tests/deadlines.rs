//! The deadline of a whole transaction.

use super::*;

fn is_late<T: std::fmt::Debug>(result: &Result<T>, begun: Instant, name: &str) {
    let took = begun.elapsed();
    assert!(matches!(result, Err(Error::Deadline(late)) if *late == name), "{result:?}");
    assert!(took >= TRANSACTION_TIME && took < TRANSACTION_TIME * 2, "{took:?}");
}

#[tokio::test]
async fn a_transaction_of_many_short_statements_ends_at_its_deadline_and_writes_nothing() {
    for (store, _database) in both().await {
        let begun = Instant::now();
        let endless: Result<()> = store
            .write("tests.endless", async |tx| {
                put(tx, 1).await?;
                loop {
                    numbers(tx).await?;
                }
            })
            .await;
        is_late(&endless, begun, "tests.endless");
        assert_eq!(numbers(&mut &store).await.unwrap(), Vec::<i64>::new(), "{}", store.engine().name());
        store.write("tests.after", async |tx| put(tx, 2).await).await.expect("the store still works");
        assert_eq!(numbers(&mut &store).await.unwrap(), [2]);
    }
}

#[tokio::test]
async fn a_late_transaction_that_ignores_errors_writes_nothing() {
    for (store, _database) in both().await {
        let begun = Instant::now();
        let hidden = store.write("tests.hidden", async |tx| {
            put(tx, 1).await?;
            while numbers(tx).await.is_ok() {}
            Ok(())
        });
        let hidden: Result<()> = hidden.await;
        assert!(hidden.is_err() && begun.elapsed() >= TRANSACTION_TIME, "{hidden:?}");
        let idle = store.write("tests.idle", async |tx| {
            put(tx, 3).await?;
            // Busy with something other than the database.
            std::thread::sleep(TRANSACTION_TIME);
            Ok(())
        });
        let idle: Result<()> = idle.await;
        assert!(matches!(idle, Err(Error::Deadline("tests.idle"))), "{idle:?}");
        assert_eq!(numbers(&mut &store).await.unwrap(), Vec::<i64>::new(), "{}", store.engine().name());
    }
}

#[tokio::test]
async fn the_deadline_includes_waiting_for_another_transaction() {
    for (store, _database) in both().await {
        // Each holds the writer, or the row's lock, until its own deadline.
        let endless = async |name: &'static str| {
            let begun = Instant::now();
            let endless = store.write(name, async |tx| {
                put(tx, 1).await?;
                loop {
                    numbers(tx).await?;
                }
            });
            let endless: Result<()> = endless.await;
            is_late(&endless, begun, name);
        };
        let second = async {
            tokio::time::sleep(TRANSACTION_TIME / 2).await;
            endless("tests.second").await;
        };
        futures_util::future::join(endless("tests.first"), second).await;
        assert_eq!(numbers(&mut &store).await.unwrap(), Vec::<i64>::new());
    }
}
