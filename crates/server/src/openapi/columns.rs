//! Tests that every column of the operation table has an effect: a copy of a row in which one column differs gives another document or
//! another permissions page. `tests/it/matrix` tests the effects on requests.

use fieldhouse_api::envelope::JSON;
use fieldhouse_api::operations::{Op, op};
use fieldhouse_api::request::{BodyKind, Parameters, PathParameter};
use fieldhouse_api::rows::{AnswerShape, Changeset, IfMatch, Kept, Method, Row};
use fieldhouse_api::spreadsheet::CSV;
use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::children::classes::DataClass;
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{DivisionId, SeasonId};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Reach, Relation, Requirement};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use serde_json::Value;

use crate::permissions;

#[expect(clippy::large_types_passed_by_value, reason = "tests build the row in place")]
fn document(row: Row) -> Value {
    serde_json::to_value(super::of(&[row], "/")).expect("a document is JSON")
}

/// Everything that is published about a row.
#[expect(clippy::large_types_passed_by_value, reason = "tests build the row in place")]
fn published(row: Row) -> String {
    format!("{}\n{}", document(row), permissions::of(&[row]))
}

/// Fails if two of the rows are published alike.
#[track_caller]
fn all_differ(column: &str, rows: &[Row]) {
    let published: Vec<_> = rows.iter().map(|row| published(*row)).collect();
    for (at, one) in published.iter().enumerate() {
        assert!(!published[at + 1..].contains(one), "the column `{column}` has no effect");
    }
}

#[test]
fn every_column_has_an_effect() {
    let row = op::SeasonChange::ROW;
    let other = op::MemberRead::ROW;
    // A new column does not compile here until it is tested below.
    let Row {
        operation: _,
        id: _,
        docs: _,
        method: _,
        path: _,
        requirement: Requirement { credential: _, keys: _, scope: _, relation: _, child: _, writes: _ },
        if_match: _,
        changeset: _,
        parameters: _,
        parameter_count: _,
        query: _,
        body_kind: _,
        body: _,
        statuses: _,
        answer: AnswerShape { media_types: _, is_page: _, schema: _, schemas: _, sheet: _ },
        kept: _,
        codes: _,
    } = row;
    all_differ("operation", &[row, Row { operation: Operation::SeasonCreate, ..row }]);
    all_differ("id", &[row, Row { id: "seasons.edit", ..row }]);
    all_differ("docs", &[row, Row { docs: "Edits a season.", ..row }]);
    all_differ("method", &[row, Row { method: Method::PUT, ..row }, Row { method: Method::DELETE, ..row }]);
    all_differ(
        "path",
        &[row, Row { path: "/api/v1/season/{id}", ..row }, Row { path: "/{season_id}", ..row }],
    );
    all_differ("parameters", &[row, Row { parameters: other.parameters, ..row }]);
    all_differ("parameter_count", &[row, Row { parameter_count: 0, ..row }]);
    all_differ("query", &[row, Row { query: other.query, ..row }]);
    let kinds = [
        BodyKind::None,
        BodyKind::Json,
        BodyKind::MergePatch,
        BodyKind::Form,
        BodyKind::Upload,
        BodyKind::Archive,
    ];
    all_differ("body_kind", &kinds.map(|body_kind| Row { body_kind, ..row }));
    all_differ("body", &[row, Row { body: op::SeasonCreate::ROW.body, ..row }]);
    all_differ("statuses", &[row, Row { statuses: &[201], ..row }, Row { statuses: &[201, 200], ..row }]);
    all_differ("codes", &[row, Row { codes: &[], ..row }, Row { codes: &[Code::InUse], ..row }]);
    let answers = [
        row.answer,
        AnswerShape { media_types: &[CSV], ..row.answer },
        AnswerShape { media_types: &[CSV], sheet: Some(fieldhouse_api::seasons::SHEET), ..row.answer },
        AnswerShape { is_page: true, ..row.answer },
        AnswerShape { schema: other.answer.schema, ..row.answer },
        AnswerShape { schemas: other.answer.schemas, ..row.answer },
    ];
    all_differ("answer", &answers.map(|answer| Row { answer, ..row }));
    let uses = [IfMatch::None, IfMatch::Honoured, IfMatch::Required];
    all_differ("if_match", &uses.map(|if_match| Row { if_match, ..row }));
    all_differ("kept", &[Kept::None, Kept::All, Kept::Unrelated].map(|kept| Row { kept, ..row }));
    let changesets = [Changeset::Never, Changeset::Possible, Changeset::AsOne];
    all_differ("changeset", &changesets.map(|changeset| Row { changeset, ..row }));
}

#[test]
fn every_part_of_a_requirement_has_an_effect() {
    let row = op::SeasonChange::ROW;
    let with = |requirement| Row { requirement, ..row };
    let base = row.requirement;
    let credentials = [
        Credential::Public,
        Credential::Optional(Role::Viewer),
        Credential::Optional(Role::Manager),
        Credential::Required(Role::Manager),
        Credential::Required(Role::Admin),
        Credential::Operator,
    ];
    all_differ("credential", &credentials.map(|credential| with(Requirement { credential, ..base })));
    let uses =
        [KeyUse::Allowed, KeyUse::Itself, KeyUse::ProposeOnly, KeyUse::SessionOnly, KeyUse::FreshSessionOnly];
    all_differ("keys", &uses.map(|keys| with(Requirement { keys, ..base })));
    let scopes =
        [(Resource::Seasons, Verb::Write), (Resource::Seasons, Verb::Read), (Resource::Games, Verb::Write)];
    let scopes = scopes.map(|(resource, verb)| Scope { resource, verb });
    all_differ("scope", &scopes.map(|scope| with(Requirement { scope, ..base })));
    let staff = |parameter, unless| Relation::StaffOfGame { parameter, unless };
    let on_duty = |kind, unless| Relation::OnDuty { kind, unless };
    let relations = [
        Relation::Unrelated,
        staff("id", Role::Manager),
        staff("game_id", Role::Manager),
        staff("id", Role::Admin),
        on_duty(DutyKind::SafeguardingLead, None),
        on_duty(DutyKind::SafeguardingLead, Some(Role::Admin)),
        on_duty(DutyKind::SafeguardingLead, Some(Role::Owner)),
        on_duty(DutyKind::Support, None),
    ];
    all_differ("relation", &relations.map(|relation| with(Requirement { relation, ..base })));
    let writes: [&[(Kind, Reach)]; 5] = [
        &[],
        &[(Kind::Season, Reach::Target)],
        &[(Kind::Season, Reach::Own)],
        &[(Kind::Season, Reach::Any)],
        &[(Kind::Season, Reach::Any), (Kind::Game, Reach::Any)],
    ];
    all_differ("writes", &writes.map(|writes| with(Requirement { writes, ..base })));
}

#[test]
fn the_class_the_verb_and_the_place_of_a_child_have_an_effect() {
    let row = Row { path: "/api/v1/teams/{team_id}/children/{child_id}", ..op::SeasonRead::ROW };
    let unless = |class, unless| {
        let (verb, parameter) = (Verb::Read, "child_id");
        ChildTouch::InPathUnless { class, verb, parameter, unless }
    };
    let touches = [
        ChildTouch::Untouched,
        ChildTouch::Listed { class: DataClass::Medical },
        ChildTouch::Listed { class: DataClass::Roster },
        ChildTouch::Images,
        ChildTouch::InPath { class: DataClass::Medical, verb: Verb::Read, parameter: "child_id" },
        ChildTouch::InPath { class: DataClass::Contact, verb: Verb::Read, parameter: "child_id" },
        ChildTouch::InPath { class: DataClass::Medical, verb: Verb::Write, parameter: "child_id" },
        ChildTouch::InPath { class: DataClass::Medical, verb: Verb::Read, parameter: "team_id" },
        unless(DataClass::Medical, Role::Manager),
        unless(DataClass::Medical, Role::Admin),
        unless(DataClass::Contact, Role::Manager),
        ChildTouch::OfRecord { class: DataClass::Medical, verb: Verb::Read },
        ChildTouch::OfRecord { class: DataClass::Contact, verb: Verb::Read },
        ChildTouch::IfNamed { class: DataClass::Medical, verb: Verb::Read },
        ChildTouch::IfNamed { class: DataClass::Contact, verb: Verb::Read },
        ChildTouch::IfNamed { class: DataClass::Medical, verb: Verb::Write },
        ChildTouch::InBody { class: DataClass::Medical, verb: Verb::Read },
        ChildTouch::InBody { class: DataClass::Contact, verb: Verb::Read },
        ChildTouch::InBody { class: DataClass::Medical, verb: Verb::Write },
    ];
    let rows = touches.map(|child| Row { requirement: Requirement { child, ..row.requirement }, ..row });
    all_differ("child", &rows);
    for row in rows {
        let child = row.requirement.child;
        let about = document(row)["paths"][row.path]["get"]["description"].to_string();
        let is_required = matches!(child, ChildTouch::InPath { .. } | ChildTouch::InBody { .. });
        assert_eq!(about.contains("Requires a relation to the child"), is_required, "{about}");
        let page = permissions::of(&[row]);
        let in_path = matches!(child, ChildTouch::InPath { .. } | ChildTouch::InPathUnless { .. });
        assert_eq!(page.contains(" of `{"), in_path, "{page}");
        assert_eq!(
            page.contains(" of the child in the body"),
            matches!(child, ChildTouch::InBody { .. }),
            "{page}"
        );
        assert_eq!(
            page.contains(" of the record's child"),
            matches!(child, ChildTouch::OfRecord { .. }),
            "{page}"
        );
    }
}

#[test]
fn several_path_parameters_and_a_query_are_all_described() {
    type Both = Parameters<(SeasonId, DivisionId)>;
    let row = Row {
        path: "/api/v1/seasons/{id}/divisions/{division_id}",
        parameters: Both::schemas,
        parameter_count: Both::COUNT,
        ..op::SeasonChange::ROW
    };
    let described = document(row)["paths"][row.path]["patch"]["parameters"].clone();
    let described = described.as_array().expect("parameters").iter();
    let places: Vec<_> = described.map(|one| (one["in"].clone(), one["name"].clone())).collect();
    let places: Vec<_> = places.iter().map(|(place, name)| (place.as_str(), name.as_str())).collect();
    assert_eq!(
        places,
        [
            (Some("path"), Some("id")),
            (Some("path"), Some("division_id")),
            (Some("query"), Some("validate_only")),
            (Some("header"), Some("Idempotency-Key")),
            (Some("header"), Some("If-Match")),
        ]
    );
}

#[test]
fn if_match_is_a_required_header_where_the_column_requires_it() {
    for (if_match, required) in
        [(IfMatch::None, None), (IfMatch::Honoured, Some(false)), (IfMatch::Required, Some(true))]
    {
        let row = Row { if_match, ..op::SeasonDelete::ROW };
        let document = document(row);
        let operation = &document["paths"][row.path]["delete"];
        let parameters = operation["parameters"].as_array().expect("parameters");
        let header = parameters.iter().find(|parameter| parameter["name"] == "If-Match");
        assert_eq!(header.and_then(|header| header["required"].as_bool()), required);
        assert_eq!(operation["responses"]["412"].is_object(), required.is_some(), "{if_match:?}");
        assert_eq!(operation["responses"]["428"].is_object(), required == Some(true), "{if_match:?}");
    }
}

#[test]
fn every_media_type_of_a_response_is_described_and_only_json_has_a_schema() {
    let row = op::SeasonList::ROW;
    let content = document(row)["paths"][row.path]["get"]["responses"]["200"]["content"].clone();
    let content = content.as_object().expect("content");
    assert_eq!(content.keys().collect::<Vec<_>>(), [JSON, CSV]);
    assert!(content[JSON]["schema"].is_object());
    assert!(content[CSV].get("schema").is_none());
    assert!(content[CSV]["example"].as_str().is_some_and(|example| example.starts_with("id,name,sport")));
}
