//! Successful responses: the body of an operation with its ETag, caching and links.

use std::marker::PhantomData;

use axum::body::Body;
use axum::http::{HeaderName, HeaderValue, Response, StatusCode, header};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use fieldhouse_api::changesets::DiffAnswer;
use fieldhouse_api::changesets::text::{self, Line};
use fieldhouse_api::envelope::{ArchiveFile, Asset, Form, GZIP, Html, JSON};
use fieldhouse_api::rows::{Kept, Method};
use fieldhouse_api::spreadsheet::{CSV, LineEnd};
use fieldhouse_api::{Answer, Code, Data, Deleted, Op, Operation, Page, PageInfo, Row};
use fieldhouse_domain::record::Record;
use fieldhouse_domain::rendered::Rendered;
use fieldhouse_domain::scopes::Resource;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use twox_hash::XxHash3_128;

use crate::failure::Failure;
use crate::pages;

/// A successful response of an operation. It can be created only from the operation's own response type.
#[derive(Debug)]
pub struct Answered<O> {
    pub(crate) reply: Reply,
    _operation: PhantomData<fn() -> O>,
}

/// A successful response, whatever its operation.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    media_type: HeaderValue,
    pub(crate) body: Bytes,
    is_versioned: bool,
    pub(crate) headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) created_id: Option<String>,
    pub(crate) secret: bool,
    /// Whether it is about a child, so that no cache keeps it.
    pub(crate) about_children: bool,
    /// When time alone changes it, if the handler knows.
    current_until: Option<Timestamp>,
    /// What follows the body, if it is not in memory.
    stream: Option<Body>,
}

impl<O: Op<Answer: Serialize>> Answered<O> {
    /// A JSON response with the operation's status.
    pub fn json(answer: &O::Answer) -> Result<Self, Failure> {
        let mut body = Vec::with_capacity(BODY);
        sonic_rs::to_writer(&mut body, answer).map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Self::bytes(HeaderValue::from_static(JSON), body.into()))
    }
}

impl<T: Serialize, O: Op<Answer = Data<T>>> Answered<O>
where
    Data<T>: Answer,
{
    /// The response with a record that is JSON already.
    pub fn rendered(record: &impl Rendered<Shown = T>) -> Self {
        let body = [r#"{"data":"#, record.json(), "}"].concat();
        Self::bytes(HeaderValue::from_static(JSON), body.into())
    }
}

impl<T: Serialize, O: Op<Answer = Page<T>>> Answered<O>
where
    Page<T>: Answer,
{
    /// The response with a page of records that are JSON already.
    pub fn rendered_page<L: Rendered<Shown = T>>(records: &[L], page: &PageInfo) -> Result<Self, Failure> {
        let mut body = Vec::with_capacity(BODY);
        body.extend_from_slice(br#"{"data":["#);
        for (at, record) in records.iter().enumerate() {
            if at > 0 {
                body.push(b',');
            }
            body.extend_from_slice(record.json().as_bytes());
        }
        body.extend_from_slice(br#"],"page":"#);
        sonic_rs::to_writer(&mut body, page).map_err(|error| Failure::internal(error.to_string()))?;
        body.push(b'}');
        Ok(Self::bytes(HeaderValue::from_static(JSON), body.into()))
    }
}

impl<R: Record + Serialize, O: Op<Answer = Data<R>>> Answered<O>
where
    Data<R>: Answer,
{
    /// The response with a record, as declared.
    pub fn record(record: R) -> Result<Self, Failure> {
        let (id, version) = (record.id(), record.version());
        let answered = Self::json(&Data { data: record })?.version(version);
        Ok(if O::ROW.method == Method::POST { answered.created(id) } else { answered })
    }
}

impl<O: Op<Answer = Data<Deleted>>> Answered<O> {
    /// The response to a deletion of the record with this id.
    pub fn deleted(id: impl std::fmt::Display) -> Result<Self, Failure> {
        Self::json(&Data { data: Deleted { id: id.to_string(), deleted: true } })
    }
}

impl<O: Op<Answer = Html>> Answered<O> {
    /// An HTML page.
    pub fn html(page: Html) -> Self {
        Self::bytes(HeaderValue::from_static("text/html; charset=utf-8"), page.0.into())
    }
}

impl<O: Op<Answer = Form>> Answered<O> {
    /// A page with a form for a person.
    pub fn form(page: Form) -> Self {
        let mut answered = Self::bytes(HeaderValue::from_static("text/html; charset=utf-8"), page.0.into());
        answered.reply.headers.extend(pages::protection());
        answered
    }
}

impl<O: Op<Answer = Asset>> Answered<O> {
    /// A file.
    pub fn asset(media_type: &'static str, bytes: Bytes) -> Self {
        Self::bytes(HeaderValue::from_static(media_type), bytes)
    }
}

impl<O: Op<Answer = DiffAnswer>> Answered<O> {
    /// A diff as text.
    pub fn text(lines: &[Line]) -> Self {
        Self::bytes(HeaderValue::from_static("text/plain; charset=utf-8"), text::plain(lines).into())
    }
}

impl<O: Op<Answer = ArchiveFile>> Answered<O> {
    /// An archive that is written while it is sent.
    pub fn archive(stream: Body, name: &str) -> Self {
        let mut answered = Self::bytes(HeaderValue::from_static(GZIP), Bytes::new());
        answered.reply.stream = Some(stream);
        answered.header(header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\""))
    }
}

impl<O: Op> Answered<O> {
    fn bytes(media_type: HeaderValue, body: Bytes) -> Self {
        Self::from(Reply::new(O::ROW.status(), media_type, body))
    }
}

impl<O> From<Reply> for Answered<O> {
    fn from(reply: Reply) -> Self {
        Self { reply, _operation: PhantomData }
    }
}

impl<O> Answered<O> {
    /// Sets the version of the record, which becomes part of the ETag.
    pub fn version(self, version: i64) -> Self {
        self.reply.version(version).into()
    }

    /// Sets another status than the operation's.
    pub fn status(mut self, status: u16) -> Self {
        self.reply.status = status;
        self
    }

    /// Adds a header.
    pub fn header(self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        match value.try_into() {
            Ok(value) => self.reply.header(name, value).into(),
            Err(_) => self,
        }
    }

    /// Sets the id of the created record. A repeated request gets it if the response itself cannot be stored.
    pub fn created(mut self, id: impl std::fmt::Display) -> Self {
        self.reply.created_id = Some(id.to_string());
        self
    }

    /// Marks the response as secret, so that it is never stored.
    pub fn secret(mut self) -> Self {
        self.reply.secret = true;
        self
    }

    /// Says when time alone changes the response: what the server keeps of callers without relations needs it.
    pub fn current_until(mut self, until: Timestamp) -> Self {
        self.reply.current_until = Some(until);
        self
    }

    /// Marks the response as about children, so that no cache keeps it.
    pub fn about_children(mut self, is_about_children: bool) -> Self {
        self.reply.about_children = is_about_children;
        self
    }
}

impl Reply {
    fn new(status: u16, media_type: HeaderValue, body: Bytes) -> Self {
        Self {
            status,
            media_type,
            body,
            is_versioned: false,
            headers: Vec::new(),
            created_id: None,
            secret: false,
            about_children: false,
            current_until: None,
            stream: None,
        }
    }

    /// The stored response to an earlier run of the same request.
    pub(crate) fn replayed(status: u16, body: Bytes, headers: Vec<(HeaderName, HeaderValue)>) -> Self {
        let mut reply = Self::new(status, HeaderValue::from_static(JSON), body);
        reply.headers = headers;
        reply.repeated()
    }

    /// The response to a repeated request.
    pub(crate) fn repeated(self) -> Self {
        self.header(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"))
    }

    fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    fn version(mut self, version: i64) -> Self {
        self.is_versioned = true;
        match HeaderValue::try_from(etag(version, &self.body)) {
            Ok(tag) => self.header(header::ETAG, tag),
            Err(_) => self,
        }
    }

    /// Converts a list to CSV if that is the media type of the response.
    pub(crate) fn converted(mut self, row: &Row, media_type: &str) -> Result<Self, Failure> {
        let Some(sheet) = row.answer.sheet.filter(|_| media_type == CSV) else { return Ok(self) };
        let internal = |error: &dyn std::fmt::Display| Failure::internal(error.to_string());
        let body: Value = serde_json::from_slice(&self.body).map_err(|error| internal(&error))?;
        if body.get("deleted").is_some() {
            let fix = "Request changes as JSON, which also lists the deleted records.";
            return Err(Failure::parameter(
                Code::InvalidParameter,
                "format",
                "is not available for changes as CSV",
                fix,
            ));
        }
        self.body = sheet.csv(&body, LineEnd::CrLf).map_err(|error| internal(&error))?.into();
        self.media_type = HeaderValue::from_static("text/csv; charset=utf-8; header=present");
        Ok(self)
    }

    /// Adds the headers that follow from the operation and the body. Also returns what follows the body, if it is not in memory.
    pub(crate) fn prepared(mut self, row: &Row) -> (Prepared, Option<Body>) {
        let reads = row.method == Method::GET && self.status == 200;
        if reads && !self.is_versioned && is_tagged(row) {
            self = self.version(0);
        }
        let mut headers = Vec::with_capacity(8);
        let caching = if self.about_children { NOT_STORED } else { caching(row) };
        headers.push((header::CACHE_CONTROL, HeaderValue::from_static(caching)));
        if row.answer.media_types.len() > 1 {
            headers.push((header::VARY, HeaderValue::from_static("Accept")));
        }
        headers.append(&mut self.headers);
        let is_public = !self.secret && !self.about_children && self.stream.is_none();
        let tag = headers.iter().find(|(name, _)| reads && name == header::ETAG);
        let tag = tag.map(|(_, value)| value.clone());
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let current_until = match row.kept {
            Kept::None => None,
            Kept::All => Some(Timestamp::MAX),
            Kept::Unrelated => self.current_until,
        };
        let Self { media_type, body, stream, .. } = self;
        (Prepared { status, media_type, headers, tag, body, is_public, current_until }, stream)
    }
}

/// The room for the body of a response, in bytes, so that few lists need more.
const BODY: usize = 16 * 1024;
/// The number of headers that a response has at most, nearly always.
const HEADERS: usize = 24;

/// A response that needs no more than the request's condition.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    status: StatusCode,
    media_type: HeaderValue,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// The ETag, if a request may have a condition on it.
    tag: Option<HeaderValue>,
    body: Bytes,
    /// Whether it is not secret, not about a child, and whole.
    is_public: bool,
    /// When time alone changes it. `None` if that is not known.
    current_until: Option<Timestamp>,
}

impl Prepared {
    /// The HTTP response: 304 if the client has it already.
    pub(crate) fn respond(&self, if_none_match: Option<&HeaderValue>) -> Response<Body> {
        let is_known = self.tag.as_ref().is_some_and(|tag| matches(if_none_match, tag));
        let body = if is_known { Body::empty() } else { Body::from(self.body.clone()) };
        let mut response = Response::new(body);
        *response.status_mut() = if is_known { StatusCode::NOT_MODIFIED } else { self.status };
        let headers = response.headers_mut();
        // Also for those that are added later.
        headers.reserve(HEADERS);
        if !is_known {
            headers.insert(header::CONTENT_TYPE, self.media_type.clone());
        }
        for (name, value) in &self.headers {
            headers.append(name, value.clone());
        }
        response
    }

    /// Whether it can be sent again, until time alone changes it.
    pub(crate) fn can_be_kept(&self) -> bool {
        self.status == StatusCode::OK && self.tag.is_some() && self.is_public && self.current_until.is_some()
    }

    /// Whether time alone has not changed it.
    pub(crate) fn is_current(&self, now: Timestamp) -> bool {
        self.current_until.is_some_and(|until| now < until)
    }

    /// The bytes of its body and of its headers' values.
    pub(crate) fn size(&self) -> usize {
        self.body.len() + self.headers.iter().map(|(_, value)| value.len()).sum::<usize>()
    }

    /// The same, without the spare capacity in which the body was written.
    pub(crate) fn compact(&self) -> Self {
        Self { body: Bytes::copy_from_slice(&self.body), ..self.clone() }
    }
}

/// The ETag, `"<version>-<hash of the body>"`. The hash only tells bodies apart, so that a fast one is enough.
fn etag(version: i64, body: &[u8]) -> String {
    let hash = XxHash3_128::oneshot(body).to_be_bytes();
    format!("\"{version}-{}\"", URL_SAFE_NO_PAD.encode(&hash[..12]))
}

/// Whether a list of entity tags contains one, by weak comparison (RFC 9110, section 13.1.2).
fn matches(named: Option<&HeaderValue>, tag: &HeaderValue) -> bool {
    let (Some(Ok(named)), Ok(tag)) = (named.map(HeaderValue::to_str), tag.to_str()) else { return false };
    named.split(',').map(str::trim).any(|named| named == "*" || named.trim_start_matches("W/") == tag)
}

/// Whether the responses of an operation have an ETag.
pub(crate) fn is_tagged(row: &Row) -> bool {
    let is_form = row.answer.is_page;
    let is_service = row.requirement.scope.resource == Resource::Service;
    let is_archive = row.answer.media_types == [GZIP];
    // A link that works once would be used up by a response without a body.
    let is_used_up = row.method == Method::GET && !row.requirement.writes.is_empty();
    !is_form && !is_archive && !is_used_up && (!is_service || row.operation == Operation::OpenApi)
}

/// The `Cache-Control` of what no cache keeps: data of a child, a credential or a caller.
const NOT_STORED: &str = "private, no-store";

/// The `Cache-Control` of an operation.
fn caching(row: &Row) -> &'static str {
    match row.requirement.scope.resource {
        resource if resource.is_cacheable() => "private, no-cache",
        Resource::Service if !matches!(row.operation, Operation::Health | Operation::Ready) => {
            "public, max-age=300"
        }
        _ => NOT_STORED,
    }
}
