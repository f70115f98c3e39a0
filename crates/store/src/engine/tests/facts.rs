//! Rows that a transaction keeps: they are read again as soon as they may have changed.

use std::collections::BTreeSet;

use super::*;
use crate::engine::facts::{Facts, Kept};
use crate::migrations::ALL;
use crate::query::{Once, Query, Written, all};
use crate::value::Value;

/// A random number, which changes only if the statement really runs.
async fn draw(tx: &mut Tx<'_>) -> Result<String> {
    let drawn = tx.rows(DRAW, values![], |row| row.next()).await?;
    Ok(drawn.into_iter().next().unwrap_or_default())
}

#[tokio::test]
async fn rows_are_read_once_until_the_transaction_writes_their_table() {
    for (store, _database) in both().await {
        let run = store.write("tests.facts", async |tx| {
            let first = draw(tx).await?;
            assert_eq!(draw(tx).await?, first);
            put(tx, 1).await?;
            let second = draw(tx).await?;
            assert_ne!(second, first, "the table was written");
            let part = tx.savepoint("tests.part").await?;
            assert_eq!(draw(tx).await?, second);
            put(tx, 2).await?;
            let inside = draw(tx).await?;
            let ended: Result<()> = tx.end(part, Err(Error::Internal("as planned".to_owned()))).await;
            assert!(ended.is_err());
            let after = draw(tx).await?;
            assert!(after != inside, "what was written in the part is undone");
            tx.read_ahead(DRAW, &[Vec::new()]).await?;
            assert_eq!(draw(tx).await?, after);
            Ok::<_, Error>(after)
        });
        let earlier = run.await.unwrap();
        let next = store.write("tests.facts", async |tx| draw(tx).await).await;
        assert_ne!(next.unwrap(), earlier, "each transaction reads for itself");
    }
}

#[tokio::test]
async fn a_transaction_that_sees_commits_of_others_reads_each_time() {
    let [_, (store, _database)] = both().await;
    let postgres = store.postgres().expect("PostgreSQL");
    let drawn = postgres.post("tests.facts", async |tx| Ok([draw(tx).await?, draw(tx).await?]));
    let [first, second] = drawn.await.unwrap();
    assert_ne!(first, second);
}

const GAME: &Query =
    &Query::new("tests.game", "SELECT g.id FROM games g WHERE org_id = $1 AND id = $2").read_row_once();
const NAMED: &Query = &Query::new(
    "tests.named",
    "SELECT g.id FROM games g JOIN teams t ON t.id = g.home_team_id WHERE g.org_id = $1 AND g.id = $2",
)
.read_once();
const TEAM: &Query =
    &Query::new("tests.team", "SELECT t.id FROM teams t WHERE org_id = $1 AND id = $2").read_row_once();

#[test]
fn a_statement_makes_a_transaction_forget_what_it_may_change() {
    let [org, one, other] = [1, 2, 3].map(uuid::Uuid::from_u128);
    let of = |row| [Value::from(org), Value::from(row)];
    let left = |sql: &'static str, values: &[Value<'_>]| {
        let mut facts = Facts::default();
        let all = [GAME, NAMED, TEAM].into_iter().flat_map(|query| [(query, one), (query, other)]);
        for (query, row) in all.clone() {
            let key = Facts::key(query, &of(row)).expect("ids");
            facts.keep(query, key, Vec::new().into(), Kept::Sqlite(Vec::new()));
        }
        let statement: &'static Query = Box::leak(Box::new(Query::new("tests.statement", sql)));
        facts.forget(statement.said(), values);
        all.filter(|(query, row)| facts.get(query, &Facts::key(query, &of(*row)).expect("ids")).is_some())
            .count()
    };
    let row = of(one);
    assert_eq!(left("SELECT 1 FROM games", &row), 6);
    assert_eq!(left("UPDATE venues SET name = $3 WHERE org_id = $1 AND id = $2 AND version = $4", &row), 6);
    let change = "UPDATE games SET status = $3 WHERE org_id = $1 AND id = $2 AND version = $4";
    assert_eq!(left(change, &row), 3, "the other game and the teams");
    assert_eq!(left("INSERT INTO games (org_id, id, name) VALUES ($1, $2, $3)", &row), 3);
    assert_eq!(left("UPDATE games SET status = $3 WHERE org_id = $1", &row), 2, "the teams");
    let upsert =
        "INSERT INTO games (org_id, id, name) VALUES ($1, $2, $3) ON CONFLICT (org_id, name) DO NOTHING";
    assert_eq!(left(upsert, &row), 2);
    assert_eq!(left("UPDATE teams SET name = $3 WHERE org_id = $1 AND id = $2 AND version = $4", &row), 3);
    assert_eq!(left("WITH gone AS (DELETE FROM seasons RETURNING id) SELECT id FROM gone", &row), 0);
}

/// All migrations, with the SQL that only PostgreSQL has.
fn schema() -> String {
    ALL.iter().map(|migration| migration.sql(Engine::Postgres)).collect()
}

#[test]
fn what_is_read_once_only_reads_and_depends_on_no_table_that_the_database_changes_by_itself() {
    let schema = schema();
    assert!(!schema.contains("CREATE TRIGGER"));
    let cascading: BTreeSet<&str> = schema
        .split("CREATE TABLE ")
        .skip(1)
        .filter(|table| table.contains("ON DELETE CASCADE") || table.contains("ON DELETE SET"))
        .filter_map(|table| table.split_whitespace().next())
        .collect();
    assert!(cascading.contains("mail_teams"), "{cascading:?}");
    let once: Vec<_> = all().filter(|query| query.once != Once::Never).collect();
    assert!(once.len() > 20);
    for query in once {
        assert_eq!(query.written(), Written::Nothing, "{}", query.name);
        let table = cascading.iter().find(|table| query.names(table));
        assert_eq!(table, None, "{}", query.name);
    }
}

#[test]
fn what_a_statement_writes_is_a_table() {
    let schema = schema();
    let created = schema.split("CREATE TABLE ").skip(1);
    let tables: BTreeSet<&str> = created.filter_map(|table| table.split_whitespace().next()).collect();
    // Tests have queries of their own.
    let queries = all().filter(|query| !query.name.starts_with("tests."));
    let written = queries.filter_map(|query| match query.written() {
        Written::Table { name, .. } => Some((query.name, name)),
        Written::Nothing | Written::Anything => None,
    });
    let written: Vec<_> = written.collect();
    assert!(written.len() > 50, "{written:?}");
    let unknown = written.iter().find(|(_, table)| !tables.contains(table));
    assert_eq!(unknown, None);
}
