//! What an operation takes: the parameter in its path, its query, its body.

use std::fmt;
use std::marker::PhantomData;

use fieldhouse_domain::record::Body;
use serde::Serialize;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// The parameter in an operation's path: nothing, an id or a word.
pub trait PathParameter: Sized + Send + Sync + 'static {
    /// Reads it; none for what cannot be one, which is then not found.
    fn read(text: Option<&str>) -> Option<Self>;
    /// Writes it.
    fn write(&self) -> Option<String>;
    /// Its schema.
    fn schema() -> Option<RefOr<Schema>>;
}

/// The path has no parameter.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoParameter;

impl PathParameter for NoParameter {
    fn read(_: Option<&str>) -> Option<Self> {
        Some(Self)
    }
    fn write(&self) -> Option<String> {
        None
    }
    fn schema() -> Option<RefOr<Schema>> {
        None
    }
}

impl<T: std::str::FromStr + fmt::Display + ToSchema + Send + Sync + 'static> PathParameter for T {
    fn read(text: Option<&str>) -> Option<Self> {
        text?.parse().ok()
    }
    fn write(&self) -> Option<String> {
        Some(self.to_string())
    }
    fn schema() -> Option<RefOr<Schema>> {
        Some(<T as PartialSchema>::schema())
    }
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
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// The query parameters of an operation that can be tried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct TryOut {
    /// With `true`, everything is checked and answered, and nothing is kept.
    pub validate_only: Option<bool>,
}

/// How an operation's body is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// There is none.
    None,
    /// `application/json`.
    Json,
    /// A JSON merge patch (RFC 7396): `application/merge-patch+json` or `application/json`.
    MergePatch,
    /// `multipart/form-data` with one file, or the same fields as `application/json`.
    Upload,
}

impl BodyKind {
    /// The most bytes that it may have.
    pub const fn limit(self) -> usize {
        match self {
            Self::None => 0,
            Self::Json | Self::MergePatch => 1 << 20,
            Self::Upload => 16 << 20,
        }
    }
}

/// How an operation's body is sent, and what it holds.
pub trait Payload: Send + Sync + Sized + 'static {
    /// How it is sent.
    const KIND: BodyKind;
    /// What it holds.
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
    /// A file with its fields.
    Upload Upload;
}

/// No body.
#[derive(Clone, Copy, Debug)]
pub struct NoBody;

impl Payload for NoBody {
    const KIND: BodyKind = BodyKind::None;
    type Content = NoQuery;
}
