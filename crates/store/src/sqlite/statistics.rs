//! Assumptions for SQLite's query planner about tenants' tables.
//!
//! Without statistics it considers all indexes with the same first column equally good, and reads all rows of an organization by the
//! primary key instead of using an index on the season or team. Measured statistics would vary; these are fixed, so that the plans in tests
//! are those in production.

use rusqlite::Connection;

use crate::error::Result;

/// Rows of a table, of one organization, and of one value of each further column of an index.
const ROWS: [&str; 5] = ["1000000", "10000", "100", "10", "2"];

/// Every index that starts with the organization, with its columns and whether it is unique. The primary key of a table without row ids has
/// the table's name.
const INDEXES: &str = "SELECT t.name, CASE WHEN l.origin = 'pk' AND k.wr THEN t.name ELSE l.name END, COUNT(*), l.\"unique\"
    FROM sqlite_schema t JOIN pragma_table_list(t.name) k JOIN pragma_index_list(t.name) l JOIN pragma_index_info(l.name) c
    WHERE t.type = 'table' GROUP BY t.name, l.name HAVING MAX(CASE c.seqno WHEN 0 THEN c.name END) = 'org_id'";

/// Writes the assumptions for the current schema.
pub(crate) fn assume(connection: &Connection) -> Result<()> {
    // Only ANALYZE can create the table, and this is the smallest one.
    connection.execute_batch("ANALYZE schema_migrations; DELETE FROM sqlite_stat1")?;
    let mut note = connection.prepare("INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?2, ?3)")?;
    let mut indexes = connection.prepare(INDEXES)?;
    let mut rows = indexes.query([])?;
    while let Some(row) = rows.next()? {
        let (table, index): (String, String) = (row.get(0)?, row.get(1)?);
        let (columns, unique): (u8, bool) = (row.get(2)?, row.get(3)?);
        let rows_of = |column: u8| ROWS[usize::from(column).min(ROWS.len() - 1)];
        let mut assumed: Vec<&str> = (0..=columns).map(rows_of).collect();
        if unique && let Some(last) = assumed.last_mut() {
            *last = "1";
        }
        note.execute((table, index, assumed.join(" ")))?;
    }
    Ok(connection.execute_batch("ANALYZE sqlite_schema")?)
}
