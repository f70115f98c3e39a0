//! What an operation takes: the parameters in its path, its query, its body.

use std::fmt;
use std::marker::PhantomData;

use fieldhouse_domain::record::{self, Body, Fields, Properties, Schemas};
use jiff::Timestamp;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::spreadsheet::ListFormat;

/// The parameters in an operation's path: none, an id or a word, or several of them.
pub trait PathParameter: Sized + Send + Sync + 'static {
    /// The number of parameters.
    const COUNT: usize;
    /// Reads them in the order of the path. Returns `None` if one is malformed, which is a 404.
    fn read(texts: &[&str]) -> Option<Self>;
    /// Writes them, in the order of the path.
    fn write(&self) -> Vec<String>;
    /// Their schemas, in the order of the path.
    fn schemas() -> Vec<RefOr<Schema>>;
}

/// The path has no parameter.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoParameter;

impl PathParameter for NoParameter {
    const COUNT: usize = 0;
    fn read(_: &[&str]) -> Option<Self> {
        Some(Self)
    }
    fn write(&self) -> Vec<String> {
        Vec::new()
    }
    fn schemas() -> Vec<RefOr<Schema>> {
        Vec::new()
    }
}

impl<T: std::str::FromStr + fmt::Display + ToSchema + Send + Sync + 'static> PathParameter for T {
    const COUNT: usize = 1;
    fn read(texts: &[&str]) -> Option<Self> {
        texts.first()?.parse().ok()
    }
    fn write(&self) -> Vec<String> {
        vec![self.to_string()]
    }
    fn schemas() -> Vec<RefOr<Schema>> {
        vec![<T as PartialSchema>::schema()]
    }
}

/// Several parameters, as a tuple: `Parameters<(TeamId, StaffId)>`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters<T>(pub T);

macro_rules! tuples {
    ($($($name:ident $at:tt)+;)+) => { $(
        impl<$($name: PathParameter),+> PathParameter for Parameters<($($name,)+)> {
            const COUNT: usize = 0 $(+ $name::COUNT)+;
            fn read(texts: &[&str]) -> Option<Self> {
                let mut rest = texts;
                let read = Self(($({
                    let (own, after) = rest.split_at_checked($name::COUNT)?;
                    rest = after;
                    $name::read(own)?
                },)+));
                rest.is_empty().then_some(read)
            }
            fn write(&self) -> Vec<String> {
                [$(self.0.$at.write()),+].concat()
            }
            fn schemas() -> Vec<RefOr<Schema>> {
                [$($name::schemas()),+].concat()
            }
        }
    )+ };
}
tuples! {
    A 0 B 1;
    A 0 B 1 C 2;
}

/// An operation's query parameters.
pub trait Query: Body + Serialize {}
impl<T: Body + Serialize> Query for T {}

/// No query parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct NoQuery {}

/// The query parameters of a list without filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ListQuery {
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query parameters of a list of records that have a name and a history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct RecordListQuery {
    /// Only records whose name contains these words or prefixes of words, in any order.
    pub q: Option<String>,
    /// The `page.sync` of an earlier list: returns only records that changed since then, in the order of their changes, and deleted records
    /// in `deleted`. No change is missed. Cannot be combined with a filter.
    pub since: Option<String>,
    /// Only records that changed after this time, and deleted records in `deleted`, as with `since`. To keep a copy up to date, send the
    /// latest `updated_at` or `deleted_at` that you have. Cannot be combined with a filter.
    pub updated_since: Option<Timestamp>,
    /// `csv` returns CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The query parameters of an operation that a changeset may contain: its own, and `validate_only`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ValidateOnly<Q> {
    /// Whether to check everything and store nothing.
    pub validate_only: Option<bool>,
    /// The operation's own parameters.
    pub own: Q,
}

impl<Q: Query> Body for ValidateOnly<Q> {
    const TITLE: &'static str = Q::TITLE;
    fn read(fields: &mut Fields<'_, '_>) -> Option<Self> {
        let own = Q::read(fields);
        let validate_only = fields.optional("validate_only");
        Some(Self { validate_only: validate_only?, own: own? })
    }
    fn write<M: SerializeMap>(&self, object: &mut M) -> Result<(), M::Error> {
        self.own.write(object)?;
        match self.validate_only {
            Some(validate_only) => object.serialize_entry("validate_only", &validate_only),
            None => Ok(()),
        }
    }
    fn properties(object: Properties) -> Properties {
        let about = "With `true`, the request is checked as usual and nothing is stored.";
        Q::properties(object).property::<bool>("validate_only", about, false, None)
    }
    fn schemas(schemas: &mut Schemas) {
        Q::schemas(schemas);
    }
}

impl<Q: Query> Serialize for ValidateOnly<Q> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        record::serialize(self, serializer)
    }
}

/// How an operation's body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// There is no body.
    None,
    /// `application/json`.
    Json,
    /// A JSON merge patch (RFC 7396): `application/merge-patch+json` or `application/json`.
    MergePatch,
    /// `application/x-www-form-urlencoded`, from the form of a page.
    Form,
    /// `multipart/form-data` with one file, or the same fields as `application/json`.
    Upload,
    /// `application/json` with a file in base64.
    Archive,
}

impl BodyKind {
    /// The maximum size in bytes.
    pub const fn limit(self) -> usize {
        match self {
            Self::None => 0,
            Self::Form => 16 << 10,
            Self::Json | Self::MergePatch => 1 << 20,
            Self::Upload => 16 << 20,
            Self::Archive => 64 << 20,
        }
    }
}

/// How an operation's body is sent, and what it contains.
pub trait Payload: Send + Sync + Sized + 'static {
    /// How it is sent.
    const KIND: BodyKind;
    /// What it contains.
    type Content: Body + Serialize;
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<T>(PhantomData<fn() -> T>);
        impl<T: Body + Serialize> Payload for $name<T> {
            const KIND: BodyKind = BodyKind::$kind;
            type Content = T;
        }
    )* };
}

bodies! {
    /// A JSON body.
    Json Json;
    /// A JSON merge patch.
    MergePatch MergePatch;
    /// The fields of a page's form.
    FormFields Form;
    /// A file with its fields.
    Upload Upload;
    /// The archive of an organization, with its fields.
    Archive Archive;
}

/// No body.
#[derive(Clone, Copy, Debug)]
pub struct EmptyBody;

impl Payload for EmptyBody {
    const KIND: BodyKind = BodyKind::None;
    type Content = NoQuery;
}

#[cfg(test)]
mod tests {
    use fieldhouse_domain::ids::{DivisionId, SeasonId};

    use super::*;

    type Validated = ValidateOnly<ListQuery>;

    const SEASON: &str = "sea_01h2xcejqtf2nbrexx3vqjhp41";
    const DIVISION: &str = "div_01h2xcejqtf2nbrexx3vqjhp41";

    #[test]
    fn path_parameters_are_read_and_written_in_their_order() {
        type Both = Parameters<(SeasonId, DivisionId)>;
        type Three = Parameters<(String, SeasonId, DivisionId)>;
        assert_eq!((NoParameter::COUNT, SeasonId::COUNT, Both::COUNT, Three::COUNT), (0, 1, 2, 3));
        let both = Both::read(&[SEASON, DIVISION]).expect("two ids");
        assert_eq!((both.0.0.to_string(), both.0.1.to_string()), (SEASON.to_owned(), DIVISION.to_owned()));
        assert_eq!(both.write(), [SEASON, DIVISION]);
        let three = Three::read(&["x", SEASON, DIVISION]).expect("a word and two ids");
        assert_eq!(three.write(), ["x", SEASON, DIVISION]);
        assert_eq!(Both::schemas().len(), 2);
        for wrong in [&[][..], &[SEASON], &[DIVISION, SEASON], &[SEASON, "x"], &[SEASON, DIVISION, "x"]] {
            assert_eq!(Both::read(wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn validate_only_is_read_with_the_operations_own_parameters() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let read: Validated =
            record::read_pairs(&pairs(&[("validate_only", "true"), ("limit", "5")]), "").expect("a query");
        assert_eq!((read.validate_only, read.own.limit), (Some(true), Some(5)));
        let written = serde_json::to_value(&read).expect("JSON");
        assert_eq!(written, serde_json::json!({"limit": 5, "validate_only": true}));
        assert!(record::read_pairs::<Validated>(&pairs(&[("validate", "true")]), "").is_err());
        assert!(record::read_pairs::<ListQuery>(&pairs(&[("validate_only", "true")]), "").is_err());
    }
}
