//! The shapes that responses have in common: the envelope, pages, and what an operation may return.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, RefBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Data<T> {
    /// The record.
    pub data: T,
}

/// Part of a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Page<T> {
    /// The records, in order.
    pub data: Vec<T>,
    /// With `since` or `updated_since`: the records that were deleted since then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted: Option<Vec<Tombstone>>,
    /// The position of the page in its list.
    pub page: PageInfo,
}

// Written by hand: the derived schemas of a generic type refer to the type's parameter and leave its own schema out.

impl<T: ToSchema> PartialSchema for Data<T> {
    fn schema() -> RefOr<Schema> {
        let record =
            RefBuilder::new().ref_location_from_schema_name(T::name()).description(Some("The record."));
        let object = ObjectBuilder::new().description(Some("One record."));
        object.property("data", record.build()).required("data").into()
    }
}

impl<T: ToSchema> ToSchema for Data<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        gather::<T>(schemas);
    }
}

impl<T: ToSchema> PartialSchema for Page<T> {
    fn schema() -> RefOr<Schema> {
        let records = ArrayBuilder::new().items(Ref::from_schema_name(T::name()));
        let about = "With `since` or `updated_since`: the records that were deleted since then.";
        let deleted = ArrayBuilder::new().items(Ref::from_schema_name(Tombstone::name()));
        let page = RefBuilder::new().ref_location_from_schema_name(PageInfo::name());
        ObjectBuilder::new()
            .description(Some("Part of a list."))
            .property("data", records.description(Some("The records, in order.")))
            .property("deleted", deleted.description(Some(about)))
            .property("page", page.description(Some("The position of the page in its list.")).build())
            .required("data")
            .required("page")
            .into()
    }
}

impl<T: ToSchema> ToSchema for Page<T> {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        gather::<T>(schemas);
        gather::<Tombstone>(schemas);
        gather::<PageInfo>(schemas);
    }
}

/// A type's own schema and those that it refers to.
fn gather<T: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((T::name().into_owned(), T::schema()));
    T::schemas(schemas);
}

/// The position of a page in its list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PageInfo {
    /// The maximum number of records on this page.
    pub limit: u32,
    /// Whether there are more records.
    pub has_more: bool,
    /// Send it as `cursor` to get the next page; null on the last page. Valid for this caller and these filters only.
    pub next_cursor: Option<String>,
    /// In lists of records that have a history: send it as `since` to get the changes since the first page of this list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sync: Option<String>,
}

/// A deleted record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tombstone {
    /// The id of the record.
    pub id: String,
    /// When it was deleted.
    pub deleted_at: Timestamp,
}

/// The result of a deletion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Deleted {
    /// The id of the record.
    pub id: String,
    /// Always true.
    pub deleted: bool,
}

/// What an operation returns when it succeeds.
pub trait Answer: Send + Sync + 'static {
    /// The media types in which it can be sent, the preferred one first.
    const MEDIA_TYPES: &'static [&'static str];
    /// Whether its errors are pages too.
    const IS_PAGE: bool = false;
    /// The schema of the body. `None` if the body is not JSON.
    fn schema() -> Option<RefOr<Schema>>;
    /// The name of that schema and the schemas that it refers to.
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>);
}

/// The media type of errors (RFC 9457).
pub const PROBLEM_JSON: &str = "application/problem+json";
/// The media type of pages.
pub const HTML: &str = "text/html";
/// The media type of every JSON body.
pub const JSON: &str = "application/json";

impl<T: ToSchema + Serialize + Send + Sync + 'static> Answer for T {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON];
    fn schema() -> Option<RefOr<Schema>> {
        Some(<T as PartialSchema>::schema())
    }
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        <T as ToSchema>::schemas(schemas);
    }
}

/// An HTML page.
#[derive(Clone, Debug)]
pub struct Html(pub String);

/// A page with a form for a person, such as the one that the link of a message opens. It works without script, and its errors are pages too.
#[derive(Clone, Debug)]
pub struct Form(pub String);

impl Answer for Form {
    const MEDIA_TYPES: &'static [&'static str] = &[HTML];
    const IS_PAGE: bool = true;
    fn schema() -> Option<RefOr<Schema>> {
        None
    }
    fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
}

/// A file of the documentation page: a script, a style sheet, an image.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its media type.
    pub media_type: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The archive of an organization.
#[derive(Clone, Debug)]
pub struct ArchiveFile(pub Vec<u8>);

/// The media type of an archive.
pub const GZIP: &str = "application/gzip";

macro_rules! not_json {
    ($($name:ident $media_type:literal)*) => { $(impl Answer for $name {
        const MEDIA_TYPES: &'static [&'static str] = &[$media_type];
        fn schema() -> Option<RefOr<Schema>> { None }
        fn schemas(_: &mut Vec<(String, RefOr<Schema>)>) {}
    })* };
}
not_json! { Html "text/html" Asset "*/*" ArchiveFile "application/gzip" }
