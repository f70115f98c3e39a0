//! Tests of the check of every response against the document: real responses pass, and fail once they are changed.

use fieldhouse_domain::roles::Role;
use serde_json::{Map, Value, json};

use crate::imports::import_coburg;
use crate::support::contract::CONTRACT;
use crate::support::{Answer, Club, on_both};

const SEASONS: &str = "/api/v1/seasons";
const GAMES: &str = "/api/v1/games/upcoming?from=2022-04-01T00:00:00Z&to=2022-09-20T00:00:00Z";
const FAVORITES: &str = "/api/v1/colleges/favorites";

/// Real responses: the method, the path without its query, and the response.
async fn samples(club: &Club) -> Vec<(&'static str, String, Answer)> {
    let (manager, owner) = (club.member(Role::Manager), club.member(Role::Owner));
    import_coburg(manager).await;
    let custom = json!({"custom": {"college_name": "Winding Creek", "sport": "softball"}});
    let mut samples = vec![
        ("POST", FAVORITES.to_owned(), owner.post(FAVORITES, &custom).await),
        ("POST", FAVORITES.to_owned(), owner.post(FAVORITES, &custom).await),
        ("POST", SEASONS.to_owned(), manager.post(SEASONS, &json!({"name": 1, "sports": []})).await),
        (
            "POST",
            "/api/v1/api-keys".to_owned(),
            owner.post("/api/v1/api-keys", &json!({"name": "Script"})).await,
        ),
    ];
    for path in [SEASONS, GAMES, FAVORITES, "/api/v1/profile/me", "/api/v1/members", "/api/v1/auth/sessions"]
    {
        let path_alone = path.split('?').next().unwrap_or_default().to_owned();
        samples.push(("GET", path_alone, owner.get(path).await));
    }
    samples
}

fn changed(answer: &Answer, body: Value) -> Answer {
    let text = body.to_string();
    Answer { status: answer.status, headers: answer.headers.clone(), body, text }
}

/// Every object in a body, by its pointer.
fn objects(value: &Value, pointer: &str, found: &mut Vec<(String, Map<String, Value>)>) {
    match value {
        Value::Object(object) => {
            found.push((pointer.to_owned(), object.clone()));
            for (name, value) in object {
                objects(value, &format!("{pointer}/{name}"), found);
            }
        }
        // The first few of a list represent all.
        Value::Array(values) => {
            for (at, value) in values.iter().enumerate().take(3) {
                objects(value, &format!("{pointer}/{at}"), found);
            }
        }
        _ => {}
    }
}

fn object_mut<'a>(body: &'a mut Value, pointer: &str) -> &'a mut Map<String, Value> {
    body.pointer_mut(pointer).and_then(Value::as_object_mut).expect("an object")
}

#[tokio::test]
async fn a_response_with_a_missing_or_additional_field_is_refused() {
    on_both(async |club| {
        for (method, path, answer) in samples(&club).await {
            assert_eq!(CONTRACT.check(method, &path, &answer), Ok(()));
            let mut found = Vec::new();
            objects(&answer.body, "", &mut found);
            for (pointer, object) in found {
                let is_problem = answer.status >= 400 && pointer.is_empty();
                // Only lists of records with a history have `sync`.
                let may_lack = |name: &str| name == "sync" || is_problem && name == "errors";
                for name in object.keys().filter(|name| !may_lack(name)) {
                    let mut body = answer.body.clone();
                    object_mut(&mut body, &pointer).remove(name);
                    let refused = CONTRACT.check(method, &path, &changed(&answer, body));
                    assert!(refused.is_err(), "{method} {path} is valid without {pointer}/{name}");
                }
                // Some problems have more members than others.
                if !is_problem {
                    let mut body = answer.body.clone();
                    object_mut(&mut body, &pointer).insert("no_such_field".to_owned(), json!(null));
                    let refused = CONTRACT.check(method, &path, &changed(&answer, body));
                    assert!(
                        refused.is_err(),
                        "{method} {path} is valid with an additional field in {pointer:?}"
                    );
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_response_with_an_invalid_value_is_refused() {
    on_both(async |club| {
        let samples = samples(&club).await;
        for (path, pointer, wrong) in [
            (SEASONS, "/data/0/status", json!("Active")),
            (SEASONS, "/data/0/tiebreakers/0", json!("HeadToHead")),
            (SEASONS, "/data/0/id", json!("tea_01h2xcejqtf2nbrexx3vqjhp41")),
            (SEASONS, "/data/0/created_at", json!("yesterday")),
            (SEASONS, "/data/0/starts_on", json!("2022-02-30")),
            (SEASONS, "/data/0/version", json!("1")),
            ("/api/v1/games/upcoming", "/data/0/status", json!("Final")),
            ("/api/v1/games/upcoming", "/data/0/kind", json!("Game")),
            ("/api/v1/profile/me", "/data/role", json!("Owner")),
            ("/api/v1/profile/me", "/data/auth/method", json!("Session")),
            (FAVORITES, "/data/0/stage", json!("Saved")),
            (FAVORITES, "/data/0/program/gender", json!("Unknown")),
            ("/api/v1/members", "/page/limit", json!(-1)),
        ] {
            let sample = samples.iter().find(|(method, other, _)| *method == "GET" && other == path);
            let (method, path, answer) = sample.expect("a sample");
            let mut body = answer.body.clone();
            *body.pointer_mut(pointer).expect("a value") = wrong.clone();
            let refused = CONTRACT.check(method, path, &changed(answer, body));
            assert!(refused.is_err(), "{path} is valid with {wrong} at {pointer}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_undeclared_status_code_header_or_media_type_is_refused() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let listed = || async { owner.get(SEASONS).await };
        let check = |answer: &Answer| CONTRACT.check("GET", SEASONS, answer);
        assert_eq!(check(&listed().await), Ok(()));
        for status in [201, 202, 204, 302, 409, 418, 599] {
            let answer = Answer { status, ..listed().await };
            assert!(check(&answer).is_err(), "the status {status}");
        }
        let mut answer = listed().await;
        answer.headers.insert("x-internal", "1".parse().expect("a value"));
        assert!(check(&answer).is_err(), "another header");
        let mut answer = listed().await;
        answer.headers.insert("x-ratelimit-limit", "many".parse().expect("a value"));
        assert!(check(&answer).is_err(), "a header of another type");
        let mut answer = listed().await;
        answer.headers.insert("content-type", "text/plain".parse().expect("a value"));
        assert!(check(&answer).is_err(), "another media type");
        let refused = owner.get("/api/v1/seasons?limit=0").await;
        assert_eq!(check(&refused), Ok(()));
        let mut body = refused.body.clone();
        body["code"] = json!("last_owner");
        assert!(check(&changed(&refused, body)).is_err(), "a code that only other operations return");
    })
    .await;
}
