//! Rate limits: a caller whose bucket is empty is told how long to wait, and other callers are not affected.

use std::num::NonZeroU32;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_testing::databases::both;
use reqwest::Method;
use serde_json::json;

use super::is_problem;
use crate::support::{Answer, Club, Person, on_both, send};

/// Runs a test on both engines with these limits.
async fn under(limits: LimitOptions, test: impl AsyncFn(Club)) {
    for database in both() {
        test(Club::open(database, limits, Clock::system()).await).await;
    }
}

fn some(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).expect("a limit")
}

#[track_caller]
fn is_limited(answer: &Answer, name: &str, limit: u32) {
    is_problem(answer, Code::RateLimited, name);
    let window = if name == "guest-creation" { 3600 } else { 60 };
    let wait: u64 = answer.header("retry-after").parse().expect("seconds");
    assert!((1..=window).contains(&wait), "{wait}");
    assert_eq!(answer.header("ratelimit-policy"), format!("\"{name}\";q={limit};w={window}"));
    assert!(answer.header("ratelimit").starts_with(&format!("\"{name}\";r=0;t=")));
    assert_eq!(answer.header("x-ratelimit-limit"), limit.to_string());
    assert_eq!(answer.header("x-ratelimit-remaining"), "0");
    for name in ["retry-after", "ratelimit", "ratelimit-policy", "x-ratelimit-limit", "x-ratelimit-reset"] {
        assert_eq!(answer.headers.get_all(name).iter().count(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_user_above_the_limit_waits_and_others_do_not() {
    under(LimitOptions { user: some(5), ..LimitOptions::default() }, async |club| {
        let coach = club.member(Role::Coach);
        for remaining in (0..5).rev() {
            let answer = coach.get("/api/v1/profile/me").await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            assert_eq!(answer.header("x-ratelimit-remaining"), remaining.to_string());
        }
        is_limited(&coach.get("/api/v1/profile/me").await, "user", 5);
        is_limited(&coach.get("/api/v1/members").await, "user", 5);
        assert_eq!(club.member(Role::Viewer).get("/api/v1/profile/me").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_key_has_a_limit_of_its_own() {
    under(LimitOptions { key: some(2), ..LimitOptions::default() }, async |club| {
        let owner = club.member(Role::Owner);
        let key = club.with_key(&owner.issue_key(&json!({"name": "busy"})).await);
        let other = club.with_key(&owner.issue_key(&json!({"name": "quiet"})).await);
        for _ in 0..2 {
            assert_eq!(key.get("/api/v1/seasons").await.status, 200);
        }
        is_limited(&key.get("/api/v1/seasons").await, "key", 2);
        assert_eq!(other.get("/api/v1/seasons").await.status, 200);
        assert_eq!(owner.get("/api/v1/seasons").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn requests_refused_for_a_key_do_not_count_for_its_organization() {
    let limits =
        LimitOptions { key: some(2), user: some(4), organization: some(9), ..LimitOptions::default() };
    under(limits, async |club| {
        let owner = club.member(Role::Owner);
        let key = club.with_key(&owner.issue_key(&json!({"name": "busy"})).await);
        for _ in 0..2 {
            assert_eq!(key.get("/api/v1/seasons").await.status, 200);
        }
        for _ in 0..20 {
            is_limited(&key.get("/api/v1/seasons").await, "key", 2);
        }
        assert_eq!(owner.get("/api/v1/seasons").await.status, 200);
        is_limited(&owner.get("/api/v1/seasons").await, "user", 4);
        for role in [Role::Viewer, Role::Coach, Role::Manager, Role::Member, Role::Admin] {
            assert_eq!(club.member(role).get("/api/v1/seasons").await.status, 200, "{role}");
        }
    })
    .await;
}

#[tokio::test]
async fn each_organization_has_a_limit_of_its_own() {
    under(LimitOptions { organization: some(3), ..LimitOptions::default() }, async |club| {
        let neighbour = club.neighbours().await;
        for role in [Role::Viewer, Role::Coach, Role::Owner] {
            assert_eq!(club.member(role).get("/api/v1/seasons").await.status, 200);
        }
        is_limited(&club.member(Role::Manager).get("/api/v1/seasons").await, "organization", 3);
        assert_eq!(neighbour.get("/api/v1/seasons").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn guessing_credentials_uses_up_the_limit_of_the_address() {
    under(LimitOptions { address: some(3), ..LimitOptions::default() }, async |club| {
        for guess in ["fhk_one", "fhk_two", "fhk_three"] {
            let answer = club.with_key(guess).get("/api/v1/seasons").await;
            is_problem(&answer, Code::InvalidCredentials, guess);
        }
        is_limited(&club.with_key("fhk_four").get("/api/v1/seasons").await, "address", 3);
        is_limited(&club.anonymous().get("/api/v1/colleges").await, "address", 3);
        is_limited(&club.anonymous().get("/api/v1/seasons").await, "address", 3);
        assert_eq!(club.member(Role::Viewer).get("/api/v1/seasons").await.status, 200);
    })
    .await;
}

/// Saves a college without a credential.
async fn save(person: &Person, name: &str) -> Answer {
    let college = json!({"custom": {"college_name": name, "sport": "softball"}});
    person.post("/api/v1/colleges/favorites", &college).await
}

#[tokio::test]
async fn six_hundred_new_guests_do_not_affect_other_callers() {
    on_both(async |club| {
        let (anonymous, owner) = (club.anonymous(), club.member(Role::Owner));
        let mut created = 0;
        for number in 0..600 {
            let answer = save(&anonymous, &format!("College {number}")).await;
            if answer.status == 201 {
                created += 1;
            } else {
                is_limited(&answer, "guest-creation", 20);
                let wait: u64 = answer.header("retry-after").parse().expect("seconds");
                assert!((1..=181).contains(&wait), "the next guest is possible after three minutes: {wait}");
            }
        }
        assert_eq!(created, 20, "no more refill within three minutes");
        for path in ["/healthz", "/readyz", "/api/v1/colleges"] {
            assert_eq!(anonymous.get(path).await.status, 200, "{path}");
        }
        club.sign_in(Role::Coach).await;
        let refresh = json!({"refresh_token": owner.refresh_token});
        assert_eq!(anonymous.post("/api/v1/auth/refresh", &refresh).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn an_existing_guest_is_not_counted_as_a_new_one() {
    under(LimitOptions { guests: some(1), ..LimitOptions::default() }, async |club| {
        let saved = save(&club.anonymous(), "Bethel").await;
        let token = saved.header("x-guest-token").to_owned();
        assert_eq!(saved.status, 201, "{}", saved.text);
        is_limited(&save(&club.anonymous(), "Bethel").await, "guest-creation", 1);
        let college = json!({"custom": {"college_name": "Wellesley", "sport": "softball"}});
        let again = club.anonymous().request(Method::POST, "/api/v1/colleges/favorites").json(&college);
        let answer = send(again.header("x-guest-token", token)).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert!(answer.header("ratelimit").starts_with("\"address\";"), "{}", answer.header("ratelimit"));
    })
    .await;
}

#[tokio::test]
async fn sign_in_and_refresh_have_buckets_of_their_own() {
    let limits =
        LimitOptions { sign_in: some(1), refresh: some(1), address: some(1), ..LimitOptions::default() };
    under(limits, async |club| {
        let anonymous = club.anonymous();
        let refresh = json!({"refresh_token": club.member(Role::Owner).refresh_token});
        assert_eq!(anonymous.post("/api/v1/auth/refresh", &refresh).await.status, 200);
        is_limited(&anonymous.post("/api/v1/auth/refresh", &refresh).await, "refresh", 1);
        club.sign_in(Role::Viewer).await;
        let login = json!({"email": "unknown@club.example", "password": "a wrong password"});
        is_limited(&anonymous.post("/api/v1/auth/login", &login).await, "sign-in", 1);
        assert_eq!(anonymous.get("/api/v1/colleges").await.status, 200);
        is_limited(&anonymous.get("/api/v1/colleges").await, "address", 1);
        for _ in 0..700 {
            assert_eq!(anonymous.get("/healthz").await.status, 200, "probes are not counted");
        }
        assert_eq!(anonymous.get("/readyz").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn the_headers_describe_the_bucket_with_the_least_left() {
    on_both(async |club| {
        let answer = club.member(Role::Viewer).get("/api/v1/seasons").await;
        assert!(answer.header("ratelimit").starts_with("\"user\";r=2399;"), "{}", answer.header("ratelimit"));
        let answer = club.anonymous().get("/api/v1/colleges").await;
        assert!(answer.header("ratelimit").starts_with("\"address\";r="), "{}", answer.header("ratelimit"));
    })
    .await;
}
