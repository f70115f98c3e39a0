//! The OpenAPI 3.1 document, built from the operation table and the schemas of its types.

mod parameters;
mod refusals;

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
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder, PathItem,
    PathsBuilder, Ref, RefOr, Required, ResponseBuilder, Schema,
};
use utoipa::{PartialSchema, ToSchema};

use crate::layers::API_VERSION;

const PROBLEM_JSON: &str = "application/problem+json";
const SESSION: &str = "session";
const API_KEY: &str = "api_key";

/// The document.
pub fn document() -> OpenApi {
    let mut gathered = Gathered::default();
    operations::visit(&mut gathered);
    <Problem as ToSchema>::schemas(&mut gathered.schemas);
    gathered.schemas.push((<Problem as ToSchema>::name().into_owned(), <Problem as PartialSchema>::schema()));
    gathered.schemas.sort_by(|(one, _), (other, _)| one.cmp(other));
    gathered.schemas.dedup_by(|(one, _), (other, _)| one == other);
    let components = ComponentsBuilder::new()
        .schemas_from_iter(gathered.schemas)
        .security_scheme(API_KEY, SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::new("x-api-key"))))
        .security_scheme(
            SESSION,
            SecurityScheme::Http(
                HttpBuilder::new().scheme(HttpAuthScheme::Bearer).bearer_format("JWT").build(),
            ),
        );
    let info = InfoBuilder::new()
        .title("Fieldhouse")
        .version(API_VERSION)
        .description(Some("The API of Fieldhouse: games, seasons, profiles, API keys and saved college programs of youth-sports organizations."))
        .license(Some(LicenseBuilder::new().name("MIT OR Apache-2.0").identifier(Some("MIT OR Apache-2.0")).build()));
    OpenApiBuilder::new()
        .info(info.build())
        .paths(gathered.paths.build())
        .components(Some(components.build()))
        .build()
}

#[derive(Default)]
struct Gathered {
    paths: PathsBuilder,
    schemas: Vec<(String, RefOr<Schema>)>,
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
            .response(operation.status().to_string(), success::<O>());
        for parameter in parameters::of::<O>() {
            built = built.parameter(parameter);
        }
        for requirement in security(operation) {
            built = built.security(requirement);
        }
        if let Some(body) = body::<O>() {
            built = built.request_body(Some(body));
        }
        for (status, codes) in refusals::of::<O>() {
            let names: Vec<_> = codes.iter().map(|code| format!("`{code}`")).collect();
            let content = ContentBuilder::new()
                .schema(Some(Ref::from_schema_name(<Problem as ToSchema>::name())))
                .build();
            let response =
                ResponseBuilder::new().description(names.join(", ")).content(PROBLEM_JSON, content);
            built = built.response(status.to_string(), response.build());
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

fn success<O: Op>() -> utoipa::openapi::Response {
    let content = ContentBuilder::new().schema(O::Answer::schema()).build();
    let description = if O::OPERATION.status() == 201 { "Made." } else { "Done." };
    ResponseBuilder::new().description(description).content(O::Answer::MEDIA_TYPE, content).build()
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
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(name))).build();
            built.content(*media_type, content)
        });
    Some(built.build())
}
