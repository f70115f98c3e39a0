//! Answers: what came back, and how it becomes what an operation promises. A new shape of answer gets one line in the table of
//! [`Reply`]; without it the operation's method does not compile.

use std::fmt;

use bytes::Bytes;
use fieldhouse_api::envelope::{Asset, Html};
use fieldhouse_api::favorites::{FavoriteRemoved, SavedFavorite};
use fieldhouse_api::service::{Health, OpenApiDocument, Readiness};
use fieldhouse_api::{Code, Data, Deleted, Page, auth};
use http::header::{CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue, StatusCode};
use serde::de::DeserializeOwned;

use crate::errors::Error;
use crate::problems::Problem;

/// An answer as it came: whatever its status and its body.
#[derive(Clone)]
pub struct RawAnswer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// Shows neither headers nor body: both may hold secrets.
impl fmt::Debug for RawAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RawAnswer").field("status", &self.status).finish_non_exhaustive()
    }
}

impl RawAnswer {
    /// The problem, where the status is an error's and the body says why.
    pub fn problem(&self) -> Option<Problem> {
        let failed = self.status.is_client_error() || self.status.is_server_error();
        let mut problem: Problem = failed.then(|| serde_json::from_slice(&self.body).ok()).flatten()?;
        problem.status = self.status.as_u16();
        Some(problem)
    }

    /// The answer if it is a success, else the error.
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

    /// The body read as JSON.
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

/// A version of a record or list, as `ETag` says it: opaque, for [`crate::Call::if_match`] and [`crate::Call::if_none_match`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ETag(pub(crate) HeaderValue);

impl std::str::FromStr for ETag {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        text.parse().map(Self).map_err(|_| Error::Request("the ETag is not one".to_owned()))
    }
}

impl fmt::Display for ETag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.0.as_bytes()))
    }
}

/// A value and the version that it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Versioned<T> {
    /// The version, where the server names one.
    pub etag: Option<ETag>,
    /// The value.
    pub value: T,
}

/// How an operation's answer becomes the value that its method returns: a record comes out of its envelope, a page stays whole.
pub trait Reply {
    /// The value.
    type Value: Send + 'static;
    /// Reads a successful answer.
    fn read(answer: &RawAnswer) -> Result<Self::Value, Error>;
}

impl<T: DeserializeOwned + Send + 'static> Reply for Data<T> {
    type Value = T;
    fn read(answer: &RawAnswer) -> Result<T, Error> {
        answer.json::<Self>().map(|envelope| envelope.data)
    }
}

impl<T: DeserializeOwned + Send + 'static> Reply for Page<T> {
    type Value = Self;
    fn read(answer: &RawAnswer) -> Result<Self, Error> {
        answer.json()
    }
}

macro_rules! read_as_they_are {
    ($($answer:ty)*) => { $(impl Reply for $answer {
        type Value = Self;
        fn read(answer: &RawAnswer) -> Result<Self, Error> { answer.json() }
    })* };
}
read_as_they_are! {
    Deleted SavedFavorite FavoriteRemoved
    auth::JsonWebKeySet auth::OpenIdConfiguration auth::ProtectedResource
    OpenApiDocument Health Readiness
}

impl Reply for Html {
    type Value = Self;
    fn read(answer: &RawAnswer) -> Result<Self, Error> {
        Ok(Self(String::from_utf8_lossy(&answer.body).into_owned()))
    }
}

impl Reply for Asset {
    type Value = Self;
    fn read(answer: &RawAnswer) -> Result<Self, Error> {
        let media_type = answer.header(CONTENT_TYPE.as_str()).unwrap_or_default().to_owned();
        Ok(Self { media_type, bytes: answer.body.to_vec() })
    }
}
