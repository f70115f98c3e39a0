//! Why a call failed: one enum for everything that can go wrong between here and the server.

use std::io;

use fieldhouse_api::Code;
use http::StatusCode;

use crate::problems::Problem;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused, and says why.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// An answer without a problem document: a refusal by the HTTP parser or by something between here and the server.
    #[error("the server responded with {status} and no explanation")]
    Status {
        /// The status.
        status: StatusCode,
        /// The request's id, where the answer names one.
        request_id: Option<String>,
    },
    /// No answer came: the server cannot be reached, or the connection broke off, or it took too long.
    #[error("no response from the server")]
    Transport(#[source] reqwest::Error),
    /// An answer came that is not what the contract says: the server may be newer than this client.
    #[error("the server's response cannot be read")]
    Decode(#[source] serde_json::Error),
    /// The request cannot be made of what was given: an address, a header or a body that is none.
    #[error("the request is invalid: {0}")]
    Request(String),
    /// The body is larger than the server takes, so that it was not sent.
    #[error("the request has {bytes} bytes; the maximum is {limit}")]
    BodyTooLarge {
        /// How many it has.
        bytes: usize,
        /// How many it may have.
        limit: usize,
    },
    /// The client cannot be set up, for want of root certificates for instance.
    #[error("the HTTP client cannot be started")]
    Setup(#[source] reqwest::Error),
    /// The session's tokens cannot be read from, or written to, where they are kept.
    #[error("the session's tokens cannot be stored")]
    SessionStore(#[source] io::Error),
}

impl Error {
    /// The problem, where the server sent one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// The problem's code, where the server sent one that this client knows.
    pub fn code(&self) -> Option<Code> {
        self.problem()?.code.known()
    }

    /// The HTTP status, where there was an answer.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Problem(problem) => StatusCode::from_u16(problem.status).ok(),
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The request's id, by which the server's operator finds it.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => problem.request_id.as_deref(),
            Self::Status { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// Whether no response came in time.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(source) if source.is_timeout())
    }

    /// Whether no connection could be made at all, so that nothing was sent.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Transport(source) if source.is_connect())
    }
}
