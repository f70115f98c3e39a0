//! The ledger under many writers, and under hands that change what is stored.

mod order;
mod rules;

use std::collections::BTreeMap;
use std::sync::Arc;

use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{Id, OrganizationId, SeasonId};
use fieldhouse_store::ledger::{self, Filter, Verdict};
use fieldhouse_store::{Change, OrgScope, Store, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::season;
use tokio::task::JoinSet;

use crate::raw;
use crate::writes::one_more;

async fn verdict(store: &Store, scope: &OrgScope) -> Verdict {
    store.post_everything().await.unwrap();
    ledger::verify(&mut &*store, scope).await.unwrap()
}

#[tokio::test]
async fn an_altered_byte_is_found_and_its_entry_named() {
    // Table, what is stored there, and what it is changed to; all in the third entry.
    let alterations = [
        ("ledger_entries", "operation = operation || ' '"),
        ("ledger_entries", "request_id = ''"),
        ("ledger_entries", "at = at + 1"),
        ("ledger_entries", "posted_at = posted_at - 1"),
        ("ledger_entries", "user_id = id"),
        ("ledger_entries", "reason = 'Because'"),
        ("ledger_entries", "reason = NULL, reason_salt = NULL"),
        ("ledger_entries", "reason = NULL, reason_salt = NULL, reason_digest = NULL"),
        ("ledger_entries", "chain = reason_digest"),
        ("ledger_effects", "verb = 'created'"),
        ("ledger_effects", "version = version + 1"),
        ("ledger_effects", "changed = '[]'"),
        ("ledger_effects", "before = after"),
        ("ledger_effects", "after = replace(after, 'Winter', 'Vinter')"),
        ("ledger_effects", "before = NULL, after = NULL"),
        ("ledger_effects", "before = NULL, after = NULL, salt = NULL"),
        ("ledger_effects", "digest = salt"),
        ("ledger_effects", "clears_to = 3"),
    ];
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Altered").await;
        let scope = club.owner().scope(&store).await;
        let winter = season("Winter");
        club.create(&store, vec![AnyRecord::Season(winter.clone())]).await;
        let moment = clubs::moment();
        let changed = clubs::write(&store, club.id(), async move |tx, proof| {
            let moment = moment.again();
            let change = Change {
                moment: &moment,
                operation: "seasons.update",
                request_id: "test",
                reason: Some("because"),
            };
            tx.apply(proof, change, &[one_more(winter.clone())]).await
        });
        changed.await.unwrap();
        club.create(&store, vec![AnyRecord::Season(season("Last"))]).await;
        assert_eq!(verdict(&store, &scope).await, Verdict::Intact { entries: 4, cleared: 0 });
        for table in ["ledger_entries", "ledger_effects"] {
            raw::execute(&database, &format!("CREATE TABLE kept AS SELECT * FROM {table} WHERE seq = 3"))
                .await;
            for (_, set) in alterations.iter().filter(|(altered, _)| *altered == table) {
                // A digest of another length cannot be read at all, which is an error of its own.
                raw::execute(&database, &format!("UPDATE {table} SET {set} WHERE seq = 3")).await;
                let found = ledger::verify(&mut &store, &scope).await;
                let named = match &found {
                    Ok(Verdict::Altered { seq, id, .. }) => *seq == 3 && id.is_some(),
                    Err(fieldhouse_store::Error::Corrupt { .. }) => *set == "digest = salt",
                    _ => false,
                };
                assert!(named, "{set}: {found:?}");
                let restore =
                    format!("DELETE FROM {table} WHERE seq = 3; INSERT INTO {table} SELECT * FROM kept");
                raw::execute(&database, &restore).await;
            }
            raw::execute(&database, "DROP TABLE kept").await;
        }
        assert_eq!(verdict(&store, &scope).await, Verdict::Intact { entries: 4, cleared: 0 }, "restored");
        for (gone, named) in [
            ("DELETE FROM ledger_entries WHERE seq = 4", 4),
            ("DELETE FROM ledger_effects WHERE seq = 3", 3),
            ("DELETE FROM ledger_entries WHERE seq = 2", 2),
        ] {
            raw::execute(&database, gone).await;
            let found = ledger::verify(&mut &store, &scope).await.unwrap();
            assert!(matches!(found, Verdict::Altered { seq, .. } if seq == named), "{gone}: {found:?}");
        }
    }
}

const CLUBS: usize = 5;
const WRITERS: usize = 16;
const CHANGES: usize = 25;
const KILLS: usize = 100;

/// The second node; SQLite has one process only.
async fn nodes(database: &Database) -> Vec<Arc<Store>> {
    let count = if database.folder().is_some() { 1 } else { 2 };
    let mut nodes = Vec::new();
    for _ in 0..count {
        nodes.push(Arc::new(database.open().await));
    }
    nodes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_acknowledged_change_is_in_the_ledger_once_and_in_order_though_posters_are_killed() {
    for database in databases::both() {
        let nodes = nodes(&database).await;
        let mut clubs = Vec::new();
        for number in 0..CLUBS {
            let club = Club::found(&nodes[0], &format!("Ledger {number}")).await;
            let winter = season("Winter");
            club.create(&nodes[0], vec![AnyRecord::Season(winter.clone())]).await;
            let scope = Arc::new(club.owner().scope(&nodes[0]).await);
            clubs.push((club.id(), scope, winter.id));
        }
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let (store, clubs) = (nodes[writer % nodes.len()].clone(), clubs.clone());
            writers.spawn(async move {
                let mut acknowledged = Vec::new();
                for change in 0..CHANGES {
                    let (organization, scope, season) = clubs[(writer + change) % CLUBS].clone();
                    let version = count_up(store.clone(), organization, scope, season).await;
                    acknowledged.push((organization, version));
                }
                acknowledged
            });
        }
        let posted = nodes[0].clone();
        let posters = tokio::spawn(async move {
            for kill in 0..KILLS {
                // Cancelled at another place each time.
                let patience = std::time::Duration::from_micros(200 * (kill as u64 % 20));
                let _ = tokio::time::timeout(patience, posted.post_everything()).await;
                tokio::task::yield_now().await;
            }
        });
        let mut acknowledged: BTreeMap<OrganizationId, Vec<i64>> = BTreeMap::new();
        for (organization, version) in writers.join_all().await.into_iter().flatten() {
            acknowledged.entry(organization).or_default().push(version);
        }
        posters.await.unwrap();
        for (organization, scope, season) in &clubs {
            let store = &nodes[0];
            store.post(*organization).await.unwrap();
            let record = Some((Kind::Season, season.uuid()));
            let filter = Filter { record, ..Filter::default() };
            let entries = ledger::entries(&mut &**store, scope, &filter, None, 10_000).await.unwrap();
            let versions: Vec<i64> = entries.iter().rev().map(|entry| entry.effects[0].version).collect();
            let mut expected = acknowledged.remove(organization).unwrap_or_default();
            expected.push(1);
            expected.sort_unstable();
            assert_eq!(versions, expected, "each once, in the order in which they were made");
            let count = i64::try_from(versions.len()).unwrap() + 1;
            let intact = Verdict::Intact { entries: count, cleared: 0 };
            assert_eq!(ledger::verify(&mut &**store, scope).await.unwrap(), intact);
            assert!(entries.windows(2).all(|pair| pair[0].posted_at > pair[1].posted_at));
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
async fn count_up(
    store: Arc<Store>,
    organization: OrganizationId,
    scope: Arc<OrgScope>,
    id: SeasonId,
) -> i64 {
    let (operator, moment) = (store.operator(), clubs::moment());
    let counted = store.write("testing.count_up", async move |tx| {
        let moment = moment.again();
        let read = seasons::read(tx, &*scope, id).await?.expect("the season").season;
        let proof = clubs::permitted(tx, &operator, organization).await?;
        let change =
            Change { moment: &moment, operation: "seasons.update", request_id: "test", reason: None };
        let effect = one_more(read);
        let version = effect.after.as_ref().map_or(0, AnyRecord::version);
        tx.apply(&proof, change, &[effect]).await?;
        Ok::<_, fieldhouse_store::Error>(version)
    });
    counted.await.unwrap()
}
