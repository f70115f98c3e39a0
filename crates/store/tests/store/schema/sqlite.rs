//! Reads SQLite's schema.

use rusqlite::Connection;

use super::{Columns, Schema, Table};

pub(super) fn read(connection: &Connection) -> Schema {
    let names =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
    texts(connection, names, "").into_iter().map(|name| (name.clone(), table(connection, &name))).collect()
}

fn texts(connection: &Connection, sql: &str, of: &str) -> Columns {
    let mut statement = connection.prepare(sql).unwrap();
    let parameters = if of.is_empty() { vec![] } else { vec![of] };
    let rows = statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

fn table(connection: &Connection, name: &str) -> Table {
    let mut table = Table {
        primary_key: texts(
            connection,
            "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk",
            name,
        ),
        ..Table::default()
    };
    let columns = "SELECT name, type, \"notnull\" = 0 FROM pragma_table_info(?1)";
    let mut statement = connection.prepare(columns).unwrap();
    let rows = statement.query_map([name], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap();
    table.columns = rows.collect::<rusqlite::Result<_>>().unwrap();

    let indexes = "SELECT l.name, l.\"unique\", s.sql FROM pragma_index_list(?1) l
        LEFT JOIN sqlite_schema s ON s.name = l.name WHERE l.origin <> 'pk'";
    let mut statement = connection.prepare(indexes).unwrap();
    let mut rows = statement.query([name]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (index, unique, sql): (String, bool, Option<String>) =
            (row.get(0).unwrap(), row.get(1).unwrap(), row.get(2).unwrap());
        let columns = texts(connection, "SELECT name FROM pragma_index_info(?1) ORDER BY seqno", &index);
        let rows = sql.as_deref().and_then(|sql| sql.split_once("WHERE ")).map(|(_, rows)| rows.to_owned());
        if unique { &mut table.unique } else { &mut table.indexes }.insert((columns, rows));
    }

    let keys = "SELECT DISTINCT id || '', \"table\" FROM pragma_foreign_key_list(?1)";
    let mut statement = connection.prepare(keys).unwrap();
    let mut rows = statement.query([name]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (key, target): (String, String) = (row.get(0).unwrap(), row.get(1).unwrap());
        let side = |side: &str| {
            let sql = format!(
                "SELECT \"{side}\" FROM pragma_foreign_key_list('{name}') WHERE id || '' = ?1 ORDER BY seq"
            );
            texts(connection, &sql, &key)
        };
        table.references.insert((side("from"), target, side("to")));
    }
    table
}
