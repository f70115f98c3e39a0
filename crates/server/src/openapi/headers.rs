//! The response headers in the OpenAPI document. Each is described once, and responses refer to it.

use fieldhouse_api::envelope::GZIP;
use fieldhouse_api::rows::{Method, Row};
use fieldhouse_domain::scopes::Resource;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, Ref, ResponseBuilder, Type};

use crate::answer::is_tagged;

/// Every header that a response may have.
const HEADERS: &[(&str, Type, &str)] = &[
    ("API-Version", Type::String, "The version of this API, `1.MINOR.PATCH`. Additions raise MINOR."),
    ("Cache-Control", Type::String, "Whether and how the response may be cached."),
    ("Content-Disposition", Type::String, "The name of the file."),
    ("Content-Security-Policy", Type::String, "What the page may load: nothing but its own style."),
    ("ETag", Type::String, "The version of the record or list, for `If-None-Match` and `If-Match`."),
    (
        "Idempotent-Replayed",
        Type::String,
        "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
    ),
    ("Link", Type::String, "The next page: `<URL>; rel=\"next\"` (RFC 8288). Absent on the last page."),
    (
        "RateLimit",
        Type::String,
        "What is left of the limit that is closest to being used up: `\"name\";r=REMAINING;t=SECONDS` (IETF draft 10).",
    ),
    (
        "RateLimit-Policy",
        Type::String,
        "The limit that is closest to being used up: `\"name\";q=REQUESTS;w=SECONDS` (IETF draft 10).",
    ),
    (
        "Referrer-Policy",
        Type::String,
        "Always `no-referrer`, because the address of the page contains a token.",
    ),
    ("Retry-After", Type::Integer, "How many seconds to wait before the next attempt."),
    ("Vary", Type::String, "The request headers that the response depends on."),
    ("WWW-Authenticate", Type::String, "How to authenticate (RFC 6750)."),
    ("X-Content-Type-Options", Type::String, "Always `nosniff`."),
    ("X-Guest-Token", Type::String, "A guest's token, on their first save. Send it in later requests."),
    ("X-RateLimit-Limit", Type::Integer, "The same limit as in `RateLimit-Policy`, without its time."),
    ("X-RateLimit-Remaining", Type::Integer, "The remaining requests under that limit."),
    ("X-RateLimit-Reset", Type::Integer, "The number of seconds until the full limit is available again."),
    ("X-Request-Id", Type::String, "The request's id: the client's own if it is valid, otherwise a new one."),
];

/// The headers of every response.
const COMMON: &[&str] = &["API-Version", "Cache-Control", "Vary", "X-Content-Type-Options", "X-Request-Id"];
const LIMIT: &[&str] =
    &["RateLimit", "RateLimit-Policy", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/// The headers of pages with a form.
const PAGE: &[&str] = &["Content-Security-Policy", "Referrer-Policy"];

/// The descriptions, for the document's components.
pub(super) fn all() -> impl Iterator<Item = (String, Header)> {
    HEADERS.iter().map(|(name, kind, description)| {
        let schema = ObjectBuilder::new().schema_type(SchemaType::new(kind.clone()));
        let header = HeaderBuilder::new().description(Some(*description)).schema(Some(schema)).build();
        ((*name).to_owned(), header)
    })
}

/// The headers of a successful response, or of 304.
pub(super) fn of_success(row: &Row, paged: bool) -> Vec<&'static str> {
    let mut names = [COMMON, LIMIT].concat();
    if row.answer.is_page {
        names.extend(PAGE);
    }
    if row.answer.media_types == [GZIP] {
        names.push("Content-Disposition");
    }
    if is_tagged(row) {
        names.push("ETag");
    }
    if paged {
        names.push("Link");
    }
    if matches!(row.method, Method::POST | Method::PATCH) {
        names.push("Idempotent-Replayed");
    }
    if row.requirement.scope.resource == Resource::Favorites && row.method == Method::POST {
        names.push("X-Guest-Token");
    }
    names
}

/// The headers of an error with this status, or of the `default` error.
pub(super) fn of_error(row: &Row, status: &str) -> Vec<&'static str> {
    let mut names = [COMMON, LIMIT].concat();
    if row.answer.is_page {
        names.extend(PAGE);
    }
    match status {
        "401" => names.push("WWW-Authenticate"),
        "429" | "default" => names.push("Retry-After"),
        _ => {}
    }
    names
}

/// A response with references to headers.
pub(super) fn refer(response: ResponseBuilder, names: &[&str]) -> ResponseBuilder {
    names.iter().fold(response, |response, name| {
        response.header_ref(*name, Ref::new(format!("#/components/headers/{name}")))
    })
}
