//! API keys: who can create one, what it permits, and that losing it takes effect at once. Revocation is in `api_keys/ends.rs`.

mod ends;

use fieldhouse_domain::roles::Role;
use fieldhouse_server::workers;
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::fixtures::Fixture;
use crate::support::{Club, Credential, Person, on_both, send};

const KEYS: &str = "/api/v1/api-keys";
const PROFILE: &str = "/api/v1/profile/me";
const SEASONS: &str = "/api/v1/seasons";

/// Issues a key. Returns the key and its record.
async fn issue(person: &Person, wanted: Value) -> (String, Value) {
    let answer = person.post(KEYS, &wanted).await;
    assert_eq!(answer.status, 201, "{}", answer.body);
    let record = answer.body["data"].clone();
    (record["key"].as_str().expect("a key").to_owned(), record)
}

fn path(record: &Value) -> String {
    format!("{KEYS}/{}", record["id"].as_str().expect("an id"))
}

fn time(value: &Value) -> Timestamp {
    value.as_str().expect("a time").parse().expect("a time")
}

#[tokio::test]
async fn a_key_has_its_owners_role_and_is_shown_once() {
    on_both(async |club| {
        for person in club.everyone() {
            let (key, record) = issue(person, json!({"name": "Scoreboard"})).await;
            assert!(key.starts_with("fhk_") && key.len() == 63, "{key}");
            assert!(key.starts_with(record["prefix"].as_str().expect("a prefix")));
            assert!(key.ends_with(record["last4"].as_str().expect("four letters")));
            assert_eq!((&record["name"], &record["kind"]), (&json!("Scoreboard"), &json!("personal")));
            assert_eq!((&record["role"], &record["status"]), (&json!(person.role.name()), &json!("active")));
            assert_eq!(record["organization_id"], json!(club.organization.to_string()));
            let holder = club.with_key(&key);
            let me = holder.get(PROFILE).await.body;
            assert_eq!((&me["data"]["id"], &me["data"]["role"]), (&record["user_id"], &record["role"]));
            assert_eq!(me["data"]["auth"]["key_id"], record["id"]);
            for answer in [
                holder.get(&format!("{KEYS}/current")).await,
                holder.get(&path(&record)).await,
                person.get(&path(&record)).await,
                person.get(KEYS).await,
            ] {
                assert_eq!(answer.status, 200, "{}", answer.body);
                assert!(!answer.text.contains(&key), "a key is shown once");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_key_can_be_created_only_in_a_fresh_session() {
    on_both(async |club| {
        let wanted = json!({"name": "Scoreboard"});
        let (key, _) = issue(club.member(Role::Owner), wanted.clone()).await;
        let refused = club.with_key(&key).post(KEYS, &wanted).await;
        assert_eq!((refused.status, refused.code()), (403, "session_required"));
        for (minutes, status) in [(14, 201), (15, 403), (60, 403)] {
            let mut fixture = Fixture::new(&club, SignedDuration::from_mins(minutes)).await;
            let member = fixture.member(Role::Manager);
            let session = fixture.session(member.user);
            fixture.write().await;
            let answer = club.with_token(&session.access_token).post(KEYS, &wanted).await;
            assert_eq!(answer.status, status, "{minutes} minutes: {}", answer.body);
            if status == 403 {
                assert_eq!(answer.code(), "session_too_old");
                let body = json!({"refresh_token": session.refresh_token});
                let renewed = club.anonymous().post("/api/v1/auth/refresh", &body).await;
                let token = renewed.body["data"]["access_token"].as_str().expect("a token");
                let answer = club.with_token(token).post(KEYS, &wanted).await;
                assert_eq!(answer.code(), "session_too_old", "a refresh is not a sign-in");
            }
        }
        assert_eq!(club.anonymous().post(KEYS, &wanted).await.code(), "unauthenticated");
    })
    .await;
}

#[tokio::test]
async fn a_key_lasts_90_days_by_default_and_366_at_most() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let (_, record) = issue(coach, json!({"name": "Scoreboard"})).await;
        let life = time(&record["expires_at"]).duration_since(time(&record["created_at"]));
        assert_eq!(life, SignedDuration::from_hours(90 * 24));
        let now = club.app.clock.now();
        let after = |hours: i64| now.saturating_add(SignedDuration::from_hours(hours)).expect("a time");
        let (_, record) = issue(coach, json!({"name": "Long", "expires_at": after(366 * 24)})).await;
        assert_eq!(time(&record["expires_at"]).as_second(), after(366 * 24).as_second());
        let finer = after(24).saturating_add(SignedDuration::from_nanos(1)).expect("a time");
        let (_, record) = issue(coach, json!({"name": "Finer", "expires_at": finer})).await;
        let read = coach.get(&format!("{KEYS}/{}", record["id"].as_str().expect("an id"))).await;
        assert_eq!(read.body["data"]["expires_at"], record["expires_at"], "the response is what is stored");
        for wrong in [after(366 * 24 + 1), after(0), after(-1)] {
            let refused = coach.post(KEYS, &json!({"name": "Scoreboard", "expires_at": wrong})).await;
            assert_eq!((refused.status, &refused.body["errors"][0]["pointer"]), (422, &json!("/expires_at")));
        }
    })
    .await;
}

#[tokio::test]
async fn every_field_of_a_new_key_is_checked() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        for (wanted, pointer) in [
            (json!({}), "/name"),
            (json!({"name": " "}), "/name"),
            (json!({"name": "x", "kind": "robot"}), "/kind"),
            (json!({"name": "x", "scopes": ["seasons:read", "seasons:own"]}), "/scopes/1"),
            (json!({"name": "x", "scopes": vec!["seasons:read"; 51]}), "/scopes"),
            (json!({"name": "x", "scopes": []}), "/scopes"),
            (json!({"name": "x", "scopes": ["seasons:read", "auth:write"]}), "/scopes/1"),
            (json!({"name": "x", "scopes": ["audit:write"]}), "/scopes/0"),
            (json!({"name": "x", "allowed_ips": []}), "/allowed_ips"),
            (json!({"name": "x", "allowed_ips": ["10.0.0.0/8"]}), "/allowed_ips/0"),
            (json!({"name": "x", "role": "owner"}), "/role"),
            (json!({"name": "x", "expires_at": "soon"}), "/expires_at"),
        ] {
            let refused = coach.post(KEYS, &wanted).await;
            assert_eq!((refused.status, refused.code()), (422, "validation_failed"), "{wanted}");
            assert_eq!(refused.body["errors"][0]["pointer"], pointer, "{}", refused.body);
        }
        assert_eq!(coach.get(KEYS).await.body["data"], json!([]), "none was issued");
    })
    .await;
}

#[tokio::test]
async fn scopes_narrow_and_never_widen() {
    on_both(async |club| {
        let season = |name: &str| json!({"name": name, "sport": "softball", "time_zone": "America/New_York"});
        let manager = club.member(Role::Manager);
        let (reads, _) = issue(manager, json!({"name": "x", "scopes": ["seasons:read"]})).await;
        let (writes, _) = issue(manager, json!({"name": "x", "scopes": ["seasons:write"]})).await;
        let (viewers, _) =
            issue(club.member(Role::Viewer), json!({"name": "x", "scopes": ["seasons:write"]})).await;
        let (reads, writes, viewers) =
            (club.with_key(&reads), club.with_key(&writes), club.with_key(&viewers));
        for key in [&reads, &writes, &viewers] {
            assert_eq!(key.get(SEASONS).await.status, 200);
            let refused = key.get(PROFILE).await;
            assert_eq!(
                (refused.code(), &refused.body["required_scope"]),
                ("scope_insufficient", &json!("profile:read"))
            );
        }
        assert_eq!(reads.post(SEASONS, &season("Spring")).await.code(), "scope_insufficient");
        assert_eq!(writes.post(SEASONS, &season("Spring")).await.status, 201);
        let refused = viewers.post(SEASONS, &season("Autumn")).await;
        assert_eq!(
            (refused.code(), &refused.body["required_role"]),
            ("role_insufficient", &json!("manager"))
        );
        let (agent, _) = issue(manager, json!({"name": "x", "kind": "agent"})).await;
        let refused = club.with_key(&agent).post(SEASONS, &season("Autumn")).await;
        assert_eq!(
            (refused.code(), &refused.body["required_scope"]),
            ("scope_insufficient", &json!("changesets:propose"))
        );
    })
    .await;
}

#[tokio::test]
async fn a_key_may_be_limited_to_addresses() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        for (addresses, status) in [
            (json!(["127.0.0.1"]), 200),
            (json!(["203.0.113.7", "127.0.0.1"]), 200),
            (json!(["::ffff:127.0.0.1"]), 200),
            (json!(["203.0.113.7"]), 403),
            (json!(["::1"]), 403),
        ] {
            let (key, record) = issue(coach, json!({"name": "Scoreboard", "allowed_ips": addresses})).await;
            let answer = club.with_key(&key).get(PROFILE).await;
            assert_eq!(answer.status, status, "{addresses}");
            let faked = club.with_key(&key).request(Method::GET, PROFILE);
            let faked =
                send(faked.header("x-forwarded-for", "203.0.113.7").header("forwarded", "for=203.0.113.7"));
            assert_eq!(faked.await.status, status, "{addresses}: a header is not the client's address");
            if status == 403 {
                assert_eq!(answer.code(), "ip_not_allowed");
                let read = club.with_key(&key).get(&path(&record)).await;
                assert_eq!(read.code(), "ip_not_allowed", "a key cannot read itself from elsewhere");
            }
            let ended = club.with_key(&key).delete(&path(&record)).await;
            assert_eq!(ended.status, 200, "{addresses}: the person who finds a key can revoke it");
            assert_eq!(club.with_key(&key).get(PROFILE).await.code(), "key_revoked");
        }
    })
    .await;
}

#[tokio::test]
async fn the_last_use_of_a_key_is_recorded() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let (key, record) = issue(coach, json!({"name": "Scoreboard"})).await;
        assert_eq!(record["last_used_at"], Value::Null);
        let before = club.app.clock.now();
        for _ in 0..3 {
            assert_eq!(club.with_key(&key).get(SEASONS).await.status, 200);
        }
        workers::flush(&club.app).await;
        let used = coach.get(&path(&record)).await.body["data"]["last_used_at"].clone();
        let age = time(&used).duration_since(before);
        assert!(age.abs() < SignedDuration::from_mins(1), "{used}");
        assert_eq!(club.with_key(&key).get(SEASONS).await.status, 200);
        workers::flush(&club.app).await;
        assert_eq!(coach.get(&path(&record)).await.body["data"]["last_used_at"], used, "to the minute");
    })
    .await;
}

/// A key with a changed last character, so that its checksum is wrong.
fn mistyped(key: &str) -> String {
    let (head, last) = key.split_at(key.len() - 1);
    format!("{head}{}", if last == "a" { "b" } else { "a" })
}

#[tokio::test]
async fn two_credentials_and_malformed_ones_are_refused_by_every_operation() {
    on_both(async |club: Club| {
        let coach = club.member(Role::Coach);
        let (key, _) = issue(coach, json!({"name": "Scoreboard"})).await;
        let Credential::Session(token) = &coach.credential else { panic!("a session") };
        for path in [PROFILE, "/api/v1/colleges/favorites"] {
            let request = || club.anonymous().request(Method::GET, path);
            for both in [
                request().header("x-api-key", &key).bearer_auth(token),
                request().header("x-api-key", &key).header("x-api-key", &key),
                request().header("x-api-key", "").bearer_auth(token),
                request().header("x-api-key", &key).header("authorization", ""),
            ] {
                let answer = send(both).await;
                assert_eq!((answer.status, answer.code()), (400, "ambiguous_credentials"), "{path}");
            }
            let (unprefixed, mistyped) = (&key[4..], mistyped(&key));
            let stranger = fieldhouse_domain::api_keys::KeyText::new(1, [1; 32]);
            let wrong = [
                "",
                "x",
                unprefixed,
                &mistyped,
                stranger.reveal(),
                &key.to_uppercase(),
                &format!("{key}, {key}"),
            ];
            for wrong in wrong {
                let answer = send(request().header("x-api-key", wrong)).await;
                assert_eq!((answer.status, answer.code()), (401, "invalid_credentials"), "{path} {wrong}");
            }
            let answer = send(request().bearer_auth(&key)).await;
            assert_eq!(answer.code(), "invalid_credentials", "a key is not a bearer token");
        }
        assert_eq!(club.with_key(&key).get(PROFILE).await.status, 200);
    })
    .await;
}
