//! What an operation takes: the parameter in its path, its query, its body.

use std::fmt;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
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
pub trait Query: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static {}
impl<T: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> Query for T {}

/// No query parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NoQuery {}

/// The query parameters of a list without filters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ListQuery {
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The query parameters of an operation that can be tried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TryOut {
    /// With `true`, everything is checked and answered, and nothing is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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

/// An operation's body.
pub trait Body: Send + Sync + Sized + 'static {
    /// How it is sent.
    const KIND: BodyKind;
    /// What it holds.
    type Content: Serialize + DeserializeOwned + ToSchema + Send + Sync;
    /// The body that holds this.
    fn from_content(content: Self::Content) -> Self;
    /// What it holds, looked at.
    fn content(&self) -> &Self::Content;
}

macro_rules! bodies {
    ($($(#[$doc:meta])* $name:ident $kind:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name<T>(pub T);
        impl<T: Serialize + DeserializeOwned + ToSchema + Send + Sync + 'static> Body for $name<T> {
            const KIND: BodyKind = BodyKind::$kind;
            type Content = T;
            fn from_content(content: T) -> Self { Self(content) }
            fn content(&self) -> &T { &self.0 }
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
#[derive(Clone, Copy, Debug, Default)]
pub struct NoBody(NoQuery);

impl Body for NoBody {
    const KIND: BodyKind = BodyKind::None;
    type Content = NoQuery;
    fn from_content(content: NoQuery) -> Self {
        Self(content)
    }
    fn content(&self) -> &NoQuery {
        &self.0
    }
}
