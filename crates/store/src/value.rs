//! Parameter values of statements, for both engines.

use std::borrow::Cow;

use bytes::BytesMut;
use fieldhouse_domain::record::{Cell, Column};
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::types::{ToSqlOutput, ValueRef};

use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

/// A value bound to a parameter.
#[derive(Clone, Debug)]
pub struct Value<'a>(Cell<'a>);

impl<'a> From<Cell<'a>> for Value<'a> {
    fn from(cell: Cell<'a>) -> Self {
        Self(cell)
    }
}

impl Value<'_> {
    /// The id that it is.
    pub(crate) fn as_uuid(&self) -> Option<Uuid> {
        match self.0 {
            Cell::Uuid(value) => Some(value),
            _ => None,
        }
    }
}

/// A value by which rows that were read are found again.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum KeyPart {
    Null,
    Int(i64),
    Text(String),
    Uuid(Uuid),
}

impl Value<'_> {
    /// The value as a part of a key. `None` for a number that is not an integer, and for bytes.
    pub(crate) fn as_key_part(&self) -> Option<KeyPart> {
        Some(match &self.0 {
            Cell::Null => KeyPart::Null,
            Cell::Bool(value) => KeyPart::Int(i64::from(*value)),
            Cell::Int(value) => KeyPart::Int(*value),
            Cell::Text(value) => KeyPart::Text(value.as_ref().to_owned()),
            Cell::Uuid(value) => KeyPart::Uuid(*value),
            Cell::Real(_) | Cell::Bytes(_) => return None,
        })
    }
}

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr;)*) => { $(
        impl<'a> From<$type> for Value<'a> { fn from($value: $type) -> Self { Self($made) } }
    )* };
}
from! {
    bool => |value| Cell::Bool(value);
    i64 => |value| Cell::Int(value);
    f64 => |value| Cell::Real(value);
    u32 => |value| Cell::Int(i64::from(value));
    String => |value| Cell::Text(Cow::Owned(value));
    Timestamp => |value| value.into_cell();
    Date => |value| value.into_cell();
    Uuid => |value| Cell::Uuid(value);
    &'a str => |value| Cell::from(value);
    &'a String => |value| Cell::from(value.as_str());
    &'a [u8] => |value| Cell::Bytes(Cow::Borrowed(value));
    &'a [u8; 16] => |value| Cell::Bytes(Cow::Borrowed(value));
    &'a [u8; 32] => |value| Cell::Bytes(Cow::Borrowed(value));
}
impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self(Cell::Null), Into::into)
    }
}

/// The value of a type that is stored in one column: an id, a role, a name.
pub(crate) fn id<'a>(column: impl Column) -> Value<'a> {
    Value(column.into_cell())
}

/// The values of a statement's parameters, in the order of their numbers.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::value::Value::from($value)),*] };
}
pub(crate) use values;

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match &self.0 {
            Cell::Null => ValueRef::Null,
            Cell::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Cell::Int(value) => ValueRef::Integer(*value),
            Cell::Real(value) => ValueRef::Real(*value),
            Cell::Text(value) => ValueRef::Text(value.as_bytes()),
            Cell::Bytes(value) => ValueRef::Blob(value),
            Cell::Uuid(value) => ValueRef::Blob(value.as_bytes()),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        buffer: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match &self.0 {
            Cell::Null => Ok(IsNull::Yes),
            Cell::Bool(value) => value.to_sql(kind, buffer),
            Cell::Int(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, buffer),
            Cell::Int(value) => value.to_sql(kind, buffer),
            Cell::Real(value) => value.to_sql(kind, buffer),
            Cell::Text(value) => value.as_ref().to_sql(kind, buffer),
            Cell::Bytes(value) => value.as_ref().to_sql(kind, buffer),
            Cell::Uuid(value) => {
                buffer.extend_from_slice(value.as_bytes());
                Ok(IsNull::No)
            }
        }
    }
    fn accepts(_: &Type) -> bool {
        true
    }
    to_sql_checked!();
}
