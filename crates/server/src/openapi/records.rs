//! Completes the schemas of responses: every field is always present, and there are no others. The derived schemas do not say so, because a
//! field that may be null is not required in a request.

use std::collections::{BTreeMap, BTreeSet};

use utoipa::openapi::schema::{AdditionalProperties, AllOf, Object, SchemaType};
use utoipa::openapi::{OpenApi, RefOr, Schema, Type};

type Schemas = BTreeMap<String, RefOr<Schema>>;

/// Closes all schemas that responses refer to. Schemas used only by requests stay unchanged.
pub(super) fn close(document: &mut OpenApi) {
    let Some(components) = document.components.as_mut() else { return };
    let schemas = &mut components.schemas;
    let mut returned = BTreeSet::new();
    let operations = document.paths.paths.values_mut().flat_map(|item| {
        [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete]
            .into_iter()
            .flatten()
    });
    let responses = operations.flat_map(|operation| operation.responses.responses.values_mut());
    for response in responses.chain(components.responses.values_mut()) {
        let RefOr::T(response) = response else { continue };
        for content in response.content.values_mut() {
            let RefOr::T(content) = content else { continue };
            if let Some(schema) = &mut content.schema {
                gather(schema, schemas, &mut returned);
                close_schema(schema, schemas);
            }
        }
    }
    for name in returned {
        if let Some(mut schema) = schemas.get(&name).cloned() {
            close_schema(&mut schema, schemas);
            schemas.insert(name, schema);
        }
    }
}

/// Collects the names of all schemas that a schema refers to, directly or not.
fn gather(schema: &RefOr<Schema>, schemas: &Schemas, names: &mut BTreeSet<String>) {
    match schema {
        RefOr::Ref(reference) => {
            let name = name_of(&reference.ref_location);
            if names.insert(name.to_owned())
                && let Some(schema) = schemas.get(name)
            {
                gather(schema, schemas, names);
            }
        }
        RefOr::T(schema) => parts(schema).for_each(|part| gather(part, schemas, names)),
    }
}

fn name_of(location: &str) -> &str {
    location.rsplit('/').next().unwrap_or(location)
}

fn parts(schema: &Schema) -> Box<dyn Iterator<Item = &RefOr<Schema>> + '_> {
    match schema {
        Schema::Object(object) => Box::new(object.properties.values()),
        Schema::OneOf(of) => Box::new(of.items.iter()),
        Schema::AllOf(of) => Box::new(of.items.iter()),
        Schema::AnyOf(of) => Box::new(of.items.iter()),
        Schema::Array(array) => match &array.items {
            utoipa::openapi::schema::ArrayItems::RefOrSchema(items) => Box::new(std::iter::once(&**items)),
            utoipa::openapi::schema::ArrayItems::False => Box::new(std::iter::empty()),
        },
        _ => Box::new(std::iter::empty()),
    }
}

fn close_schema(schema: &mut RefOr<Schema>, schemas: &Schemas) {
    let RefOr::T(schema) = schema else { return };
    if let Schema::AllOf(all) = schema
        && let Some(object) = merged(all, schemas)
    {
        *schema = Schema::Object(object);
    }
    if let Schema::Object(object) = schema {
        close_object(object);
    }
}

/// Merges the fields of several objects into one, because a closed object cannot be extended by another.
fn merged(all: &AllOf, schemas: &Schemas) -> Option<Object> {
    let mut whole = Object::with_type(Type::Object);
    whole.description.clone_from(&all.description);
    for item in &all.items {
        let item = match item {
            RefOr::Ref(reference) => schemas.get(name_of(&reference.ref_location))?,
            item @ RefOr::T(_) => item,
        };
        let RefOr::T(Schema::Object(object)) = item else { return None };
        whole.properties.extend(object.properties.clone());
        whole.required.extend(object.required.iter().cloned());
    }
    Some(whole)
}

/// Requires every field that may be null, because it is then sent as null. Other fields that are not required may be absent.
fn close_object(object: &mut Object) {
    if object.schema_type != SchemaType::new(Type::Object) || object.properties.is_empty() {
        return;
    }
    object.required = object
        .properties
        .iter()
        .filter(|(name, schema)| object.required.contains(name) || may_be_null(schema))
        .map(|(name, _)| name.clone())
        .collect();
    object.additional_properties.get_or_insert_with(|| Box::new(AdditionalProperties::FreeForm(false)));
    for schema in object.properties.values_mut() {
        if let RefOr::T(Schema::Object(object)) = schema {
            close_object(object);
        }
    }
}

fn may_be_null(schema: &RefOr<Schema>) -> bool {
    let null = |kind: &SchemaType| match kind {
        SchemaType::Type(kind) => *kind == Type::Null,
        SchemaType::Array(kinds) => kinds.contains(&Type::Null),
        SchemaType::AnyValue => false,
    };
    match schema {
        RefOr::T(Schema::Object(object)) => null(&object.schema_type),
        RefOr::T(Schema::Array(array)) => null(&array.schema_type),
        RefOr::T(Schema::OneOf(of)) => of.items.iter().any(may_be_null),
        RefOr::T(_) | RefOr::Ref(_) => false,
    }
}
