//! Expiry, tested by moving the server's clock: tokens, sessions, keys, stored responses, guests, delays.

use std::collections::BTreeMap;

use fieldhouse_domain::retention::Retained;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::workers;
use jiff::{SignedDuration, Timestamp};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::mail::sent;
use crate::support::{Answer, Club, PASSWORD, Person, address, on_both_in_held_time, send};

const PROFILE: &str = "/api/v1/profile/me";
const KEYS: &str = "/api/v1/api-keys";
const FAVORITES: &str = "/api/v1/colleges/favorites";
const SECOND: SignedDuration = SignedDuration::from_secs(1);

const fn days(days: i64) -> SignedDuration {
    SignedDuration::from_hours(24 * days)
}

async fn refresh(club: &Club, token: &str) -> Answer {
    club.anonymous().post("/api/v1/auth/refresh", &json!({"refresh_token": token})).await
}

fn text(answer: &Answer, name: &str) -> String {
    answer.body["data"][name].as_str().unwrap_or_else(|| panic!("{name} in {}", answer.body)).to_owned()
}

fn custom(college: &str) -> Value {
    json!({"custom": {"college_name": college, "sport": "softball"}})
}

/// Creates a key that lasts longer than any session of the test.
async fn keyed(club: &Club, role: Role) -> Person {
    club.with_key(&club.member(role).issue_key(&json!({"name": "Script"})).await)
}

#[tokio::test]
async fn an_access_token_expires_after_ten_minutes_used_or_not() {
    on_both_in_held_time(async |club| {
        let (used, unused) = (club.member(Role::Coach), club.member(Role::Viewer));
        assert_eq!(used.get(PROFILE).await.status, 200);
        club.pass(SignedDuration::from_mins(10) - SECOND);
        assert_eq!(used.get(PROFILE).await.status, 200);
        club.pass(SECOND);
        for person in [used, unused] {
            let ended = person.get(PROFILE).await;
            assert_eq!((ended.status, ended.code()), (401, "token_expired"), "{}", person.role);
        }
        let renewed = refresh(&club, &used.refresh_token).await;
        assert_eq!((renewed.status, &renewed.body["data"]["expires_in"]), (200, &json!(600)));
        let renewed = club.with_token(&text(&renewed, "access_token"));
        assert_eq!(renewed.get(PROFILE).await.status, 200);
        club.pass(SignedDuration::from_mins(10));
        assert_eq!(renewed.get(PROFILE).await.code(), "token_expired");
    })
    .await;
}

#[tokio::test]
async fn a_session_expires_after_thirty_days_however_often_it_is_refreshed() {
    on_both_in_held_time(async |club| {
        let mut token = club.member(Role::Coach).refresh_token.clone();
        for _ in 0..2 {
            club.pass(days(15) - SECOND);
            let renewed = refresh(&club, &token).await;
            assert_eq!(renewed.status, 200, "{}", renewed.text);
            token = text(&renewed, "refresh_token");
        }
        club.pass(SECOND + SECOND);
        let ended = refresh(&club, &token).await;
        assert_eq!((ended.status, ended.code()), (401, "token_expired"));
        let unused = refresh(&club, &club.member(Role::Viewer).refresh_token).await;
        assert_eq!((unused.status, unused.code()), (401, "token_expired"));
    })
    .await;
}

#[tokio::test]
async fn a_used_refresh_token_can_be_retried_once_within_thirty_seconds() {
    on_both_in_held_time(async |club| {
        let prompt = club.member(Role::Coach).refresh_token.clone();
        assert_eq!(refresh(&club, &prompt).await.status, 200);
        club.pass(SignedDuration::from_secs(30));
        assert_eq!(refresh(&club, &prompt).await.status, 200, "the response was lost");
        let late = club.member(Role::Admin).refresh_token.clone();
        let successor = text(&refresh(&club, &late).await, "refresh_token");
        club.pass(SignedDuration::from_secs(31));
        let refused = refresh(&club, &late).await;
        assert_eq!((refused.status, refused.code()), (401, "token_expired"));
        assert_eq!(refresh(&club, &successor).await.code(), "token_expired", "the session has ended");
    })
    .await;
}

#[tokio::test]
async fn a_session_can_create_keys_for_fifteen_minutes() {
    on_both_in_held_time(async |club| {
        let coach = club.member(Role::Coach);
        club.pass(SignedDuration::from_mins(8));
        let renewed = refresh(&club, &coach.refresh_token).await;
        let renewed = club.with_token(&text(&renewed, "access_token"));
        club.pass(SignedDuration::from_mins(7) - SECOND);
        renewed.issue_key(&json!({"name": "In time"})).await;
        club.pass(SECOND);
        let refused = renewed.post(KEYS, &json!({"name": "Late"})).await;
        assert_eq!((refused.status, refused.code()), (403, "session_too_old"), "a refresh is not a sign-in");
    })
    .await;
}

#[tokio::test]
async fn a_key_expires_after_ninety_days_or_at_its_own_time() {
    on_both_in_held_time(async |club| {
        let coach = club.member(Role::Coach);
        let long = club.with_key(&coach.issue_key(&json!({"name": "Long"})).await);
        let tomorrow: Timestamp = club.app.clock.now() + days(1);
        let wanted = json!({"name": "Short", "expires_at": tomorrow});
        let short = club.with_key(&coach.issue_key(&wanted).await);
        club.pass(days(1) - SECOND);
        assert_eq!((long.get(PROFILE).await.status, short.get(PROFILE).await.status), (200, 200));
        club.pass(SECOND);
        let ended = short.get(PROFILE).await;
        assert_eq!((ended.status, ended.code()), (401, "key_expired"));
        club.pass(days(89) - SECOND);
        assert_eq!(long.get(PROFILE).await.status, 200);
        let still = long.get("/api/v1/api-keys/current").await;
        assert_eq!(still.body["data"]["status"], "active");
        club.pass(SECOND);
        assert_eq!(long.get(PROFILE).await.code(), "key_expired");
    })
    .await;
}

#[tokio::test]
async fn a_response_is_stored_for_a_day_and_not_replayed_afterwards() {
    on_both_in_held_time(async |club| {
        let script = keyed(&club, Role::Manager).await;
        let save = async || {
            let request = script.request(Method::POST, FAVORITES).header("idempotency-key", "k");
            send(request.json(&custom("A"))).await
        };
        let first = save().await;
        assert_eq!((first.status, first.header("idempotent-replayed")), (201, ""));
        club.pass(days(1) - SECOND);
        let again = save().await;
        assert_eq!((again.status, again.header("idempotent-replayed")), (201, "true"));
        club.pass(SECOND);
        let fresh = save().await;
        assert_eq!((fresh.status, fresh.header("idempotent-replayed")), (200, ""), "it was saved before");
        // The new response is stored for another day.
        club.pass(days(1) - SECOND);
        assert_eq!(save().await.header("idempotent-replayed"), "true");
    })
    .await;
}

#[tokio::test]
async fn a_guests_list_and_token_expire_after_thirty_days() {
    on_both_in_held_time(async |club| {
        let first = club.anonymous().post(FAVORITES, &custom("One")).await;
        let token = first.header("x-guest-token").to_owned();
        let guest = |method| club.anonymous().request(method, FAVORITES).header("x-guest-token", &token);
        let list = async || send(guest(Method::GET)).await.body["data"].as_array().map(Vec::len);
        club.pass(days(30) - SECOND);
        assert_eq!(list().await, Some(1));
        club.pass(SECOND);
        assert_eq!(list().await, Some(0));
        let fresh = send(guest(Method::POST).json(&custom("Two"))).await;
        assert_eq!(fresh.status, 201, "{}", fresh.text);
        assert!(!fresh.header("x-guest-token").is_empty() && fresh.header("x-guest-token") != token);
        let claim = keyed_claim(&club, &token).await;
        assert_eq!((claim.status, claim.code()), (404, "not_found"));
    })
    .await;
}

/// Claims a guest's list with a key that is created now.
async fn keyed_claim(club: &Club, token: &str) -> Answer {
    let member = club.another_session(Role::Member).await;
    let request = member.request(Method::POST, "/api/v1/colleges/favorites/claim");
    send(request.header("x-guest-token", token)).await
}

#[tokio::test]
async fn expired_rows_are_purged_and_others_are_kept() {
    on_both_in_held_time(async |club| {
        let save = async || {
            let request = club.anonymous().request(Method::POST, FAVORITES).header("idempotency-key", "k");
            let answer = send(request.json(&custom("One"))).await;
            assert_eq!(answer.status, 201, "{}", answer.text);
        };
        let fail = async || {
            let body =
                json!({"email": address("riverside-club", Role::Coach), "password": "not the password"});
            assert_eq!(club.anonymous().post("/api/v1/auth/login", &body).await.status, 401);
        };
        let nothing = BTreeMap::new();
        save().await;
        fail().await;
        assert_eq!(workers::purge(&club.app).await, nothing);
        club.pass(days(1));
        assert_eq!(workers::purge(&club.app).await, nothing, "exactly a day has passed");
        club.pass(SECOND);
        let day = BTreeMap::from([(Retained::RepeatedResponses, 1), (Retained::FailedSignIns, 1)]);
        assert_eq!(workers::purge(&club.app).await, day);
        assert_eq!(workers::purge(&club.app).await, nothing, "already purged");
        save().await;
        club.pass(days(29));
        let month = BTreeMap::from([(Retained::GuestsPrograms, 1), (Retained::RepeatedResponses, 1)]);
        assert_eq!(workers::purge(&club.app).await, month, "the second guest has a day left");
    })
    .await;
}

#[tokio::test]
async fn ended_sessions_exports_and_finished_requests_are_purged() {
    on_both_in_held_time(async |club| {
        let (parent, admin) = (club.member(Role::Member), club.member(Role::Admin));
        let wanted = json!({"display_name": "Kim", "birth_date": "2014-05-06"});
        let child = text(&parent.post("/api/v1/children", &wanted).await, "child_id");
        let export = parent.post(&format!("/api/v1/children/{child}/exports"), &json!({})).await;
        assert_eq!(export.status, 201, "{}", export.text);
        let requests = "/api/v1/privacy-requests";
        for kind in ["export", "erasure"] {
            let request = parent.post(requests, &json!({"child_id": child, "kind": kind})).await;
            assert_eq!(request.status, 201, "{}", request.text);
            if kind == "export" {
                let refused = json!({"decision": "refused", "reason": "No"});
                let decided = admin.post(&format!("{requests}/{}/decide", request.id()), &refused).await;
                assert_eq!(decided.status, 200, "{}", decided.text);
            }
        }
        let purged = async |what: Retained| workers::purge(&club.app).await.remove(&what);
        club.pass(days(31));
        assert_eq!(purged(Retained::Exports).await, None, "exactly 30 days after the end of the link");
        club.pass(SECOND);
        assert_eq!(purged(Retained::Exports).await, Some(1));
        assert_eq!(purged(Retained::Sessions).await, None, "sessions have just ended");
        club.pass(days(29));
        assert!(purged(Retained::Sessions).await.is_some());
        club.pass(days(3 * 365 - 60) - SECOND);
        assert_eq!(purged(Retained::PrivacyRequests).await, None);
        club.pass(SECOND);
        assert_eq!(purged(Retained::PrivacyRequests).await, Some(1), "an open request is kept");
    })
    .await;
}

/// Joins the club with an invitation, as a user who has an account, and returns the number of saved programs.
async fn returned(club: &Club, email: &str) -> Option<usize> {
    let admin = club.sign_in(Role::Admin).await;
    let invited = admin.post("/api/v1/invitations", &json!({"email": email, "role": "member"})).await;
    assert_eq!(invited.status, 201, "{}", invited.text);
    let token = sent(club).await.pop().expect("a message").token();
    let accept = json!({"token": token, "password": PASSWORD});
    let accepted = club.anonymous().post("/api/v1/invitations/accept", &accept).await;
    assert_eq!(accepted.status, 200, "{}", accepted.text);
    let token = accepted.body["data"]["tokens"]["access_token"].as_str().expect("a token").to_owned();
    club.with_token(&token).get(FAVORITES).await.body["data"].as_array().map(Vec::len)
}

async fn remove(club: &Club, email: &str) {
    let admin = club.sign_in(Role::Admin).await;
    let members = admin.get("/api/v1/members?limit=100").await;
    let members = members.body["data"].as_array().expect("members");
    let member = members.iter().find(|member| member["user"]["email"] == email).expect("a member");
    let removed = admin.delete(&format!("/api/v1/members/{}", member["id"].as_str().expect("an id"))).await;
    assert_eq!(removed.status, 200, "{}", removed.text);
}

#[tokio::test]
async fn the_programs_of_a_removed_member_are_purged_unless_they_return_within_ninety_days() {
    on_both_in_held_time(async |club| {
        let (member, other) = (club.member(Role::Member), club.member(Role::Coach));
        for person in [member, other] {
            assert_eq!(person.post(FAVORITES, &custom("One")).await.status, 201);
        }
        remove(&club, &member.email).await;
        assert_eq!(member.get(FAVORITES).await.status, 401, "the list cannot be read meanwhile");
        club.pass(days(90) - SECOND);
        let programs = async || workers::purge(&club.app).await.remove(&Retained::FormerMembersPrograms);
        assert_eq!(programs().await, None);
        assert_eq!(returned(&club, &member.email).await, Some(1), "the list is there again");
        club.pass(days(90));
        assert_eq!(programs().await, None, "a member's list is never purged");
        remove(&club, &member.email).await;
        club.pass(days(90));
        assert_eq!(programs().await, Some(1));
        assert_eq!(returned(&club, &member.email).await, Some(0));
        assert_eq!(programs().await, None, "already purged");
    })
    .await;
}

#[tokio::test]
async fn old_images_of_the_ledger_are_cleared() {
    on_both_in_held_time(async |club| {
        // On PostgreSQL entries are posted by the database's clock, which the test cannot hold; so much more than 400 days pass.
        club.app.store.post_everything().await.expect("entries are posted");
        let images = async || workers::purge(&club.app).await.remove(&Retained::Images);
        assert_eq!(images().await, None);
        club.pass(days(2000));
        assert!(images().await.is_some());
        assert_eq!(images().await, None, "already cleared");
    })
    .await;
}

#[tokio::test]
async fn failed_sign_ins_delay_the_next_one_for_known_and_unknown_addresses_alike() {
    on_both_in_held_time(async |club| {
        let known = address("riverside-club", Role::Coach);
        let unknown = "unknown@riverside-club.example".to_owned();
        let login = async |email: &str, password: &str| {
            club.anonymous().post("/api/v1/auth/login", &json!({"email": email, "password": password})).await
        };
        let wrong = "not the password";
        for email in [&known, &unknown] {
            for _ in 0..3 {
                assert_eq!(login(email, wrong).await.status, 401, "three attempts have no delay");
            }
        }
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900] {
            for email in [&known, &unknown] {
                let refused = login(email, PASSWORD).await;
                assert_eq!((refused.status, refused.code()), (429, "rate_limited"), "after {seconds} s");
                let wait: i64 = refused.header("retry-after").parse().expect("seconds");
                assert!((seconds..=seconds + 1).contains(&wait), "{wait} for {seconds}");
            }
            club.pass(SignedDuration::from_secs(seconds) - SignedDuration::from_millis(1));
            assert_eq!(login(&known, PASSWORD).await.status, 429, "not yet");
            club.pass(SignedDuration::from_millis(1));
            for email in [&known, &unknown] {
                assert_eq!(login(email, wrong).await.status, 401, "after {seconds} s");
            }
        }
        let other = login(&address("riverside-club", Role::Viewer), PASSWORD).await;
        assert_eq!(other.status, 200, "others are not delayed");
        club.pass(SignedDuration::from_mins(15));
        assert_eq!(login(&known.to_uppercase(), PASSWORD).await.status, 200);
        for _ in 0..3 {
            assert_eq!(login(&known, wrong).await.status, 401, "a right password clears the count");
        }
    })
    .await;
}

#[tokio::test]
async fn sign_ins_that_run_at_once_do_not_get_around_the_delay() {
    on_both_in_held_time(async |club| {
        let body = json!({"email": address("riverside-club", Role::Coach), "password": "not the password"});
        let anyone = club.anonymous();
        let sign_ins = std::iter::repeat_with(|| anyone.post("/api/v1/auth/login", &body)).take(20);
        let answers = futures_util::future::join_all(sign_ins).await;
        let tried = answers.iter().filter(|answer| answer.status == 401).count();
        let delayed = answers.iter().filter(|answer| answer.status == 429).count();
        assert_eq!((tried, delayed), (3, 17));
    })
    .await;
}
