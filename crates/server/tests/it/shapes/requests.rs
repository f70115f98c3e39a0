//! Invalid queries and bodies, for every operation that takes one.

use fieldhouse_api::request::BodyKind;
use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::{Value, json};

use super::{body, is_problem, method, path, pointers, request, takes_body};
use crate::listener::Wire;
use crate::support::contract::CONTRACT;
use crate::support::{Answer, Club, on_both, row, send};

/// Checks that a refusal names a query parameter.
#[track_caller]
fn names(answer: &Answer, operation: Operation, name: &str) {
    if row(operation).answer.is_page {
        assert!(answer.text.to_lowercase().contains(&format!("<p>{name} ")), "{}", answer.text);
    } else {
        // A link without its token is reported, too.
        let mut pointers = pointers(answer);
        pointers.retain(|pointer| *pointer != "token" || name == "token");
        assert_eq!(pointers, [name], "{}", operation.id());
    }
}

#[tokio::test]
async fn every_operation_refuses_unknown_query_parameters_by_name() {
    on_both(async |club| {
        for &operation in Operation::ROUTES {
            let permitted = club.permitted(operation);
            for query in ["?lmit=5", "?limit%20=5", "?LIMIT=5", "?x"] {
                let answer = send(request(&permitted, operation, query)).await;
                is_problem(&answer, Code::UnknownParameter, operation.id());
            }
            let answer = send(request(&permitted, operation, "?lmit=5")).await;
            names(&answer, operation, "lmit");
        }
    })
    .await;
}

#[tokio::test]
async fn every_repeated_query_parameter_is_refused() {
    on_both(async |club| {
        let document = club.anonymous().get("/openapi.json").await.body;
        let mut seen = 0;
        for &operation in Operation::ROUTES {
            let method = row(operation).method.name().to_lowercase();
            let parameters = document["paths"][row(operation).path][method]["parameters"].as_array();
            for parameter in parameters.into_iter().flatten().filter(|parameter| parameter["in"] == "query") {
                let name = parameter["name"].as_str().expect("a name");
                let answer =
                    send(request(&club.permitted(operation), operation, &format!("?{name}=1&{name}=1")))
                        .await;
                is_problem(&answer, Code::InvalidParameter, &format!("{} {name}", operation.id()));
                names(&answer, operation, name);
                seen += 1;
            }
        }
        assert!(seen > 30, "the document names the parameters: {seen}");
    })
    .await;
}

#[tokio::test]
async fn an_invalid_query_parameter_is_refused_by_name() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        for (path, name) in [
            ("/api/v1/seasons?limit=many", "limit"),
            ("/api/v1/seasons?limit=-1", "limit"),
            ("/api/v1/seasons?limit=", "limit"),
            ("/api/v1/seasons?status=over", "status"),
            ("/api/v1/seasons?year=99999", "year"),
            ("/api/v1/seasons?year=MMXXII", "year"),
            ("/api/v1/seasons?sport=%20", "sport"),
            ("/api/v1/seasons?updated_since=yesterday", "updated_since"),
            ("/api/v1/games/upcoming?from=2022-04-30", "from"),
            ("/api/v1/games/upcoming?team_id=sea_01h2xcejqtf2nbrexx3vqjhp41", "team_id"),
            ("/api/v1/colleges?gender=both", "gender"),
            ("/api/v1/colleges?sport=", "sport"),
        ] {
            let answer = viewer.get(path).await;
            is_problem(&answer, Code::InvalidParameter, path);
            assert_eq!(pointers(&answer), [name], "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn malformed_queries_are_no_server_error() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        for path in [
            "/api/v1/seasons?q=%00",
            "/api/v1/seasons?q=%25_%27%22%3B--",
            "/api/v1/seasons?q=%ff%fe",
            "/api/v1/seasons?sport=%00a",
            "/api/v1/seasons?year=32767",
            "/api/v1/seasons?year=-32768",
            "/api/v1/seasons?year=0",
            "/api/v1/seasons?updated_since=-009999-01-02T01:59:59Z",
            "/api/v1/seasons?updated_since=9999-12-30T22:00:00Z",
            "/api/v1/games/upcoming?from=-009999-01-02T01:59:59Z",
            "/api/v1/games/upcoming?from=9999-12-30T22:00:00Z",
            "/api/v1/colleges?state=%00",
            "/api/v1/colleges?division=%00",
            "/api/v1/colleges?q=%00%00",
            "/api/v1/colleges/programs?state=%00&q=a&sport=%00x",
            "/api/v1/seasons?cursor=%00",
        ] {
            let answer = viewer.get(path).await;
            assert!(matches!(answer.status, 200 | 400), "{path}: {} {}", answer.status, answer.text);
        }
    })
    .await;
}

/// Sends a body to an operation that takes one, as someone who may call it.
async fn sent(club: &Club, operation: Operation, body: impl Into<reqwest::Body>, media_type: &str) -> Answer {
    let request = club.permitted(operation).request(method(operation), &path(operation));
    send(request.header("content-type", media_type).body(body)).await
}

fn with_bodies() -> impl Iterator<Item = Operation> {
    Operation::ROUTES.iter().copied().filter(|operation| takes_body(*operation))
}

#[tokio::test]
async fn every_body_refuses_unknown_fields_by_pointer() {
    on_both(async |club| {
        for operation in with_bodies() {
            let mut body = body(operation);
            body["no/such~field"] = json!(1);
            let answer = sent(&club, operation, body.to_string(), "application/json").await;
            is_problem(&answer, Code::ValidationFailed, operation.id());
            assert_eq!(pointers(&answer), ["/no~1such~0field"], "{}", operation.id());
            assert_eq!(answer.body["errors"][0]["code"], "unknown_field", "{}", operation.id());
        }
    })
    .await;
}

#[tokio::test]
async fn every_body_refuses_values_of_the_wrong_type_by_pointer() {
    on_both(async |club| {
        for operation in with_bodies() {
            for name in body(operation).as_object().expect("an object").keys() {
                let mut body = body(operation);
                body[name] = json!(1.5);
                let answer = sent(&club, operation, body.to_string(), "application/json").await;
                is_problem(&answer, Code::ValidationFailed, operation.id());
                assert_eq!(pointers(&answer), [format!("/{name}")], "{}", operation.id());
            }
            for other in ["[]", "null", "\"text\"", "5", "[{}]"] {
                let answer = sent(&club, operation, other, "application/json").await;
                is_problem(&answer, Code::ValidationFailed, &format!("{} {other}", operation.id()));
                assert_eq!(pointers(&answer), [""], "{} {other}", operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_missing_field_is_reported() {
    on_both(async |club| {
        for operation in [Operation::SeasonCreate, Operation::AuthLogin, Operation::FavoriteOrder] {
            for name in body(operation).as_object().expect("an object").keys() {
                let mut body = body(operation);
                body.as_object_mut().expect("an object").remove(name);
                let answer = sent(&club, operation, body.to_string(), "application/json").await;
                is_problem(&answer, Code::ValidationFailed, operation.id());
                assert_eq!(pointers(&answer), [format!("/{name}")], "{}", operation.id());
                assert_eq!(answer.body["errors"][0]["code"], "required", "{}", operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn every_repeated_field_is_reported() {
    on_both(async |club| {
        for operation in with_bodies() {
            let body = body(operation);
            let Some((name, value)) = body.as_object().and_then(|body| body.iter().next()) else { continue };
            let field = format!("{}:{value}", json!(name));
            let answer = sent(&club, operation, format!("{{{field},{field}}}"), "application/json").await;
            is_problem(&answer, Code::ValidationFailed, operation.id());
            assert!(pointers(&answer).contains(&&*format!("/{name}")), "{}: {}", operation.id(), answer.body);
        }
    })
    .await;
}

#[tokio::test]
async fn every_body_of_another_media_type_is_refused() {
    on_both(async |club| {
        for operation in with_bodies() {
            let body = body(operation).to_string();
            for other in ["", "text/plain", "application/x-www-form-urlencoded", "application/json5", "json"]
            {
                let answer = sent(&club, operation, body.clone(), other).await;
                is_problem(&answer, Code::UnsupportedMediaType, &format!("{} {other}", operation.id()));
            }
            let patched = sent(&club, operation, body.clone(), "application/merge-patch+json").await;
            let takes_patches = row(operation).body_kind == BodyKind::MergePatch;
            assert_eq!(patched.code() != "unsupported_media_type", takes_patches, "{}", operation.id());
            let answer = sent(&club, operation, "{", "Application/JSON; charset=utf-8").await;
            is_problem(&answer, Code::MalformedJson, operation.id());
        }
    })
    .await;
}

#[tokio::test]
async fn every_body_that_is_not_json_is_malformed() {
    on_both(async |club| {
        for operation in with_bodies() {
            let deep = |depth: usize| format!("{{\"x\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
            let mut bodies: Vec<Vec<u8>> =
                ["", " ", "{", "{}{}", "{\"a\":}", "nope", "{\"a\":1,}", "{'a':1}"]
                    .map(|text| text.as_bytes().to_vec())
                    .to_vec();
            bodies.push(b"{\"a\":\"\xff\"}".to_vec());
            bodies.push(b"\xef\xbb\xbf{}".to_vec());
            // An unknown field at the start does not hide that the end is missing.
            bodies.push(b"{\"no_such_field\":1".to_vec());
            bodies.push(deep(33).into_bytes());
            bodies.push(vec![b'['; 100_000]);
            for body in bodies {
                let what =
                    format!("{} {}", operation.id(), String::from_utf8_lossy(&body[..body.len().min(40)]));
                let answer = sent(&club, operation, body, "application/json").await;
                is_problem(&answer, Code::MalformedJson, &what);
            }
            let answer = sent(&club, operation, deep(32), "application/json").await;
            is_problem(&answer, Code::ValidationFailed, operation.id());
        }
    })
    .await;
}

#[track_caller]
fn is_too_large(operation: Operation, raw: &str) {
    let answer = Answer::parse(raw);
    is_problem(&answer, Code::BodyTooLarge, operation.id());
    let checked = CONTRACT.check(row(operation).method.name(), &path(operation), &answer);
    assert_eq!(checked, Ok(()));
}

#[tokio::test]
async fn every_body_that_is_too_large_is_refused_with_or_without_content_length() {
    on_both(async |club| {
        for operation in with_bodies() {
            let limit = row(operation).body_kind.limit();
            let head = || super::order::head(&club.permitted(operation), operation);
            let mut wire = Wire::open(&club).await;
            wire.send(&format!("{}content-length: {}\r\n\r\n", head(), limit + 1)).await;
            let answer = wire.answer().await;
            is_too_large(operation, &answer);
            let mut wire = Wire::open(&club).await;
            wire.send(&format!("{}transfer-encoding: chunked\r\n\r\n", head())).await;
            let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
            for _ in 0..=limit / 0x1_0000 {
                if !wire.try_send(&chunk).await {
                    break;
                }
            }
            let answer = wire.answer().await;
            is_too_large(operation, &answer);
        }
    })
    .await;
}

#[tokio::test]
async fn no_more_than_100_errors_of_a_body_are_reported() {
    on_both(async |club| {
        let wrong: Vec<Value> = vec![json!(1); 5000];
        let unknown: serde_json::Map<String, Value> =
            (0..5000).map(|number| (format!("field_{number}"), Value::Null)).collect();
        let order = "/api/v1/colleges/favorites/order";
        for body in [json!({"ids": wrong}), Value::Object(unknown)] {
            let owner = club.member(Role::Owner);
            let answer = send(owner.request(Method::PUT, order).json(&body)).await;
            is_problem(&answer, Code::ValidationFailed, order);
            assert_eq!(pointers(&answer).len(), 100);
        }
    })
    .await;
}

#[tokio::test]
async fn all_errors_of_a_body_are_reported_at_once() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let refused = async |path: &str, body: Value| {
            let answer = owner.post(path, &body).await;
            is_problem(&answer, Code::ValidationFailed, path);
            pointers(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let season = json!({"name": " ", "sport": "--", "time_zone": "Melbourne", "external_id": "a\u{0}b"});
        let wrong = refused("/api/v1/seasons", season).await;
        assert_eq!(wrong, ["/name", "/sport", "/time_zone", "/external_id"]);
        let season = json!({"name": "A", "sport": "netball", "time_zone": "UTC", "starts_on": "2026-05-01",
            "ends_on": "2026-04-30", "tiebreakers": ["name", "name"], "scoring": {"win": -101, "draw": 0, "loss": 0}});
        let wrong = refused("/api/v1/seasons", season).await;
        assert_eq!(wrong, ["/ends_on", "/scoring/win", "/tiebreakers"]);
        let key = json!({"name": "", "scopes": ["seasons:read", "weather:read"], "allowed_ips": ["here"]});
        let wrong = refused("/api/v1/api-keys", key).await;
        assert_eq!(wrong, ["/name", "/scopes/1", "/allowed_ips/0"]);
        let favorite = json!({"custom": {"college_name": "", "sport": "", "gender": "both"},
            "notes": "a\u{0}", "tags": ["good", ""]});
        let wrong = refused("/api/v1/colleges/favorites", favorite).await;
        assert_eq!(
            wrong,
            ["/custom/college_name", "/custom/sport", "/custom/gender", "/notes", "/tags/1"]
        );
    })
    .await;
}
