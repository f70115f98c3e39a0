//! The OpenAPI 3.1 document, built from the operation table and the schemas of its types.

#[cfg(test)]
mod columns;
mod examples;
mod headers;
mod parameters;
mod records;
mod refusals;

use std::collections::BTreeMap;

use fieldhouse_api::Problem;
use fieldhouse_api::envelope::JSON;
use fieldhouse_api::operations::rows;
use fieldhouse_api::request::BodyKind;
use fieldhouse_api::rows::{Changeset, Method, Row};
use fieldhouse_domain::policy::{ChildTouch, Credential, KeyUse, Relation};
use fieldhouse_domain::scopes::Resource;
use utoipa::openapi::path::{HttpMethod, OperationBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder,
    PathItem, PathsBuilder, Ref, RefOr, Required, Response, ResponseBuilder, Schema, Server, Tag,
};
use utoipa::{PartialSchema, ToSchema};

use crate::answer::is_tagged;
use crate::layers::API_VERSION;

const SESSION: &str = "session";
const API_KEY: &str = "api_key";
const OPERATOR: &str = "operator";
const OPERATOR_ONLY: &str =
    "Only for `fieldhouse` on the server's own machine; from elsewhere, the path does not exist.";

const INTRODUCTION: &str = include_str!("openapi/introduction.md");
const LICENSE_NAME: &str = "MIT OR Apache-2.0";
/// The first of the two licences. In OpenAPI a link and an SPDX expression exclude each other, and an expression has no link.
const LICENSE_URL: &str = "https://spdx.org/licenses/MIT.html";

/// The document of a server at this URL.
pub fn document(base_url: &str) -> OpenApi {
    of(rows(), base_url)
}

/// The document of some rows.
fn of(rows: &[Row], base_url: &str) -> OpenApi {
    let mut gathered = Gathered::default();
    for row in rows {
        gathered.add(row);
    }
    <Problem as ToSchema>::schemas(&mut gathered.schemas);
    gathered.schemas.push((<Problem as ToSchema>::name().into_owned(), <Problem as PartialSchema>::schema()));
    gathered.schemas.sort_by(|(one, _), (other, _)| one.cmp(other));
    gathered.schemas.dedup_by(|(one, _), (other, _)| one == other);
    let info = InfoBuilder::new()
        .title("Fieldhouse")
        .version(API_VERSION)
        .description(Some(INTRODUCTION.trim()))
        .license(Some(LicenseBuilder::new().name(LICENSE_NAME).url(Some(LICENSE_URL)).build()));
    let mut document = OpenApiBuilder::new()
        .info(info.build())
        .servers(Some([Server::new(base_url)]))
        .tags(Some(tags()))
        .paths(gathered.paths.build())
        .components(Some(components(gathered.schemas, gathered.refusals)))
        .build();
    records::close(&mut document);
    document
}

/// The groups of operations, in the order of the document.
fn tags() -> Vec<Tag> {
    let tag = |resource: &Resource| {
        TagBuilder::new().name(resource.name()).description(Some(resource.docs())).build()
    };
    Resource::ALL.iter().map(tag).collect()
}

fn components(schemas: Vec<(String, RefOr<Schema>)>, refusals: BTreeMap<String, Response>) -> Components {
    let key = "An API key, which starts with `fhk_`.";
    let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description("x-api-key", key)));
    let session = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("An access token from `POST /api/v1/auth/login` or `POST /api/v1/auth/refresh`."));
    let operator = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(
        "A token that `fieldhouse` signs with the server's key ring, on the server's own machine. Valid for a minute, once.",
    ));
    let mut components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .responses_from_iter(refusals)
        .security_scheme(API_KEY, key)
        .security_scheme(SESSION, SecurityScheme::Http(session.build()))
        .security_scheme(OPERATOR, SecurityScheme::Http(operator.build()))
        .build();
    components.headers = headers::all().map(|(name, header)| (name, header.into())).collect();
    components
}

#[derive(Default)]
struct Gathered {
    paths: PathsBuilder,
    schemas: Vec<(String, RefOr<Schema>)>,
    refusals: BTreeMap<String, Response>,
}

impl Gathered {
    fn add(&mut self, row: &Row) {
        (row.answer.schemas)(&mut self.schemas);
        (row.query.schemas)(&mut self.schemas);
        if row.body_kind != BodyKind::None {
            (row.body.schemas)(&mut self.schemas);
            self.schemas.push((row.body.title.to_owned(), (row.body.schema)()));
        }
        let (summary, description) = split(row.docs);
        let mut built = OperationBuilder::new()
            .operation_id(Some(row.id))
            .summary(Some(summary))
            .description(Some(format!("{description}{}", who(row))))
            .tag(row.requirement.scope.resource.name())
            .securities(Some(security(row)));
        for (status, description) in successes(row) {
            built = built.response(status.to_string(), success(row, status, description));
        }
        for parameter in parameters::of(row) {
            built = built.parameter(parameter);
        }
        if let Some(body) = body(row) {
            built = built.request_body(Some(body));
        }
        for (status, refusal) in refusals::of(row) {
            self.refusals.extend([refusals::response(row, &status)]);
            built = built.response(status, refusal);
        }
        let item = PathItem::new(http_method(row.method), built.build());
        self.paths = std::mem::take(&mut self.paths).path(row.path, item);
    }
}

/// Splits documentation into its first sentence, up to a colon or semicolon, and all of it.
fn split(docs: &str) -> (String, String) {
    let text = docs.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned();
    let ends = [". ", ": ", "; "].into_iter().filter_map(|end| text.find(end)).min();
    let summary = text[..ends.unwrap_or(text.len())].trim_end_matches('.').to_owned();
    (summary, text)
}

/// Who may call an operation, in words.
pub(crate) fn who(row: &Row) -> String {
    let requirement = row.requirement;
    let role = match requirement.credential {
        Credential::Required(role) => format!("Minimum role: {role}."),
        Credential::Optional(role) => format!("A credential is optional; with one, minimum role: {role}."),
        Credential::Public => return "\n\nPublic.".to_owned(),
        Credential::Operator => return format!("\n\n{OPERATOR_ONLY}"),
    };
    let keys = match requirement.keys {
        KeyUse::Allowed => format!("API keys: allowed, scope `{}`.", requirement.scope),
        KeyUse::Itself => "API keys: any key, but only for itself.".to_owned(),
        KeyUse::ProposeOnly => "API keys: only to propose, scope `changesets:propose`.".to_owned(),
        KeyUse::SessionOnly => "API keys: not allowed.".to_owned(),
        KeyUse::FreshSessionOnly => {
            "API keys: not allowed. The user must have signed in less than 15 minutes ago.".to_owned()
        }
    };
    let child = match row.requirement.child {
        ChildTouch::Untouched | ChildTouch::Created => String::new(),
        ChildTouch::Listed { class } => {
            format!(" Only children of whom a relation opens the class {class} to the caller.")
        }
        ChildTouch::Images => {
            " Images of a child's records are shown where a relation opens their class to the caller, and a key has the scope `children:read`."
                .to_owned()
        }
        ChildTouch::InPath { class, verb, parameter } => {
            format!(" Requires a relation to the child `{{{parameter}}}` for {class}:{verb}.")
        }
        ChildTouch::InPathUnless { class, verb, parameter, unless } => format!(
            " Below the role {unless}, it requires a relation to the child `{{{parameter}}}` for {class}:{verb}."
        ),
        ChildTouch::AllOfLink => {
            " A relation of the person who requested the link must still open the child's records.".to_owned()
        }
        ChildTouch::OfRecord { class, verb } => {
            format!(" Uses a relation to the child of the record for {class}:{verb}.")
        }
        ChildTouch::IfNamed { class, verb } => format!(
            " If it is about a child, a relation of the caller must open {class}:{verb} of the child, and a key needs the scope `children:{verb}` as well."
        ),
        ChildTouch::InBody { class, verb } => {
            format!(" Requires a relation to the child whom the body names for {class}:{verb}.")
        }
    };
    let staff = match requirement.relation {
        Relation::Unrelated => String::new(),
        Relation::StaffOfGame { parameter, unless } => format!(
            " Below the role {unless}, the caller must be confirmed staff of a team of the game `{{{parameter}}}` today."
        ),
        Relation::OnDuty { kind, unless: None } => format!(" The caller must have the duty `{kind}` now."),
        Relation::OnDuty { kind, unless: Some(unless) } => {
            format!(" Below the role {unless}, the caller must have the duty `{kind}` now.")
        }
    };
    let changeset = match row.changeset {
        Changeset::Never => "",
        Changeset::Possible => " A changeset may contain it.",
        Changeset::AsOne => {
            " With `as_changeset=true`, API keys need the scope `changesets:propose` instead."
        }
    };
    format!("\n\n{role} {keys}{child}{staff}{changeset}")
}

const fn http_method(method: Method) -> HttpMethod {
    match method {
        Method::GET => HttpMethod::Get,
        Method::POST => HttpMethod::Post,
        Method::PATCH => HttpMethod::Patch,
        Method::PUT => HttpMethod::Put,
        Method::DELETE => HttpMethod::Delete,
    }
}

/// The statuses of success.
fn successes(row: &Row) -> Vec<(u16, &'static str)> {
    let describe = |status| match status {
        201 => "Created.",
        200 if row.status() == 201 => "It already existed.",
        _ => "OK.",
    };
    let mut successes: Vec<_> = row.statuses.iter().map(|status| (*status, describe(*status))).collect();
    if row.method == Method::GET && is_tagged(row) {
        successes.push((304, "Not modified since the response with the `ETag` in `If-None-Match`."));
    }
    successes
}

fn success(row: &Row, status: u16, description: &str) -> Response {
    let paged = row.query.names().iter().any(|name| name == "cursor");
    let response = ResponseBuilder::new().description(description);
    let mut response = headers::refer(response, &headers::of_success(row, paged));
    for media_type in row.answer.media_types.iter().filter(|_| status != 304) {
        let is_json = *media_type == JSON;
        let schema = if is_json { (row.answer.schema)() } else { None };
        let example = examples::response(row, status, media_type);
        response =
            response.content(*media_type, ContentBuilder::new().schema(schema).example(example).build());
    }
    response.build()
}

fn security(row: &Row) -> Vec<SecurityRequirement> {
    let none: [&str; 0] = [];
    let requirement = row.requirement;
    let mut either = vec![SecurityRequirement::new(SESSION, none)];
    if matches!(requirement.keys, KeyUse::Allowed | KeyUse::Itself | KeyUse::ProposeOnly) {
        either.push(SecurityRequirement::new(API_KEY, none));
    }
    match requirement.credential {
        Credential::Required(_) => either,
        Credential::Optional(_) => [vec![SecurityRequirement::default()], either].concat(),
        Credential::Operator => vec![SecurityRequirement::new(OPERATOR, none)],
        Credential::Public => Vec::new(),
    }
}

fn body(row: &Row) -> Option<utoipa::openapi::request_body::RequestBody> {
    let types: &[&str] = match row.body_kind {
        BodyKind::None => return None,
        BodyKind::Json | BodyKind::Archive => &[JSON],
        BodyKind::MergePatch => &["application/merge-patch+json", JSON],
        BodyKind::Form => &["application/x-www-form-urlencoded"],
        BodyKind::Upload => &[JSON, "multipart/form-data"],
    };
    let limit = format!("At most {} KiB.", row.body_kind.limit() >> 10);
    let empty = RequestBodyBuilder::new().description(Some(limit)).required(Some(Required::True));
    let built = types.iter().fold(empty, |built, media_type| {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(row.body.title)));
        let is_json = media_type.ends_with("json");
        let example = examples::request(row.operation).filter(|_| is_json);
        built.content(*media_type, content.example(example).build())
    });
    Some(built.build())
}
