//! What the contract says about every response and every refusal, tested with every operation of the table.
//!
//! Each file has one theme. This one has what they share: a valid request to any operation, and the check of a problem.

mod conditions;
mod everywhere;
mod forms;
mod headers;
mod limits;
mod order;
mod paths;
mod problems;
mod requests;

use fieldhouse_api::request::BodyKind;
use fieldhouse_api::{Code, Operation};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};

use crate::support::{Answer, Person, row};

/// The end of an id that no record has.
const UNKNOWN: &str = "01h2xcejqtf2nbrexx3vqjhp41";

/// The method of an operation.
fn method(operation: Operation) -> Method {
    row(operation).method.name().parse().expect("a method")
}

/// The path of an operation, with an unknown id if it takes one.
fn path(operation: Operation) -> String {
    let path = row(operation).path;
    let prefix = match path.split("/{id}").next().unwrap_or_default() {
        "/api/v1/auth/sessions" => "ses",
        "/api/v1/api-keys" => "key",
        "/api/v1/members" => "mem",
        "/api/v1/invitations" | "/api/v1/invitations/{id}/resend" => "inv",
        "/api/v1/seasons" => "sea",
        "/api/v1/games" => "gam",
        "/api/v1/colleges/programs" => "prg",
        "/api/v1/colleges/favorites" => "fav",
        "/api/v1/divisions" => "div",
        "/api/v1/teams" => "tea",
        "/api/v1/venues" => "ven",
        "/api/v1/colleges" => "col",
        "/api/v1/duties" => "dut",
        "/api/v1/children" => "chi",
        "/api/v1/relations" => "rel",
        "/api/v1/restrictions" => "res",
        "/api/v1/break-glass-grants" => "gra",
        "/api/v1/safeguarding-cases" => "cas",
        "/api/v1/registrations" => "reg",
        "/api/v1/privacy-requests" => "prq",
        "/api/v1/changesets" => "chg",
        _ => "",
    };
    let id = format!("{prefix}_{UNKNOWN}");
    let path = path.replace("{staff_id}", &format!("stf_{UNKNOWN}"));
    let path = path.replace("{entry_id}", &format!("ros_{UNKNOWN}"));
    let path = path.replace("{export_id}", &format!("exp_{UNKNOWN}"));
    let path = path.replace("{invitation_id}", &format!("giv_{UNKNOWN}"));
    let path = path.replace("{simulation_id}", &format!("sim_{UNKNOWN}"));
    path.replace("{id}", &id).replace("{file}", "swagger-ui.css").replace("{code}", "not_found")
}

/// A valid body for an operation, so that a refusal has another reason.
fn body(operation: Operation) -> Value {
    match operation {
        Operation::AuthLogin => json!({"email": "unknown@club.example", "password": "a wrong password"}),
        Operation::AuthRefresh => json!({"refresh_token": "fhr_none"}),
        Operation::AuthPassword => json!({"current_password": "wrong", "new_password": "another long one"}),
        Operation::PasswordResetRequest | Operation::ForgotPasswordPageSubmit => {
            json!({"email": "unknown@club.example"})
        }
        Operation::PasswordResetComplete | Operation::PasswordResetPageSubmit => {
            json!({"token": "fhl_none", "new_password": "another long one"})
        }
        Operation::ProfileChange => json!({"name": "Robin"}),
        Operation::ProfileEmail => json!({"email": "robin@club.example", "current_password": "wrong"}),
        Operation::InvitationCreate => json!({"email": "robin@club.example", "role": "member"}),
        Operation::ProfileEmailConfirm
        | Operation::InvitationPreview
        | Operation::InvitationAccept
        | Operation::InvitationPageSubmit
        | Operation::EmailPageSubmit => {
            json!({"token": "fhl_none"})
        }
        Operation::ApiKeyCreate => json!({"name": "a key"}),
        Operation::ChildCreate => json!({"display_name": "Kim K.", "birth_date": "2014-05-06"}),
        Operation::VenueCreate => json!({"name": "Town Hall", "time_zone": "Australia/Melbourne"}),
        Operation::DivisionCreate => json!({"season_id": format!("sea_{UNKNOWN}"), "name": "U12"}),
        Operation::GameCreate => json!({
            "season_id": format!("sea_{UNKNOWN}"), "division_id": format!("div_{UNKNOWN}"),
            "starts_at": "2026-05-01T23:00:00Z", "time_zone": "Australia/Melbourne",
        }),
        Operation::TeamCreate => {
            let (season, division) = (format!("sea_{UNKNOWN}"), format!("div_{UNKNOWN}"));
            json!({"season_id": season, "division_id": division, "name": "Eagles"})
        }
        Operation::DutyAdd => json!({
            "user_id": format!("usr_{UNKNOWN}"), "kind": "support", "ends_at": "2199-01-01T00:00:00Z",
            "reason": "The season starts",
        }),
        Operation::ConsentGrant => {
            json!({"purpose": "photos", "method": "electronic", "notice_version": "2026-03"})
        }
        Operation::ChildRelationAdd => json!({"user_id": format!("usr_{UNKNOWN}"), "kind": "guardian"}),
        Operation::GuardianInvitationCreate => json!({"email": "robin@parents.example"}),
        Operation::RestrictionEnter => json!({"kind": "custody_order", "reason": "Family court"}),
        Operation::SafeguardingCaseOpen => {
            json!({"title": "A report", "child_ids": [format!("chi_{UNKNOWN}")]})
        }
        Operation::BreakGlassGrantCreate => {
            json!({"child_id": format!("chi_{UNKNOWN}"), "reason_code": "medical", "reason": "A fall"})
        }
        Operation::BreakGlassGrantReview => json!({"outcome": "justified"}),
        Operation::PrivacyRequestCreate => json!({"child_id": format!("chi_{UNKNOWN}"), "kind": "erasure"}),
        Operation::PrivacyRequestDecide => json!({"decision": "granted"}),
        Operation::RegistrationAdd => json!({"season_id": format!("sea_{UNKNOWN}")}),
        Operation::RosterAdd => json!({"child_id": format!("chi_{UNKNOWN}")}),
        Operation::StaffAdd => json!({"user_id": format!("usr_{UNKNOWN}"), "kind": "coach"}),
        Operation::GameResult => json!({"home_score": 3, "away_score": 1, "status": "final"}),
        Operation::ExportCreate => json!({"kind": "organization"}),
        Operation::SeasonPurge => json!({"confirm": "0"}),
        Operation::SeasonCreate => {
            json!({"name": "A season", "sport": "netball", "time_zone": "Australia/Melbourne"})
        }
        Operation::LeagueImport => {
            json!({"format": "playhq", "sport": "netball", "time_zone": "Australia/Melbourne", "content": ""})
        }
        Operation::FavoriteSave => {
            json!({"custom": {"college_name": "A college", "sport": "softball"}})
        }
        Operation::OperatorOrganizationCreate => {
            json!({"name": "A club", "time_zone": "UTC", "owner": "owner@clubs.example"})
        }
        Operation::OperatorCatalogue => json!({"content": ""}),
        Operation::OperatorImportOrganization => {
            json!({"organization_id": format!("org_{UNKNOWN}"), "archive": ""})
        }
        Operation::OperatorPasswordReset => json!({"email": "unknown@clubs.example"}),
        Operation::FavoriteOrder => json!({"ids": []}),
        Operation::ChangesetCreate => {
            json!({"title": "A change", "operations": [crate::support::changesets::a_venue("Town Hall")]})
        }
        Operation::ChangesetApprove | Operation::ChangesetExecute => json!({"simulation_hash": "0"}),
        Operation::ChangesetSchedule => {
            json!({"simulation_hash": "0", "at": "2199-01-01T00:00:00Z"})
        }
        Operation::ChangesetResolve => {
            json!({"resolutions": [{"record": format!("ven_{UNKNOWN}"), "resolution": "skip"}]})
        }
        _ => json!({}),
    }
}

/// Whether an operation takes a JSON body.
fn takes_body(operation: Operation) -> bool {
    !matches!(row(operation).body_kind, BodyKind::None | BodyKind::Form)
}

/// A request to an operation that is complete, except that its record may not exist.
fn request(person: &Person, operation: Operation, query: &str) -> RequestBuilder {
    let request = person.request(method(operation), &format!("{}{query}", path(operation)));
    match row(operation).body_kind {
        BodyKind::None => request,
        BodyKind::Form => request.form(&body(operation)),
        _ => request.json(&body(operation)),
    }
}

/// Members of a problem that only some codes have.
const MORE: [&str; 22] = [
    "conflicts",
    "drifted",
    "fix",
    "index",
    "next",
    "not_before",
    "not_changeable",
    "pointer",
    "simulation_hash",
    "counts",
    "digest",
    "errors",
    "required_role",
    "required_scope",
    "current_version",
    "limit",
    "template",
    "bad_rows",
    "bad_row_count",
    "recognised_as",
    "id",
    "organizations",
];

/// Checks that a response is the problem of a code, with the members that every problem has and no internal details.
#[track_caller]
pub(crate) fn is_problem(answer: &Answer, code: Code, what: &str) {
    assert_eq!((answer.status, answer.code()), (code.status(), code.name()), "{what}: {}", answer.text);
    assert_eq!(answer.header("cache-control"), "private, no-store", "{what}");
    if answer.header("content-type").starts_with("text/html") {
        assert!(answer.header("content-security-policy").starts_with("default-src 'none';"), "{what}");
        return;
    }
    assert_eq!(answer.header("content-type"), "application/problem+json", "{what}");
    let problem = answer.body.as_object().expect("an object");
    for name in ["type", "title", "status", "detail", "instance", "code", "request_id", "retryable"] {
        assert!(problem.get(name).is_some_and(|value| !value.is_null()), "{what}: {name}");
    }
    let known = ["type", "title", "status", "detail", "instance", "code", "request_id", "retryable"];
    for name in problem.keys() {
        assert!(known.contains(&name.as_str()) || MORE.contains(&name.as_str()), "{what}: {name}");
    }
    assert_eq!(problem["status"], code.status(), "{what}");
    assert_eq!(problem["title"], code.title(), "{what}");
    assert_eq!(problem["retryable"], code.retryable(), "{what}");
    assert!(problem["type"].as_str().is_some_and(|page| page.ends_with(&format!("/problems/{code}"))));
    let id = answer.header("x-request-id");
    assert!(!id.is_empty(), "{what}");
    assert_eq!(problem["request_id"], id, "{what}");
    assert_eq!(problem["instance"], format!("urn:request:{id}"), "{what}");
    for error in problem.get("errors").and_then(Value::as_array).into_iter().flatten() {
        let mut names: Vec<_> = error.as_object().expect("an object").keys().map(String::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["code", "fix", "message", "pointer"], "{what}");
    }
    for inside in ["panicked", "SELECT ", "INSERT ", "sqlite", "rusqlite", "postgres", "src/", ".rs:"] {
        assert!(!answer.text.contains(inside), "{what}: {}", answer.text);
    }
}

/// The pointers of a problem's invalid fields.
pub(crate) fn pointers(answer: &Answer) -> Vec<&str> {
    let errors = answer.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
    errors.iter().filter_map(|error| error["pointer"].as_str()).collect()
}
