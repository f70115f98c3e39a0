//! Problems (RFC 9457): the closed list of error codes, and the body of every error response.
//!
//! A new code gets one row in the table at the end; its page, its place in the OpenAPI document and `docs/errors.md` follow from it.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The body of every error response, `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The address of the page that explains the code.
    #[serde(rename = "type")]
    pub type_: String,
    /// A short name of the problem.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong, and what to do next.
    pub detail: String,
    /// `urn:request:` and the request's id.
    pub instance: String,
    /// The code: stable, for programs.
    pub code: Code,
    /// The request's id, as in `X-Request-Id`.
    pub request_id: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// The invalid fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// Further members that depend on the code: `required_role`, `current_version`, `bad_rows`, ...
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// Where: an RFC 6901 JSON pointer into the body, or the name of a query parameter.
    pub pointer: String,
    /// A short, stable code.
    pub code: String,
    /// What is wrong, in words.
    pub message: String,
    /// What to send instead.
    pub fix: Option<String>,
}

macro_rules! codes {
    ($($name:ident $text:literal $status:literal $title:literal $advice:literal;)*) => {
        /// The code of a problem. The list is closed: `/api/v1` adds to it only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Code { $(#[doc = $title] #[serde(rename = $text)] $name,)* }

        impl Code {
            /// Every code, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];
            /// The code as it is in responses.
            pub const fn name(self) -> &'static str { match self { $(Self::$name => $text),* } }
            /// The HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status),* } }
            /// A short name of the problem.
            pub const fn title(self) -> &'static str { match self { $(Self::$name => $title),* } }
            /// What it means and what to do next.
            pub const fn advice(self) -> &'static str { match self { $(Self::$name => $advice),* } }
        }
    };
}

impl Code {
    /// Whether the same request may succeed later.
    pub const fn retryable(self) -> bool {
        matches!(
            self,
            Self::RequestTimeout
                | Self::IdempotencyInProgress
                | Self::RateLimited
                | Self::Internal
                | Self::Overloaded
                | Self::Unavailable
        )
    }
}

impl From<&Refusal> for Code {
    fn from(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Invalid(_) => Self::ValidationFailed,
            Refusal::NotFound => Self::NotFound,
            Refusal::VersionMismatch { .. } => Self::VersionMismatch,
            Refusal::VersionRequired => Self::PreconditionRequired,
            Refusal::Duplicate(_) => Self::Duplicate,
            Refusal::State(_) => Self::State,
            Refusal::InUse(_) | Refusal::HasContents(_) => Self::InUse,
            Refusal::Overlap(_) => Self::Overlap,
            Refusal::LimitReached(_) => Self::LimitReached,
            Refusal::LastOwner => Self::LastOwner,
            Refusal::SelfGrant => Self::SelfGrant,
            Refusal::SamePerson { .. } => Self::SamePerson,
            Refusal::ExpiryRequired { .. } => Self::ExpiryRequired,
            Refusal::BreakGlassLimit { .. } => Self::BreakglassLimit,
            Refusal::Forbidden(_) => Self::OperationForbidden,
            Refusal::Changeset(refused) => match **refused {
                Refused::Invalid { .. } => Self::InvalidOperation,
                Refused::NotChangeable(_) => Self::OperationNotChangeable,
                Refused::Forbidden { .. } => Self::OperationForbidden,
                Refused::NotSimulated => Self::NotSimulated,
                Refused::SimulationChanged { .. } => Self::SimulationChanged,
                Refused::SimulationExpired => Self::SimulationExpired,
                Refused::Own => Self::OwnChangeset,
                Refused::ApproverTooNew => Self::ApproverTooNew,
                Refused::ContentNotVisible => Self::ContentNotVisible,
                Refused::AuthorityLost(_) => Self::AuthorityLost,
                Refused::Stale { .. } => Self::ChangesetStale,
                Refused::UndoConflict(_) => Self::UndoConflict,
                Refused::UndoExpired => Self::UndoExpired,
                Refused::TooManyOpen { .. } => Self::TooManyOpen,
                Refused::TooLarge(_) => Self::SimulationTooLarge,
                Refused::Waiting { .. } => Self::State,
                Refused::Required { .. } => Self::ChangesetRequired,
            },
        }
    }
}

// Not derived, because the derive cannot see names that a macro passes on and would publish the Rust names.
impl PartialSchema for Code {
    fn schema() -> RefOr<Schema> {
        let advice = "What each means and what to do about it is on its page, `/problems/{code}`.";
        ObjectBuilder::new()
            .schema_type(SchemaType::new(Type::String))
            .enum_values(Some(Self::ALL.iter().map(|code| code.name())))
            .description(Some(format!("The code of a problem. {advice} `/api/v1` only ever adds codes.")))
            .into()
    }
}

impl ToSchema for Code {}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Code {
    type Err = UnknownCode;
    fn from_str(text: &str) -> Result<Self, UnknownCode> {
        Self::ALL.iter().copied().find(|code| code.name() == text).ok_or(UnknownCode)
    }
}

/// A string that is not a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode;

#[rustfmt::skip]
codes! {
    MalformedJson "malformed_json" 400 "Malformed JSON" "Send one JSON value in UTF-8, nested at most 32 levels deep.";
    UnknownParameter "unknown_parameter" 400 "Unknown query parameter" "The problem names the parameter and lists the known ones.";
    InvalidParameter "invalid_parameter" 400 "Invalid query parameter" "The problem names the parameter and says what to send.";
    InvalidCursor "invalid_cursor" 400 "Invalid cursor" "A cursor is valid only for the caller and the filters that it was issued for. Start again without a cursor.";
    AmbiguousCredentials "ambiguous_credentials" 400 "The request has two credentials" "Send either x-api-key or Authorization, not both.";
    Unauthenticated "unauthenticated" 401 "A credential is required" "Send an API key as x-api-key, or an access token as Authorization: Bearer.";
    InvalidCredentials "invalid_credentials" 401 "Invalid credential" "Check it for typos, or sign in again. Its user may be suspended, or no longer a member.";
    KeyExpired "key_expired" 401 "The API key has expired" "Sign in and create a new key.";
    KeyRevoked "key_revoked" 401 "The API key was revoked" "Sign in and create a new key.";
    KeyPaused "key_paused" 401 "The API key is paused" "Ask its owner to resume it.";
    TokenExpired "token_expired" 401 "The session has ended" "Refresh the session, or sign in again.";
    OrganizationSuspended "organization_suspended" 403 "The organization is suspended" "Ask the operator of the server.";
    RoleInsufficient "role_insufficient" 403 "The operation requires a higher role" "required_role is the minimum role. A key never has a higher role than the one it was issued with.";
    ScopeInsufficient "scope_insufficient" 403 "The API key lacks a scope" "required_scope names the missing scope. Create a key with it, or without scopes.";
    SessionRequired "session_required" 403 "A session is required" "Sign in with e-mail address and password; an API key cannot do this.";
    SessionTooOld "session_too_old" 403 "The sign-in was too long ago" "Sign in again and repeat the request within 15 minutes.";
    IpNotAllowed "ip_not_allowed" 403 "The API key is not valid from this address" "Use it from one of its allowed_ips, or create a key without allowed_ips.";
    RelationshipInsufficient "relationship_insufficient" 403 "The relation to the child does not permit this" "Another relation, recorded and confirmed, is required.";
    WrongAccount "wrong_account" 403 "The caller is signed in with another address" "Sign out, or sign in with the invited address.";
    SelfGrant "self_grant" 403 "A user cannot do this for themselves" "Ask another member.";
    SamePerson "same_person" 403 "A second person is required" "The detail says who can confirm it.";
    OwnChangeset "own_changeset" 403 "An author cannot approve or reject their own changeset" "Ask another member. An author can withdraw it.";
    ContentNotVisible "content_not_visible" 403 "The changeset contains data that the caller may not read" "Only a member who can read every effect can approve or undo it.";
    ApproverTooNew "approver_too_new" 403 "The approver's role is too new" "A member whose role was given by the author within the last 7 days cannot approve.";
    OperationForbidden "operation_forbidden" 403 "The operation is not permitted on this record" "The detail says why.";
    NotFound "not_found" 404 "Not found" "Check the path and the id. A record that the caller may not see is reported in the same way.";
    MethodNotAllowed "method_not_allowed" 405 "The path does not support this method" "The header Allow lists the supported methods.";
    NotAcceptable "not_acceptable" 406 "The response is not available in this media type" "Accept application/json.";
    RequestTimeout "request_timeout" 408 "The request took too long" "Repeat it; with the same Idempotency-Key it has no second effect.";
    Conflict "conflict" 409 "The request conflicts with the current records" "Read the record again.";
    State "state" 409 "The record's status does not permit this" "The detail says which status does.";
    InUse "in_use" 409 "Other records refer to this record" "The detail names them.";
    Duplicate "duplicate" 409 "The record already exists" "The detail names it.";
    Overlap "overlap" 409 "It overlaps with another record" "The detail names the other record.";
    LastOwner "last_owner" 409 "An organization must have at least one owner" "Make another member an owner first.";
    AlreadyCreated "already_created" 409 "The Idempotency-Key was used for a response with a secret" "The secret is not stored. id names the created record; revoke it and start again with a new key.";
    IdempotencyInProgress "idempotency_in_progress" 409 "A request with this Idempotency-Key is still running" "Repeat the request in a moment.";
    ChangesetRequired "changeset_required" 409 "A changeset is required" "Propose the change as a changeset; the problem includes a template.";
    ChangesetStale "changeset_stale" 409 "The records of the changeset have changed" "Simulate it again.";
    SimulationChanged "simulation_changed" 409 "The simulation has changed" "Review the new simulation.";
    SimulationExpired "simulation_expired" 409 "The simulation has expired" "Simulate again.";
    NotSimulated "not_simulated" 409 "The changeset was not simulated" "Simulate it first.";
    AuthorityLost "authority_lost" 409 "The author, an approver or the person who executes has lost their authority" "If it is you who execute it, ask another member. Otherwise propose the changeset again.";
    UndoConflict "undo_conflict" 409 "Undoing would overwrite later changes" "Resolve each conflict that the problem names.";
    UndoExpired "undo_expired" 409 "It is too late to undo" "Changes can be undone for 90 days.";
    ConsentMissing "consent_missing" 409 "A consent is missing" "Ask a guardian to give it.";
    LinkExpired "link_expired" 410 "The link is not valid any more" "It was used, replaced by a later one, or has expired. Ask for a new one.";
    VersionMismatch "version_mismatch" 412 "The record has changed since you read it" "Read it again and repeat the change; current_version is its version now.";
    BodyTooLarge "body_too_large" 413 "The body is too large" "limit is the maximum size in bytes.";
    UnsupportedMediaType "unsupported_media_type" 415 "Unsupported media type" "The detail names the supported media types of the body.";
    ValidationFailed "validation_failed" 422 "Invalid fields" "errors names each invalid field and what to send.";
    IdempotencyMismatch "idempotency_mismatch" 422 "The Idempotency-Key was used with another body" "Use a new key for a new request.";
    InvalidOperation "invalid_operation" 422 "An operation of the changeset is invalid" "index and pointer name it.";
    OperationNotChangeable "operation_not_changeable" 422 "A changeset cannot contain this operation" "Send the request directly.";
    ExpiryRequired "expiry_required" 422 "An end is required" "The problem names the field: send the time at which the relation or duty ends.";
    LimitReached "limit_reached" 422 "The limit is reached" "The detail says how many.";
    SimulationTooLarge "simulation_too_large" 422 "The changeset is too large to simulate" "Split it.";
    LegalHold "legal_hold" 423 "The record is under a legal hold" "It cannot be changed until the hold ends.";
    PreconditionRequired "precondition_required" 428 "If-Match is required" "Read the record and send its ETag as If-Match.";
    RateLimited "rate_limited" 429 "Too many requests" "Wait for the number of seconds in Retry-After.";
    TooManyOpen "too_many_open" 429 "Too many open changesets" "Finish or withdraw some.";
    BreakglassLimit "breakglass_limit" 429 "Too many break-glass grants" "Three are permitted in 24 hours.";
    Internal "internal" 500 "Internal error" "The error is logged under request_id. Repeat the request with the same Idempotency-Key.";
    Overloaded "overloaded" 503 "The server is overloaded" "Wait for the number of seconds in Retry-After.";
    Unavailable "unavailable" 503 "The database is unavailable" "Repeat the request later, with the same Idempotency-Key: the first one may have been carried out.";
}
