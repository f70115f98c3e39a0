//! Facts: rows that a transaction has read, so that it reads them once however many commands ask for them.
//!
//! Only queries that say so are kept (`@read_once`), and only in a transaction whose statements all see one snapshot. What the transaction
//! itself writes is the only thing that can change them. So every statement that writes passes through [`Facts::forget`], which drops all
//! rows of queries that name its table; and a part that is rolled back drops everything.

use std::collections::HashMap;

use crate::error::Result;
use crate::postgres;
use crate::query::{Columns, Once, Query, Said, Tables, Written};
use crate::row::{Row, Source};
use crate::value::{KeyPart, Value};

/// The maximum number of facts. A transaction that reads more reads the others each time.
const LIMIT: usize = 8192;

/// The rows that queries returned, as the database's driver has them.
pub(crate) enum Kept {
    Sqlite(Vec<Vec<rusqlite::types::Value>>),
    Postgres(postgres::Rows),
}

impl Kept {
    /// Reads the rows.
    pub(super) fn read<T>(
        &self,
        query: &'static Query,
        columns: &[String],
        each: &mut impl FnMut(&mut Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        match self {
            Self::Sqlite(rows) => {
                rows.iter().map(|cells| each(&mut Row::new(Source::Kept { cells, columns }, query))).collect()
            }
            Self::Postgres(rows) => rows.read(query, each),
        }
    }
}

/// The facts of one query.
struct OfQuery {
    /// The names of its columns, on SQLite.
    columns: Columns,
    /// The tables that it names.
    tables: Tables,
    /// Its rows for each list of parameters.
    rows: HashMap<Key, Kept>,
}

/// The values of the parameters with which a query was run.
pub(super) type Key = Vec<KeyPart>;

/// What a transaction has read.
#[derive(Default)]
pub(crate) struct Facts {
    by_query: HashMap<&'static str, (&'static Query, OfQuery)>,
    count: usize,
}

impl Facts {
    /// The parameters under which the rows of a query are kept. `None` if they are not.
    pub(super) fn key(query: &Query, values: &[Value<'_>]) -> Option<Key> {
        (query.once != Once::Never).then(|| values.iter().map(Value::as_key_part).collect()).flatten()
    }

    /// The rows of a query, with the names of its columns.
    pub(super) fn get(&self, query: &'static Query, key: &Key) -> Option<(&[String], &Kept)> {
        let (_, of_query) = self.by_query.get(query.name)?;
        Some((&of_query.columns, of_query.rows.get(key)?))
    }

    /// Keeps the rows of a query.
    pub(super) fn keep(&mut self, query: &'static Query, key: Key, columns: Columns, rows: Kept) {
        if self.count < LIMIT {
            self.count += 1;
            let (_, of_query) = self.by_query.entry(query.name).or_insert_with(|| {
                (query, OfQuery { columns, tables: query.said().names, rows: HashMap::new() })
            });
            of_query.rows.insert(key, rows);
        }
    }

    /// Forgets what a statement may change, by its SQL.
    pub(super) fn forget(&mut self, said: Said, values: &[Value<'_>]) {
        if self.count == 0 {
            return;
        }
        match said.written {
            Written::Nothing => {}
            Written::Anything => self.clear(),
            Written::Table { is_one_row, .. } => {
                let row: Option<Key> = values
                    .iter()
                    .take(2)
                    .map(Value::as_key_part)
                    .collect::<Option<_>>()
                    .filter(|_| is_one_row);
                for (query, of_query) in self.by_query.values_mut() {
                    match (&row, query.once) {
                        _ if !of_query.tables.meet(said.table) => {}
                        (Some(row), Once::Row) => {
                            self.count -= usize::from(of_query.rows.remove(row).is_some());
                        }
                        _ => {
                            self.count -= of_query.rows.len();
                            of_query.rows.clear();
                        }
                    }
                }
            }
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.by_query.clear();
        self.count = 0;
    }
}
