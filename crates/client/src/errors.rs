//! Why a call failed: one enum for everything that can go wrong between here and the server.

use std::io;

use fieldhouse_api::Code;
use http::StatusCode;

use crate::problems::Problem;

/// Why a call failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The server refused the request, with a problem.
    #[error("{0}")]
    Problem(Box<Problem>),
    /// A response without a problem: from the HTTP parser, or from a program between here and the server.
    #[error("the server responded with {status} and no explanation")]
    Status {
        /// The status.
        status: StatusCode,
        /// The request's id, if the response has one.
        request_id: Option<String>,
    },
    /// No response: the server cannot be reached, the connection was closed, or the time limit was exceeded.
    #[error("no response from the server")]
    Transport(#[source] reqwest::Error),
    /// A response that does not match the contract: the server may be newer than this client.
    #[error("the server's response cannot be read")]
    Decode(#[source] serde_json::Error),
    /// The request cannot be built: an address, a header or a body is invalid.
    #[error("the request is invalid: {0}")]
    Request(String),
    /// The body is larger than the server's limit and was not sent.
    #[error("the request has {bytes} bytes; the maximum is {limit}")]
    BodyTooLarge {
        /// The size of the body.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The client cannot be set up, for example without root certificates.
    #[error("the HTTP client cannot be started")]
    Setup(#[source] reqwest::Error),
    /// The session's tokens cannot be read or stored.
    #[error("the session's tokens cannot be stored")]
    SessionStore(#[source] io::Error),
}

impl Error {
    /// The problem, if the server sent one.
    pub fn problem(&self) -> Option<&Problem> {
        match self {
            Self::Problem(problem) => Some(problem),
            _ => None,
        }
    }

    /// The problem's code, if the server sent one that this client knows.
    pub fn code(&self) -> Option<Code> {
        self.problem()?.code.known()
    }

    /// The HTTP status, if there was a response.
    pub fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Problem(problem) => StatusCode::from_u16(problem.status).ok(),
            Self::Status { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// The request's id, with which the server's operator finds it in the log.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Problem(problem) => problem.request_id.as_deref(),
            Self::Status { request_id, .. } => request_id.as_deref(),
            _ => None,
        }
    }

    /// Whether the time limit was exceeded.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Transport(source) if source.is_timeout())
    }

    /// Whether no connection was made, so that nothing was sent.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Transport(source) if source.is_connect())
    }
}
