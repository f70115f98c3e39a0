//! The OpenAPI 3.1 document, built from the operation table and the schemas of its types.

mod examples;
mod headers;
mod parameters;
mod records;
mod refusals;
mod tags;

use std::collections::BTreeMap;

use fieldhouse_api::operations::{self, Method, Visitor};
use fieldhouse_api::request::{BodyKind, Payload};
use fieldhouse_api::{Answer, Op, Operation, Problem};
use fieldhouse_domain::policy::{Credential, KeyUse};
use fieldhouse_domain::record::{Body, Properties};
use utoipa::openapi::path::{HttpMethod, OperationBuilder};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    Components, ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder,
    PathItem, PathsBuilder, Ref, RefOr, Required, Response, ResponseBuilder, Schema, Server,
};
use utoipa::{PartialSchema, ToSchema};

use crate::answer::is_tagged;
use crate::call::parameter_names;
use crate::layers::API_VERSION;

const SESSION: &str = "session";
const API_KEY: &str = "api_key";

const INTRODUCTION: &str = include_str!("openapi/introduction.md");
const LICENSE_NAME: &str = "MIT OR Apache-2.0";
/// The first of the two. A link and an SPDX expression exclude each other in OpenAPI, and an expression leads nowhere.
const LICENSE_URL: &str = "https://spdx.org/licenses/MIT.html";

/// The document of a server at this address.
pub fn document(base_url: &str) -> OpenApi {
    let mut gathered = Gathered::default();
    operations::visit(&mut gathered);
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
        .tags(Some(tags::all()))
        .paths(gathered.paths.build())
        .components(Some(components(gathered.schemas, gathered.refusals)))
        .build();
    records::close(&mut document);
    document
}

fn components(schemas: Vec<(String, RefOr<Schema>)>, refusals: BTreeMap<String, Response>) -> Components {
    let key = "An API key, which starts with `fhk_`.";
    let key = SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description("x-api-key", key)));
    let session = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .bearer_format("JWT")
        .description(Some("An access token from `POST /api/v1/auth/login` or `POST /api/v1/auth/refresh`."));
    let mut components = ComponentsBuilder::new()
        .schemas_from_iter(schemas)
        .responses_from_iter(refusals)
        .security_scheme(API_KEY, key)
        .security_scheme(SESSION, SecurityScheme::Http(session.build()))
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

impl Visitor for Gathered {
    fn visit<O: Op>(&mut self) {
        let operation = O::OPERATION;
        O::Answer::schemas(&mut self.schemas);
        <O::Query as Body>::schemas(&mut self.schemas);
        if O::Body::KIND != BodyKind::None {
            type Content<O> = <<O as Op>::Body as Payload>::Content;
            <Content<O> as Body>::schemas(&mut self.schemas);
            self.schemas.push((Content::<O>::TITLE.to_owned(), Properties::of::<Content<O>>()));
        }
        let (summary, description) = split(operation.docs());
        let mut built = OperationBuilder::new()
            .operation_id(Some(operation.id()))
            .summary(Some(summary))
            .description(Some(format!("{description}{}", who(operation))))
            .tag(operation.requirement().scope.resource.name())
            .securities(Some(security(operation)));
        for (status, description) in successes(operation) {
            built = built.response(status.to_string(), success::<O>(status, description));
        }
        for parameter in parameters::of::<O>() {
            built = built.parameter(parameter);
        }
        if let Some(body) = body::<O>() {
            built = built.request_body(Some(body));
        }
        for (status, refusal) in refusals::of::<O>() {
            self.refusals.extend([refusals::response(&status)]);
            built = built.response(status, refusal);
        }
        let item = PathItem::new(http_method(operation.method()), built.build());
        self.paths = std::mem::take(&mut self.paths).path(operation.path(), item);
    }
}

/// The first sentence, up to a colon or semicolon, and all of it.
fn split(docs: &str) -> (String, String) {
    let text = docs.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned();
    let ends = [". ", ": ", "; "].into_iter().filter_map(|end| text.find(end)).min();
    let summary = text[..ends.unwrap_or(text.len())].trim_end_matches('.').to_owned();
    (summary, text)
}

/// Who may call, in words.
pub(crate) fn who(operation: Operation) -> String {
    let requirement = operation.requirement();
    let role = match requirement.credential {
        Credential::Required(role) => format!("Minimum role: {role}."),
        Credential::Optional(role) => format!("A credential is optional; with one, minimum role: {role}."),
        Credential::Public => return "\n\nPublic.".to_owned(),
    };
    let keys = match requirement.keys {
        KeyUse::Allowed => format!("API keys: allowed, scope `{}`.", requirement.scope),
        KeyUse::Itself => "API keys: any, for itself only.".to_owned(),
        KeyUse::ProposeOnly => "API keys: only to propose, scope `changesets:propose`.".to_owned(),
        KeyUse::SessionOnly => "API keys: not allowed.".to_owned(),
        KeyUse::FreshSessionOnly => {
            "API keys: not allowed. The session must be younger than 15 minutes.".to_owned()
        }
    };
    format!("\n\n{role} {keys}")
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

/// The statuses with which an operation succeeds.
fn successes(operation: Operation) -> Vec<(u16, &'static str)> {
    let status = operation.status();
    let mut successes = vec![(status, if status == 201 { "Created." } else { "OK." })];
    if operation == Operation::FavoriteSave {
        successes.push((200, "It was saved already."));
    }
    if operation.method() == Method::GET && is_tagged(operation) {
        successes.push((304, "Not modified since the response with the `ETag` in `If-None-Match`."));
    }
    successes
}

fn success<O: Op>(status: u16, description: &str) -> Response {
    let operation = O::OPERATION;
    let paged = parameter_names(operation).iter().any(|name| name == "cursor");
    let response = ResponseBuilder::new().description(description);
    let mut response = headers::refer(response, &headers::of_success(operation, paged));
    if status != 304 {
        let content = ContentBuilder::new().schema(O::Answer::schema());
        let content = content.example(examples::response(operation, status));
        response = response.content(O::Answer::MEDIA_TYPE, content.build());
    }
    response.build()
}

fn security(operation: Operation) -> Vec<SecurityRequirement> {
    let none: [&str; 0] = [];
    let requirement = operation.requirement();
    let mut either = vec![SecurityRequirement::new(SESSION, none)];
    if matches!(requirement.keys, KeyUse::Allowed | KeyUse::Itself | KeyUse::ProposeOnly) {
        either.push(SecurityRequirement::new(API_KEY, none));
    }
    match requirement.credential {
        Credential::Required(_) => either,
        Credential::Optional(_) => [vec![SecurityRequirement::default()], either].concat(),
        Credential::Public => Vec::new(),
    }
}

fn body<O: Op>() -> Option<utoipa::openapi::request_body::RequestBody> {
    let types: &[&str] = match O::Body::KIND {
        BodyKind::None => return None,
        BodyKind::Json => &["application/json"],
        BodyKind::MergePatch => &["application/merge-patch+json", "application/json"],
        BodyKind::Upload => &["application/json", "multipart/form-data"],
    };
    let name = <<O::Body as Payload>::Content as Body>::TITLE;
    let built =
        types.iter().fold(RequestBodyBuilder::new().required(Some(Required::True)), |built, media_type| {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(name)));
            let is_json = media_type.ends_with("json");
            let example = examples::request(O::OPERATION).filter(|_| is_json);
            built.content(*media_type, content.example(example).build())
        });
    Some(built.build())
}
