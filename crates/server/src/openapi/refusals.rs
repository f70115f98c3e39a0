//! The refusals of an operation in the OpenAPI document: which codes it may answer with. Most follow from its row in the operation
//! table; what its handler alone may say stands in [`own`].

use fieldhouse_api::operations::Method;
use fieldhouse_api::request::BodyKind;
use fieldhouse_api::{Code, Op, Operation};
use fieldhouse_domain::policy::{Credential, KeyUse};

use crate::auth::limits::AnonymousUse;

/// The codes that an operation may answer with, by status.
pub(super) fn of<O: Op>() -> Vec<(u16, Vec<Code>)> {
    let operation = O::OPERATION;
    let mut codes = vec![
        Code::UnknownParameter,
        Code::InvalidParameter,
        Code::NotAcceptable,
        Code::RequestTimeout,
        Code::Internal,
        Code::Overloaded,
        Code::Unavailable,
    ];
    if AnonymousUse::of(operation, false) != AnonymousUse::Probe {
        codes.push(Code::RateLimited);
    }
    codes.extend(of_access(operation));
    codes.extend(of_request::<O>(operation));
    codes.extend(own(operation));
    codes.sort_by_key(|code| (code.status(), code.name()));
    codes.dedup();
    let mut by_status: Vec<(u16, Vec<Code>)> = Vec::new();
    for code in codes {
        match by_status.last_mut() {
            Some((status, codes)) if *status == code.status() => codes.push(code),
            _ => by_status.push((code.status(), vec![code])),
        }
    }
    by_status
}

/// What the guard may say.
fn of_access(operation: Operation) -> Vec<Code> {
    let requirement = operation.requirement();
    if requirement.credential == Credential::Public {
        return Vec::new();
    }
    let mut codes = vec![
        Code::AmbiguousCredentials,
        Code::InvalidCredentials,
        Code::KeyExpired,
        Code::KeyRevoked,
        Code::TokenExpired,
        Code::RoleInsufficient,
    ];
    if matches!(requirement.credential, Credential::Required(_)) {
        codes.push(Code::Unauthenticated);
    }
    match requirement.keys {
        KeyUse::Allowed | KeyUse::ProposeOnly => codes.extend([Code::ScopeInsufficient, Code::IpNotAllowed]),
        KeyUse::Itself => codes.push(Code::IpNotAllowed),
        KeyUse::SessionOnly => codes.push(Code::SessionRequired),
        KeyUse::FreshSessionOnly => codes.extend([Code::SessionRequired, Code::SessionTooOld]),
    }
    codes
}

/// What reading the request and changing records may bring.
fn of_request<O: Op>(operation: Operation) -> Vec<Code> {
    let mut codes = Vec::new();
    if crate::call::parameter_names(O::OPERATION).iter().any(|name| name == "cursor") {
        codes.push(Code::InvalidCursor);
    }
    if operation.body_kind() != BodyKind::None {
        codes.extend([
            Code::MalformedJson,
            Code::ValidationFailed,
            Code::BodyTooLarge,
            Code::UnsupportedMediaType,
        ]);
    }
    if operation.path().contains('{') {
        codes.push(Code::NotFound);
    }
    if operation.method() != Method::GET {
        codes.push(Code::Conflict);
    }
    if matches!(operation.method(), Method::POST | Method::PATCH) {
        codes.extend([Code::IdempotencyMismatch, Code::IdempotencyInProgress]);
    }
    if matches!(operation.method(), Method::PATCH | Method::DELETE) {
        codes.push(Code::VersionMismatch);
    }
    codes
}

/// What the operation's own handler may say.
fn own(operation: Operation) -> &'static [Code] {
    match operation {
        Operation::AuthLogin => &[Code::InvalidCredentials, Code::AlreadyCreated],
        Operation::AuthRefresh => &[Code::InvalidCredentials, Code::TokenExpired, Code::AlreadyCreated],
        Operation::ApiKeyCreate | Operation::FavoriteSave => &[Code::AlreadyCreated, Code::LimitReached],
        Operation::FavoritesClaim => &[Code::NotFound, Code::LimitReached],
        Operation::ApiKeyCurrent | Operation::OrganizationRead | Operation::FavoriteOrder => {
            &[Code::NotFound]
        }
        Operation::MemberChange | Operation::MemberRemove => &[Code::LastOwner, Code::OperationForbidden],
        Operation::SeasonCreate => &[Code::Duplicate],
        Operation::SeasonChange => &[Code::Duplicate, Code::State],
        Operation::SeasonDelete => &[Code::InUse],
        _ => &[],
    }
}
