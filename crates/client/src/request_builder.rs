//! Request builders. An invalid argument is stored as the error that sending returns, so that the steps of a builder need no `?`.

use std::fmt;

use bytes::Bytes;
use fieldhouse_api::request::{BodyKind, PathParameter, Payload};
use fieldhouse_api::rows::Method as Named;
use fieldhouse_api::{Op, Operation, Row};
use fieldhouse_domain::policy::Credential;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use reqwest::Url;
use serde::Serialize;
use uuid::Uuid;

use crate::addresses;
use crate::client::Client;
use crate::errors::Error;
use crate::responses::RawResponse;

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const GUEST_TOKEN: HeaderName = HeaderName::from_static("x-guest-token");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static(fieldhouse_api::envelope::JSON);
const FORM: HeaderValue = HeaderValue::from_static("application/x-www-form-urlencoded");
const MERGE_PATCH: HeaderValue = HeaderValue::from_static("application/merge-patch+json");

/// Which credential of the client a request has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attach {
    /// None: the operation ignores credentials.
    Nothing,
    /// None: the request has its own.
    Own,
    /// The caller's credential; without one, the guest's token.
    Caller,
    /// The caller's credential and the guest's token. Only claiming a guest's list accepts both.
    CallerAndGuest,
}

/// A request that can be sent several times.
#[derive(Clone)]
pub(crate) struct RequestBuilder {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) attach: Attach,
    /// Whether it may be carried out twice although its method is not idempotent.
    pub(crate) forgiving: bool,
}

impl RequestBuilder {
    pub(crate) fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: None, attach: Attach::Caller, forgiving: false }
    }

    /// Builds the request of an operation, from its row.
    pub(crate) fn of<O: Op>(
        base: &Url,
        path: &O::Path,
        query: &O::Query,
        body: &<O::Body as Payload>::Content,
    ) -> Result<Self, Error> {
        let row = &O::ROW;
        let url = addresses::operation(base, row.path, &path.write())?;
        let mut request = Self::new(method(row.method), url);
        request.attach = attach(row);
        // The server permits one repeated refresh within 30 seconds, to get a lost response.
        request.forgiving = row.operation == Operation::AuthRefresh;
        let preferred = row.answer.media_types.first().copied().unwrap_or("*/*");
        request.headers.insert(ACCEPT, HeaderValue::from_static(preferred));
        request.add_query(query)?;
        match row.body_kind {
            BodyKind::None => {}
            kind @ (BodyKind::Json | BodyKind::Upload | BodyKind::Archive) => {
                request.set_json(JSON, kind, body)?;
            }
            BodyKind::Form => {
                let text = serde_urlencoded::to_string(body)
                    .map_err(|error| Error::Request(format!("the form cannot be encoded: {error}")))?;
                request.headers.insert(CONTENT_TYPE, FORM);
                request.body = Some(text.into());
            }
            BodyKind::MergePatch => request.set_json(MERGE_PATCH, BodyKind::MergePatch, body)?,
        }
        Ok(request)
    }

    pub(crate) fn add_query(&mut self, query: &impl Serialize) -> Result<(), Error> {
        let text = serde_urlencoded::to_string(query)
            .map_err(|error| Error::Request(format!("the query cannot be encoded: {error}")))?;
        addresses::add_query(&mut self.url, &text);
        Ok(())
    }

    /// Sets a JSON body. A change is sent as a merge patch.
    pub(crate) fn set_body(&mut self, body: &impl Serialize) -> Result<(), Error> {
        let media_type = if self.method == Method::PATCH { MERGE_PATCH } else { JSON };
        // The operation is unknown here, so only the largest limit applies.
        self.set_json(media_type, BodyKind::Upload, body)
    }

    /// A body that is too large is not sent: the server would close the connection, and its response might be lost.
    fn set_json(
        &mut self,
        media_type: HeaderValue,
        kind: BodyKind,
        body: &impl Serialize,
    ) -> Result<(), Error> {
        let bytes = serde_json::to_vec(body)
            .map_err(|error| Error::Request(format!("the body cannot be encoded: {error}")))?;
        if bytes.len() > kind.limit() {
            return Err(Error::BodyTooLarge { bytes: bytes.len(), limit: kind.limit() });
        }
        self.headers.insert(CONTENT_TYPE, media_type);
        self.body = Some(bytes.into());
        Ok(())
    }

    pub(crate) fn set_header(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let refuse = || Error::Request(format!("{name:?} is not a valid header"));
        let name: HeaderName = name.parse().map_err(|_| refuse())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| refuse())?;
        if name == AUTHORIZATION || name == API_KEY {
            // The server refuses two credentials, so this one replaces the client's.
            value.set_sensitive(true);
            self.attach = Attach::Own;
        }
        self.headers.insert(name, value);
        Ok(())
    }

    /// Adds a random idempotency key to a request that writes, so that it can be retried with one effect. Not for operations without a
    /// credential, because the server stores keys by caller.
    pub(crate) fn set_idempotency_key(&mut self) {
        let changes = self.method == Method::POST || self.method == Method::PATCH;
        if changes && self.attach != Attach::Nothing && !self.headers.contains_key(IDEMPOTENCY_KEY) {
            let key = Uuid::new_v4().to_string();
            self.headers.extend(HeaderValue::try_from(key).ok().map(|key| (IDEMPOTENCY_KEY, key)));
        }
    }

    /// Whether carrying it out twice has the same effect as once.
    pub(crate) fn repeatable(&self) -> bool {
        self.method.is_idempotent() || self.headers.contains_key(IDEMPOTENCY_KEY) || self.forgiving
    }
}

fn method(named: Named) -> Method {
    match named {
        Named::GET => Method::GET,
        Named::POST => Method::POST,
        Named::PATCH => Method::PATCH,
        Named::PUT => Method::PUT,
        Named::DELETE => Method::DELETE,
    }
}

fn attach(row: &Row) -> Attach {
    match row.requirement.credential {
        Credential::Public => Attach::Nothing,
        _ if row.operation == Operation::FavoritesClaim => Attach::CallerAndGuest,
        Credential::Required(_) | Credential::Optional(_) | Credential::Operator => Attach::Caller,
    }
}

/// A request builder with its client, or an error.
pub(crate) struct Pending {
    pub(crate) client: Client,
    pub(crate) request: Result<RequestBuilder, Error>,
}

impl Pending {
    /// Changes the request, unless there is an error.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut RequestBuilder) -> Result<(), Error>) -> Self {
        self.request = self.request.and_then(|mut request| change(&mut request).map(|()| request));
        self
    }

    /// Sends the request and returns any response.
    pub(crate) async fn send(self) -> Result<RawResponse, Error> {
        self.client.exchange(self.request?).await
    }
}

/// Shows the method and path, but not headers and body, which may be secret.
impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.request {
            Ok(request) => write!(f, "{} {}", request.method, request.url.path()),
            Err(error) => write!(f, "{error}"),
        }
    }
}
