//! Responses: what the server sent, and how it becomes the value of an operation. A new type of response gets a line in the table of
//! [`Reply`]; without it the operation's method does not compile.

use std::fmt;

use bytes::Bytes;
use fieldhouse_api::changesets::{ChangesetDiff, DiffAnswer};
use fieldhouse_api::envelope::{ArchiveFile, Asset, Form, Html};
use fieldhouse_api::favorites::{FavoriteRemoved, SavedFavorite};
use fieldhouse_api::imports::{LeagueAnswer, LeagueReport};
use fieldhouse_api::rosters::Roster;
use fieldhouse_api::service::{Health, OpenApiDocument, Readiness};
use fieldhouse_api::{Code, Data, Deleted, Page, auth};
use http::header::{CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::de::DeserializeOwned;

use crate::errors::Error;
use crate::problems::Problem;
use crate::retries::retry_after;

/// A response as received, with any status and body.
#[derive(Clone)]
pub struct RawResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Shows neither headers nor body, because both may contain secrets.
impl fmt::Debug for RawResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawResponse").field("status", &self.status).finish_non_exhaustive()
    }
}

impl RawResponse {
    /// The problem, if the response is an error and its body is a problem.
    pub fn problem(&self) -> Option<Problem> {
        let failed = self.status.is_client_error() || self.status.is_server_error();
        let mut problem: Problem = failed.then(|| serde_json::from_slice(&self.body).ok()).flatten()?;
        problem.status = self.status.as_u16();
        problem.retry_after = retry_after(&self.headers);
        Some(problem)
    }

    /// The response if it is a success; otherwise the error.
    pub fn success(self) -> Result<Self, Error> {
        if self.status.is_success() {
            return Ok(self);
        }
        Err(match self.problem() {
            Some(problem) => Error::Problem(Box::new(problem)),
            None => Error::Status {
                status: self.status,
                request_id: self.header("x-request-id").map(str::to_owned),
            },
        })
    }

    /// The body, parsed as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, Error> {
        serde_json::from_slice(&self.body).map_err(Error::Decode)
    }

    /// The version of the record or list.
    pub fn etag(&self) -> Option<ETag> {
        self.headers.get(ETAG).cloned().map(ETag)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn is(&self, code: Code) -> bool {
        self.status.as_u16() == code.status()
            && self.problem().is_some_and(|it| it.code.known() == Some(code))
    }
}

/// The version of a record or list, from `ETag`: opaque, for [`crate::Call::if_match`] and [`crate::Call::if_none_match`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(pub(crate) HeaderValue);

impl std::str::FromStr for ETag {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        text.parse().map(Self).map_err(|_| Error::Request("the ETag is invalid".to_owned()))
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.0.as_bytes()))
    }
}

/// A value with its version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The version, if the server sent one.
    pub etag: Option<ETag>,
    /// The value.
    pub value: T,
}

/// A file that is being received.
#[derive(Debug)]
pub struct Download(pub(crate) reqwest::Response);

impl Download {
    /// The next chunk. `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Error> {
        self.0.chunk().await.map_err(Error::Transport)
    }
}

/// How an operation's response becomes the value that its method returns: a record without its envelope, or a whole page.
pub trait Reply {
    /// The value.
    type Value: Send + 'static;
    /// Reads a successful response.
    fn read(answer: &RawResponse) -> Result<Self::Value, Error>;
}

impl<T: DeserializeOwned + Send + 'static> Reply for Data<T> {
    type Value = T;
    fn read(answer: &RawResponse) -> Result<T, Error> {
        answer.json::<Self>().map(|envelope| envelope.data)
    }
}

impl<T: DeserializeOwned + Send + 'static> Reply for Page<T> {
    type Value = Self;
    fn read(answer: &RawResponse) -> Result<Self, Error> {
        answer.json()
    }
}

macro_rules! read_as_they_are {
    ($($answer:ty)*) => { $(impl Reply for $answer {
        type Value = Self;
        fn read(answer: &RawResponse) -> Result<Self, Error> { answer.json() }
    })* };
}
read_as_they_are! {
    Deleted SavedFavorite FavoriteRemoved Roster
    auth::JsonWebKeySet auth::OpenIdConfiguration auth::ProtectedResource
    OpenApiDocument Health Readiness
}

impl Reply for DiffAnswer {
    type Value = ChangesetDiff;
    fn read(answer: &RawResponse) -> Result<ChangesetDiff, Error> {
        <Data<ChangesetDiff> as Reply>::read(answer)
    }
}

impl Reply for LeagueAnswer {
    type Value = LeagueReport;
    fn read(answer: &RawResponse) -> Result<LeagueReport, Error> {
        <Data<LeagueReport> as Reply>::read(answer)
    }
}

impl Reply for Html {
    type Value = Self;
    fn read(answer: &RawResponse) -> Result<Self, Error> {
        Ok(Self(String::from_utf8_lossy(&answer.body).into_owned()))
    }
}

impl Reply for Form {
    type Value = Self;
    fn read(answer: &RawResponse) -> Result<Self, Error> {
        Ok(Self(String::from_utf8_lossy(&answer.body).into_owned()))
    }
}

impl Reply for ArchiveFile {
    type Value = Self;
    fn read(answer: &RawResponse) -> Result<Self, Error> {
        Ok(Self(answer.body.to_vec()))
    }
}

impl Reply for Asset {
    type Value = Self;
    fn read(answer: &RawResponse) -> Result<Self, Error> {
        let media_type = answer.header(CONTENT_TYPE.as_str()).unwrap_or_default().to_owned();
        Ok(Self { media_type, bytes: answer.body.to_vec() })
    }
}
