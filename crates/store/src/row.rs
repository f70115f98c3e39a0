//! Rows on their way out of a statement: one reader for both engines, column by column, in the order of the SELECT list.

use std::borrow::Cow;
use std::net::IpAddr;
use std::str::FromStr;

use fieldhouse_domain::ids::Id;
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::types::ValueRef;
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::query::Query;

pub(crate) enum Source<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
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
        let at = self.at;
        self.at += 1;
        let read = match &self.source {
            Source::Sqlite(row) => row.get_ref(at).map_err(|error| error.to_string()).and_then(C::sqlite),
            Source::Postgres(row) => C::postgres(row, at),
        };
        read.map_err(|reason| self.corrupt(at, reason))
    }

    /// Leaves columns out.
    pub(crate) fn skip(&mut self, columns: usize) {
        self.at += columns;
    }

    /// The next column as an id.
    pub(crate) fn id<I: Id>(&mut self) -> Result<I> {
        self.next::<Uuid>().map(I::from_uuid)
    }

    /// The next column as an id that may be missing.
    pub(crate) fn optional_id<I: Id>(&mut self) -> Result<Option<I>> {
        Ok(self.next::<Option<Uuid>>()?.map(I::from_uuid))
    }

    /// The next column, a text, as what it says.
    pub(crate) fn parsed<T: FromStr<Err: std::fmt::Display>>(&mut self) -> Result<T> {
        self.text(|text| text.ok_or("missing")?.parse().map_err(|error: T::Err| error.to_string()))
    }

    /// The next column, a text that may be missing, as what it says.
    pub(crate) fn optional_parsed<T: FromStr<Err: std::fmt::Display>>(&mut self) -> Result<Option<T>> {
        self.text(|text| text.map(str::parse).transpose().map_err(|error: T::Err| error.to_string()))
    }

    /// The next column, a text that may be missing, where it lies: nothing is copied.
    fn text<T>(&mut self, read: impl FnOnce(Option<&str>) -> std::result::Result<T, String>) -> Result<T> {
        let at = self.at;
        self.at += 1;
        let text = match &self.source {
            Source::Sqlite(row) => row
                .get_ref(at)
                .map_err(|error| error.to_string())
                .and_then(|value| value.as_str_or_null().map_err(|error| error.to_string())),
            Source::Postgres(row) => row.try_get(at).map_err(|error| error.to_string()),
        };
        text.and_then(read).map_err(|reason| self.corrupt(at, reason))
    }

    /// The next column, a text or number, through a function.
    pub(crate) fn through<C: Column, T, E: std::fmt::Display>(
        &mut self,
        read: impl FnOnce(C) -> std::result::Result<T, E>,
    ) -> Result<T> {
        let value = self.next()?;
        read(value).map_err(|error| self.corrupt(self.at - 1, error.to_string()))
    }

    /// The next column, a JSON array of texts, each as what it says.
    pub(crate) fn list<T, E: std::fmt::Display>(
        &mut self,
        read: impl Fn(&str) -> std::result::Result<T, E>,
    ) -> Result<Vec<T>> {
        self.text(|json| {
            let json = json.ok_or("missing")?;
            if json == "[]" {
                return Ok(Vec::new());
            }
            let texts: Vec<Text<'_>> = serde_json::from_str(json).map_err(|error| error.to_string())?;
            texts.iter().map(|text| read(&text.0).map_err(|error| error.to_string())).collect()
        })
    }

    fn corrupt(&self, at: usize, reason: String) -> Error {
        let (column, row) = match &self.source {
            Source::Sqlite(row) => (row.as_ref().column_name(at).map(str::to_owned).ok(), first_sqlite(row)),
            Source::Postgres(row) => {
                let column = row.columns().get(at).map(|column| column.name().to_owned());
                (column, row.try_get::<_, Uuid>(0).ok().map(|id| id.to_string()))
            }
        };
        Error::Corrupt {
            query: self.query.name,
            column: column.unwrap_or_else(|| at.to_string()),
            row: row.unwrap_or_else(|| "?".to_owned()),
            reason,
        }
    }
}

fn first_sqlite(row: &rusqlite::Row<'_>) -> Option<String> {
    let bytes = row.get_ref(0).ok()?.as_blob().ok()?;
    Uuid::from_slice(bytes).ok().map(|id| id.to_string())
}

/// A text of a JSON array, borrowed where it holds no escapes.
#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// Writes texts as the JSON array that [`Row::list`] reads.
pub(crate) fn list<T: std::fmt::Display>(items: &[T]) -> String {
    let texts: Vec<String> = items.iter().map(ToString::to_string).collect();
    serde_json::Value::from(texts).to_string()
}

/// A type that a column can be read as.
pub(crate) trait Column: Sized {
    fn sqlite(value: ValueRef<'_>) -> std::result::Result<Self, String>;
    fn postgres(row: &tokio_postgres::Row, at: usize) -> std::result::Result<Self, String>;
}

macro_rules! plain {
    ($($type:ty, |$value:ident| $sqlite:expr;)*) => { $(
        impl Column for $type {
            fn sqlite($value: ValueRef<'_>) -> std::result::Result<Self, String> { $sqlite }
            fn postgres(row: &tokio_postgres::Row, at: usize) -> std::result::Result<Self, String> {
                row.try_get(at).map_err(|error| error.to_string())
            }
        }
    )* };
}
plain! {
    i64, |value| value.as_i64().map_err(|error| error.to_string());
    f64, |value| value.as_f64().map_err(|error| error.to_string());
    bool, |value| value.as_i64().map(|value| value != 0).map_err(|error| error.to_string());
    String, |value| value.as_str().map(str::to_owned).map_err(|error| error.to_string());
    Vec<u8>, |value| value.as_blob().map(<[u8]>::to_vec).map_err(|error| error.to_string());
    Uuid, |value| {
        let bytes = value.as_blob().map_err(|error| error.to_string())?;
        Uuid::from_slice(bytes).map_err(|error| error.to_string())
    };
}

macro_rules! through {
    ($($type:ty, $base:ty, |$value:ident| $made:expr;)*) => { $(
        impl Column for $type {
            fn sqlite(value: ValueRef<'_>) -> std::result::Result<Self, String> {
                let $value = <$base as Column>::sqlite(value)?;
                $made
            }
            fn postgres(row: &tokio_postgres::Row, at: usize) -> std::result::Result<Self, String> {
                let $value = <$base as Column>::postgres(row, at)?;
                $made
            }
        }
    )* };
}
through! {
    Timestamp, i64, |micros| Timestamp::from_microsecond(micros).map_err(|error| error.to_string());
    Date, String, |text| text.parse().map_err(|error: jiff::Error| error.to_string());
    IpAddr, String, |text| text.parse().map_err(|error: std::net::AddrParseError| error.to_string());
    [u8; 32], Vec<u8>, |bytes| bytes.try_into().map_err(|_| "not 32 bytes".to_owned());
}

impl<C: Column> Column for Option<C> {
    fn sqlite(value: ValueRef<'_>) -> std::result::Result<Self, String> {
        if matches!(value, ValueRef::Null) { Ok(None) } else { C::sqlite(value).map(Some) }
    }
    fn postgres(row: &tokio_postgres::Row, at: usize) -> std::result::Result<Self, String> {
        let null = row.try_get::<_, Option<Anything>>(at).map_err(|error| error.to_string())?.is_none();
        if null { Ok(None) } else { C::postgres(row, at).map(Some) }
    }
}

/// Takes a column of any type, to ask only whether it is null.
struct Anything;
impl<'a> tokio_postgres::types::FromSql<'a> for Anything {
    fn from_sql(
        _: &tokio_postgres::types::Type,
        _: &'a [u8],
    ) -> std::result::Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self)
    }
    fn accepts(_: &tokio_postgres::types::Type) -> bool {
        true
    }
}
