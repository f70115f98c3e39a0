//! The refusals of an operation in the OpenAPI document: which codes it may answer with. Most follow from its row in the operation
//! table; what its handler alone may say stands in [`own`].

use std::collections::BTreeMap;

use fieldhouse_api::operations::Method;
use fieldhouse_api::request::BodyKind;
use fieldhouse_api::{Answer, Code, Op, Operation, Problem};
use fieldhouse_domain::policy::{Credential, KeyUse};
use utoipa::ToSchema;
use utoipa::openapi::{ContentBuilder, Ref, Response, ResponseBuilder};

use super::headers;
use crate::auth::limits::AnonymousUse;

const PROBLEM_JSON: &str = "application/problem+json";
/// The name of the response for errors without a status of their own.
const DEFAULT: &str = "default";

/// What any operation may respond with when something goes wrong that has nothing to do with what it is about. No test can bring these
/// about for each operation, so they share one entry.
const ANY: &[Code] = &[
    Code::RequestTimeout,
    Code::Conflict,
    Code::IdempotencyInProgress,
    Code::Internal,
    Code::Overloaded,
    Code::Unavailable,
];

/// The errors of an operation: by status, with `default` for those that any operation may respond with.
pub(super) fn of<O: Op>() -> Vec<(String, Ref)> {
    let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for code in codes::<O>() {
        by_status.entry(code.status().to_string()).or_default().push(code);
    }
    by_status.insert(DEFAULT.to_owned(), ANY.to_vec());
    let refusal = |(status, codes): (String, Vec<Code>)| {
        let codes: Vec<_> = codes.iter().map(|code| format!("`{code}`")).collect();
        let response = Ref::builder().ref_location(format!("#/components/responses/{}", name(&status)));
        (status, response.description(Some(codes.join(", "))).build())
    };
    by_status.into_iter().map(refusal).collect()
}

/// The response that errors with a status refer to, under its name.
pub(super) fn response(status: &str) -> (String, Response) {
    let description = match status {
        DEFAULT => "A problem that any operation may respond with.".to_owned(),
        _ => format!("A problem with the status {status}."),
    };
    let schema = Ref::from_schema_name(<Problem as ToSchema>::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let response = ResponseBuilder::new().description(description).content(PROBLEM_JSON, content);
    (name(status), headers::refer(response, &headers::of_error(status)).build())
}

fn name(status: &str) -> String {
    format!("Problem-{status}")
}

fn codes<O: Op>() -> Vec<Code> {
    let operation = O::OPERATION;
    let mut codes = vec![Code::UnknownParameter, Code::InvalidParameter];
    if AnonymousUse::of(operation, false) != AnonymousUse::Probe {
        codes.push(Code::RateLimited);
    }
    if O::Answer::MEDIA_TYPE != "*/*" {
        codes.push(Code::NotAcceptable);
    }
    codes.extend(of_access(operation));
    codes.extend(of_request::<O>(operation));
    codes.extend(own(operation));
    codes.sort_by_key(|code| (code.status(), code.name()));
    codes.dedup();
    codes
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
    if matches!(operation.method(), Method::POST | Method::PATCH) && operation.body_kind() != BodyKind::None {
        codes.push(Code::IdempotencyMismatch);
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
        Operation::ApiKeyCurrent | Operation::FavoriteOrder => &[Code::NotFound],
        Operation::MemberChange | Operation::MemberRemove => &[Code::LastOwner, Code::OperationForbidden],
        Operation::SeasonCreate => &[Code::Duplicate],
        Operation::SeasonChange => &[Code::Duplicate, Code::State],
        Operation::SeasonDelete => &[Code::InUse],
        _ => &[],
    }
}
