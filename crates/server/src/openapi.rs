//! The OpenAPI 3.1 document, built from the operation table and the schemas of its types.

use fieldhouse_api::operations::{self, Changeset, Method, Visitor};
use fieldhouse_api::request::{Body, BodyKind, PathParameter};
use fieldhouse_api::{Answer, Code, Op, Operation, Problem};
use fieldhouse_domain::policy::{Credential, KeyUse};
use fieldhouse_domain::scopes::Resource;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::security::{
    ApiKey, ApiKeyValue, HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme,
};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, InfoBuilder, LicenseBuilder, ObjectBuilder, OpenApi, OpenApiBuilder,
    PathItem, PathsBuilder, Ref, RefOr, Required, ResponseBuilder, Schema, Type,
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
        <<O::Body as Body>::Content as ToSchema>::schemas(&mut self.schemas);
        <O::Query as ToSchema>::schemas(&mut self.schemas);
        if O::Body::KIND != BodyKind::None {
            let name = <<O::Body as Body>::Content as ToSchema>::name().into_owned();
            self.schemas.push((name, <<O::Body as Body>::Content as PartialSchema>::schema()));
        }
        let (summary, description) = split(operation.docs());
        let mut built = OperationBuilder::new()
            .operation_id(Some(operation.id()))
            .summary(Some(summary))
            .description(Some(format!("{description}{}", who(operation))))
            .tag(operation.requirement().scope.resource.name())
            .response(operation.status().to_string(), success::<O>());
        for parameter in parameters::<O>() {
            built = built.parameter(parameter);
        }
        for requirement in security(operation) {
            built = built.security(requirement);
        }
        if let Some(body) = body::<O>() {
            built = built.request_body(Some(body));
        }
        for (status, codes) in problems(operation) {
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

/// The first sentence, and all of it with what the table says.
fn split(docs: &str) -> (String, String) {
    let text = docs.lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned();
    let end = [". ", ": "].iter().filter_map(|end| text.find(end)).min().unwrap_or(text.len());
    let summary = text[..end].trim_end_matches('.').to_owned();
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

fn parameters<O: Op>() -> Vec<Parameter> {
    let operation = O::OPERATION;
    let mut parameters = Vec::new();
    if let Some(schema) = O::Path::schema() {
        let name = operation.path().split(['{', '}']).nth(1).unwrap_or("id");
        let built =
            ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
        parameters.push(built.schema(Some(schema)).build());
    }
    if let RefOr::T(Schema::Object(object)) = <O::Query as PartialSchema>::schema() {
        for (name, schema) in object.properties {
            let description = match &schema {
                RefOr::T(Schema::Object(object)) => object.description.clone(),
                RefOr::T(Schema::OneOf(one)) => one.description.clone(),
                _ => None,
            };
            let built =
                ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query).required(Required::False);
            parameters.push(built.description(description).schema(Some(schema)).build());
        }
    }
    let header = |name: &str, description: &str| {
        let text = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
        let built =
            ParameterBuilder::new().name(name).parameter_in(ParameterIn::Header).required(Required::False);
        built.description(Some(description)).schema(Some(text)).build()
    };
    if matches!(operation.method(), Method::POST | Method::PATCH) {
        parameters.push(header("Idempotency-Key", "Makes a repeated request do nothing twice: 1 to 255 printable ASCII characters, kept for 24 hours."));
    }
    if matches!(operation.method(), Method::PATCH | Method::DELETE) {
        parameters.push(header(
            "If-Match",
            "The record's ETag: refuses with 412 where the record has changed since.",
        ));
    }
    if operation.requirement().scope.resource == Resource::Favorites {
        parameters
            .push(header("X-Guest-Token", "A guest's token, from the first save without a credential."));
    }
    parameters
}

fn security(operation: Operation) -> Vec<SecurityRequirement> {
    let none: [&str; 0] = [];
    let requirement = operation.requirement();
    let mut either = vec![SecurityRequirement::new(SESSION, none)];
    if matches!(requirement.keys, KeyUse::Allowed | KeyUse::ProposeOnly) {
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
    let name = <<O::Body as Body>::Content as ToSchema>::name();
    let built =
        types.iter().fold(RequestBodyBuilder::new().required(Some(Required::True)), |built, media_type| {
            let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(name.clone()))).build();
            built.content(*media_type, content)
        });
    Some(built.build())
}

/// The codes that an operation may answer with, by status.
pub(crate) fn problems(operation: Operation) -> Vec<(u16, Vec<Code>)> {
    let requirement = operation.requirement();
    let mut codes = vec![
        Code::UnknownParameter,
        Code::InvalidParameter,
        Code::RateLimited,
        Code::Internal,
        Code::Unavailable,
    ];
    if requirement.credential != Credential::Public {
        codes.extend([
            Code::AmbiguousCredentials,
            Code::InvalidCredentials,
            Code::KeyExpired,
            Code::KeyRevoked,
        ]);
        codes.extend([
            Code::TokenExpired,
            Code::RoleInsufficient,
            Code::ScopeInsufficient,
            Code::IpNotAllowed,
        ]);
    }
    if matches!(requirement.credential, Credential::Required(_)) {
        codes.push(Code::Unauthenticated);
    }
    match requirement.keys {
        KeyUse::SessionOnly if requirement.credential != Credential::Public => {
            codes.push(Code::SessionRequired);
        }
        KeyUse::FreshSessionOnly => codes.extend([Code::SessionRequired, Code::SessionTooOld]),
        _ => {}
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
    if matches!(operation.method(), Method::POST | Method::PATCH) {
        codes.extend([
            Code::IdempotencyMismatch,
            Code::IdempotencyInProgress,
            Code::Conflict,
            Code::Overloaded,
        ]);
    }
    if matches!(operation.method(), Method::PATCH | Method::DELETE) {
        codes.push(Code::VersionMismatch);
    }
    if operation.changeset() == Changeset::Possible {
        codes.extend([Code::Duplicate, Code::State, Code::InUse]);
    }
    let mut by_status: Vec<(u16, Vec<Code>)> = Vec::new();
    codes.sort_by_key(|code| (code.status(), code.name()));
    codes.dedup();
    for code in codes {
        match by_status.last_mut() {
            Some((status, codes)) if *status == code.status() => codes.push(code),
            _ => by_status.push((code.status(), vec![code])),
        }
    }
    by_status
}
