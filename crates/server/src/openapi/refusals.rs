//! The errors of an operation in the OpenAPI document. All of them follow from its row.

use std::collections::BTreeMap;

use fieldhouse_api::envelope::{HTML, PROBLEM_JSON};
use fieldhouse_api::request::BodyKind;
use fieldhouse_api::rows::{IfMatch, Method, Row};
use fieldhouse_api::{Code, Problem};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse};
use fieldhouse_domain::scopes::Verb;
use utoipa::ToSchema;
use utoipa::openapi::{ContentBuilder, Ref, Response, ResponseBuilder};

use super::headers;
use crate::auth::limits::AnonymousUse;

/// The name of the response for errors that are not listed by status.
const DEFAULT: &str = "default";

/// Codes that any operation may return if something unrelated goes wrong. No test can produce them for each operation, so they share one
/// entry. It is not valid for a status that has an entry, which lists those of its status too.
const ANY: &[Code] = &[
    Code::RequestTimeout,
    Code::Conflict,
    Code::IdempotencyInProgress,
    Code::Internal,
    Code::Overloaded,
    Code::Unavailable,
];

/// The errors of an operation: by status, and `default` for those that any operation may return.
pub(super) fn of(row: &Row) -> Vec<(String, Ref)> {
    let mut by_status: BTreeMap<String, Vec<Code>> = BTreeMap::new();
    for code in codes(row) {
        by_status.entry(code.status().to_string()).or_default().push(code);
    }
    for code in ANY {
        if let Some(codes) = by_status.get_mut(&code.status().to_string())
            && !codes.contains(code)
        {
            codes.push(*code);
        }
    }
    by_status.insert(DEFAULT.to_owned(), ANY.to_vec());
    let refusal = |(status, codes): (String, Vec<Code>)| {
        let codes: Vec<_> = codes.iter().map(|code| format!("`{code}`")).collect();
        let response = Ref::builder().ref_location(format!("#/components/responses/{}", name(row, &status)));
        (status, response.description(Some(codes.join(", "))).build())
    };
    by_status.into_iter().map(refusal).collect()
}

/// The response for errors with a status, and its name.
pub(super) fn response(row: &Row, status: &str) -> (String, Response) {
    let description = match status {
        DEFAULT => "A problem that any operation may return.".to_owned(),
        _ => format!("A problem with the status {status}."),
    };
    let schema = Ref::from_schema_name(<Problem as ToSchema>::name());
    let content = ContentBuilder::new().schema(Some(schema)).build();
    let mut response = ResponseBuilder::new().description(description);
    let is_page = row.answer.is_page;
    if is_page {
        response = response.content(HTML, ContentBuilder::new().build());
    }
    // What goes wrong outside of an operation is not shown on its page.
    if !is_page || status == DEFAULT {
        response = response.content(PROBLEM_JSON, content);
    }
    (name(row, status), headers::refer(response, &headers::of_error(row, status)).build())
}

fn name(row: &Row, status: &str) -> String {
    let kind = if row.answer.is_page { "Page" } else { "Problem" };
    format!("{kind}-{status}")
}

fn codes(row: &Row) -> Vec<Code> {
    let mut codes = vec![Code::UnknownParameter, Code::InvalidParameter];
    if AnonymousUse::of(row.operation, false) != AnonymousUse::Probe {
        codes.push(Code::RateLimited);
    }
    if !row.answer.media_types.contains(&"*/*") {
        codes.push(Code::NotAcceptable);
    }
    codes.extend(of_access(row));
    codes.extend(of_request(row));
    codes.extend(row.codes);
    codes.sort_by_key(|code| (code.status(), code.name()));
    codes.dedup();
    codes
}

/// The codes of the guard.
fn of_access(row: &Row) -> Vec<Code> {
    let requirement = row.requirement;
    if requirement.credential == Credential::Public {
        return Vec::new();
    }
    if requirement.credential == Credential::Operator {
        // For other machines the path does not exist, which is no response of the operation.
        return vec![Code::AmbiguousCredentials, Code::InvalidCredentials, Code::Unauthenticated];
    }
    let mut codes = vec![
        Code::AmbiguousCredentials,
        Code::InvalidCredentials,
        Code::OrganizationSuspended,
        Code::KeyExpired,
        Code::KeyRevoked,
        Code::TokenExpired,
        Code::RoleInsufficient,
    ];
    if matches!(requirement.credential, Credential::Required(_)) {
        codes.push(Code::Unauthenticated);
    }
    // Who may not see the line of a child's roster knows nothing of the child.
    if let ChildTouch::InPath { class, verb, .. }
    | ChildTouch::InPathUnless { class, verb, .. }
    | ChildTouch::IfNamed { class, verb }
    | ChildTouch::OfRecord { class, verb } = requirement.child
        && (class, verb) != (DataClass::Roster, Verb::Read)
    {
        codes.push(Code::RelationshipInsufficient);
    }
    match requirement.keys {
        KeyUse::Allowed | KeyUse::ProposeOnly => codes.extend([Code::ScopeInsufficient, Code::IpNotAllowed]),
        KeyUse::Itself => codes.push(Code::IpNotAllowed),
        KeyUse::SessionOnly => codes.push(Code::SessionRequired),
        KeyUse::FreshSessionOnly => codes.extend([Code::SessionRequired, Code::SessionTooOld]),
    }
    codes
}

/// The codes of reading the request and comparing versions.
fn of_request(row: &Row) -> Vec<Code> {
    let mut codes = Vec::new();
    if row.query.names().iter().any(|name| name == "cursor") {
        codes.push(Code::InvalidCursor);
    }
    if !matches!(row.body_kind, BodyKind::None | BodyKind::Form) {
        codes.push(Code::MalformedJson);
    }
    if row.body_kind != BodyKind::None {
        codes.extend([Code::ValidationFailed, Code::BodyTooLarge, Code::UnsupportedMediaType]);
    }
    if row.parameter_count > 0 {
        codes.push(Code::NotFound);
    }
    if matches!(row.method, Method::POST | Method::PATCH) && row.body_kind != BodyKind::None {
        codes.push(Code::IdempotencyMismatch);
    }
    match row.if_match {
        IfMatch::None => {}
        IfMatch::Honoured => codes.push(Code::VersionMismatch),
        IfMatch::Required => codes.extend([Code::VersionMismatch, Code::PreconditionRequired]),
    }
    codes
}
