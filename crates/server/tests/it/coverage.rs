//! Completeness: operations, routes, the OpenAPI document, the client's methods and the matrix are the same list.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_api::Operation;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Club, on_both, row, send};

fn ids(operations: impl IntoIterator<Item = Operation>) -> Vec<&'static str> {
    let mut ids: Vec<_> = operations.into_iter().map(Operation::id).collect();
    ids.sort_unstable();
    ids
}

fn everything() -> Vec<&'static str> {
    ids(Operation::ROUTES.iter().copied())
}

async fn document(club: &Club) -> Value {
    let answer = club.anonymous().get("/openapi.json").await;
    assert_eq!(answer.status, 200);
    answer.body
}

/// Visits every object in a JSON value, with its path.
fn walk<'a>(value: &'a Value, path: &str, visit: &mut impl FnMut(&str, &'a serde_json::Map<String, Value>)) {
    match value {
        Value::Object(object) => {
            visit(path, object);
            for (name, value) in object {
                walk(value, &format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), visit);
            }
        }
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate() {
                walk(value, &format!("{path}/{at}"), visit);
            }
        }
        _ => {}
    }
}

#[test]
fn the_client_has_one_method_for_every_operation() {
    assert_eq!(ids(fieldhouse_client::covered()), everything());
}

#[test]
fn the_matrix_has_a_line_for_every_operation() {
    let expectation = crate::matrix::expectation();
    let rows: Vec<_> = expectation.rows.keys().map(String::as_str).collect();
    assert_eq!(rows, everything());
}

#[test]
fn ids_and_paths_are_unique() {
    let unique: BTreeSet<_> = Operation::ALL.iter().map(|operation| operation.id()).collect();
    assert_eq!(unique.len(), Operation::ALL.len());
    let with_http = Operation::ALL.iter().filter(|operation| operation.row().is_some());
    assert!(with_http.eq(Operation::ROUTES), "an operation has a row exactly if it has a route");
    let addresses =
        Operation::ROUTES.iter().map(|operation| (row(operation).method.name(), row(operation).path));
    assert_eq!(addresses.collect::<BTreeSet<_>>().len(), Operation::ROUTES.len());
}

#[test]
fn every_operation_is_documented_in_a_sentence() {
    for operation in Operation::ALL {
        let docs = operation.docs().trim();
        let id = operation.id();
        assert!(docs.ends_with('.') && docs.split_whitespace().count() >= 3, "{id}: {docs:?}");
        assert!(docs.starts_with(char::is_uppercase), "{id}: {docs:?}");
    }
}

/// Recognizes the router's fallback: its response is a problem without the headers of an operation.
#[tokio::test]
async fn every_operation_has_a_route_and_no_other_method_does() {
    on_both(async |club| {
        let anonymous = club.anonymous();
        for operation in Operation::ROUTES {
            let part = |part: &'static str| if part.starts_with('{') { "x" } else { part };
            let path = row(operation).path.split('/').map(part).collect::<Vec<_>>().join("/");
            let method: Method = row(operation).method.name().parse().expect("a method");
            let answer = send(anonymous.request(method, &path)).await;
            assert_ne!(answer.status, 405, "{}", operation.id());
            // Every operation except a probe counts the request against a limit; the fallback does not.
            let handled = !answer.header("ratelimit").is_empty() || answer.status == 200;
            assert!(handled, "{} fell through", operation.id());
            let wrong = send(anonymous.request(Method::TRACE, &path)).await;
            assert_eq!((wrong.status, wrong.code()), (405, "method_not_allowed"), "{}", operation.id());
            let allowed: Vec<_> = wrong.header("allow").split(", ").collect();
            assert!(allowed.contains(&row(operation).method.name()), "{}: {allowed:?}", operation.id());
        }
        for path in ["/api/v1", "/api/v2/seasons", "/api/v1/season", "/api/v1/seasons/x/y", "/metrics"] {
            let answer = anonymous.get(path).await;
            assert_eq!((answer.status, answer.code()), (404, "not_found"), "{path}");
            assert!(answer.header("ratelimit").is_empty(), "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_document_contains_every_operation_and_no_other() {
    on_both(async |club| {
        let document = document(&club).await;
        let mut found = BTreeMap::new();
        for (path, item) in document["paths"].as_object().expect("paths") {
            for (method, operation) in item.as_object().expect("a path") {
                let id = operation["operationId"].as_str().expect("an id").to_owned();
                found.insert(id, (method.to_uppercase(), path.clone()));
            }
        }
        let wanted: BTreeMap<_, _> = Operation::ROUTES
            .iter()
            .map(|operation| {
                (
                    operation.id().to_owned(),
                    (row(operation).method.name().to_owned(), row(operation).path.to_owned()),
                )
            })
            .collect();
        assert_eq!(found, wanted);
    })
    .await;
}

#[tokio::test]
async fn the_document_is_openapi_3_1_and_complete() {
    on_both(async |club| {
        let document = document(&club).await;
        assert!(document["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")));
        for field in ["title", "version", "description"] {
            assert!(document["info"][field].is_string(), "info.{field}");
        }
        assert_eq!(document["servers"], json!([{"url": club.base_url}]));
        let mut relative = document.clone();
        relative["servers"][0]["url"] = json!("/");
        let built = serde_json::to_value(fieldhouse_server::openapi::document("/")).expect("JSON");
        assert!(relative == built, "the served document is the one that responses are checked against");
        let tags: Vec<_> =
            document["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
        assert_eq!((tags.first(), tags.last()), (Some(&&json!("seasons")), Some(&&json!("service"))));
        let mut referred = BTreeSet::new();
        walk(&document, "#", &mut |path, object| {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                let pointer = target.strip_prefix('#').expect("references stay within the document");
                assert!(document.pointer(pointer).is_some(), "{path} refers to {target}, which is missing");
                referred.insert(target.to_owned());
            }
            if let Some(required) = object.get("required").and_then(Value::as_array) {
                for name in required.iter().filter_map(Value::as_str) {
                    assert!(
                        object["properties"][name].is_object(),
                        "{path} requires {name} but does not declare it"
                    );
                }
            }
        });
        for name in document["components"]["schemas"].as_object().expect("schemas").keys() {
            assert!(referred.contains(&format!("#/components/schemas/{name}")), "nothing refers to {name}");
            assert!(
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)),
                "{name} is not a valid component name"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn every_operation_in_the_document_has_parameters_bodies_and_responses() {
    on_both(async |club| {
        let document = document(&club).await;
        let schemes = &document["components"]["securitySchemes"];
        for (path, item) in document["paths"].as_object().expect("paths") {
            for operation in item.as_object().expect("a path").values() {
                let id = &operation["operationId"];
                let summary = operation["summary"].as_str().unwrap_or_default();
                assert!(summary.split_whitespace().count() >= 3, "{id}: {summary:?}");
                let parameters = operation["parameters"].as_array().cloned().unwrap_or_default();
                for parameter in &parameters {
                    let name = &parameter["name"];
                    assert!(parameter["description"].is_string(), "{id}: {name} has no description");
                    assert!(parameter["schema"].is_object(), "{id}: {name} has no schema");
                    assert!(
                        !parameter["schema"].to_string().contains("\"null\""),
                        "{id}: {name} may be null"
                    );
                }
                let in_path: Vec<_> = parameters.iter().filter(|one| one["in"] == "path").collect();
                assert_eq!(in_path.len(), path.matches('{').count(), "{id}");
                for parameter in in_path {
                    assert!(
                        path.contains(&format!("{{{}}}", parameter["name"].as_str().unwrap_or_default()))
                    );
                    assert_eq!(parameter["required"], true, "{id}");
                }
                let responses = operation["responses"].as_object().expect("responses");
                assert!(responses.keys().any(|status| status.starts_with('2')), "{id} never succeeds");
                for (status, response) in responses {
                    assert!(
                        response["description"].as_str().is_some_and(|text| !text.is_empty()),
                        "{id} {status}"
                    );
                    let target = response["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
                    let response =
                        target.map_or(response, |target| document.pointer(target).expect("a response"));
                    assert_eq!(response["content"].is_object(), status != "304", "{id} {status}");
                    assert!(response["headers"]["X-Request-Id"].is_object(), "{id} {status}");
                }
                for requirement in operation["security"].as_array().expect("empty if it is public") {
                    for scheme in requirement.as_object().expect("a requirement").keys() {
                        assert!(schemes[scheme].is_object(), "{id}: the scheme {scheme} is missing");
                    }
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn nullable_fields_of_responses_are_required_and_no_others_are_allowed() {
    on_both(async |club| {
        let document = document(&club).await;
        let schemas = &document["components"]["schemas"];
        for name in ["Season", "Division", "Game", "Side", "Profile", "Favorite", "ApiKey", "IssuedApiKey"] {
            let schema = &schemas[name];
            let fields: Vec<_> = schema["properties"].as_object().expect("fields").keys().collect();
            let required: Vec<_> = schema["required"].as_array().expect("required").iter().collect();
            assert_eq!(fields.len(), required.len(), "{name}: {required:?}");
            assert_eq!(schema["additionalProperties"], false, "{name}");
        }
        assert_eq!(schemas["Problem"]["additionalProperties"]["type"], json!(null), "a problem may say more");
        let list = &document["paths"]["/api/v1/seasons"]["get"]["responses"]["200"]["content"];
        let list = &list["application/json"]["schema"];
        assert_eq!(
            (&list["required"], &list["additionalProperties"]),
            (&json!(["data", "page"]), &json!(false))
        );
        assert_eq!(schemas["GameStatus"]["enum"][3], "in_progress");
        assert_eq!(schemas["Code"]["enum"][0], "malformed_json");
    })
    .await;
}

#[tokio::test]
async fn every_field_in_the_document_has_a_description() {
    on_both(async |club| {
        let document = document(&club).await;
        let described = |schema: &Value| {
            let beside = |one: &Value| one["description"].as_str().is_some_and(|text| !text.is_empty());
            beside(schema) || schema["oneOf"].as_array().is_some_and(|of| of.iter().any(beside))
        };
        let mut bare = Vec::new();
        walk(&document["components"]["schemas"], "", &mut |path, object| {
            for (name, schema) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
                if !described(schema) {
                    bare.push(format!("{path}/{name}"));
                }
            }
        });
        assert!(bare.is_empty(), "fields without a description: {bare:#?}");
        for (name, schema) in document["components"]["schemas"].as_object().expect("schemas") {
            assert!(described(schema), "{name} has no description");
        }
    })
    .await;
}
