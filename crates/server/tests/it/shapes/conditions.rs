//! Entity tags: a client that has the current version does not receive it again, and a change of an older version is refused.

use fieldhouse_api::{Code, Operation};
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::{Value, json};

use super::{is_problem, request};
use crate::support::{Answer, Club, Person, on_both, send};

async fn season(person: &Person, name: &str) -> String {
    let wanted = json!({"name": name, "sport": "netball", "time_zone": "UTC"});
    let made = person.post("/api/v1/seasons", &wanted).await;
    assert_eq!(made.status, 201, "{}", made.text);
    format!("/api/v1/seasons/{}", made.id())
}

async fn asked(person: &Person, path: &str, if_none_match: &str) -> Answer {
    send(person.request(Method::GET, path).header("if-none-match", if_none_match)).await
}

#[tokio::test]
async fn every_unchanged_record_and_list_returns_304() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        season(owner, "Winter").await;
        let mut tagged = 0;
        for &operation in
            Operation::ROUTES.iter().filter(|operation| super::method(**operation) == Method::GET)
        {
            let answer = send(request(&club.permitted(operation), operation, "")).await;
            let tag = answer.header("etag").to_owned();
            if answer.status != 200 || tag.is_empty() {
                continue;
            }
            tagged += 1;
            let again =
                send(request(&club.permitted(operation), operation, "").header("if-none-match", &tag)).await;
            assert_eq!((again.status, again.text.as_str()), (304, ""), "{}", operation.id());
            assert_eq!(again.header("etag"), tag, "{}", operation.id());
            assert_eq!(again.header("cache-control"), answer.header("cache-control"), "{}", operation.id());
            assert!(!again.header("x-request-id").is_empty() && !again.header("vary").is_empty());
        }
        assert!(tagged >= 9, "{tagged} operations have an ETag");
    })
    .await;
}

#[tokio::test]
async fn a_tag_is_compared_weakly_and_one_of_several_is_enough() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = season(manager, "Winter").await;
        let tag = manager.get(&path).await.header("etag").to_owned();
        assert!(tag.starts_with("\"1-"), "{tag}");
        for named in [tag.clone(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            assert_eq!(asked(manager, &path, &named).await.status, 304, "{named}");
        }
        for named in ["\"other\"", "\"1-\"", "", &tag.replace('"', "")] {
            assert_eq!(asked(manager, &path, named).await.status, 200, "{named}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_tag_changes_with_the_record_and_with_the_list() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = season(manager, "Winter").await;
        let record = manager.get(&path).await.header("etag").to_owned();
        let list = manager.get("/api/v1/seasons").await.header("etag").to_owned();
        assert_eq!(manager.patch(&path, &json!({"status": "active"})).await.status, 200);
        let changed = asked(manager, &path, &record).await;
        assert_eq!(changed.status, 200);
        assert!(changed.header("etag").starts_with("\"2-"));
        assert_eq!(asked(manager, "/api/v1/seasons", &list).await.status, 200);
    })
    .await;
}

/// Records that can be changed and deleted, each with a change.
async fn changeable(club: &Club) -> Vec<(String, Value)> {
    let owner = club.member(Role::Owner);
    let favorite = super::body(Operation::FavoriteSave);
    let favorite = owner.post("/api/v1/colleges/favorites", &favorite).await.id().to_owned();
    let members = owner.get("/api/v1/members").await.body;
    let members = members["data"].as_array().expect("a list");
    let viewer = members.iter().find(|member| member["role"] == "viewer").expect("a viewer");
    let viewer = viewer["id"].as_str().expect("an id");
    vec![
        (season(owner, "Winter").await, json!({"status": "active"})),
        (format!("/api/v1/colleges/favorites/{favorite}"), json!({"interest": 4})),
        (format!("/api/v1/members/{viewer}"), json!({"role": "member"})),
    ]
}

#[tokio::test]
async fn an_older_version_cannot_be_changed_or_deleted() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        for (path, change) in changeable(&club).await {
            let conditional = async |method: Method, if_match: &str| {
                let request = owner.request(method.clone(), &path).header("if-match", if_match);
                let request = if method == Method::PATCH { request.json(&change) } else { request };
                send(request).await
            };
            let favorite = path.contains("favorites");
            let changed = conditional(Method::PATCH, "\"1-x\"").await;
            assert_eq!(changed.status, 200, "{path} {}", changed.text);
            let tag = changed.header("etag").to_owned();
            assert!(tag.starts_with("\"2-"), "{path} {tag}");
            if !favorite {
                assert_eq!(owner.get(&path).await.header("etag"), tag, "{path}");
            }
            for old in ["\"1-x\"", "W/\"1-x\"", "\"1\"", "\"x\"", "", "\"3\", \"1\""] {
                for method in [Method::PATCH, Method::DELETE] {
                    let refused = conditional(method, old).await;
                    is_problem(&refused, Code::VersionMismatch, &path);
                    assert_eq!(refused.body["current_version"], 2, "{path}");
                }
            }
            // A condition with bytes that are not text must not count as no condition.
            for bytes in [b"\"1-\xe9\"".as_slice(), b"\xff"] {
                let request = owner.request(Method::DELETE, &path).header("if-match", bytes);
                is_problem(&send(request).await, Code::VersionMismatch, &path);
            }
            assert_eq!(conditional(Method::PATCH, "*").await.status, 200, "{path}");
            assert_eq!(conditional(Method::DELETE, &tag).await.status, 200, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_api_key_is_revoked_only_in_its_current_version() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let id = owner.post("/api/v1/api-keys", &json!({"name": "a key"})).await.id().to_owned();
        let path = format!("/api/v1/api-keys/{id}");
        let delete = |tag: &str| send(owner.request(Method::DELETE, &path).header("if-match", tag));
        is_problem(&delete("\"2-x\"").await, Code::VersionMismatch, "an older version");
        let tag = owner.get(&path).await.header("etag").to_owned();
        assert_eq!(delete(&tag).await.status, 200);
    })
    .await;
}
