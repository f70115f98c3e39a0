//! Unknown paths and methods, and the one response for every record that does not exist or is hidden from the caller.

use std::collections::BTreeSet;

use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::json;

use super::{is_problem, method, path, request};
use crate::support::{Answer, Person, on_both, row, send};

#[tokio::test]
async fn an_unknown_path_is_not_found() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        for path in
            ["/api", "/api/v1", "/api/v1/seasons/", "/api/v2/seasons", "/api/v1/%00", "//api/v1/seasons"]
        {
            let answer = owner.get(path).await;
            is_problem(&answer, Code::NotFound, path);
            let detail = answer.body["detail"].as_str().unwrap_or_default();
            assert!(
                detail.starts_with("This path does not exist. ") && detail.contains("/docs"),
                "{path}: {detail}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn another_method_is_refused_with_the_supported_ones() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        for &operation in Operation::ROUTES {
            let same_path = |other: &&Operation| row(*other).path == row(operation).path;
            let mut taken: BTreeSet<&str> =
                Operation::ROUTES.iter().filter(same_path).map(|other| row(other).method.name()).collect();
            if taken.contains("GET") {
                taken.insert("HEAD");
            }
            for other in ["GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS", "TRACE", "BREW"] {
                if taken.contains(other) {
                    continue;
                }
                let what = format!("{other} {}", row(operation).path);
                let other = Method::from_bytes(other.as_bytes()).expect("a method");
                let answer = send(owner.request(other, &path(operation))).await;
                is_problem(&answer, Code::MethodNotAllowed, &what);
                let allowed: BTreeSet<&str> = answer.header("allow").split(", ").collect();
                assert_eq!(allowed, taken, "{what}");
            }
        }
    })
    .await;
}

/// The status, headers and body of a response, without times and counts.
fn seen(answer: &Answer) -> (u16, Vec<(String, String)>, String) {
    let changing = [
        "date",
        "ratelimit",
        "ratelimit-policy",
        "x-ratelimit-limit",
        "x-ratelimit-remaining",
        "x-ratelimit-reset",
    ];
    let mut headers: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| !changing.contains(&name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or_default().to_owned()))
        .collect();
    headers.sort();
    (answer.status, headers, answer.text.clone())
}

async fn ask(person: &Person, operation: Operation, id: &str) -> Answer {
    let path = row(operation).path.replace("{id}", id);
    let mut request = person.request(method(operation), &path).header("x-request-id", "the-same");
    if super::takes_body(operation) {
        request = request.json(&super::body(operation));
    }
    send(request).await
}

#[tokio::test]
async fn malformed_unknown_and_foreign_ids_get_the_same_response() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let season = super::body(Operation::SeasonCreate);
        let season = neighbour.post("/api/v1/seasons", &season).await.id().to_owned();
        let favorite = super::body(Operation::FavoriteSave);
        let favorite = neighbour.post("/api/v1/colleges/favorites", &favorite).await.id().to_owned();
        let key = neighbour.post("/api/v1/api-keys", &json!({"name": "a key"})).await.id().to_owned();
        let first = |answer: Answer| answer.body["data"][0]["id"].as_str().unwrap_or_default().to_owned();
        let member = first(neighbour.get("/api/v1/members").await);
        let session = first(neighbour.get("/api/v1/auth/sessions").await);
        for &operation in Operation::ROUTES.iter().filter(|operation| row(*operation).path.ends_with("{id}"))
        {
            let (permitted, unknown) = (club.permitted(operation), path(operation));
            let unknown = unknown.rsplit('/').next().expect("an id");
            let theirs = [&season, &favorite, &key, &member, &session];
            let theirs = theirs.into_iter().find(|id| id[..4] == unknown[..4]);
            let expected = ask(&permitted, operation, unknown).await;
            is_problem(&expected, Code::NotFound, operation.id());
            for id in [
                "x",
                "sea_",
                "%00",
                "%ff",
                "..%2f",
                &unknown.to_uppercase(),
                "org_01h2xcejqtf2nbrexx3vqjhp41",
            ]
            .into_iter()
            .chain(theirs.map(String::as_str))
            {
                let answer = ask(&permitted, operation, id).await;
                assert_eq!(seen(&answer), seen(&expected), "{} {id}", operation.id());
            }
        }
    })
    .await;
}

#[tokio::test]
async fn requests_do_not_change_records_of_another_organization() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let season = neighbour.post("/api/v1/seasons", &super::body(Operation::SeasonCreate)).await;
        let address = format!("/api/v1/seasons/{}", season.id());
        let owner = club.member(Role::Owner);
        assert_eq!(owner.patch(&address, &json!({"name": "Taken over"})).await.status, 404);
        assert_eq!(owner.delete(&address).await.status, 404);
        assert_eq!(neighbour.get(&address).await.body, season.body);
        is_problem(
            &send(request(owner, Operation::SeasonRead, "")).await,
            Code::NotFound,
            "an unknown season",
        );
    })
    .await;
}
