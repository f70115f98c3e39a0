//! Cells: the values of columns.

use std::borrow::Cow;
use std::fmt::Display;
use std::net::IpAddr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

/// A value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Null.
    Null,
    /// A boolean; 0 or 1 on SQLite.
    Bool(bool),
    /// An integer. Times are microseconds since 1970.
    Int(i64),
    /// A floating-point number.
    Real(f64),
    /// A string.
    Text(Cow<'a, str>),
    /// Bytes.
    Bytes(Cow<'a, [u8]>),
    /// A UUID; 16 bytes on SQLite.
    Uuid(Uuid),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Booleans.
    Bool,
    /// Integers.
    Int,
    /// Floating-point numbers.
    Real,
    /// Strings.
    Text,
    /// Bytes.
    Bytes,
    /// UUIDs.
    Uuid,
}

impl<'a> Cell<'a> {
    /// The string, if it is one.
    pub fn text(&self) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(format!("{} is not a string", other.kind_name())),
        }
    }

    /// The string, if it is one, without a copy.
    pub fn into_text(self) -> Result<Cow<'a, str>, String> {
        match self {
            Self::Text(text) => Ok(text),
            other => Err(format!("{} is not a string", other.kind_name())),
        }
    }

    /// The integer, if it is one.
    pub fn int(&self) -> Result<i64, String> {
        match self {
            Self::Int(value) => Ok(*value),
            other => Err(format!("{} is not an integer", other.kind_name())),
        }
    }

    /// The bytes, if they are.
    pub fn bytes(&self) -> Result<&[u8], String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            other => Err(format!("{} is not bytes", other.kind_name())),
        }
    }

    /// The same value, which borrows nothing.
    pub fn into_owned(self) -> Cell<'static> {
        match self {
            Self::Null => Cell::Null,
            Self::Bool(value) => Cell::Bool(value),
            Self::Int(value) => Cell::Int(value),
            Self::Real(value) => Cell::Real(value),
            Self::Text(text) => Cell::Text(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => Cell::Bytes(Cow::Owned(bytes.into_owned())),
            Self::Uuid(value) => Cell::Uuid(value),
        }
    }

    /// The same value, borrowed.
    pub fn borrowed(&self) -> Cell<'_> {
        match self {
            Self::Text(text) => Cell::from(&**text),
            Self::Bytes(bytes) => Cell::Bytes(Cow::Borrowed(bytes)),
            Self::Null => Cell::Null,
            Self::Bool(value) => Cell::Bool(*value),
            Self::Int(value) => Cell::Int(*value),
            Self::Real(value) => Cell::Real(*value),
            Self::Uuid(value) => Cell::Uuid(*value),
        }
    }

    /// The type of the value, for errors. They must not show the value itself: a row may contain a child's name.
    fn kind_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a boolean",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a number",
            Self::Text(_) => "a string",
            Self::Bytes(_) => "a list of bytes",
            Self::Uuid(_) => "a UUID",
        }
    }
}

impl<'a> From<&'a str> for Cell<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

/// A type that is stored in one column.
pub trait Column: Sized {
    /// The type of the column.
    const KIND: CellKind;
    /// The value to store.
    fn cell(&self) -> Cell<'_>;
    /// Reads a stored value, or returns why it cannot be read.
    fn from_cell(cell: Cell<'_>) -> Result<Self, String>;
    /// The value to store, for a value that is no longer needed.
    fn into_cell(self) -> Cell<'static> {
        self.cell().into_owned()
    }
}

/// The columns of a row, read from left to right.
pub trait Cells {
    /// The error of a column that could not be read.
    type Error;
    /// Reads the next column, whose name is `name`.
    fn next<C: Column>(&mut self, name: &'static str) -> Result<C, Self::Error>;
}

macro_rules! columns {
    ($($type:ty: $kind:ident, |$value:ident| $cell:expr, |$from:ident| $read:expr;)+) => { $(
        impl Column for $type {
            const KIND: CellKind = CellKind::$kind;
            fn cell(&self) -> Cell<'_> { let $value = self; $cell }
            fn from_cell($from: Cell<'_>) -> Result<Self, String> { $read }
        }
    )+ };
}

fn unreadable(error: impl std::fmt::Display) -> String {
    error.to_string()
}

columns! {
    i64: Int, |value| Cell::Int(*value), |cell| cell.int();
    String: Text, |value| Cell::from(value.as_str()), |cell| match cell {
        Cell::Text(text) => Ok(text.into_owned()),
        other => other.text().map(str::to_owned),
    };
    Timestamp: Int, |value| Cell::Int(value.as_microsecond()),
        |cell| Timestamp::from_microsecond(cell.int()?).map_err(unreadable);
    Date: Text, |value| Cell::Text(Cow::Owned(value.to_string())), |cell| cell.text()?.parse().map_err(unreadable);
    DateTime: Text, |value| Cell::Text(Cow::Owned(value.to_string())), |cell| cell.text()?.parse().map_err(unreadable);
    IpAddr: Text, |value| Cell::Text(Cow::Owned(value.to_string())), |cell| cell.text()?.parse().map_err(unreadable);
    [u8; 16]: Bytes, |value| Cell::Bytes(Cow::Borrowed(value)),
        |cell| cell.bytes()?.try_into().map_err(|_| "is not 16 bytes".to_owned());
    [u8; 32]: Bytes, |value| Cell::Bytes(Cow::Borrowed(value)),
        |cell| cell.bytes()?.try_into().map_err(|_| "is not 32 bytes".to_owned());
    f64: Real, |value| Cell::Real(*value), |cell| match cell {
        Cell::Real(value) => Ok(value),
        other => Err(format!("{} is not a number", other.kind_name())),
    };
    bool: Bool, |value| Cell::Bool(*value), |cell| match cell {
        Cell::Bool(value) => Ok(value),
        // SQLite has no booleans.
        other => other.int().map(|value| value != 0),
    };
    Uuid: Uuid, |value| Cell::Uuid(*value), |cell| match cell {
        Cell::Uuid(value) => Ok(value),
        other => Uuid::from_slice(other.bytes()?).map_err(unreadable),
    };
}

impl<C: Column> Column for Option<C> {
    const KIND: CellKind = C::KIND;
    fn cell(&self) -> Cell<'_> {
        self.as_ref().map_or(Cell::Null, C::cell)
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        if matches!(cell, Cell::Null) { Ok(None) } else { C::from_cell(cell).map(Some) }
    }
}

/// Bytes of any length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Column for Bytes {
    const KIND: CellKind = CellKind::Bytes;
    fn cell(&self) -> Cell<'_> {
        Cell::Bytes(Cow::Borrowed(&self.0))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        cell.bytes().map(|bytes| Self(bytes.to_vec()))
    }
}

/// Lists are stored as JSON arrays of strings.
impl<T: Display + std::str::FromStr<Err: std::fmt::Display>> Column for Vec<T> {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        list_cell(self)
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let json = cell.text()?;
        if json == "[]" {
            return Ok(Self::new());
        }
        if let Some(texts) = plain(json) {
            return texts.into_iter().map(|text| text.parse().map_err(unreadable)).collect();
        }
        let texts: Vec<Text<'_>> = serde_json::from_str(json).map_err(unreadable)?;
        texts.iter().map(|text| text.0.parse().map_err(unreadable)).collect()
    }
}

/// The strings of a JSON array as it is stored, if they contain no escapes: they are read without a parser.
fn plain(json: &str) -> Option<Vec<&str>> {
    let mut rest = json.strip_prefix("[\"")?.strip_suffix("\"]")?;
    if rest.contains('\\') {
        return None;
    }
    let mut texts = Vec::with_capacity(4);
    while let Some((text, after)) = rest.split_once('"') {
        texts.push(text);
        rest = after.strip_prefix(",\"")?;
    }
    texts.push(rest);
    Some(texts)
}

/// A list as a JSON array of strings.
pub fn list_cell<'a, T: Display>(items: &[T]) -> Cell<'a> {
    Cell::Text(Cow::Owned(crate::rendered::json(&Texts(items))))
}

/// Items as strings.
struct Texts<'a, T>(&'a [T]);

impl<T: Display> Serialize for Texts<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Written))
    }
}

struct Written<'a, T>(&'a T);

impl<T: Display> Serialize for Written<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// A string in a JSON array, borrowed if it contains no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Result<Vec<String>, String> {
        Vec::from_cell(Cell::from(json))
    }

    #[test]
    fn lists_of_any_strings_are_read_as_they_were_stored() {
        let lists: [&[&str]; 6] = [
            &[],
            &[""],
            &["win"],
            &["a", "b", ""],
            &["a,b", "[c]", "\u{e9}"],
            &["\"", "\\", "a\",\"b", "\n"],
        ];
        for list in lists {
            let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
            let stored = list_cell(&list);
            assert_eq!(read(stored.text().expect("a string")), Ok(list));
        }
        assert_eq!(read(r#"[ "a", "b" ]"#), Ok(vec!["a".to_owned(), "b".to_owned()]), "with white space");
    }

    #[test]
    fn what_is_not_a_list_of_strings_is_refused() {
        for wrong in ["", "[", r#"["a"b"c"]"#, r#"["a","b]"#, r#"["a",]"#, r#"["a""b"]"#, "[1]", r#"["\x"]"#]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
