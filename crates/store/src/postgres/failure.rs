//! Why something that was sent to PostgreSQL failed.

use std::error::Error as _;
use std::io;

use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::ErrorResponseBody;
use tokio_postgres::error::SqlState;

/// Errors that a retry resolves: a standby dropped the snapshot.
const RETRYABLE: [SqlState; 2] = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
/// The beginning of codes with which the server ends a session: it shuts down, has crashed, or ends those that are idle.
const ENDED: &str = "57P";

/// The result of something that was sent.
pub(crate) type Sent<T> = std::result::Result<T, Failure>;

/// A failure.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The server refused it.
    #[error("{} ({})", .0.message, .0.code.code())]
    Refused(Box<Refusal>),
    /// The connection is lost or could not be opened. What was sent may or may not have been carried out.
    #[error("{0}")]
    Lost(String),
    /// A bug: a value that does not fit its parameter, or a message that is not understood.
    #[error("{0}")]
    Internal(String),
}

/// An error of the server, without its "detail", which quotes values of the row.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) code: SqlState,
    pub(crate) message: String,
    pub(crate) table: Option<String>,
    pub(crate) constraint: Option<String>,
}

impl Failure {
    /// The server's code.
    pub(crate) fn code(&self) -> Option<&SqlState> {
        match self {
            Self::Refused(refusal) => Some(&refusal.code),
            Self::Lost(_) | Self::Internal(_) => None,
        }
    }

    /// Whether reads that failed may succeed if they are run again on another connection.
    pub(super) fn can_retry(&self) -> bool {
        let resolves = |code: &SqlState| RETRYABLE.contains(code) || code.code().starts_with(ENDED);
        matches!(self, Self::Lost(_)) || self.code().is_some_and(resolves)
    }

    /// An error of the socket.
    #[expect(clippy::needless_pass_by_value, reason = "for map_err")]
    pub(super) fn lost(error: io::Error) -> Self {
        Self::Lost(error.to_string())
    }

    /// A message that cannot be made or parsed.
    #[expect(clippy::needless_pass_by_value, reason = "for map_err")]
    pub(super) fn malformed(error: io::Error) -> Self {
        Self::Internal(error.to_string())
    }

    /// A message that the driver does not understand.
    pub(super) fn misunderstood(what: &str) -> Self {
        Self::Internal(format!("the database sent {what}"))
    }

    /// The server's error.
    pub(super) fn refused(body: &ErrorResponseBody) -> Self {
        let mut refusal =
            Refusal { code: SqlState::INTERNAL_ERROR, message: String::new(), table: None, constraint: None };
        let mut fields = body.fields();
        while let Ok(Some(field)) = fields.next() {
            let value = String::from_utf8_lossy(field.value_bytes());
            match field.type_() {
                b'C' => refusal.code = SqlState::from_code(&value),
                b'M' => refusal.message = value.into_owned(),
                b't' => refusal.table = Some(value.into_owned()),
                b'n' => refusal.constraint = Some(value.into_owned()),
                _ => {}
            }
        }
        Self::Refused(Box::new(refusal))
    }
}

/// Errors of opening a connection and of signing in.
impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(error) = error.as_db_error() {
            return Self::Refused(Box::new(Refusal {
                code: error.code().clone(),
                message: error.message().to_owned(),
                table: error.table().map(str::to_owned),
                constraint: error.constraint().map(str::to_owned),
            }));
        }
        let mut text = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        Self::Lost(text)
    }
}
