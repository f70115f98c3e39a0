//! The store follows the rules of the journal (PostgreSQL): transactions take turns in a fixed order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::SeasonId;
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::ledger::{self, Filter};
use fieldhouse_store::{Change, OrgScope, OrgWrite, Store, Tx, records};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::season;
use tokio::sync::Notify;

use super::rules::{Step, fault};
use crate::raw;
use crate::writes::one_more;

/// A club with two seasons.
struct Fixture {
    database: Database,
    store: Store,
    club: Club,
    scope: OrgScope,
    seasons: [SeasonId; 2],
}

impl Fixture {
    async fn found() -> Self {
        let database = databases::postgres();
        let store = database.open().await;
        let club = Club::found(&store, "Ordered").await;
        let seasons = ["X", "Y"].map(season);
        club.create(&store, seasons.iter().cloned().map(AnyRecord::from).collect()).await;
        store.post_everything().await.unwrap();
        let scope = club.owner().scope(&store).await;
        Self { database, store, club, scope, seasons: seasons.map(|season| season.id) }
    }

    /// Runs a transaction of two steps, and another one between them, only in the first run. Returns the number of runs.
    async fn nested(&self, between: SeasonId, steps: [Vec<SeasonId>; 2]) -> u32 {
        let (begun, done, runs) =
            (Arc::new(Notify::new()), Arc::new(Notify::new()), Arc::new(AtomicU32::new(0)));
        let outer = {
            let (begun, done, runs) = (begun.clone(), done.clone(), runs.clone());
            clubs::write(&self.store, self.club.id(), async move |tx, proof| {
                change(tx, proof, "B", &steps[0]).await?;
                records::read::<Season, _>(tx, proof, between).await?;
                if runs.fetch_add(1, Ordering::SeqCst) == 0 {
                    begun.notify_one();
                    done.notified().await;
                }
                change(tx, proof, "B", &steps[1]).await
            })
        };
        let inner = async {
            begun.notified().await;
            let changed = clubs::write(&self.store, self.club.id(), async move |tx, proof| {
                change(tx, proof, "A", &[between]).await
            });
            changed.await.unwrap();
            done.notify_one();
        };
        let (written, ()) = tokio::join!(outer, inner);
        written.unwrap();
        let client = raw::postgres(&self.database).await;
        let rows = client.query_one("SELECT COUNT(*) FROM journal", &[]).await.unwrap();
        assert_eq!(rows.get::<_, i64>(0), 2, "one row for each transaction");
        runs.load(Ordering::SeqCst)
    }

    /// Returns the transactions that changed seasons, in the order of the ledger.
    async fn order(&self) -> Vec<Vec<Step>> {
        self.store.post(self.club.id()).await.unwrap();
        let filter = Filter { operation: Some("seasons.update".to_owned()), ..Filter::default() };
        let entries = ledger::entries(&mut &self.store, &self.scope, &filter, None, 10).await.unwrap();
        let version = |image: &Option<String>| {
            let image: serde_json::Value = serde_json::from_str(image.as_ref().unwrap()).unwrap();
            image["version"].as_i64().unwrap() - 1
        };
        let steps = entries.iter().rev().map(|entry| {
            let step = |effect: &ledger::EntryEffect| Step {
                transaction: entry.request_id.clone(),
                record: effect.record_id.to_string(),
                before: version(&effect.before),
                after: version(&effect.after),
            };
            entry.effects.iter().map(step).collect()
        });
        steps.collect()
    }
}

async fn change<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    request_id: &str,
    seasons: &[SeasonId],
) -> fieldhouse_store::Result<()> {
    for season in seasons {
        let read = records::read::<Season, _>(tx, proof, *season).await?.expect("the season");
        let moment = clubs::moment();
        let change = Change { moment: &moment, operation: "seasons.update", request_id, reason: None };
        tx.apply(proof, change, &[one_more(read)]).await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_transaction_writes_one_row_after_its_last_change() {
    let fixture = Fixture::found().await;
    let [x, y] = fixture.seasons;
    // B overwrites no change of A, so B is not run again.
    assert_eq!(fixture.nested(x, [vec![y], vec![y]]).await, 1);
    let order = fixture.order().await;
    let names: Vec<_> = order.iter().map(|steps| steps[0].transaction.as_str()).collect();
    assert_eq!(names, ["A", "B"], "A ended before B's last change");
    assert_eq!((order[1].len(), fault(&order)), (1, None), "B's two changes are one effect");
}

#[tokio::test]
async fn a_transaction_that_read_a_record_changed_since_is_run_again() {
    let fixture = Fixture::found().await;
    let [x, y] = fixture.seasons;
    assert_eq!(fixture.nested(x, [vec![y], vec![x]]).await, 2);
    let order = fixture.order().await;
    assert_eq!(order.iter().map(Vec::len).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(fault(&order), None);
}
