//! Failures: everything that can end a request without success, and the mapping of inner errors to problems.
//!
//! Messages of the store and of libraries are not sent to clients: they are logged with the request's id.

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use fieldhouse_api::envelope::{Form, PROBLEM_JSON};
use fieldhouse_api::problems::FieldProblem;
use fieldhouse_api::{Code, Problem};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use fieldhouse_domain::games::Conflict;
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::refusal::MAX_ERRORS;
use serde_json::{Map, Value, json};

use crate::erasures::ErasureError;
use crate::pages;

/// Why a request failed.
#[derive(Debug)]
pub struct Failure(Box<Parts>);

#[derive(Debug)]
struct Parts {
    code: Code,
    detail: String,
    errors: Vec<FieldProblem>,
    more: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
    /// Logged, and never sent.
    cause: Option<String>,
    /// The page that shows it, if the operation answers with pages.
    page: Option<Form>,
    /// Whether the transaction took too long.
    late: bool,
}

impl Failure {
    /// A failure with this code and detail.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self(Box::new(Parts {
            code,
            detail: detail.into(),
            errors: Vec::new(),
            more: Map::new(),
            headers: Vec::new(),
            cause: None,
            page: None,
            late: false,
        }))
    }

    /// A failure whose code says everything.
    pub fn of(code: Code) -> Self {
        Self::new(code, format!("{}. {}", code.title(), code.advice()))
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// A cursor whose record no longer exists.
    pub fn lost_cursor() -> Self {
        let detail =
            "The record at which this page starts no longer exists. Read the list again from its first page.";
        Self::new(Code::InvalidCursor, detail)
    }

    /// A record that does not exist, or is hidden from this caller: the response is the same.
    pub fn not_found() -> Self {
        Self::new(Code::NotFound, "The record was not found, or you have no access to it.")
    }

    /// A path that does not exist.
    pub fn unknown_path() -> Self {
        Self::new(Code::NotFound, "This path does not exist. See /docs or /openapi.json for all paths.")
    }

    /// An invalid query parameter or header.
    pub fn parameter(code: Code, name: &str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let message = message.into();
        let mut failure = Self::new(code, format!("{name} {message}."));
        let error = FieldProblem {
            pointer: name.to_owned(),
            code: code.name().to_owned(),
            message,
            fix: Some(fix.into()),
        };
        failure.0.errors.push(error);
        failure
    }

    /// A missing end of what opens children's data.
    fn expiry_required(pointer: &str) -> Self {
        let fix = "Send a time to come.".to_owned();
        let mut failure = Self::new(Code::ExpiryRequired, format!("{pointer} is required. {fix}"));
        failure.0.errors.push(FieldProblem {
            pointer: pointer.to_owned(),
            code: "required".to_owned(),
            message: "is required".to_owned(),
            fix: Some(fix),
        });
        failure
    }

    /// Invalid query parameters.
    pub(crate) fn of_query(refusal: Refusal) -> Self {
        let Refusal::Invalid(fields) = refusal else { return refusal.into() };
        let unknown = fields.iter().any(|field| field.code == "unknown_field");
        let code = if unknown { Code::UnknownParameter } else { Code::InvalidParameter };
        let mut failure = Self::new(code, invalid(&fields));
        failure.0.errors = fields
            .into_iter()
            .map(|field| FieldProblem {
                pointer: field.pointer,
                code: if unknown { Code::UnknownParameter } else { Code::InvalidParameter }.name().to_owned(),
                message: field.message,
                fix: field.fix,
            })
            .collect();
        failure
    }

    /// An internal error, with the cause to log.
    pub fn internal(cause: impl Into<String>) -> Self {
        Self::of(Code::Internal).because(cause)
    }

    /// What is wrong and what to do, in sentences for a person.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let of_field = |error: &FieldProblem| {
            let field = error.pointer.trim_start_matches('/').replace('_', " ");
            let fix = error.fix.as_deref().unwrap_or_default();
            format!("{} {fix}", sentence(format!("{field} {}", error.message).trim())).trim_end().to_owned()
        };
        if self.0.errors.is_empty() {
            return vec![self.0.detail.clone()];
        }
        self.0.errors.iter().map(of_field).collect()
    }

    /// Sets the page that shows it.
    pub(crate) fn on_page(mut self, page: Form) -> Self {
        self.0.page = Some(page);
        self
    }

    /// Adds a member to the problem.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.more.insert(name.to_owned(), value.into());
        self
    }

    /// Whether the transaction took too long.
    pub fn is_late(&self) -> bool {
        self.0.late
    }

    /// Adds a header.
    pub fn header(mut self, name: HeaderName, value: impl TryInto<HeaderValue>) -> Self {
        if let Ok(value) = value.try_into() {
            self.0.headers.push((name, value));
        }
        self
    }

    fn because(mut self, cause: impl Into<String>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    fn log(&self, request_id: &str) {
        let code = self.0.code;
        let Some(cause) = &self.0.cause else { return };
        if code == Code::Internal {
            tracing::error!(request_id, code = code.name(), cause, "a request failed");
        } else {
            tracing::warn!(request_id, code = code.name(), cause, "a request could not be served");
        }
    }

    /// Converts to a response with a page, and logs the cause.
    pub fn answer_page(mut self, request_id: &str) -> axum::response::Response {
        self.log(request_id);
        let page = self.0.page.take().unwrap_or_else(|| pages::failed(&self, request_id));
        let body = axum::body::Body::from(page.0);
        let media_type = HeaderValue::from_static("text/html; charset=utf-8");
        let mut response = respond(self.0.code, media_type, self.0.headers, body);
        response.headers_mut().extend(pages::protection());
        response
    }

    /// Converts to a response, and logs the cause.
    pub fn answer(self, base: &str, request_id: &str) -> axum::response::Response {
        self.log(request_id);
        let Parts { code, detail, errors, more, headers: own_headers, .. } = *self.0;
        let problem = Problem {
            type_: format!("{base}/problems/{code}"),
            title: code.title().to_owned(),
            status: code.status(),
            detail,
            instance: format!("urn:request:{request_id}"),
            code,
            request_id: request_id.to_owned(),
            retryable: code.retryable(),
            errors,
            more,
        };
        let body = serde_json::to_vec(&problem).unwrap_or_default();
        respond(code, HeaderValue::from_static(PROBLEM_JSON), own_headers, axum::body::Body::from(body))
    }
}

/// The response with a code's status and headers.
fn respond(
    code: Code,
    media_type: HeaderValue,
    own_headers: Vec<(HeaderName, HeaderValue)>,
    body: axum::body::Body,
) -> axum::response::Response {
    let mut response = axum::response::Response::new(body);
    *response.status_mut() = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, media_type);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    if code.status() == 401 {
        headers.insert(header::WWW_AUTHENTICATE, challenge(code));
    }
    for (name, value) in own_headers {
        headers.append(name, value);
    }
    response
}

/// The `WWW-Authenticate` challenge (RFC 6750, section 3).
fn challenge(code: Code) -> HeaderValue {
    HeaderValue::from_static(match code {
        Code::Unauthenticated => r#"Bearer realm="fieldhouse""#,
        _ => r#"Bearer realm="fieldhouse", error="invalid_token""#,
    })
}

impl From<Denial> for Failure {
    fn from(denial: Denial) -> Self {
        let code = match denial {
            Denial::Unauthenticated => Code::Unauthenticated,
            Denial::Unknown => Code::InvalidCredentials,
            Denial::KeyExpired => Code::KeyExpired,
            Denial::KeyRevoked => Code::KeyRevoked,
            Denial::SessionEnded => Code::TokenExpired,
            Denial::OrganizationSuspended => Code::OrganizationSuspended,
            Denial::RoleInsufficient(_) => Code::RoleInsufficient,
            Denial::ScopeInsufficient(_) | Denial::AgentMayOnlyPropose => Code::ScopeInsufficient,
            Denial::NotStaff | Denial::NotOnDuty(_) => Code::OperationForbidden,
            Denial::SessionRequired => Code::SessionRequired,
            Denial::SessionTooOld => Code::SessionTooOld,
            Denial::AddressNotAllowed => Code::IpNotAllowed,
            Denial::LinkExpired => Code::LinkExpired,
            Denial::WrongAccount => Code::WrongAccount,
            Denial::ChildHidden => Code::NotFound,
            Denial::RelationshipInsufficient => Code::RelationshipInsufficient,
        };
        match denial {
            Denial::ChildHidden => Self::not_found(),
            Denial::RoleInsufficient(role) => {
                let detail = format!("This operation requires the role {role} or higher.");
                Self::new(code, detail).with("required_role", role.name())
            }
            Denial::ScopeInsufficient(scope) => {
                let detail = format!("This operation requires a key with the scope {scope}.");
                Self::new(code, detail).with("required_scope", scope.to_string())
            }
            Denial::NotStaff => {
                let detail = "This operation requires confirmed staff of one of the game's teams, or the role manager or higher.";
                Self::new(code, detail)
            }
            Denial::NotOnDuty(kind) => {
                let detail = format!(
                    "This operation requires the duty {kind}, held by someone who is not of the child's family."
                );
                Self::new(code, detail)
            }
            Denial::AgentMayOnlyPropose => {
                let detail = "An agent's key can write only through changesets.".to_owned();
                Self::new(code, detail).with("required_scope", "changesets:propose")
            }
            _ => Self::of(code),
        }
    }
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let (code, text) = (Code::from(&refusal), sentence(&refusal.to_string()));
        match refusal {
            Refusal::Invalid(fields) => {
                let mut failure = Self::new(Code::ValidationFailed, invalid(&fields));
                failure.0.errors = fields
                    .into_iter()
                    .map(|field| FieldProblem {
                        pointer: field.pointer,
                        code: field.code.to_owned(),
                        message: field.message,
                        fix: field.fix,
                    })
                    .collect();
                failure
            }
            Refusal::NotFound => Self::not_found(),
            Refusal::VersionRequired => Self::of(Code::PreconditionRequired),
            Refusal::VersionMismatch { current } => {
                let detail =
                    format!("The record is now at version {current}. Read it again and repeat the change.");
                Self::new(Code::VersionMismatch, detail).with("current_version", current)
            }
            Refusal::HasContents(inventory) => {
                Self::new(code, text).with("counts", json!(inventory.counts)).with("digest", inventory.digest)
            }
            Refusal::Overlap(conflicts) => {
                let conflict = |Conflict { id, starts_at, ends_at }: Conflict| json!({"id": id, "starts_at": starts_at, "ends_at": ends_at});
                let conflicts: Vec<_> = conflicts.into_iter().take(MAX_ERRORS).map(conflict).collect();
                Self::new(Code::Overlap, text).with("conflicts", conflicts)
            }
            Refusal::BreakGlassLimit { wait } => {
                Self::new(Code::BreakglassLimit, text).header(header::RETRY_AFTER, wait.to_string())
            }
            Refusal::Duplicate(_)
            | Refusal::State(_)
            | Refusal::InUse(_)
            | Refusal::LimitReached(_)
            | Refusal::SelfGrant
            | Refusal::SamePerson { .. }
            | Refusal::LastOwner
            | Refusal::Forbidden(_) => Self::new(code, text),
            Refusal::ExpiryRequired { pointer } => Self::expiry_required(pointer),
            Refusal::Changeset(refused) => of_changeset(*refused, code, text),
        }
    }
}

fn invalid(fields: &[fieldhouse_domain::FieldError]) -> String {
    match fields {
        [field] if field.pointer.is_empty() => format!("The body {}.", field.message),
        [field] => format!("{} {}.", field.pointer, field.message),
        [field, ..] if !field.pointer.starts_with('/') && !field.pointer.is_empty() => {
            format!("{} parameters are invalid.", fields.len())
        }
        _ => format!("{} fields are invalid.", fields.len()),
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

impl From<fieldhouse_commands::Error> for Failure {
    fn from(error: fieldhouse_commands::Error) -> Self {
        use fieldhouse_commands::Error;
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Stale => Self::of(Code::Conflict),
            Error::Denied(denial) => denial.into(),
            Error::Store(error) => error.into(),
        }
    }
}

/// The problem of a violated unique key. `None` for a key that no client sets.
fn duplicate(taken: &fieldhouse_store::Taken) -> Option<Failure> {
    let field = taken.field.as_deref()?;
    let kind = match &*taken.table {
        "orgs" => "organization".to_owned(),
        table => table.trim_end_matches('s').replace('_', " "),
    };
    let shown = field.replace('_', " ");
    let detail = format!("Another {kind} already has this {shown}.");
    let mut failure = Failure::new(Code::Duplicate, detail);
    failure.0.errors.push(FieldProblem {
        pointer: format!("/{field}"),
        code: Code::Duplicate.name().to_owned(),
        message: format!("is the {shown} of another {kind}"),
        fix: Some(format!("Send another {shown}, or change the {kind} that has it.")),
    });
    Some(failure)
}

impl From<ErasureError> for Failure {
    fn from(error: ErasureError) -> Self {
        match error {
            ErasureError::Store(error) => error.into(),
            error => fieldhouse_store::Error::Unavailable(error.to_string()).into(),
        }
    }
}

impl From<fieldhouse_store::Error> for Failure {
    fn from(error: fieldhouse_store::Error) -> Self {
        use fieldhouse_store::Error;
        if let Error::Duplicate(taken) = &error
            && let Some(failure) = duplicate(taken)
        {
            return failure;
        }
        let cause = error.to_string();
        let late = matches!(error, Error::Deadline(_));
        let (code, wait) = match error {
            Error::Duplicate(_) | Error::Reference(_) => (Code::Conflict, None),
            Error::Overloaded(_) => (Code::Overloaded, Some("1")),
            Error::Timeout | Error::Deadline(_) | Error::LockTimeout => (Code::Overloaded, Some("2")),
            Error::Unavailable(_) | Error::Locked(_) => (Code::Unavailable, Some("5")),
            Error::Corrupt { .. }
            | Error::Sealing(_)
            | Error::NewerSchema { .. }
            | Error::EditedMigration(_)
            | Error::Internal(_) => (Code::Internal, None),
        };
        let mut failure = Self::of(code).because(cause);
        failure.0.late = late;
        match wait {
            Some(seconds) => failure.header(header::RETRY_AFTER, seconds),
            None => failure,
        }
    }
}

/// The problem of something that cannot be done with a changeset, with what its reader needs to go on.
fn of_changeset(refused: Refused, code: Code, text: String) -> Failure {
    let failure = Failure::new(code, text);
    match refused {
        Refused::Invalid { index, pointer, fix, .. } => {
            failure.with("index", index).with("pointer", pointer).with("fix", fix)
        }
        Refused::NotChangeable(what) => failure.with("not_changeable", what),
        Refused::Forbidden { index, .. } => failure.with("index", index),
        Refused::SimulationChanged { hash } => failure.with("simulation_hash", hash),
        Refused::Stale { drifted } => failure.with("drifted", drifted).with("next", "simulate"),
        Refused::UndoConflict(conflicts) => failure.with("conflicts", conflicts),
        Refused::TooManyOpen { limit } => failure.with("limit", limit),
        Refused::Waiting { until } => failure.with("not_before", until.to_string()),
        Refused::Required { template, .. } => failure.with("template", template),
        _ => failure,
    }
}

/// The problem of a body above the size limit.
pub(crate) fn too_large(limit: usize) -> Failure {
    Failure::new(Code::BodyTooLarge, format!("The body may have at most {limit} bytes."))
        .with("limit", json!(limit))
}

#[cfg(test)]
mod tests {
    use fieldhouse_store::Error;

    use super::*;

    #[test]
    fn temporary_store_errors_are_retryable() {
        for (error, code, wait) in [
            (Error::Overloaded("too many wait"), Code::Overloaded, "1"),
            (Error::Timeout, Code::Overloaded, "2"),
            (Error::Deadline("seasons.create"), Code::Overloaded, "2"),
            (Error::LockTimeout, Code::Overloaded, "2"),
            (Error::Unavailable("the disk is full".to_owned()), Code::Unavailable, "5"),
        ] {
            let failure = Failure::from(error);
            assert_eq!(failure.code(), code);
            let answer = failure.answer("http://localhost", "tests-1");
            assert_eq!(
                (answer.status(), &answer.headers()[header::RETRY_AFTER]),
                (StatusCode::SERVICE_UNAVAILABLE, &HeaderValue::from_static(wait))
            );
        }
    }

    #[tokio::test]
    async fn messages_of_store_errors_are_not_sent() {
        let cause = "password of postgres://owner:password@host";
        for error in [Error::Internal(cause.to_owned()), Error::Unavailable(cause.to_owned())] {
            let answer = Failure::from(error).answer("http://localhost", "tests-1");
            let body = axum::body::to_bytes(answer.into_body(), 1 << 20).await.expect("a body");
            assert!(!String::from_utf8_lossy(&body).contains("password"), "{body:?}");
        }
    }
}
