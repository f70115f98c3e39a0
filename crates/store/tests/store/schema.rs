//! The schema: the same on both engines, and every key of a tenant's table starts with the tenant.

mod postgres;
mod sqlite;

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_store::query;
use fieldhouse_testing::databases;

use crate::raw;

pub(crate) type Schema = BTreeMap<String, Table>;
type Columns = Vec<String>;

/// A table, described independently of the engine.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Table {
    /// Name, SQLite's type, whether null is allowed.
    columns: BTreeSet<(String, String, bool)>,
    primary_key: Columns,
    /// Columns in order, and the condition of a partial index.
    unique: BTreeSet<(Columns, Option<String>)>,
    /// The same for indexes that are not unique.
    indexes: BTreeSet<(Columns, Option<String>)>,
    /// Columns, and the table and columns that they refer to.
    references: BTreeSet<(Columns, String, Columns)>,
}

/// Tables that belong to no tenant. A new entry must say why its table cannot be keyed by organization.
const SHARED: &[(&str, &str)] = &[
    ("api_keys", "found by its public id before the organization is known"),
    ("colleges", "the catalogue is shared"),
    ("guest_favorites", "guests belong to no organization"),
    ("guests", "guests belong to no organization"),
    ("key_ring_fingerprints", "all organizations of a server share its key ring"),
    ("login_failures", "counted before the user is known"),
    ("login_sources", "looked up before the user is known"),
    ("mail", "some messages are about users without an organization"),
    ("orgs", "the tenants themselves"),
    ("programs", "the catalogue is shared"),
    ("schema_migrations", "the schema's own"),
    ("users", "a user may belong to several organizations"),
];

/// Tables that SQLite stores in the order of an index of PostgreSQL, and the reason. Their primary key on PostgreSQL is another unique key there.
const IN_ORDER_ON_SQLITE: &[(&str, &str)] = &[("seasons", "a list reads one range of the table")];

/// Describes tables as they would be in the order of PostgreSQL's primary key, `(org_id, id)`.
fn in_common_order(schema: &mut Schema) {
    for (table, _) in IN_ORDER_ON_SQLITE {
        let table = schema.get_mut(*table).expect("a table");
        let key: Columns = ["org_id", "id"].map(str::to_owned).to_vec();
        assert!(table.unique.remove(&(key.clone(), None)), "its other key");
        let order = std::mem::replace(&mut table.primary_key, key);
        table.indexes.insert((order, None));
    }
}

fn is_shared(table: &str) -> bool {
    SHARED.iter().any(|(shared, _)| *shared == table)
}

async fn both() -> [Schema; 2] {
    let [on_sqlite, on_postgres] = databases::both();
    [sqlite::read(&raw::sqlite(&on_sqlite)), postgres::read(&raw::postgres(&on_postgres).await).await]
}

#[tokio::test]
async fn both_engines_have_the_same_tables_keys_and_references() {
    let [mut on_sqlite, on_postgres] = both().await;
    in_common_order(&mut on_sqlite);
    let names = |schema: &Schema| schema.keys().cloned().collect::<BTreeSet<_>>();
    let only_postgres: Vec<_> = names(&on_postgres).difference(&names(&on_sqlite)).cloned().collect();
    assert_eq!(only_postgres, ["journal", "journal_floors"], "SQLite writes to the ledger directly");
    assert!(names(&on_sqlite).is_subset(&names(&on_postgres)));
    for (name, table) in &on_sqlite {
        assert_eq!(table, &on_postgres[name], "{name}, on SQLite and on PostgreSQL");
        assert!(!table.columns.is_empty() && !table.primary_key.is_empty(), "{name} was read");
    }
    let games = &on_sqlite["games"];
    assert_eq!(
        (games.columns.len(), games.references.len(), games.indexes.len()),
        (27, 5, 6),
        "everything was read"
    );
}

#[tokio::test]
async fn every_key_of_a_tenants_table_starts_with_the_tenant() {
    let [_, schema] = both().await;
    let begins = |columns: &Columns| columns.first().map(String::as_str) == Some("org_id");
    for (name, table) in &schema {
        if is_shared(name) {
            continue;
        }
        assert!(begins(&table.primary_key), "the primary key of {name}");
        for (columns, _) in &table.unique {
            assert!(begins(columns), "the unique key {columns:?} of {name}");
        }
        for (columns, target, targets) in &table.references {
            let to_tenant = begins(columns) && (begins(targets) || target == "orgs");
            assert!(to_tenant || is_shared(target), "the reference {columns:?} of {name} to {target}");
        }
    }
    for (shared, _) in SHARED {
        assert!(schema.contains_key(*shared), "the table {shared} no longer exists");
        assert!(
            !begins(&schema[*shared].primary_key),
            "{shared} is a tenant's table: remove it from the list"
        );
    }
}

#[tokio::test]
async fn references_to_records_that_can_be_deleted_have_an_index() {
    let [schema, _] = both().await;
    for (name, table) in &schema {
        for (columns, target, _) in &table.references {
            let deletes = format!("DELETE FROM {target} ");
            if !query::all().any(|query| query.sql.starts_with(&deletes)) {
                continue;
            }
            let whole = table.indexes.iter().chain(&table.unique).filter(|(_, rows)| rows.is_none());
            let mut keys = whole.map(|(columns, _)| columns).chain([&table.primary_key]);
            assert!(
                keys.any(|key| key.starts_with(columns)),
                "{columns:?} of {name}: deleting from {target} scans it"
            );
        }
    }
}

#[tokio::test]
async fn text_on_postgresql_is_sorted_by_bytes_as_on_sqlite() {
    let database = databases::postgres();
    let others = "SELECT table_name || '.' || column_name FROM information_schema.columns
        WHERE table_schema = 'public' AND data_type IN ('text', 'character varying', 'character')
            AND collation_name IS DISTINCT FROM 'C'";
    let rows = raw::postgres(&database).await.query(others, &[]).await.unwrap();
    let others: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(others, Vec::<String>::new(), "have another order");
}
