//! The parameters of an operation in the OpenAPI document: path, query and headers.

use fieldhouse_api::rows::{IfMatch, Method, Row};
use fieldhouse_domain::scopes::Resource;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::SchemaType;
use utoipa::openapi::{ObjectBuilder, RefOr, Required, Schema, Type};

/// All parameters of an operation.
pub(super) fn of(row: &Row) -> Vec<Parameter> {
    let mut parameters = Vec::new();
    for (name, schema) in row.parameter_names().zip((row.parameters)()) {
        let built =
            ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
        let description = description(&schema).unwrap_or_else(|| format!("The {name}."));
        parameters.push(built.description(Some(description)).schema(Some(schema)).build());
    }
    if let RefOr::T(Schema::Object(object)) = (row.query.schema)() {
        for (name, schema) in object.properties {
            let built =
                ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query).required(Required::False);
            let description = description(&schema);
            parameters.push(built.description(description).schema(Some(present(schema))).build());
        }
    }
    let header = |name: &str, required: Required, description: &str| {
        let text = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
        let built = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Header).required(required);
        built.description(Some(description)).schema(Some(text)).build()
    };
    if matches!(row.method, Method::POST | Method::PATCH) {
        let description = "Identifies the request, so that a repeated one has no second effect: 1 to 255 printable ASCII characters. \
                           The response is stored for 24 hours.";
        parameters.push(header("Idempotency-Key", Required::False, description));
    }
    if row.if_match != IfMatch::None {
        let required = if row.if_match == IfMatch::Required { Required::True } else { Required::False };
        let description = "The record's ETag. If the record has changed since, the response is 412.";
        parameters.push(header("If-Match", required, description));
    }
    if row.requirement.scope.resource == Resource::Favorites {
        let description = "A guest's token, from the first save without a credential.";
        parameters.push(header("X-Guest-Token", Required::False, description));
    }
    parameters
}

/// The description of a schema, or the one next to its reference.
fn description(schema: &RefOr<Schema>) -> Option<String> {
    match schema {
        RefOr::Ref(reference) => Some(reference.description.clone()).filter(|text| !text.is_empty()),
        RefOr::T(Schema::Object(object)) => object.description.clone(),
        RefOr::T(Schema::OneOf(one)) => {
            one.description.clone().or_else(|| one.items.iter().find_map(description))
        }
        RefOr::T(_) => None,
    }
}

/// The schema of a query parameter without null, because such a parameter is left out.
fn present(schema: RefOr<Schema>) -> RefOr<Schema> {
    match schema {
        RefOr::T(Schema::OneOf(one)) => match one.items.iter().find(|item| matches!(item, RefOr::Ref(_))) {
            Some(reference) => reference.clone(),
            None => RefOr::T(Schema::OneOf(one)),
        },
        RefOr::T(Schema::Object(mut object)) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|kind| *kind != Type::Null);
                if let [one] = types.as_slice() {
                    object.schema_type = SchemaType::Type(one.clone());
                }
            }
            RefOr::T(Schema::Object(object))
        }
        other => other,
    }
}
