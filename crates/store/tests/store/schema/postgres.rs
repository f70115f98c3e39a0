//! Reads PostgreSQL's schema, with types as in SQLite.

use tokio_postgres::Client;

use super::{Columns, Schema};

const COLUMNS: &str = "SELECT table_name::text, column_name::text, data_type::text, is_nullable = 'YES'
    FROM information_schema.columns WHERE table_schema = 'public'";

/// Table, whether primary, whether unique, columns in order, condition of a partial index.
const INDEXES: &str = "SELECT c.relname::text, i.indisprimary, i.indisunique,
        ARRAY(SELECT a.attname::text FROM unnest(i.indkey) WITH ORDINALITY k(number, place)
            JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.place),
        pg_get_expr(i.indpred, i.indrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE c.relnamespace = 'public'::regnamespace";

const REFERENCES: &str = "SELECT c.relname::text,
        ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY n(number, place)
            JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = n.number ORDER BY n.place),
        t.relname::text,
        ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY n(number, place)
            JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = n.number ORDER BY n.place)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
    WHERE k.contype = 'f' AND c.relnamespace = 'public'::regnamespace";

pub(super) async fn read(client: &Client) -> Schema {
    let mut schema = Schema::new();
    for row in client.query(COLUMNS, &[]).await.unwrap() {
        let kind = match row.get(2) {
            "uuid" | "bytea" => "BLOB",
            "bigint" | "boolean" => "INTEGER",
            "text" => "TEXT",
            "double precision" => "REAL",
            other => other,
        };
        let table = schema.entry(row.get(0)).or_default();
        table.columns.insert((row.get(1), kind.to_owned(), row.get(3)));
    }
    for row in client.query(INDEXES, &[]).await.unwrap() {
        let table = schema.entry(row.get(0)).or_default();
        let columns: Columns = row.get(3);
        let rows: Option<String> = row.get(4);
        let plain = |rows: &str| rows.replace(") AND (", " AND ").replace("::text", "");
        let rows = rows.map(|rows| plain(rows.trim_matches(['(', ')'])));
        match (row.get(1), row.get(2)) {
            (true, _) => table.primary_key = columns,
            (_, true) => drop(table.unique.insert((columns, rows))),
            (_, false) => drop(table.indexes.insert((columns, rows))),
        }
    }
    for row in client.query(REFERENCES, &[]).await.unwrap() {
        schema.entry(row.get(0)).or_default().references.insert((row.get(1), row.get(2), row.get(3)));
    }
    schema
}
