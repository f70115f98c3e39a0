//! Values on their way into a statement, for both engines.

use std::net::IpAddr;

use bytes::BytesMut;
use fieldhouse_domain::ids::Id;
use jiff::Timestamp;
use jiff::civil::Date;
use rusqlite::types::{ToSqlOutput, ValueRef};

use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

/// A value that is bound to a parameter.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// Nothing.
    Null,
    /// A truth value; 0 or 1 on SQLite.
    Bool(bool),
    /// A whole number; times are microseconds.
    Int(i64),
    /// A fraction.
    Real(f64),
    /// A text.
    Text(&'a str),
    /// A text of its own.
    Owned(String),
    /// Bytes.
    Bytes(&'a [u8]),
    /// A UUID; 16 bytes on SQLite.
    Uuid(Uuid),
}

macro_rules! from {
    ($($type:ty => |$value:ident| $made:expr;)*) => { $(
        impl<'a> From<$type> for Value<'a> { fn from($value: $type) -> Self { $made } }
    )* };
}
from! {
    bool => |value| Self::Bool(value);
    i64 => |value| Self::Int(value);
    f64 => |value| Self::Real(value);
    u32 => |value| Self::Int(i64::from(value));
    String => |value| Self::Owned(value);
    Timestamp => |value| Self::Int(value.as_microsecond());
    Date => |value| Self::Owned(value.to_string());
    IpAddr => |value| Self::Owned(value.to_string());
    Uuid => |value| Self::Uuid(value);
}
impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Self::Text(value)
    }
}
impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        Self::Text(value)
    }
}
impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(value: &'a [u8]) -> Self {
        Self::Bytes(value)
    }
}
impl<'a> From<&'a [u8; 32]> for Value<'a> {
    fn from(value: &'a [u8; 32]) -> Self {
        Self::Bytes(value)
    }
}
impl<'a, T: Into<Value<'a>>> From<Option<T>> for Value<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// The value of an id.
pub(crate) fn id<'a, I: Id>(id: I) -> Value<'a> {
    Value::Uuid(id.uuid())
}

/// The values of a statement's parameters, in the order of their numbers.
macro_rules! values {
    ($($value:expr),* $(,)?) => { &[$($crate::value::Value::from($value)),*] };
}
pub(crate) use values;

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Bool(value) => ValueRef::Integer(i64::from(*value)),
            Self::Int(value) => ValueRef::Integer(*value),
            Self::Real(value) => ValueRef::Real(*value),
            Self::Text(value) => ValueRef::Text(value.as_bytes()),
            Self::Owned(value) => ValueRef::Text(value.as_bytes()),
            Self::Bytes(value) => ValueRef::Blob(value),
            Self::Uuid(value) => ValueRef::Blob(value.as_bytes()),
        }))
    }
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        buffer: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql(kind, buffer),
            Self::Int(value) if *kind == Type::INT4 => i32::try_from(*value)?.to_sql(kind, buffer),
            Self::Int(value) => value.to_sql(kind, buffer),
            Self::Real(value) => value.to_sql(kind, buffer),
            Self::Text(value) => value.to_sql(kind, buffer),
            Self::Owned(value) => value.to_sql(kind, buffer),
            Self::Bytes(value) => value.to_sql(kind, buffer),
            Self::Uuid(value) => {
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
