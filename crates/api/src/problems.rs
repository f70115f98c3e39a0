//! Problems (RFC 9457): the closed list of error codes, and the body of every error answer.
//!
//! A new code gets one row in the table at the end; its page, its place in the OpenAPI document and `docs/errors.md` follow from it.

use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// The body of every error answer, `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// The address of the page that explains the code.
    #[serde(rename = "type")]
    pub type_: String,
    /// The code in words.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What went wrong this time, and what to do next.
    pub detail: String,
    /// `urn:request:` and the request's id.
    pub instance: String,
    /// The code: stable, for programs.
    pub code: Code,
    /// The request's id, as in `X-Request-Id`.
    pub request_id: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// Which fields are wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<FieldProblem>,
    /// What else the code has to say: `required_role`, `current_version`, `bad_rows`, ...
    #[serde(flatten)]
    pub more: serde_json::Map<String, serde_json::Value>,
}

/// What is wrong with one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FieldProblem {
    /// Where: an RFC 6901 JSON pointer into the body, or the name of a query parameter.
    pub pointer: String,
    /// A short stable word.
    pub code: String,
    /// What is wrong, for a person.
    pub message: String,
    /// What would be right.
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
            /// The code as it stands in answers.
            pub const fn name(self) -> &'static str { match self { $(Self::$name => $text),* } }
            /// The HTTP status.
            pub const fn status(self) -> u16 { match self { $(Self::$name => $status),* } }
            /// The code in words.
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

// Not derived: the derive does not read a name that a macro passes on, and would publish the member's own.
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

/// A text that is no code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCode;

#[rustfmt::skip]
codes! {
    MalformedJson "malformed_json" 400 "The body is not JSON" "Send one JSON value in UTF-8, nested at most 32 deep.";
    UnknownParameter "unknown_parameter" 400 "There is no such query parameter" "The problem names it and lists those that there are.";
    InvalidParameter "invalid_parameter" 400 "A query parameter cannot be taken as it is" "The problem names the parameter and says what would be right.";
    InvalidCursor "invalid_cursor" 400 "The cursor is not good here" "A cursor is good for the caller and the filters that it was given to. Start again without one.";
    AmbiguousCredentials "ambiguous_credentials" 400 "Two credentials were sent" "Send either x-api-key or Authorization, not both.";
    Unauthenticated "unauthenticated" 401 "A credential is needed" "Send an API key as x-api-key, or an access token as Authorization: Bearer.";
    InvalidCredentials "invalid_credentials" 401 "The credential is not good" "Check it for typing errors, or sign in again. It may also belong to somebody who is no longer a member.";
    KeyExpired "key_expired" 401 "The API key has expired" "Sign in and issue a new key.";
    KeyRevoked "key_revoked" 401 "The API key was revoked" "Sign in and issue a new key.";
    KeyPaused "key_paused" 401 "The API key is paused" "Its owner can let it go on.";
    TokenExpired "token_expired" 401 "The session has ended" "Refresh the session, or sign in again.";
    RoleInsufficient "role_insufficient" 403 "The role is too low" "required_role names the least role that may do this. A key never reaches beyond the role it was issued with.";
    ScopeInsufficient "scope_insufficient" 403 "The key's scopes do not allow this" "required_scope names what is missing. Issue a key with it, or without scopes.";
    SessionRequired "session_required" 403 "Only a session may do this" "Sign in with e-mail and password; an API key cannot do this.";
    SessionTooOld "session_too_old" 403 "The session was signed in too long ago" "Sign in again and repeat the request within 15 minutes.";
    IpNotAllowed "ip_not_allowed" 403 "The key may not be used from this address" "Use it from one of its allowed_ips, or issue a key without that limit.";
    RelationshipInsufficient "relationship_insufficient" 403 "The relation to the child does not open this" "Another relation, recorded and confirmed, is needed.";
    SelfGrant "self_grant" 403 "Nobody grants himself a relation" "Ask somebody else.";
    SamePerson "same_person" 403 "A second person is needed" "Somebody other than who proposed it confirms it.";
    OwnChangeset "own_changeset" 403 "Nobody approves his own changeset" "Ask somebody else.";
    ContentNotVisible "content_not_visible" 403 "The changeset holds what you may not see" "Only who can see every effect can approve it.";
    ApproverTooNew "approver_too_new" 403 "The approver's role is too new" "Who got his role from the author within 7 days cannot approve.";
    OperationForbidden "operation_forbidden" 403 "This may not be done to that record" "The detail says why.";
    NotFound "not_found" 404 "There is no such thing here" "It does not exist, or not for this caller.";
    MethodNotAllowed "method_not_allowed" 405 "The path does not take this method" "The header Allow lists those that it takes.";
    NotAcceptable "not_acceptable" 406 "The answer cannot be had in that media type" "Accept application/json.";
    RequestTimeout "request_timeout" 408 "The request took too long" "Repeat it; with the same Idempotency-Key nothing happens twice.";
    Conflict "conflict" 409 "The request conflicts with what is there" "Read the record again.";
    State "state" 409 "The record's state does not allow this" "The detail says which state would.";
    InUse "in_use" 409 "Other records stand on this one" "The detail says which.";
    Duplicate "duplicate" 409 "The same thing exists already" "The detail says which.";
    Overlap "overlap" 409 "It overlaps with another" "The detail says with which.";
    LastOwner "last_owner" 409 "An organization keeps at least one owner" "Make somebody else an owner first.";
    AlreadyCreated "already_created" 409 "The Idempotency-Key was used, and its answer held a secret" "The secret is not kept. id names what was made; revoke it and start again with a new key.";
    IdempotencyInProgress "idempotency_in_progress" 409 "A request with this Idempotency-Key is still running" "Repeat the request in a moment.";
    ChangesetRequired "changeset_required" 409 "This needs a changeset" "Propose it as a changeset; the problem holds a template.";
    ChangesetStale "changeset_stale" 409 "The changeset's ground has moved" "Simulate it again.";
    SimulationChanged "simulation_changed" 409 "The simulation is not the one that was seen" "Review the new one.";
    SimulationExpired "simulation_expired" 409 "The simulation is too old" "Simulate again.";
    NotSimulated "not_simulated" 409 "The changeset was not simulated" "Simulate it first.";
    AuthorityLost "authority_lost" 409 "Somebody behind the changeset is no longer entitled" "Propose it anew.";
    UndoConflict "undo_conflict" 409 "Undoing would overwrite later changes" "Resolve each conflict that the problem names.";
    UndoExpired "undo_expired" 409 "It is too late to undo" "Changes can be undone for 90 days.";
    ConsentMissing "consent_missing" 409 "A consent is missing" "A guardian gives it.";
    VersionMismatch "version_mismatch" 412 "The record has changed since you read it" "Read it again; current_version is its version now.";
    BodyTooLarge "body_too_large" 413 "The body is too large" "limit says how many bytes it may have.";
    UnsupportedMediaType "unsupported_media_type" 415 "The body's media type cannot be read" "The detail names those that can.";
    ValidationFailed "validation_failed" 422 "Fields cannot be taken as they are" "errors names each with what would be right.";
    IdempotencyMismatch "idempotency_mismatch" 422 "The Idempotency-Key was used with another body" "Use a new key for a new request.";
    InvalidOperation "invalid_operation" 422 "An operation of the changeset is not valid" "index and pointer say which.";
    OperationNotChangeable "operation_not_changeable" 422 "A changeset cannot hold this" "Do it directly.";
    ExpiryRequired "expiry_required" 422 "This relation needs an end" "Send expires_at.";
    LimitReached "limit_reached" 422 "As many as there may be exist already" "The detail says how many.";
    SimulationTooLarge "simulation_too_large" 422 "The changeset is too large to simulate" "Split it.";
    LegalHold "legal_hold" 423 "The record is under a legal hold" "It stays until the hold ends.";
    PreconditionRequired "precondition_required" 428 "If-Match is required" "Read the record and send its ETag as If-Match.";
    RateLimited "rate_limited" 429 "Too many requests" "Wait for the seconds that Retry-After says.";
    TooManyOpen "too_many_open" 429 "Too many open changesets" "Finish or withdraw some.";
    BreakglassLimit "breakglass_limit" 429 "Too many break-glass grants today" "Three a day.";
    Internal "internal" 500 "The server failed" "It is logged under request_id. Repeat the request with the same Idempotency-Key.";
    Overloaded "overloaded" 503 "The server has more to do than it can" "Wait for the seconds that Retry-After says.";
    Unavailable "unavailable" 503 "The database cannot be reached" "Repeat the request later, with the same Idempotency-Key: whether it was carried out may be unknown.";
}
