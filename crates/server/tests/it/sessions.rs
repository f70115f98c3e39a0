//! Sign-in and sessions. Access tokens are in `sessions/tokens.rs`.

mod attempts;
mod ends;
mod tokens;

use std::time::{Duration, Instant};

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Email;
use fieldhouse_domain::users::User;
use fieldhouse_server::auth::attempts::attempted;
use fieldhouse_store::users;
use fieldhouse_testing::clubs;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::fixtures::Fixture;
use crate::support::{Answer, Club, PASSWORD, address, on_both};

const LOGIN: &str = "/api/v1/auth/login";
const REFRESH: &str = "/api/v1/auth/refresh";
const SESSIONS: &str = "/api/v1/auth/sessions";
const PROFILE: &str = "/api/v1/profile/me";

fn email(role: Role) -> String {
    address("riverside-club", role)
}

async fn login(club: &Club, email: &str, password: &str) -> Answer {
    club.anonymous().post(LOGIN, &json!({"email": email, "password": password})).await
}

async fn refresh(club: &Club, token: &str) -> Answer {
    club.anonymous().post(REFRESH, &json!({"refresh_token": token})).await
}

fn text<'a>(answer: &'a Answer, name: &str) -> &'a str {
    answer.body["data"][name].as_str().unwrap_or_else(|| panic!("{name} in {}", answer.body))
}

/// A problem without the parts that differ between requests.
fn timeless(answer: &Answer) -> (u16, Value, Vec<String>) {
    let mut body = answer.body.clone();
    let fields = body.as_object_mut().expect("a problem");
    fields.remove("request_id");
    fields.remove("instance");
    let headers = answer.headers.iter().filter(|(name, _)| {
        !matches!(
            name.as_str(),
            "date" | "x-request-id" | "ratelimit" | "x-ratelimit-remaining" | "x-ratelimit-reset"
        )
    });
    (answer.status, body, headers.map(|(name, value)| format!("{name}: {value:?}")).collect())
}

/// Records failed sign-in attempts of an address from a source.
async fn fail(club: &Club, email: &str, (source, times): (&str, usize), at: Timestamp) {
    let attempted = attempted(&club.app, &email.to_lowercase(), source);
    for _ in 0..times {
        club.app.store.note_failed_sign_in(attempted, at).await.expect("a failure is counted");
    }
}

/// The source of the requests of all tests.
const HERE: &str = "127.0.0.1";

#[tokio::test]
async fn an_unknown_address_and_a_wrong_password_get_the_same_response_in_the_same_time() {
    on_both(async |club| {
        let (mut unknown, mut wrong) = (Duration::MAX, Duration::MAX);
        let comparable = |unknown: Duration, wrong: Duration| unknown * 3 > wrong && wrong * 3 > unknown;
        // The hash takes nearly all of the time, so that leaving it out would show. Other load can only slow one of the two down for a
        // while: the shortest times are compared, over more rounds if necessary.
        for round in 0..10 {
            for role in Role::ALL {
                let known = email(role);
                let stranger = format!("unknown-{role}-{round}@riverside-club.example");
                let started = Instant::now();
                let one = login(&club, &stranger, "not the password").await;
                unknown = unknown.min(started.elapsed());
                let started = Instant::now();
                let other = login(&club, &known, "not the password").await;
                wrong = wrong.min(started.elapsed());
                assert_eq!(one.code(), "invalid_credentials");
                assert_eq!(timeless(&one), timeless(&other));
                let known = attempted(&club.app, &known, HERE);
                club.app.store.note_sign_in(known, club.app.clock.now()).await.expect("failures are cleared");
            }
            if comparable(unknown, wrong) {
                break;
            }
        }
        assert!(comparable(unknown, wrong), "unknown {unknown:?}, wrong {wrong:?}");
    })
    .await;
}

#[tokio::test]
async fn a_sign_in_during_a_password_change_is_refused() {
    on_both(async |club| {
        let email = email(Role::Coach);
        // Other hashes keep the pool busy, so that the sign-in waits between reading the user and writing the session.
        let busy = (0..16).map(|_| {
            let (passwords, salt) = (club.app.passwords.clone(), club.app.clock.random());
            tokio::spawn(async move { passwords.turn()?.hash("of others".into(), salt).await.map(drop) })
        });
        let busy: Vec<_> = busy.collect();
        tokio::task::yield_now().await;
        let change = async {
            while club.app.attempts.count() == 0 {
                tokio::task::yield_now().await;
            }
            let parsed = Email::parse(&email).expect("an address");
            let user =
                users::by_email(&mut &*club.app.store, &parsed).await.expect("an answer").expect("the coach");
            let changed = User { password_hash: Some("of another password".to_owned()), ..user.clone() };
            let effect =
                Effect::update(&club.app.clock.moment(), AnyRecord::from(user), AnyRecord::from(changed));
            clubs::apply(&club.app.store, club.organization, effect.into_iter().collect())
                .await
                .expect("a change");
        };
        let (answer, ()) = tokio::join!(login(&club, &email, PASSWORD), change);
        assert_eq!((answer.status, answer.code()), (401, "invalid_credentials"), "{}", answer.body);
        for other in busy {
            other.await.expect("no panic").expect("a hash");
        }
    })
    .await;
}

#[tokio::test]
async fn a_user_with_several_organizations_must_choose_one() {
    on_both(async |club| {
        let neighbours = club.neighbours().await.get("/api/v1/organization").await;
        let coach = club.member(Role::Coach).get(PROFILE).await;
        let other = neighbours.id().parse().expect("an id");
        let mut fixture = Fixture::in_organization(&club, other, SignedDuration::ZERO).await;
        fixture.membership(coach.id().parse().expect("an id"), Role::Viewer);
        fixture.write().await;
        let unsaid = login(&club, &email(Role::Coach), PASSWORD).await;
        assert_eq!((unsaid.status, unsaid.code()), (422, "validation_failed"));
        assert_eq!(unsaid.body["organizations"], json!(["riverside-club", "neighbour-club"]));
        assert_eq!(unsaid.body["errors"][0]["pointer"], "/organization");
        for (named, role) in
            [("riverside-club", "coach"), ("neighbour-club", "viewer"), (neighbours.id(), "viewer")]
        {
            let body = json!({"email": email(Role::Coach), "password": PASSWORD, "organization": named});
            let answer = club.anonymous().post(LOGIN, &body).await;
            assert_eq!((answer.status, text(&answer, "role")), (200, role), "{named}");
            let here = club.with_token(text(&answer, "access_token")).get(PROFILE).await;
            assert_eq!(here.body["data"]["organization"], answer.body["data"]["organization"]);
            assert_eq!(here.body["data"]["memberships"].as_array().map(Vec::len), Some(2));
            let owner = club.with_token(text(&answer, "access_token"));
            let key = club.with_key(&owner.issue_key(&json!({"name": "Scoreboard"})).await);
            let profile = key.get(PROFILE).await.body;
            let memberships = profile["data"]["memberships"].as_array().expect("memberships");
            assert_eq!(memberships.len(), 1, "a key does not show its owner's other organizations");
            assert_eq!(memberships[0]["organization"], answer.body["data"]["organization"]);
        }
        let body =
            json!({"email": email(Role::Admin), "password": PASSWORD, "organization": "neighbour-club"});
        let foreign = club.anonymous().post(LOGIN, &body).await;
        assert_eq!((foreign.status, &foreign.body["organizations"]), (422, &json!(["riverside-club"])));
    })
    .await;
}

#[tokio::test]
async fn a_suspended_or_removed_user_cannot_sign_in() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let members = owner.get("/api/v1/members").await;
        let id = |role: Role| {
            let members = members.body["data"].as_array().expect("members").clone();
            let found = members.into_iter().find(|member| member["role"] == role.name());
            found.expect("a member")["id"].as_str().expect("an id").to_owned()
        };
        let coach = format!("/api/v1/members/{}", id(Role::Coach));
        assert_eq!(owner.patch(&coach, &json!({"suspended": true})).await.status, 200);
        assert_eq!(owner.delete(&format!("/api/v1/members/{}", id(Role::Member))).await.status, 200);
        for role in [Role::Coach, Role::Member] {
            let refused = login(&club, &email(role), PASSWORD).await;
            assert_eq!((refused.status, refused.code()), (403, "operation_forbidden"), "{role}");
            let wrong = login(&club, &email(role), "not the password").await;
            assert_eq!((wrong.status, wrong.code()), (401, "invalid_credentials"), "{role}");
            let token = &club.member(role).refresh_token;
            assert_eq!(refresh(&club, token).await.status, 401, "{role}");
        }
        assert_eq!(owner.patch(&coach, &json!({"suspended": false})).await.status, 200);
        assert_eq!(login(&club, &email(Role::Coach), PASSWORD).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_refresh_token_works_once_and_its_reuse_ends_the_session() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let first = &coach.refresh_token;
        let second = refresh(&club, first).await;
        assert_eq!(second.status, 200, "{}", second.body);
        assert_ne!(text(&second, "refresh_token"), first);
        let lost = refresh(&club, first).await;
        assert_eq!(lost.status, 200, "a lost response can be fetched once more: {}", lost.body);
        let third = refresh(&club, text(&lost, "refresh_token")).await;
        assert_eq!(third.status, 200, "{}", third.body);
        let access = club.with_token(text(&third, "access_token"));
        assert_eq!(access.get(PROFILE).await.status, 200);
        assert_eq!(coach.get(PROFILE).await.status, 200, "an earlier access token of the session is good");
        let again = refresh(&club, first).await;
        assert_eq!((again.status, again.code()), (401, "token_expired"));
        for person in [&access, coach] {
            let refused = person.get(PROFILE).await;
            assert_eq!((refused.status, refused.code()), (401, "token_expired"));
        }
        assert_eq!(refresh(&club, text(&third, "refresh_token")).await.code(), "token_expired");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_use_of_a_refresh_token_ends_the_session() {
    on_both(async |club| {
        let token = club.member(Role::Coach).refresh_token.clone();
        let tries: Vec<_> = (0..6)
            .map(|_| {
                let (person, body) = (club.anonymous(), json!({"refresh_token": token}));
                tokio::spawn(async move { person.post(REFRESH, &body).await })
            })
            .collect();
        let mut got = Vec::new();
        for answer in tries {
            let answer = answer.await.expect("a request");
            assert!(matches!(answer.status, 200 | 401), "{}", answer.body);
            got.extend((answer.status == 200).then_some(answer));
        }
        assert!((1..=2).contains(&got.len()), "one, and one retry: {}", got.len());
        for answer in got {
            assert_eq!(club.with_token(text(&answer, "access_token")).get(PROFILE).await.status, 401);
            assert_eq!(refresh(&club, text(&answer, "refresh_token")).await.status, 401);
        }
    })
    .await;
}

#[tokio::test]
async fn a_foreign_refresh_token_is_refused() {
    on_both(async |club| {
        let token = &club.member(Role::Coach).refresh_token;
        let middle = token.len() / 2;
        let other = if token.as_bytes()[middle] == b'A' { "B" } else { "A" };
        let tampered = format!("{}{other}{}", &token[..middle], &token[middle + 1..]);
        let (_, tail) = token.split_once('_').expect("a prefix");
        for wrong in ["", "fhr_", "fhr_AAAA", &tampered, &format!("fhg_{tail}"), &token[..token.len() - 1]] {
            let refused = refresh(&club, wrong).await;
            assert_eq!((refused.status, refused.code()), (401, "invalid_credentials"), "{wrong}");
        }
        assert_eq!(refresh(&club, token).await.status, 200, "the session still works");
    })
    .await;
}
