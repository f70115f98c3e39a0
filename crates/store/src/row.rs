//! Rows on their way out of a statement: one reader for both engines, column by column, in the order of the SELECT list.

use std::borrow::Cow;

use fieldhouse_domain::ids::{ChildId, Id as _, OrganizationId};
use fieldhouse_domain::record::{Bytes, Cell, CellKind, Cells, Column, Record};
use rusqlite::types::ValueRef;
use tokio_postgres::types::{FromSql, Type};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::postgres;
use crate::query::Query;
use crate::sealing::{Opening, SealError, Sealer, child_at};

pub(crate) enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres {
        /// Its columns, `None` for null.
        cells: &'a [Option<&'a [u8]>],
        columns: &'a [postgres::Column],
    },
    /// A row of SQLite that a transaction has kept.
    Kept {
        cells: &'a [rusqlite::types::Value],
        columns: &'a [String],
    },
}

/// One row, read from left to right.
pub struct Row<'a> {
    source: Source<'a>,
    query: &'static Query,
    at: usize,
}

impl<'a> Row<'a> {
    pub(crate) fn new(source: Source<'a>, query: &'static Query) -> Self {
        Self { source, query, at: 0 }
    }

    /// The next column.
    pub(crate) fn next<C: Column>(&mut self) -> Result<C> {
        let (at, cell) = self.cell(C::KIND);
        cell.and_then(C::from_cell).map_err(|reason| self.corrupt(at, reason))
    }

    /// The next column as text, without a copy.
    pub(crate) fn text(&mut self) -> Result<Cow<'a, str>> {
        let (at, cell) = self.cell(CellKind::Text);
        cell.and_then(Cell::into_text).map_err(|reason| self.corrupt(at, reason))
    }

    /// The same for a column that may be null.
    pub(crate) fn optional_text(&mut self) -> Result<Option<Cow<'a, str>>> {
        let (at, cell) = self.cell(CellKind::Text);
        let text = |cell| if matches!(cell, Cell::Null) { Ok(None) } else { Cell::into_text(cell).map(Some) };
        cell.and_then(text).map_err(|reason| self.corrupt(at, reason))
    }

    /// The next column with its number, read as the expected type.
    fn cell(&mut self, kind: CellKind) -> (usize, std::result::Result<Cell<'a>, String>) {
        let at = self.at;
        self.at += 1;
        let cell = match &self.source {
            Source::Sqlite(row) => row.get_ref(at).map(of_sqlite).map_err(|error| error.to_string()),
            Source::Postgres { cells, columns } => match (cells.get(at), columns.get(at)) {
                (Some(cell), Some(column)) => of_postgres(*cell, &column.kind, kind),
                _ => Err(format!("there are {} columns", cells.len())),
            },
            Source::Kept { cells, .. } => {
                let value = cells.get(at).ok_or_else(|| format!("there are {} columns", cells.len()));
                value.map(|value| of_sqlite(value.into()))
            }
        };
        (at, cell)
    }

    /// The next columns as a record.
    pub(crate) fn record<R: Record>(&mut self) -> Result<R> {
        R::load(self)
    }

    /// The next columns as a record with sealed fields, after the wrapped key of its child.
    pub(crate) fn sealed_record<R: Record>(
        &mut self,
        sealer: &Sealer,
        organization: OrganizationId,
    ) -> Result<R> {
        let wrapped: Bytes = self.next()?;
        let start = self.at;
        let id: Uuid = self.next()?;
        self.at = start + child_at::<R>();
        let child = ChildId::from_uuid(self.next()?);
        self.at = start;
        match sealer.open((organization, child), &wrapped.0) {
            Ok(key) => R::load(&mut Opening::<R>::new(self, key, id)),
            // The server's fault, and not that of the row.
            Err(error @ SealError::NoSealer) => Err(error.into()),
            Err(error) => Err(self.unsealed("wrapped", error)),
        }
    }

    /// The next columns as a record with sealed fields, after the wrapped key of its child. `None` if its id is null, as in a LEFT JOIN
    /// without a match.
    pub(crate) fn optional_sealed_record<R: Record>(
        &mut self,
        sealer: &Sealer,
        organization: OrganizationId,
    ) -> Result<Option<R>> {
        let start = self.at;
        self.at += 1;
        if self.next::<Option<Uuid>>()?.is_none() {
            self.at = start + 1 + R::FIELDS.len();
            return Ok(None);
        }
        self.at = start;
        self.sealed_record(sealer, organization).map(Some)
    }

    /// The next columns as a record. `None` if its id is null, as in a LEFT JOIN without a match.
    pub(crate) fn optional_record<R: Record>(&mut self) -> Result<Option<R>> {
        if self.next::<Option<Uuid>>()?.is_none() {
            self.at += R::FIELDS.len() - 1;
            return Ok(None);
        }
        self.at -= 1;
        R::load(self).map(Some)
    }

    /// Skips columns.
    pub(crate) fn skip(&mut self, columns: usize) {
        self.at += columns;
    }

    /// Goes back one column.
    pub(crate) fn back(&mut self) {
        self.at -= 1;
    }

    /// The name of a column, as the database reports it.
    fn name(&self, at: usize) -> Option<String> {
        match &self.source {
            Source::Sqlite(row) => row.as_ref().column_name(at).map(str::to_owned).ok(),
            Source::Postgres { columns, .. } => columns.get(at).map(|column| column.name.clone()),
            Source::Kept { columns, .. } => columns.get(at).cloned(),
        }
    }

    /// The error of a column whose data does not open.
    pub(crate) fn unsealed(&self, column: &str, error: SealError) -> Error {
        match self.corrupt(self.at, error.to_string()) {
            Error::Corrupt { query, row, reason, .. } => {
                Error::Corrupt { query, column: column.to_owned(), row, reason }
            }
            other => other,
        }
    }

    fn corrupt(&self, at: usize, reason: String) -> Error {
        let row = match &self.source {
            Source::Sqlite(row) => first_of_sqlite(row),
            Source::Postgres { cells, columns } => match (cells.first(), columns.first()) {
                (Some(Some(cell)), Some(column)) if column.kind == Type::UUID => {
                    Uuid::from_slice(cell).ok().map(|id| id.to_string())
                }
                _ => None,
            },
            Source::Kept { cells, .. } => match cells.first() {
                Some(rusqlite::types::Value::Blob(bytes)) => {
                    Uuid::from_slice(bytes).ok().map(|id| id.to_string())
                }
                _ => None,
            },
        };
        Error::Corrupt {
            query: self.query.name,
            column: self.name(at).unwrap_or_else(|| at.to_string()),
            row: row.unwrap_or_else(|| "?".to_owned()),
            reason,
        }
    }
}

/// Reads a record in the order of its fields. Debug builds check the names of the columns; every query runs there.
impl Cells for Row<'_> {
    type Error = Error;
    fn next<C: Column>(&mut self, name: &'static str) -> Result<C> {
        debug_assert_eq!(self.name(self.at).as_deref(), Some(name), "in {}", self.query.name);
        Row::next(self)
    }
}

fn first_of_sqlite(row: &rusqlite::Row<'_>) -> Option<String> {
    let bytes = row.get_ref(0).ok()?.as_blob().ok()?;
    Uuid::from_slice(bytes).ok().map(|id| id.to_string())
}

/// A borrowed column of SQLite. Text that is not UTF-8 is read as bytes, which no text column accepts.
fn of_sqlite(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(value) => Cell::Int(value),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Cell::Text(Cow::Borrowed(text)),
            Err(_) => Cell::Bytes(Cow::Borrowed(bytes)),
        },
        ValueRef::Blob(bytes) => Cell::Bytes(Cow::Borrowed(bytes)),
    }
}

/// A column of PostgreSQL, read as the expected type.
fn of_postgres<'a>(
    cell: Option<&'a [u8]>,
    kind: &Type,
    expected: CellKind,
) -> std::result::Result<Cell<'a>, String> {
    let Some(bytes) = cell else { return Ok(Cell::Null) };
    match expected {
        CellKind::Bool => value::<bool>(bytes, kind).map(Cell::Bool),
        CellKind::Int => value::<i64>(bytes, kind).map(Cell::Int),
        CellKind::Real => value::<f64>(bytes, kind).map(Cell::Real),
        CellKind::Text => value::<&str>(bytes, kind).map(Cell::from),
        CellKind::Bytes => value::<&[u8]>(bytes, kind).map(|bytes| Cell::Bytes(Cow::Borrowed(bytes))),
        CellKind::Uuid => value::<Uuid>(bytes, kind).map(Cell::Uuid),
    }
}

fn value<'a, T: FromSql<'a>>(bytes: &'a [u8], kind: &Type) -> std::result::Result<T, String> {
    if !T::accepts(kind) {
        return Err(format!("it has the type {kind}"));
    }
    T::from_sql(kind, bytes).map_err(|error| error.to_string())
}

/// A row with exactly one record.
pub(crate) fn record<R: Record>(row: &mut Row<'_>) -> Result<R> {
    R::load(row)
}
