//! How a command fails: the messages, and the exit code.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | failed |
//! | 2 | wrong usage |
//! | 4 | not signed in, or a different credential is required |

use std::fmt;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

use clap::{Arg, Command};
use fieldhouse_client::api::Code;
use fieldhouse_client::api::problems::FieldProblem;
use fieldhouse_client::{Error, Problem};

use crate::credentials::{API_KEY_VARIABLE, key_of_environment};
use crate::output::note;

const FAILED: u8 = 1;
const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;

/// What failed, and what to do next.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: u8,
    what: String,
    /// The invalid fields. `what` is empty if the only one says everything.
    fields: Vec<FieldProblem>,
    next: Option<String>,
    request_id: Option<String>,
}

impl Failure {
    /// A failure with this message.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { exit: FAILED, what: what.into(), fields: Vec::new(), next: None, request_id: None }
    }

    /// Wrong usage of the command.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self { exit: USAGE, ..Self::new(what) }
    }

    /// The user is not signed in.
    pub(crate) fn not_signed_in(base_url: &str) -> Self {
        let next = format!("sign in: fieldhouse login <email>, or set {API_KEY_VARIABLE}");
        Self { exit: AUTHENTICATION, ..Self::new(format!("not signed in to {base_url}")).next(next) }
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
    fn of(error: anyhow::Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(failure) => return failure,
            Err(error) => error,
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
        self.exit == AUTHENTICATION
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
            Error::Transport(source) if error.is_unreachable() => {
                let url = source.url().map(|url| url.origin().ascii_serialization()).unwrap_or_default();
                Self::new(format!("the server at {url} cannot be reached: {}", unreachable(error))).next(
                    "check the address (--base-url or FIELDHOUSE_URL), or start a server here: fieldhouse serve --demo",
                )
            }
            Error::Transport(_) => Self::new(format!("no response from the server: {}", broken(error))),
            Error::Status { .. } => {
                Self::new(error.to_string()).next("is this the address of a Fieldhouse server?")
            }
            Error::Decode(_) => Self::new(error.to_string())
                .next("is the server newer than this program? Update this program"),
            Error::SessionStore(source) => Self::new(format!("{error}: {}", plain(source))),
            _ => Self::new(error.to_string()),
        };
        failure.request_id = error.request_id().map(str::to_owned);
        // A 401 that names a field is about the field, such as a wrong current password, and not about authentication.
        if error.status().is_some_and(|status| status == 401) && failure.fields.is_empty() {
            failure.exit = AUTHENTICATION;
        }
        failure
    }
}

fn of_problem(problem: &Problem) -> Failure {
    let text = if problem.detail.is_empty() { &problem.title } else { &problem.detail };
    let mut failure = Failure::new(if is_about_one_field(text, &problem.errors) { "" } else { text });
    failure.fields.clone_from(&problem.errors);
    if let Some(code) = problem.code.known() {
        if matches!(code, Code::SessionRequired | Code::SessionTooOld) {
            failure.exit = AUTHENTICATION;
        }
        // Do not repeat a message.
        let next = next_step(code).filter(|_| code.status() != 401 || problem.errors.is_empty());
        failure.next = next.filter(|next| !failure.what.contains(next.as_str()));
    }
    failure
}

/// Whether the only invalid field has the same message.
fn is_about_one_field(text: &str, fields: &[FieldProblem]) -> bool {
    matches!(fields, [FieldProblem { pointer, message, .. }]
        if !pointer.is_empty() && text.trim_end_matches('.') == format!("{pointer} {message}"))
}

/// What to do about a code at a command line, instead of the advice for programs.
fn next_step(code: Code) -> Option<String> {
    let key_wins = key_of_environment().is_some();
    let and_unset = if key_wins {
        format!(", and unset {API_KEY_VARIABLE}, which takes precedence")
    } else {
        String::new()
    };
    Some(match code {
        Code::SessionRequired => {
            format!("sign in with e-mail and password: fieldhouse login <email>{and_unset}")
        }
        Code::SessionTooOld => {
            format!("sign in again and repeat this within 15 minutes: fieldhouse login <email>{and_unset}")
        }
        Code::ScopeInsufficient => {
            "create a key with this scope, or without --scope: fieldhouse admin api-keys create".to_owned()
        }
        Code::NotFound => "check the path and the id, and the organization: fieldhouse whoami".to_owned(),
        // Their messages say what to do.
        Code::VersionMismatch | Code::RateLimited => return None,
        // Signing in would not help: the key still takes precedence.
        code if key_wins && code.status() == 401 => {
            format!(
                "{API_KEY_VARIABLE} is set and takes precedence over any sign-in: set it to a valid key, or unset it"
            )
        }
        Code::Unauthenticated | Code::InvalidCredentials | Code::TokenExpired => {
            "sign in again: fieldhouse login <email>".to_owned()
        }
        _ => return Some(code.advice()).filter(|advice| !only_points(advice)).map(str::to_owned),
    })
}

/// Advice that only refers to what is printed anyway.
fn only_points(advice: &str) -> bool {
    ["The detail", "The problem", "errors names", "required_"].iter().any(|start| advice.starts_with(start))
}

/// Why no connection was made, in plain words instead of those of libraries.
fn unreachable(error: &Error) -> &'static str {
    match io_kind(error) {
        _ if error.is_timeout() => "it did not respond in time",
        Some(ErrorKind::ConnectionRefused) => "nothing is listening there",
        Some(ErrorKind::TimedOut) => "it did not respond in time",
        Some(ErrorKind::InvalidData) => "it does not use TLS, or its certificate is not trusted",
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof) => {
            "it closed the connection"
        }
        Some(ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable) => "the network is unreachable",
        _ => "its name is unknown, or there is no network",
    }
}

/// Why a request was sent and no response was received.
fn broken(error: &Error) -> &'static str {
    if error.is_timeout() { "it did not respond in time" } else { "the connection was closed" }
}

/// The kind of the innermost I/O error.
fn io_kind(error: &Error) -> Option<ErrorKind> {
    anyhow::Chain::new(error).filter_map(|cause| cause.downcast_ref::<io::Error>()).map(innermost).last()
}

/// Libraries wrap I/O errors in others.
fn innermost(error: &io::Error) -> ErrorKind {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<io::Error>());
    inner.map_or(error.kind(), innermost)
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

/// An invalid field, with its name on the command line.
fn wrong(field: &FieldProblem, command: &Command) -> String {
    // "must be one of: a, b" is not followed by "Send one of: a, b."
    let wanted = field.message.strip_prefix("must be ");
    let repeats = |fix: &&String| wanted.is_some_and(|wanted| fix.trim_end_matches('.').ends_with(wanted));
    let fix = field.fix.as_ref().filter(|fix| !repeats(fix));
    let fix = fix.map_or_else(|| ".".to_owned(), |fix| format!(". {fix}"));
    format!("{} {}{fix}", option_name(&field.pointer, command), field.message)
}

/// The option for a field of the API, or else the field's own name. Most options have the fields' names.
fn option_name(pointer: &str, command: &Command) -> String {
    let is_of = |argument: &&Arg, field: &str| {
        let id = argument.get_id().as_str();
        id == field || field.strip_suffix("_id") == Some(id) || OTHER_NAMES.contains(&(field, id))
    };
    let name = |argument: &Arg| {
        let long = argument.get_long().map(|long| format!("--{long}"));
        long.unwrap_or_else(|| argument.get_id().as_str().to_uppercase())
    };
    let option = |field: &str| command.get_arguments().find(|argument| is_of(argument, field)).map(name);
    // The options of `fieldhouse api` are not fields.
    let option = pointer.rsplit('/').find_map(option).filter(|_| command.get_name() != "api");
    option.unwrap_or_else(|| pointer.trim_start_matches('/').to_owned())
}

/// Fields, and the options with other names that set them.
const OTHER_NAMES: &[(&str, &str)] = &[("q", "query"), ("organization", "org"), ("content", "file")];

/// Prints the failure and returns the exit code.
pub(crate) fn report(error: anyhow::Error, command: &Command) -> ExitCode {
    if is_broken_pipe(&error) {
        // The reader of the output has stopped: `fieldhouse seasons list | head`.
        return ExitCode::SUCCESS;
    }
    let failure = Failure::of(error);
    let mut fields = failure.fields.iter().map(|field| wrong(field, command));
    let what = Some(failure.what).filter(|what| !what.is_empty()).or_else(|| fields.next());
    note(&format!("error: {}", what.unwrap_or_default()));
    for field in fields {
        note(&format!("  {field}"));
    }
    if let Some(next) = &failure.next {
        note(&format!("hint: {next}"));
    }
    if let Some(id) = &failure.request_id {
        note(&format!("request id: {id}"));
    }
    ExitCode::from(failure.exit)
}

/// Whether standard output was closed. A closed connection to the server is nested inside the client's error.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
