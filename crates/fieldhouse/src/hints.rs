//! What to do about each failure, at a command line.

use std::io::{self, ErrorKind};

use fieldhouse_client::api::Code;
use fieldhouse_client::{Error, Problem};
use fieldhouse_domain::roles::Role;

use crate::credentials::{API_KEY_VARIABLE, key_of_environment};

/// What to do about a problem, instead of the advice for programs.
pub(crate) fn of_problem(problem: &Problem, code: Code) -> Option<String> {
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
        Code::RoleInsufficient => return who_can(problem),
        Code::NotFound => "check the path and the id, and the organization: fieldhouse whoami".to_owned(),
        Code::VersionMismatch => {
            "it has changed since you read it: read it again, then repeat the command".to_owned()
        }
        Code::PreconditionRequired => {
            "read the record with --include and send its etag: -H 'If-Match: ...'".to_owned()
        }
        Code::InUse if problem.more.contains_key("digest") => {
            "delete the season with everything in it: fieldhouse seasons purge <id>".to_owned()
        }
        Code::RateLimited | Code::Overloaded => return wait(problem),
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

/// Who has the role that is required.
fn who_can(problem: &Problem) -> Option<String> {
    let required: Role = problem.more.get("required_role")?.as_str()?.parse().ok()?;
    let able: Vec<_> = Role::ALL.into_iter().filter(|role| *role >= required).map(Role::name).collect();
    Some(format!("ask someone with this role: {}. Your own: fieldhouse whoami", able.join(", ")))
}

/// How long to wait, unless the message says so.
fn wait(problem: &Problem) -> Option<String> {
    let seconds = problem.retry_after?.as_secs();
    let said = problem.detail.contains(&format!("{seconds} second"));
    (!said).then(|| format!("wait {seconds} s, then repeat the command"))
}

/// Advice that only refers to what is printed anyway.
fn only_points(advice: &str) -> bool {
    ["The detail", "The problem", "errors names", "required_"].iter().any(|start| advice.starts_with(start))
}

/// What to do about a response without an explanation, which comes from something else than the API.
pub(crate) fn of_status(status: impl Into<u16>) -> &'static str {
    match status.into() {
        502..=504 => "a proxy has responded: is the server behind it running?",
        _ => "is this the address of a Fieldhouse server?",
    }
}

/// What to do about a response that this version does not know.
pub(crate) fn of_another_version() -> String {
    let own = env!("CARGO_PKG_VERSION");
    format!(
        "this program is version {own}; if the server's is newer (fieldhouse api GET /healthz), update this program"
    )
}

/// What is wrong with a request without a response from this address, and what to do.
pub(crate) fn of_transport(error: &Error, address: &str) -> (String, Option<String>) {
    if error.is_unreachable() {
        let (why, next) = unreachable(error, address);
        return (format!("the server at {address} cannot be reached: {why}"), Some(next));
    }
    if error.is_timeout() {
        return (format!("no response from {address}: it did not respond in time"), None);
    }
    let next = address
        .starts_with("http:")
        .then(|| "if the server uses TLS, its address starts with https://".to_owned());
    (format!("no response from {address}: the connection was closed"), next)
}

/// Why no connection was made, in plain words instead of those of libraries, and what to do.
fn unreachable(error: &Error, address: &str) -> (&'static str, String) {
    let check = "check the address (--base-url, FIELDHOUSE_URL or the context)";
    match io_kind(error) {
        _ if error.is_timeout() => ("it did not respond in time", format!("{check} and the network")),
        Some(ErrorKind::ConnectionRefused) => {
            let start = if is_here(address) { ", or start one here: fieldhouse serve --demo" } else { "" };
            (
                "nothing is listening there",
                format!("is the server running at {address}? If not there, {check}{start}"),
            )
        }
        Some(ErrorKind::TimedOut) => ("it did not respond in time", format!("{check} and the network")),
        Some(ErrorKind::InvalidData) => {
            let plain = address.replacen("https:", "http:", 1);
            let next = format!(
                "without TLS its address is {plain}; a certificate of your own must be trusted by this machine"
            );
            ("it does not use TLS, or its certificate is not trusted", next)
        }
        Some(ErrorKind::ConnectionReset | ErrorKind::ConnectionAborted | ErrorKind::UnexpectedEof) => {
            ("it closed the connection", check.to_owned())
        }
        Some(ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable) => {
            ("the network is unreachable", "check the network".to_owned())
        }
        _ => ("its name is unknown, or there is no network", format!("{check} and the network")),
    }
}

/// Whether an address is this machine's.
fn is_here(address: &str) -> bool {
    ["//127.", "//localhost", "//[::1]"].iter().any(|host| address.contains(host))
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
