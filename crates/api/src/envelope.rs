//! The shapes that answers have in common: the envelope, pages, and what an operation may answer.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Data<T> {
    /// The record.
    pub data: T,
}

/// Part of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Page<T> {
    /// The records, in order.
    pub data: Vec<T>,
    /// With `updated_since`: records that went since then, among those that changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<Tombstone>>,
    /// Where this part stands in the list.
    pub page: PageInfo,
}

/// Where a page stands in its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageInfo {
    /// How many records were asked for at most.
    pub limit: u32,
    /// Whether more follow.
    pub has_more: bool,
    /// Send it as `cursor` to get what follows; null at the end. Good for this caller and these filters only.
    pub next_cursor: Option<String>,
}

/// A record that went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tombstone {
    /// The id that it had.
    pub id: String,
    /// When it went.
    pub deleted_at: Timestamp,
}

/// A record was deleted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deleted {
    /// The id that it had.
    pub id: String,
    /// Always true.
    pub deleted: bool,
}

/// What an operation answers when it succeeds.
pub trait Answer: Send + Sync + 'static {
    /// The media type.
    const MEDIA_TYPE: &'static str;
    /// The schema of the body; none where the body is not JSON.
    fn schema() -> Option<RefOr<Schema>>;
    /// The name of that schema and the schemas that it refers to.
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>);
}

/// The media type of every JSON body.
pub const JSON: &str = "application/json";

impl<T: ToSchema + Serialize + Send + Sync + 'static> Answer for T {
    const MEDIA_TYPE: &'static str = JSON;
    fn schema() -> Option<RefOr<Schema>> {
        Some(<T as PartialSchema>::schema())
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <T as ToSchema>::schemas(schemas);
    }
}

/// A page for people.
#[derive(Clone, Debug)]
pub struct Html(pub String);

/// A file of the documentation page: a script, a style sheet, an image.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

macro_rules! not_json {
    ($($name:ident $media_type:literal)*) => { $(impl Answer for $name {
        const MEDIA_TYPE: &'static str = $media_type;
        fn schema() -> Option<RefOr<Schema>> { None }
        fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
    })* };
}
not_json! { Html "text/html" Asset "*/*" }
