//! How a command fails: the messages, and the exit code.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | failed |
//! | 2 | wrong usage |
//! | 4 | not signed in, or a different credential is required |

use std::fmt;
use std::io;

use fieldhouse_client::api::Code;
use fieldhouse_client::api::problems::FieldProblem;
use fieldhouse_client::{Error, Problem};

use crate::credentials::API_KEY_VARIABLE;
use crate::hints;

/// The kinds of failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Failed,
    Usage,
    Authentication,
    /// No connection was made.
    Unreachable,
    /// The connection was closed, or the time limit was exceeded.
    NoResponse,
    /// The response is an error without a problem.
    NoExplanation,
    /// The response is not what this version expects.
    UnknownResponse,
}

impl Kind {
    /// The exit code.
    pub(crate) fn exit(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::Authentication => 4,
            _ => 1,
        }
    }

    /// The code in JSON, for failures that the server has not explained.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Usage => "invalid_usage",
            Self::Authentication => "not_signed_in",
            Self::Unreachable => "unreachable",
            Self::NoResponse => "no_response",
            Self::NoExplanation => "no_explanation",
            Self::UnknownResponse => "unknown_response",
        }
    }
}

/// What failed, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) what: String,
    /// The invalid fields. `what` is empty if the only one says everything.
    pub(crate) fields: Vec<FieldProblem>,
    pub(crate) next: Option<String>,
    pub(crate) request_id: Option<String>,
    /// What the server sent.
    pub(crate) problem: Option<Box<Problem>>,
}

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self {
            kind: Kind::Failed,
            what: what.into(),
            fields: Vec::new(),
            next: None,
            request_id: None,
            problem: None,
        }
    }

    /// Wrong usage of the command.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self { kind: Kind::Usage, ..Self::new(what) }
    }

    /// The user is not signed in.
    pub(crate) fn not_signed_in(base_url: &str) -> Self {
        let next = format!("sign in: fieldhouse login <email>, or set {API_KEY_VARIABLE}");
        let failure = Self::new(format!("not signed in to {base_url}")).next(next);
        Self { kind: Kind::Authentication, ..failure }
    }

    /// Adds what to do next.
    pub(crate) fn next(mut self, next: impl Into<String>) -> Self {
        self.next = Some(next.into());
        self
    }

    /// Replaces the message, which then also covers the fields.
    pub(crate) fn saying(mut self, what: impl Into<String>) -> Self {
        self.fields.clear();
        Self { what: what.into(), ..self }
    }

    /// The failure for any error of a command, with the context that the command added.
    pub(crate) fn of(error: anyhow::Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(failure) => return failure,
            Err(error) => error,
        };
        // Functions that print return I/O errors, and a jq expression that fails is one of them.
        let holds = |error: &io::Error| error.get_ref().is_some_and(|inner| inner.is::<Self>());
        let error = if error.downcast_ref().is_some_and(holds) {
            match error.downcast::<io::Error>().map(io::Error::downcast::<Self>) {
                Ok(Ok(failure)) => return failure,
                Ok(Err(error)) => error.into(),
                Err(error) => error,
            }
        } else {
            error
        };
        let Some(cause) = error.downcast_ref::<Error>() else { return Self::new(with_causes(&error)) };
        let mut failure = Self::from(cause);
        let around = error.chain().take_while(|it| !it.is::<Error>()).map(ToString::to_string);
        let said = around.chain([failure.what]).filter(|text| !text.is_empty());
        failure.what = said.collect::<Vec<_>>().join(": ");
        failure
    }

    /// Whether it is about authentication.
    pub(crate) fn is_authentication(&self) -> bool {
        self.kind == Kind::Authentication
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Failure {}

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let mut failure = match error {
            Error::Problem(problem) => of_problem(problem),
            Error::Transport(source) => {
                let address = source.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
                let (what, next) = hints::of_transport(error, &address);
                let kind = if error.is_unreachable() { Kind::Unreachable } else { Kind::NoResponse };
                Self { kind, next, ..Self::new(what) }
            }
            Error::Status { status, .. } => {
                Self { kind: Kind::NoExplanation, ..Self::new(error.to_string()) }
                    .next(hints::of_status(*status))
            }
            Error::Decode(_) => Self { kind: Kind::UnknownResponse, ..Self::new(error.to_string()) }
                .next(hints::of_another_version()),
            Error::SessionStore(source) => Self::new(format!("{error}: {}", plain(source))),
            _ => Self::new(error.to_string()),
        };
        failure.request_id = error.request_id().map(str::to_owned);
        // A 401 that names a field is about the field, such as a wrong current password, and not about authentication.
        if error.status().is_some_and(|status| status == 401) && failure.fields.is_empty() {
            failure.kind = Kind::Authentication;
        }
        failure
    }
}

fn of_problem(problem: &Problem) -> Failure {
    let text = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
    let mut failure = Failure::new(if is_about_one_field(text, &problem.errors) { "" } else { text });
    failure.problem = Some(Box::new(problem.clone()));
    failure.fields.clone_from(&problem.errors);
    if let Some(code) = problem.code.known() {
        if matches!(code, Code::SessionRequired | Code::SessionTooOld) {
            failure.kind = Kind::Authentication;
        }
        // Do not repeat a message.
        let next =
            hints::of_problem(problem, code).filter(|_| code.status() != 401 || problem.errors.is_empty());
        failure.next = next.filter(|next| !failure.what.contains(next.as_str()));
    }
    failure
}

/// Whether the only invalid field has the same message.
fn is_about_one_field(text: &str, fields: &[FieldProblem]) -> bool {
    matches!(fields, [FieldProblem { pointer, message, .. }]
        if !pointer.is_empty() && text.trim_end_matches('.') == format!("{pointer} {message}"))
}

/// An error without the system's error number, which std appends: "(os error 2)".
pub(crate) fn plain(error: &(impl fmt::Display + ?Sized)) -> String {
    let text = error.to_string();
    let numbered =
        text.split_once(" (os error ").and_then(|(before, after)| Some((before, after.split_once(')')?.1)));
    numbered.map(|(before, after)| format!("{before}{after}")).unwrap_or(text)
}

/// An error with its causes, in one line.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(plain).collect::<Vec<_>>().join(": ")
}
