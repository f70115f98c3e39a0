//! Drafts: requests on their way from a method's arguments to the wire. An argument that cannot be sent is kept as the error that the
//! call then answers, so that builders need no `?` between their steps.

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
use crate::answers::RawAnswer;
use crate::client::Client;
use crate::errors::Error;

pub(crate) const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
pub(crate) const GUEST_TOKEN: HeaderName = HeaderName::from_static("x-guest-token");
pub(crate) const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");
const JSON: HeaderValue = HeaderValue::from_static(fieldhouse_api::envelope::JSON);
const MERGE_PATCH: HeaderValue = HeaderValue::from_static("application/merge-patch+json");

/// Which of the client's credentials a request carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attach {
    /// None: the operation looks at none.
    Nothing,
    /// None: the request brings its own.
    Own,
    /// The caller's; without one, the guest's token.
    Caller,
    /// The caller's and the guest's token, which is refused everywhere but where a guest's list is claimed.
    CallerAndGuest,
}

/// A request that can be sent, and sent again.
#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) method: Method,
    pub(crate) url: Url,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Bytes>,
    pub(crate) attach: Attach,
    /// Whether it may be carried out twice although its method is not idempotent.
    pub(crate) forgiving: bool,
}

impl Draft {
    pub(crate) fn new(method: Method, url: Url) -> Self {
        Self { method, url, headers: HeaderMap::new(), body: None, attach: Attach::Caller, forgiving: false }
    }

    /// The draft of an operation, as its row says.
    pub(crate) fn of<O: Op>(
        base: &Url,
        path: &O::Path,
        query: &O::Query,
        body: &<O::Body as Payload>::Content,
    ) -> Result<Self, Error> {
        let row = &O::ROW;
        let url = addresses::operation(base, row.path, &path.write())?;
        let mut draft = Self::new(method(row.method), url);
        draft.attach = attach(row);
        // The server forgives one repeated refresh within 30 seconds: that is how a lost answer is got after all.
        draft.forgiving = row.operation == Operation::AuthRefresh;
        let preferred = row.answer.media_types.first().copied().unwrap_or("*/*");
        draft.headers.insert(ACCEPT, HeaderValue::from_static(preferred));
        draft.add_query(query)?;
        match row.body_kind {
            BodyKind::None => {}
            kind @ (BodyKind::Json | BodyKind::Upload) => draft.set_json(JSON, kind, body)?,
            BodyKind::MergePatch => draft.set_json(MERGE_PATCH, BodyKind::MergePatch, body)?,
        }
        Ok(draft)
    }

    pub(crate) fn add_query(&mut self, query: &impl Serialize) -> Result<(), Error> {
        let text = serde_urlencoded::to_string(query)
            .map_err(|error| Error::Request(format!("the query cannot be written: {error}")))?;
        addresses::add_query(&mut self.url, &text);
        Ok(())
    }

    /// Sets a JSON body; a change is sent as the merge patch that it is.
    pub(crate) fn set_body(&mut self, body: &impl Serialize) -> Result<(), Error> {
        let media_type = if self.method == Method::PATCH { MERGE_PATCH } else { JSON };
        // Which operation it is for is unknown here, so that the largest limit is the only sure one.
        self.set_json(media_type, BodyKind::Upload, body)
    }

    /// A body that is too large is not sent: the server would hang up in the middle of it, and its answer might be lost.
    fn set_json(
        &mut self,
        media_type: HeaderValue,
        kind: BodyKind,
        body: &impl Serialize,
    ) -> Result<(), Error> {
        let bytes = serde_json::to_vec(body)
            .map_err(|error| Error::Request(format!("the body cannot be written: {error}")))?;
        if bytes.len() > kind.limit() {
            return Err(Error::BodyTooLarge { bytes: bytes.len(), limit: kind.limit() });
        }
        self.headers.insert(CONTENT_TYPE, media_type);
        self.body = Some(bytes.into());
        Ok(())
    }

    pub(crate) fn set_header(&mut self, name: &str, value: &str) -> Result<(), Error> {
        let refuse = || Error::Request(format!("{name:?} is not a header, or what it says cannot be sent"));
        let name: HeaderName = name.parse().map_err(|_| refuse())?;
        let mut value = HeaderValue::from_str(value).map_err(|_| refuse())?;
        if name == AUTHORIZATION || name == API_KEY {
            // The server refuses two credentials, so one that is given for this request takes the place of the client's.
            value.set_sensitive(true);
            self.attach = Attach::Own;
        }
        self.headers.insert(name, value);
        Ok(())
    }

    /// Gives a request that makes or changes something a key of its own, under which it can be repeated without happening twice. What
    /// needs no credential gets none: the server keeps such keys a caller.
    pub(crate) fn name_once(&mut self) {
        let changes = self.method == Method::POST || self.method == Method::PATCH;
        if changes && self.attach != Attach::Nothing && !self.headers.contains_key(IDEMPOTENCY_KEY) {
            let key = Uuid::new_v4().to_string();
            self.headers.extend(HeaderValue::try_from(key).ok().map(|key| (IDEMPOTENCY_KEY, key)));
        }
    }

    /// Whether doing it twice is as good as once.
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
        Credential::Required(_) | Credential::Optional(_) => Attach::Caller,
    }
}

/// A draft and the client that is to send it, or why there is none.
pub(crate) struct Pending {
    pub(crate) client: Client,
    pub(crate) draft: Result<Draft, Error>,
}

impl Pending {
    /// Changes the draft, if there is one still.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Draft) -> Result<(), Error>) -> Self {
        self.draft = self.draft.and_then(|mut draft| change(&mut draft).map(|()| draft));
        self
    }

    /// Sends it; answers whatever comes back.
    pub(crate) async fn send(self) -> Result<RawAnswer, Error> {
        self.client.exchange(self.draft?).await
    }
}

/// Shows where it goes; not what it carries, which may be secret.
impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.draft {
            Ok(draft) => write!(f, "{} {}", draft.method, draft.url.path()),
            Err(error) => write!(f, "{error}"),
        }
    }
}
