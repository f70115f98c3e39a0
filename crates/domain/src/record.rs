//! Records: what all kinds of record have in common, and what a derive generates from their lists of fields.
//!
//! A record is a struct with `#[derive(Record)]`. `#[record(...)]` describes its table:
//!
//! - `table = "venues"`, `alias = "v"`: the table, and its name in SELECT lists;
//! - `wire`: responses show the record as declared (without it, `api` has a view); derive serde too;
//! - `shared`: rows belong to no organization (without it, the key starts with `org_id`);
//! - `owner = "owner_id"`: a column that is part of the key, besides the organization and the id;
//! - `twin = "guest_favorites"`: a second table with the same columns, whose rows belong to no organization;
//! - `rules = check`: a function that reports violated rules between the fields of a body of change;
//! - `derived(name_folded = self.name.folded())`: columns that are computed from fields, or from `image()`, the record's image as text.
//!
//! Each field says who sets it: `#[field(client)]` (in the bodies of create and change), `create_only` or `server`. It may also be
//! `bookkeeping` or `moment` (ignored in comparisons), `stamp` (compared, but taken from the moment of the change: a simulation and its
//! execution differ in it), `secret` (never in a body, an image or `Debug`), `personal` (data of a child:
//! never in `Debug`, and in a response only through a view) or `sealed` (the same, and stored sealed with the child's key). `default` is the value of a field that a body of create leaves out, `initial` the
//! value that the server sets. `min` and `max` limit numbers and the length of lists.

mod body;
mod cell;
mod field;
mod image;
mod shared;

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer as _};
use serde_json::Value as Json;

pub use body::{
    At, Body, Bounds, Fields, Input, Properties, Schemas, read_json, read_object, read_pairs, serialize,
};
pub use cell::{Bytes, Cell, CellKind, Cells, Column, list_cell};
pub use field::Field;
pub use fieldhouse_record::{Body, Record};
pub use image::{Image, ImageError};
pub use shared::Shared;

use crate::Refusal;
use crate::effects::Kind;
use crate::ids::Id;
use crate::text::InvalidValue;

/// A record. The derive implements this trait.
pub trait Record: Clone + PartialEq + fmt::Debug + Send + Sync + Sized + 'static {
    /// The type of its id.
    type Id: Id;
    /// The kind of record.
    const KIND: Kind;
    /// The names of all fields.
    const FIELDS: &'static [&'static str];
    /// The names of the fields in the body of change that the derive generates.
    const CHANGEABLE: &'static [&'static str];
    /// The names of the secret fields, which are never shown.
    const SECRETS: &'static [&'static str];
    /// The names of the fields that are stored sealed with the key of the child whom the record is about.
    const SEALED: &'static [&'static str];
    /// The names of the fields in which a simulation and its execution agree: all but bookkeeping, stamps and secrets.
    const LASTING: &'static [&'static str];
    /// The table and its statements.
    const TABLE: Table;
    /// A second table with the same columns.
    const TWIN: Option<Table>;

    /// The id.
    fn id(&self) -> Self::Id;
    /// The version: 1 at first, and one more with every change.
    fn version(&self) -> i64;
    /// When it last changed.
    fn updated_at(&self) -> Timestamp;
    /// Sets the version and the time of the last change.
    fn set_version(&mut self, version: i64, updated_at: Timestamp);
    /// Reads a record from the columns of a row, in the order of the fields.
    fn load<C: Cells>(cells: &mut C) -> Result<Self, C::Error>;
    /// The values of all columns except the organization, in the order of the statements.
    fn cells(&self) -> Vec<Cell<'_>> {
        self.cells_with(&|| self.image_text().into())
    }
    /// The same, with its image as text, which columns may be derived from.
    fn cells_with<'a>(&'a self, image: &dyn Fn() -> Cow<'a, str>) -> Vec<Cell<'a>>;
    /// The values of the key except the organization, then the version.
    fn key_cells(&self) -> Vec<Cell<'_>>;
    /// The names of the fields that differ from `other`, without bookkeeping.
    fn changed(&self, other: &Self) -> Vec<&'static str>;
    /// The value of a field. `None` for a secret or an unknown field.
    fn get(&self, field: &str) -> Option<Json>;
    /// Sets a field to a value that [`Record::get`] returned.
    fn set(&mut self, field: &str, value: &Json) -> Result<(), Refusal>;

    /// The fields in which a simulation and its execution agree, in the order of the declaration.
    fn lasting(&self) -> serde_json::Map<String, Json> {
        Self::LASTING
            .iter()
            .filter_map(|field| self.get(field).map(|value| ((*field).to_owned(), value)))
            .collect()
    }
    /// The same as the text of a JSON object, then for each other field whether it is set: a suspension has no other field than its time, which
    /// the server takes from the moment.
    fn compared(&self) -> String {
        let value = |field: &&'static str| self.get(field).map(|value| (*field, value));
        let is_set = |(field, value): (&'static str, Json)| (field, Json::Bool(!value.is_null()));
        let others = Self::FIELDS.iter().filter(|field| !Self::LASTING.contains(field));
        object(Self::LASTING.iter().filter_map(value).chain(others.filter_map(value).map(is_set)))
    }
    /// Rebuilds a record from its image. A field that was added later is null or has its default. A record with secrets is refused.
    fn of_image(image: &serde_json::Map<String, Json>) -> Result<Self, ImageError>;

    /// All fields but secrets, in the order of the declaration.
    fn image(&self) -> serde_json::Map<String, Json> {
        Self::FIELDS
            .iter()
            .filter_map(|field| self.get(field).map(|value| ((*field).to_owned(), value)))
            .collect()
    }
    /// The same as the text of a JSON object.
    fn image_text(&self) -> String;
}

/// What the fields of an image's text are written to.
pub type ImageText<'a> = serde_json::ser::Compound<'a, Vec<u8>, serde_json::ser::CompactFormatter>;

/// The text of an image, whose fields are written by a function.
pub fn image_text(write: impl FnOnce(&mut ImageText<'_>) -> Result<(), serde_json::Error>) -> String {
    let mut text = serde_json::Serializer::new(Vec::with_capacity(1024));
    let written = text.serialize_map(None).and_then(|mut image| {
        write(&mut image)?;
        image.end()
    });
    // Writing to memory fails only for keys that are not strings, and no field is such a map.
    written.map_or_else(|_| String::new(), |()| String::from_utf8(text.into_inner()).unwrap_or_default())
}

/// The text of a JSON object with these fields, without the map that would hold them.
fn object(fields: impl Iterator<Item = (&'static str, Json)>) -> String {
    let mut text = Vec::with_capacity(1024);
    // Writing to memory fails only for keys that are not strings.
    let _ = serde_json::Serializer::new(&mut text).collect_map(fields);
    String::from_utf8(text).unwrap_or_default()
}

/// A table and the statements that write it. Both engines use the same SQL.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// The name.
    pub name: &'static str,
    /// The alias in SELECT lists.
    pub alias: &'static str,
    /// Whether the key starts with `org_id`, which is parameter `$1` of every statement.
    pub tenant: bool,
    /// The columns of a SELECT list, with the table's alias.
    pub columns: &'static str,
    /// Inserts a row.
    pub insert: &'static str,
    /// Updates every column of a row if it is still at the version before.
    pub update: &'static str,
    /// Deletes a row if it is still at a version.
    pub delete: &'static str,
    /// Reads a row by its key.
    pub read: &'static str,
}

/// A value in the form used in images and bodies.
pub fn image_of(value: &impl Serialize) -> Json {
    // Serializing to memory fails only for maps whose keys are not strings, and no field is one.
    serde_json::to_value(value).unwrap_or(Json::Null)
}

/// Reads a field's value from an image.
pub fn restore<F: Field>(field: &mut F, value: &Json) -> Result<(), Refusal> {
    *field = read_value(value)?;
    Ok(())
}

/// Reads a value of an image.
fn read_value<F: Field>(value: &Json) -> Result<F, Refusal> {
    let mut check = crate::refusal::Check::default();
    let read = F::read(Input::Json(value), &mut At::new(&mut check, ""));
    check.finish(read)
}

/// The refusal of an unknown field.
pub fn no_such_field(field: &str) -> Refusal {
    let fix = "Name a field of this record.";
    Refusal::field(
        &format!("/{field}"),
        InvalidValue::new("unknown_field", "is not a field of this record", fix),
    )
}

/// Defines an enum whose members have the same name on the wire, in the store and in filters.
#[macro_export]
macro_rules! enumeration {
    ($(#[doc = $doc:literal])* $name:ident { $($(#[doc = $member_doc:literal])* $member:ident $text:literal,)+ }) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize)]
        pub enum $name { $($(#[doc = $member_doc])* #[serde(rename = $text)] $member,)+ }

        impl $name {
            /// Every member, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$member),+];
            /// The name on the wire and in the store.
            pub const fn name(self) -> &'static str { match self { $(Self::$member => $text),+ } }
            /// The documentation.
            pub fn docs(self) -> &'static str { match self { $(Self::$member => concat!($($member_doc),*).trim()),+ } }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.name()) }
        }
        impl std::str::FromStr for $name {
            type Err = $crate::text::UnknownName;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                match text { $($text => Ok(Self::$member),)+ _ => Err($crate::text::UnknownName(&[$($text),+])) }
            }
        }
        // Not derived, because the derive cannot see names that a macro passes on and would publish the Rust names.
        impl ::utoipa::PartialSchema for $name {
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::schema::Schema> {
                let member = |member: &Self| format!("\n- `{}`: {}", member.name(), member.docs());
                let members: String = Self::ALL.iter().map(member).collect();
                ::utoipa::openapi::ObjectBuilder::new()
                    .schema_type(::utoipa::openapi::schema::SchemaType::new(::utoipa::openapi::Type::String))
                    .enum_values(Some([$($text),+]))
                    .description(Some(format!("{}\n{members}", concat!($($doc),*).trim())))
                    .into()
            }
        }
        impl ::utoipa::ToSchema for $name {}
        impl $crate::record::Column for $name {
            const KIND: $crate::record::CellKind = $crate::record::CellKind::Text;
            fn cell(&self) -> $crate::record::Cell<'_> { $crate::record::Cell::from(self.name()) }
            fn from_cell(cell: $crate::record::Cell<'_>) -> Result<Self, String> {
                cell.text()?.parse().map_err(|error: $crate::text::UnknownName| error.to_string())
            }
        }
        impl $crate::record::Field for $name {
            fn read(input: $crate::record::Input<'_>, at: &mut $crate::record::At<'_>) -> Option<Self> {
                at.one_of(input, &[$($text),+])
            }
            fn schema() -> ::utoipa::openapi::RefOr<::utoipa::openapi::Schema> { $crate::record::Properties::reference::<Self>() }
            fn schemas(schemas: &mut $crate::record::Schemas) { $crate::record::Properties::gather::<Self>(schemas); }
        }
    };
}

pub use crate::enumeration;

#[cfg(test)]
mod tests;
