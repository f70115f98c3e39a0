//! The row of the operation table: plain values, so that the router, the guard and the OpenAPI document need no code for each operation.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Reach, Relation, Requirement};
use fieldhouse_domain::record::{Body, Properties, Schemas};
use fieldhouse_domain::scopes::{Resource, Scope, Verb};
use utoipa::openapi::{RefOr, Schema};

use crate::envelope::{Answer, JSON};
use crate::operations::Operation;
use crate::problems::Code;
use crate::request::BodyKind;
use crate::spreadsheet::{CSV, Sheet};

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Reads.
    GET,
    /// Creates or acts.
    POST,
    /// Changes a part.
    PATCH,
    /// Replaces.
    PUT,
    /// Deletes.
    DELETE,
}

impl Method {
    /// The method as HTTP writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::GET => "GET",
            Self::POST => "POST",
            Self::PATCH => "PATCH",
            Self::PUT => "PUT",
            Self::DELETE => "DELETE",
        }
    }
}

/// Whether a changeset may contain an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changeset {
    /// It may not: it reads, or it changes credentials or a user's own records.
    Never,
    /// It may, and the operation accepts `?validate_only=true`.
    Possible,
    /// `?as_changeset=true` proposes the whole request as a changeset instead of doing it, for which a key needs `changesets:propose`.
    AsOne,
}

/// What an operation does with the header `If-Match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMatch {
    /// It ignores the header, because there is no record whose version could be compared.
    None,
    /// It compares the version if the header is sent.
    Honoured,
    /// It compares the version, and refuses a request without the header.
    Required,
}

impl IfMatch {
    /// Compares the value of the header with the record's version.
    pub fn check(self, header: Option<&str>, current: i64) -> Result<(), Refusal> {
        let fits = |tag: &str| {
            let tag = tag.trim();
            let version =
                tag.trim_start_matches("W/").trim_matches('"').split('-').next().unwrap_or_default();
            tag == "*" || version.parse() == Ok(current)
        };
        match (self, header) {
            (Self::None, _) | (Self::Honoured, None) => Ok(()),
            (Self::Required, None) => Err(Refusal::VersionRequired),
            (_, Some(header)) if header.split(',').any(fits) => Ok(()),
            (_, Some(_)) => Err(Refusal::VersionMismatch { current }),
        }
    }
}

/// The schema of a body or of query parameters.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Its name.
    pub title: &'static str,
    /// The schema itself.
    pub schema: fn() -> RefOr<Schema>,
    /// The named schemas that it refers to.
    pub schemas: fn(&mut Schemas),
}

impl Shape {
    /// The schema of a type.
    pub const fn of<B: Body>() -> Self {
        Self { title: B::TITLE, schema: Properties::of::<B>, schemas: B::schemas }
    }

    /// The names of its fields.
    pub fn names(&self) -> Vec<String> {
        match (self.schema)() {
            RefOr::T(Schema::Object(object)) => object.properties.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }
}

/// The media types of a response, and its schema.
#[derive(Clone, Copy, Debug)]
pub struct AnswerShape {
    /// The media types of the response, the preferred one first.
    pub media_types: &'static [&'static str],
    /// Whether it is a page, so that its errors are pages too.
    pub is_page: bool,
    /// The schema of the JSON body. `None` if there is no JSON.
    pub schema: fn() -> Option<RefOr<Schema>>,
    /// The named schemas that it refers to.
    pub schemas: fn(&mut Schemas),
    /// The columns of the response as CSV. `None` if it is not available as CSV.
    pub sheet: Option<Sheet>,
}

impl AnswerShape {
    /// The response of a type.
    pub const fn of<A: Answer>(sheet: Option<Sheet>) -> Self {
        let media_types = if sheet.is_some() { &[JSON, CSV] } else { A::MEDIA_TYPES };
        Self { media_types, is_page: A::IS_PAGE, schema: A::schema, schemas: A::schemas, sheet }
    }
}

/// Which responses of an operation may be kept in memory. They depend on nothing but the organization's records, the request, a time that is
/// known, and a page also on the caller's id and role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// None.
    None,
    /// All, until a record of the organization changes.
    All,
    /// Those of callers who never had a relation to a child, until the time that the handler names.
    Unrelated,
}

impl Kept {
    /// Whether the responses to a caller are among them.
    pub fn includes(self, has_relations: bool) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::Unrelated => !has_relations,
        }
    }
}

/// One operation of the API.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The operation.
    pub operation: Operation,
    /// The name in the OpenAPI document, metrics, spans and the ledger.
    pub id: &'static str,
    /// Its documentation.
    pub docs: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, with its parameters in braces.
    pub path: &'static str,
    /// Who may call it, and what it may write.
    pub requirement: Requirement,
    /// What it does with `If-Match`.
    pub if_match: IfMatch,
    /// Whether a changeset may contain it.
    pub changeset: Changeset,
    /// The schemas of the parameters in the path, in their order.
    pub parameters: fn() -> Vec<RefOr<Schema>>,
    /// The number of parameters in the path.
    pub parameter_count: usize,
    /// The query parameters.
    pub query: Shape,
    /// How the body is sent.
    pub body_kind: BodyKind,
    /// The body.
    pub body: Shape,
    /// The statuses of success, the usual one first.
    pub statuses: &'static [u16],
    /// The response of success.
    pub answer: AnswerShape,
    /// Which of its responses may be kept in memory.
    pub kept: Kept,
    /// The codes that its handler returns besides those that follow from the other columns.
    pub codes: &'static [Code],
}

/// Whether a key with this scope could call an operation that requires it.
pub fn is_usable_by_keys(scope: Scope) -> bool {
    Operation::ROUTES.iter().filter_map(|operation| operation.row()).any(|row| {
        let Requirement { credential, keys, scope: needed, .. } = row.requirement;
        let is_open_to_keys = matches!(keys, KeyUse::Allowed | KeyUse::ProposeOnly);
        is_open_to_keys && credential != Credential::Public && needed == scope
    })
}

impl Row {
    /// The names of the parameters in the path, in their order.
    pub fn parameter_names(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
    }

    /// What a request requires that proposes a changeset: the same role, and of a key only that it may propose.
    pub const fn proposed(&self) -> Requirement {
        let scope = Scope { resource: Resource::Changesets, verb: Verb::Propose };
        let writes = &[(Kind::Changeset, Reach::Own)];
        Requirement { keys: KeyUse::ProposeOnly, scope, writes, ..self.requirement }
    }

    /// The usual status of success.
    pub const fn status(&self) -> u16 {
        self.statuses[0]
    }
}

/// Refuses, at compile time, rows whose columns contradict each other.
pub(crate) const fn check(rows: &[Row]) {
    let mut at = 0;
    while at < rows.len() {
        check_row(&rows[at]);
        at += 1;
    }
}

const fn check_row(row: &Row) {
    let writes = row.requirement.writes;
    let reads = matches!(row.method, Method::GET);
    assert!(row.parameter_count == count(row.path, b'{'), "one type for each parameter in the path");
    assert!(!row.statuses.is_empty(), "an operation has a status of success");
    assert!(!row.answer.media_types.is_empty(), "a response has a media type");
    assert!(
        !reads || writes.is_empty() || opens_a_link(row),
        "GET writes nothing, except that it notes that a link was opened"
    );
    assert!(!reads || matches!(row.body_kind, BodyKind::None), "GET has no body");
    assert!(!reads || matches!(row.if_match, IfMatch::None), "GET has no If-Match");
    let changes_one = matches!(row.method, Method::PATCH | Method::DELETE);
    assert!(!changes_one || !matches!(row.if_match, IfMatch::None), "PATCH and DELETE honour If-Match");
    assert!(
        matches!(row.kept, Kept::None) || reads && can_be_kept(row),
        "only records of the league are kept in memory"
    );
    let held = !matches!(row.changeset, Changeset::Never);
    assert!(!held || !writes.is_empty(), "a changeset contains only operations that write");
    let mut at = 0;
    while at < writes.len() {
        let in_path = matches!(writes[at].1, Reach::Target);
        assert!(
            !in_path || row.parameter_count > 0 || is_by_link(row),
            "the target of a write is in the path, or named by a link"
        );
        at += 1;
    }
    if let Relation::StaffOfGame { parameter, .. } = row.requirement.relation {
        assert!(has_parameter(row.path, parameter), "the game's id is a parameter of the path");
    }
    if let ChildTouch::InPath { parameter, .. } | ChildTouch::InPathUnless { parameter, .. } =
        row.requirement.child
    {
        assert!(has_parameter(row.path, parameter), "the child's id is a parameter of the path");
    }
    match row.requirement.child {
        ChildTouch::InBody { .. } => {
            assert!(!matches!(row.body_kind, BodyKind::None), "the body names the child");
        }
        ChildTouch::AllOfLink => assert!(opens_a_link(row), "only a link opens all classes at once"),
        ChildTouch::OfRecord { .. } => assert!(row.parameter_count > 0, "the record is in the path"),
        _ => {}
    }
}

/// Whether the responses that are kept show records of the league only, which are the same for all who may read them.
const fn can_be_kept(row: &Row) -> bool {
    let Requirement { credential, keys, scope, child, .. } = row.requirement;
    matches!(credential, Credential::Required(_))
        && matches!(keys, KeyUse::Allowed)
        && scope.resource.is_cacheable()
        && (matches!(child, ChildTouch::Untouched)
            || matches!((row.kept, child), (Kept::Unrelated, ChildTouch::Listed { .. })))
}

/// Whether the holder of a link may call an operation without a credential. The link names the record.
const fn is_by_link(row: &Row) -> bool {
    !matches!(row.requirement.credential, Credential::Required(_)) && matches!(row.body_kind, BodyKind::Json)
}

/// Whether an operation opens a link, whose record is in the path.
const fn opens_a_link(row: &Row) -> bool {
    matches!(row.requirement.credential, Credential::Public)
        && matches!(row.requirement.writes, [(_, Reach::Target)])
}

const fn count(text: &str, byte: u8) -> usize {
    let (bytes, mut at, mut found) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        if bytes[at] == byte {
            found += 1;
        }
        at += 1;
    }
    found
}

/// Whether a path has a parameter with this name.
const fn has_parameter(path: &str, name: &str) -> bool {
    let (path, name) = (path.as_bytes(), name.as_bytes());
    let mut at = 0;
    while at + name.len() + 1 < path.len() {
        if path[at] == b'{' && path[at + name.len() + 1] == b'}' && is_at(path, at + 1, name) {
            return true;
        }
        at += 1;
    }
    false
}

const fn is_at(text: &[u8], start: usize, part: &[u8]) -> bool {
    let mut at = 0;
    while at < part.len() {
        if text[start + at] != part[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::{Op, op, rows};
    use fieldhouse_domain::children::classes::DataClass;

    #[expect(clippy::large_types_passed_by_value, reason = "tests build the row in place")]
    fn is_refused(row: Row) -> bool {
        std::panic::catch_unwind(|| check_row(&row)).is_err()
    }

    #[test]
    fn a_row_whose_columns_contradict_each_other_is_refused() {
        assert!(rows().iter().all(|row| !is_refused(*row)));
        let (read, change) = (op::SeasonRead::ROW, op::SeasonChange::ROW);
        let in_body = ChildTouch::InBody { class: DataClass::Medical, verb: Verb::Read };
        let in_path = |parameter| {
            let child = ChildTouch::InPath { class: DataClass::Medical, verb: Verb::Read, parameter };
            Row { requirement: Requirement { child, ..read.requirement }, kept: Kept::None, ..read }
        };
        for (why, row) in [
            (
                "a parameter without a type",
                Row { path: "/api/v1/seasons/{id}/divisions/{division_id}", ..read },
            ),
            ("a type without a parameter", Row { path: "/api/v1/seasons", ..read }),
            ("no status", Row { statuses: &[], ..read }),
            ("no media type", Row { answer: AnswerShape { media_types: &[], ..read.answer }, ..read }),
            ("a read that writes", Row { requirement: change.requirement, ..read }),
            ("a read with a body", Row { body_kind: BodyKind::Json, ..read }),
            ("a read with If-Match", Row { if_match: IfMatch::Honoured, ..read }),
            ("a change that ignores If-Match", Row { if_match: IfMatch::None, ..change }),
            ("a child in memory", Row { kept: Kept::All, ..in_path("id") }),
            ("a change in memory", Row { kept: Kept::All, ..change }),
            ("a key in memory", Row { kept: Kept::All, ..op::ApiKeyCurrent::ROW }),
            ("keys in memory", Row { kept: Kept::All, ..op::ApiKeyList::ROW }),
            ("a changeset of reads", Row { changeset: Changeset::Possible, ..read }),
            (
                "a target that is not in the path",
                Row { path: "/api/v1/seasons", parameter_count: 0, ..change },
            ),
            (
                "a game that is not in the path",
                Row { path: "/api/v1/games/{game_id}/result", ..op::GameResult::ROW },
            ),
            ("a child that is not in the path", in_path("child_id")),
            ("a child under a longer name", in_path("i")),
            (
                "a child whom nothing names",
                Row {
                    path: "/api/v1/seasons",
                    parameter_count: 0,
                    requirement: Requirement { child: in_body, ..read.requirement },
                    ..read
                },
            ),
        ] {
            assert!(is_refused(row), "{why}");
        }
        assert!(!is_refused(in_path("id")));
        assert!(!is_refused(Row { if_match: IfMatch::Required, ..change }));
    }

    #[test]
    fn a_request_can_name_the_child_that_it_may_be_about() {
        for row in rows().iter().filter(|row| matches!(row.requirement.child, ChildTouch::IfNamed { .. })) {
            let names = [row.query.names(), row.body.names()].concat();
            let is_named = names.iter().any(|name| name == "child_id");
            assert!(is_named || row.parameter_count > 0, "{}", row.id);
        }
    }

    #[test]
    fn if_match_is_ignored_honoured_or_required() {
        let mismatch = Err(Refusal::VersionMismatch { current: 2 });
        for (header, honoured) in [
            (Some("*"), Ok(())),
            (Some("\"2-x\""), Ok(())),
            (Some("W/\"2-x\""), Ok(())),
            (Some("\"1-x\", \"2\""), Ok(())),
            (Some("\"1-x\""), mismatch.clone()),
            (Some(""), mismatch),
            (None, Ok(())),
        ] {
            assert_eq!(IfMatch::None.check(header, 2), Ok(()), "{header:?}");
            assert_eq!(IfMatch::Honoured.check(header, 2), honoured, "{header:?}");
            let required = if header.is_none() { Err(Refusal::VersionRequired) } else { honoured };
            assert_eq!(IfMatch::Required.check(header, 2), required, "{header:?}");
        }
    }

    #[test]
    fn validate_only_and_as_changeset_are_parameters_of_the_operations_that_say_so() {
        for row in rows() {
            let takes = row.query.names().iter().any(|name| name == "validate_only");
            assert_eq!(takes, row.changeset == Changeset::Possible, "{}", row.id);
            let proposes = row.query.names().iter().any(|name| name == "as_changeset");
            assert_eq!(proposes, row.changeset == Changeset::AsOne, "{}", row.id);
        }
    }

    #[test]
    fn a_request_that_proposes_needs_the_same_role_and_writes_only_a_changeset() {
        let (direct, proposed) = (op::LeagueImport::ROW.requirement, op::LeagueImport::ROW.proposed());
        assert_eq!(proposed.credential, direct.credential);
        assert_eq!(
            (proposed.keys, proposed.scope.to_string().as_str()),
            (KeyUse::ProposeOnly, "changesets:propose")
        );
        assert_eq!(proposed.writes, [(Kind::Changeset, Reach::Own)]);
    }

    #[test]
    fn the_preferred_media_type_of_records_is_json() {
        assert_eq!(op::SeasonRead::ROW.answer.media_types, [JSON]);
    }
}
