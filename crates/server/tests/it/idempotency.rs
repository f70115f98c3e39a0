//! Repeated requests: with one idempotency key a request has its effect once, and repetitions get its response.

use std::sync::Arc;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_store::Tx;
use fieldhouse_store::idempotency::{self, Slot};
use fieldhouse_testing::databases;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::sync::Notify;

use crate::imports::{COBURG, of};
use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Club, Person, on_both, send};

const SEASONS: &str = "/api/v1/seasons";
const FAVORITES: &str = "/api/v1/colleges/favorites";

fn season(name: &str) -> Value {
    json!({"name": name, "sport": "netball", "time_zone": "UTC"})
}

fn custom(college: &str) -> Value {
    json!({"custom": {"college_name": college, "sport": "softball"}})
}

async fn keyed(person: &Person, method: Method, path: &str, key: &str, body: &Value) -> Answer {
    send(person.request(method, path).header("idempotency-key", key).json(body)).await
}

async fn post(person: &Person, path: &str, key: &str, body: &Value) -> Answer {
    keyed(person, Method::POST, path, key, body).await
}

async fn count(club: &Club, path: &str) -> usize {
    let listed = club.member(Role::Manager).get(path).await;
    listed.body["data"].as_array().expect("a list").len()
}

/// Checks that a response repeats the first one.
#[track_caller]
fn is_replay(again: &Answer, first: &Answer) {
    assert_eq!((again.status, &again.text), (first.status, &first.text));
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(first.header("idempotent-replayed"), "");
    for name in ["content-type", "etag", "cache-control", "vary", "api-version"] {
        assert_eq!(again.header(name), first.header(name), "{name}");
    }
    assert_ne!(again.header("x-request-id"), first.header("x-request-id"), "each request has its own id");
}

#[tokio::test]
async fn a_repeated_request_gets_the_stored_response() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let first = post(manager, SEASONS, "a key", &season("Winter")).await;
        assert_eq!(first.status, 201, "{}", first.text);
        is_replay(&post(manager, SEASONS, "a key", &season("Winter")).await, &first);
        is_replay(&post(manager, SEASONS, "\"a key\"", &season("Winter")).await, &first);
        assert_eq!(count(&club, SEASONS).await, 1);

        let path = format!("{SEASONS}/{}", first.id());
        let changed = keyed(manager, Method::PATCH, &path, "a key", &json!({"status": "active"})).await;
        assert_eq!(changed.body["data"]["version"], 2, "a change is another operation");
        let later = manager.patch(&path, &json!({"status": "completed"})).await;
        assert_eq!(later.body["data"]["version"], 3);
        is_replay(
            &keyed(manager, Method::PATCH, &path, "a key", &json!({"status": "active"})).await,
            &changed,
        );
        assert_eq!(manager.get(&path).await.body["data"]["status"], "completed");
    })
    .await;
}

#[tokio::test]
async fn a_key_is_refused_with_another_body_query_or_path() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let first = post(manager, SEASONS, "k", &season("Winter")).await;
        let other = post(manager, SEASONS, "k", &season("Summer")).await;
        is_problem(&other, Code::IdempotencyMismatch, "another body");
        let path = format!("{SEASONS}/{}", first.id());
        let second = manager.post(SEASONS, &season("Summer")).await;
        let change = json!({"status": "active"});
        assert_eq!(keyed(manager, Method::PATCH, &path, "k", &change).await.status, 200);
        let elsewhere = format!("{SEASONS}/{}", second.id());
        is_problem(
            &keyed(manager, Method::PATCH, &elsewhere, "k", &change).await,
            Code::IdempotencyMismatch,
            "another path",
        );
        assert_eq!(post(manager, FAVORITES, "k", &custom("A")).await.status, 201);
        let query = format!("{FAVORITES}?return=list");
        is_problem(
            &post(manager, &query, "k", &custom("A")).await,
            Code::IdempotencyMismatch,
            "another query",
        );
    })
    .await;
}

#[tokio::test]
async fn a_key_belongs_to_its_caller() {
    on_both(async |club| {
        let (manager, owner) = (club.member(Role::Manager), club.member(Role::Owner));
        let first = post(manager, FAVORITES, "k", &custom("A")).await;
        let others = [owner.clone(), club.neighbours().await, club.anonymous()];
        for other in &others {
            let theirs = post(other, FAVORITES, "k", &custom("A")).await;
            assert_eq!((theirs.status, theirs.header("idempotent-replayed")), (201, ""), "{}", theirs.text);
            assert_ne!(theirs.id(), first.id());
        }
        let script = club.with_key(&manager.issue_key(&json!({"name": "script"})).await);
        is_replay(&post(&script, FAVORITES, "k", &custom("A")).await, &first);
    })
    .await;
}

#[tokio::test]
async fn a_key_has_1_to_255_printable_characters() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for key in ["", " ", "\"\"", "tab\tkey", &"x".repeat(256), "\"", "ключ"] {
            let refused = manager.request(Method::POST, SEASONS).json(&season("Winter"));
            let value = reqwest::header::HeaderValue::from_bytes(key.as_bytes()).expect("a header");
            let refused = send(refused.header("idempotency-key", value)).await;
            if key == "\"" {
                assert_eq!(refused.status, 201, "a bare quotation mark is printable: {}", refused.text);
                continue;
            }
            is_problem(&refused, Code::InvalidParameter, key);
            assert_eq!(pointers(&refused), ["Idempotency-Key"]);
        }
        for key in ["x", &"x".repeat(255), "8e03978e-40d5-43dd-bc93-6894a57f9324", "a \"quoted\" key"] {
            let made = post(manager, SEASONS, key, &season(&format!("Season {}", key.len()))).await;
            assert_eq!(made.status, 201, "{key}: {}", made.text);
        }
        let twice = manager.request(Method::POST, SEASONS).json(&season("Twice"));
        let twice = send(twice.header("idempotency-key", "one").header("idempotency-key", "two")).await;
        is_problem(&twice, Code::InvalidParameter, "two keys");
    })
    .await;
}

#[tokio::test]
async fn a_response_with_a_secret_is_not_stored() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let first = post(owner, "/api/v1/api-keys", "k", &json!({"name": "A"})).await;
        assert_eq!(first.status, 201, "{}", first.text);
        let again = post(owner, "/api/v1/api-keys", "k", &json!({"name": "A"})).await;
        is_problem(&again, Code::AlreadyCreated, "the key is shown once");
        assert_eq!(again.body["id"], first.id());
        assert_eq!(again.text.matches(first.body["data"]["key"].as_str().expect("a key")).count(), 0);
        let other = post(owner, "/api/v1/api-keys", "k", &json!({"name": "B"})).await;
        is_problem(&other, Code::IdempotencyMismatch, "another body");
        assert_eq!(owner.get("/api/v1/api-keys").await.body["data"].as_array().map(Vec::len), Some(1));

        let login = json!({"email": owner.email, "password": crate::support::PASSWORD});
        let anonymous = club.anonymous();
        let first = post(&anonymous, "/api/v1/auth/login", "k", &login).await;
        assert_eq!(first.status, 200, "{}", first.text);
        let again = post(&anonymous, "/api/v1/auth/login", "k", &login).await;
        is_problem(&again, Code::AlreadyCreated, "a session's tokens");
        assert_eq!(again.body["id"], first.body["data"]["session_id"]);

        let first = post(&anonymous, FAVORITES, "guest", &custom("A")).await;
        let again = post(&anonymous, FAVORITES, "guest", &custom("A")).await;
        is_problem(&again, Code::AlreadyCreated, "a guest's token");
        assert_eq!((again.body["id"].as_str(), again.header("x-guest-token")), (Some(first.id()), ""));

        // The database file can be searched.
        let stored =
            club.database.folder().into_iter().flat_map(|folder| folder.read_dir().expect("a folder"));
        let token = first.header("x-guest-token").as_bytes();
        for file in stored.map(|file| file.expect("a file").path()).filter(|file| file.is_file()) {
            let bytes = std::fs::read(&file).expect("its bytes");
            assert!(
                !bytes.windows(token.len()).any(|part| part == token),
                "{} contains the token",
                file.display()
            );
        }
    })
    .await;
}

#[tokio::test]
async fn a_failed_or_validated_only_request_is_not_stored() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let tried = post(manager, &format!("{SEASONS}?validate_only=true"), "k", &season("Winter")).await;
        assert_eq!(tried.status, 201);
        let wrong = json!({"name": "", "sport": "netball", "time_zone": "UTC"});
        is_problem(&post(manager, SEASONS, "k", &wrong).await, Code::ValidationFailed, "a wrong body");
        let taken = manager.post(SEASONS, &season("Winter")).await;
        is_problem(
            &post(manager, SEASONS, "k", &season("Winter")).await,
            Code::Duplicate,
            "a name that is in use",
        );
        assert_eq!(manager.delete(&format!("{SEASONS}/{}", taken.id())).await.status, 200);
        let made = post(manager, SEASONS, "k", &season("Winter")).await;
        assert_eq!((made.status, made.header("idempotent-replayed")), (201, ""), "{}", made.text);
        let tried = post(manager, &format!("{SEASONS}?validate_only=true"), "k", &season("Other")).await;
        assert_eq!((tried.status, tried.header("idempotent-replayed")), (201, ""), "{}", tried.text);
    })
    .await;
}

#[tokio::test]
async fn twenty_concurrent_repetitions_have_one_effect() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut twins = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let manager = manager.clone();
            twins.spawn(async move { post(&manager, SEASONS, "twins", &season("Winter")).await });
        }
        let answers = twins.join_all().await;
        let first: Vec<_> =
            answers.iter().filter(|answer| answer.header("idempotent-replayed").is_empty()).collect();
        for answer in &answers {
            assert_eq!((answer.status, answer.id()), (201, first[0].id()), "{}", answer.text);
        }
        assert_eq!((first.len(), count(&club, SEASONS).await), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn twenty_concurrent_repetitions_of_a_guest_have_one_effect() {
    on_both(async |club| {
        let mut twins = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let anonymous = club.anonymous();
            twins.spawn(async move { post(&anonymous, FAVORITES, "twins", &custom("A")).await });
        }
        let answers = twins.join_all().await;
        let made: Vec<_> = answers.iter().filter(|answer| answer.status == 201).collect();
        assert_eq!(made.len(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            is_problem(answer, Code::AlreadyCreated, "a twin");
        }
    })
    .await;
}

/// On PostgreSQL. On SQLite, transactions run one after the other.
#[tokio::test]
async fn a_repetition_does_not_wait_long_for_a_request_that_is_still_running() {
    let club = Club::open(databases::postgres(), LimitOptions::default(), Clock::system()).await;
    let manager = club.member(Role::Manager);
    let slot = Slot {
        organization: Some(club.organization),
        caller: Sha256::digest(format!("user {}", manager.user.expect("a user"))).into(),
        operation: "seasons.create",
        key: "still running".to_owned(),
    };
    let (is_running, may_end) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, end) = (is_running.clone(), may_end.clone());
    let now = club.app.clock.now();
    let running = club.app.store.write("testing.running", async move |tx: &mut Tx<'_>| {
        assert_eq!(idempotency::find(tx, &slot, now).await?, None);
        told.notify_one();
        end.notified().await;
        idempotency::release(tx, &slot).await
    });
    let repeated = async {
        is_running.notified().await;
        let beside = post(manager, SEASONS, "still running", &season("Winter")).await;
        let other = post(manager, SEASONS, "another", &season("Summer")).await;
        may_end.notify_one();
        (beside, other)
    };
    let (ran, (beside, other)) = tokio::join!(running, repeated);
    ran.expect("the first request");
    is_problem(&beside, Code::IdempotencyInProgress, "beside it");
    assert_eq!(other.status, 201, "another key does not wait: {}", other.text);
    let again = post(manager, SEASONS, "still running", &season("Winter")).await;
    assert_eq!((again.status, count(&club, SEASONS).await), (201, 2), "{}", again.text);
}

#[tokio::test]
async fn a_repeated_import_is_not_run_again() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let first = post(manager, "/api/v1/imports/league", "k", &of(COBURG)).await;
        assert_eq!(first.body["data"]["counts"]["games_created"], 319);
        is_replay(&post(manager, "/api/v1/imports/league", "k", &of(COBURG)).await, &first);
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_needs_the_callers_current_permissions() {
    on_both(async |club| {
        let (manager, owner) = (club.member(Role::Manager), club.member(Role::Owner));
        let script = club.with_key(&manager.issue_key(&json!({"name": "script"})).await);
        assert_eq!(post(&script, SEASONS, "k", &season("Winter")).await.status, 201);
        let members = owner.get("/api/v1/members").await.body["data"].as_array().expect("a list").clone();
        let manager = members.iter().find(|member| member["role"] == "manager").expect("a manager");
        let path = format!("/api/v1/members/{}", manager["id"].as_str().expect("an id"));
        assert_eq!(owner.patch(&path, &json!({"role": "viewer"})).await.status, 200);
        is_problem(
            &post(&script, SEASONS, "k", &season("Winter")).await,
            Code::RoleInsufficient,
            "a lost role",
        );
    })
    .await;
}
