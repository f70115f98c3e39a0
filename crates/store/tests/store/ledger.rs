//! The ledger under many writers, and its verification after its tables were altered.

mod floors;
mod followers;
mod generation;
mod images;
mod mirrors;
mod order;
mod rules;
mod waits;

use std::sync::Arc;

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_store::ledger::{self, Verdict};
use fieldhouse_store::{Change, OrgScope, Store};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::season;

use crate::raw;
use crate::writes::one_more;

async fn verdict(store: &Store, scope: &OrgScope) -> Verdict {
    store.post_everything().await.unwrap();
    ledger::verify(store, scope).await.unwrap()
}

#[tokio::test]
async fn verification_names_the_altered_entry() {
    // Tables, and changes to their rows of the third entry.
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
        ("ledger_effects", "child_id = record_id"),
    ];
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Altered").await;
        let scope = club.owner().scope(&store).await;
        let winter = season("Winter");
        club.create(&store, vec![AnyRecord::from(winter.clone())]).await;
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
        club.create(&store, vec![AnyRecord::from(season("Last"))]).await;
        assert_eq!(verdict(&store, &scope).await, Verdict::Intact { entries: 4, cleared: 0 });
        for table in ["ledger_entries", "ledger_effects"] {
            raw::execute(&database, &format!("CREATE TABLE kept AS SELECT * FROM {table} WHERE seq = 3"))
                .await;
            for (_, set) in alterations.iter().filter(|(altered, _)| *altered == table) {
                // A digest of another length cannot be read, which is a different error.
                raw::execute(&database, &format!("UPDATE {table} SET {set} WHERE seq = 3")).await;
                let found = ledger::verify(&store, &scope).await;
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
        let end_at = |seq: i64| {
            let chain =
                format!("SELECT chain FROM ledger_entries e WHERE e.org_id = h.org_id AND e.seq = {seq}");
            format!("UPDATE ledger_heads AS h SET seq = {seq}, chain = ({chain})")
        };
        raw::execute(&database, &end_at(3)).await;
        let found = ledger::verify(&store, &scope).await.unwrap();
        assert!(matches!(found, Verdict::Altered { seq: 4, .. }), "an entry after the end: {found:?}");
        raw::execute(&database, &end_at(4)).await;
        for (deletion, named) in [
            ("DELETE FROM ledger_entries WHERE seq = 4", 4),
            ("DELETE FROM ledger_effects WHERE seq = 3", 3),
            ("DELETE FROM ledger_entries WHERE seq = 2", 2),
        ] {
            raw::execute(&database, deletion).await;
            let found = ledger::verify(&store, &scope).await.unwrap();
            assert!(matches!(found, Verdict::Altered { seq, .. } if seq == named), "{deletion}: {found:?}");
        }
    }
}

/// Whether to run the long tests, as `cargo xtask test --all` does.
fn is_long() -> bool {
    std::env::var_os("FIELDHOUSE_LONG_TESTS").is_some()
}

/// Opens two nodes; one on SQLite, where a single process opens the database.
async fn nodes(database: &Database) -> Vec<Arc<Store>> {
    let count = if database.folder().is_some() { 1 } else { 2 };
    let mut nodes = Vec::new();
    for _ in 0..count {
        nodes.push(Arc::new(database.open().await));
    }
    nodes
}
