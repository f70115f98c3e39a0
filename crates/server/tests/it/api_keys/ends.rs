//! Which keys a caller can see and revoke, and that revocation, demotion, removal and suspension take effect with the next request.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{KEYS, PROFILE, SEASONS, issue, path};
use crate::support::fixtures::Fixture;
use crate::support::{Person, on_both};

#[tokio::test]
async fn a_user_sees_their_own_keys_an_admin_all_keys_and_a_key_itself() {
    on_both(async |club| {
        let (coach, admin) = (club.member(Role::Coach), club.member(Role::Admin));
        let (first_text, first) = issue(coach, json!({"name": "First"})).await;
        let (_, second) = issue(coach, json!({"name": "Second"})).await;
        let (admins_text, admins) = issue(admin, json!({"name": "Admin's"})).await;
        let names = |answer: &Value| {
            let keys = answer["data"].as_array().expect("keys");
            keys.iter().map(|key| key["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&coach.get(KEYS).await.body), ["Second", "First"], "the newest first");
        assert_eq!(names(&admin.get(KEYS).await.body), ["Admin's", "Second", "First"]);
        assert_eq!(names(&club.member(Role::Manager).get(KEYS).await.body), Vec::<String>::new());
        assert_eq!(names(&club.neighbours().await.get(KEYS).await.body), Vec::<String>::new());
        let (key, admins_key) = (club.with_key(&first_text), club.with_key(&admins_text));
        for (caller, record, status) in [
            (coach, &second, 200),
            (coach, &admins, 404),
            (admin, &first, 200),
            (club.member(Role::Manager), &first, 404),
            (&key, &first, 200),
            (&key, &second, 404),
            (&admins_key, &first, 404),
        ] {
            assert_eq!(caller.get(&path(record)).await.status, status, "{}", record["name"]);
        }
        for (caller, record) in [(coach, &admins), (&key, &second), (&admins_key, &first)] {
            assert_eq!(caller.delete(&path(record)).await.code(), "not_found", "{}", record["name"]);
        }
        assert_eq!(key.get(&format!("{KEYS}/current")).await.body["data"]["id"], first["id"]);
        assert_eq!(coach.get(&format!("{KEYS}/current")).await.code(), "not_found", "a session is no key");
    })
    .await;
}

#[tokio::test]
async fn an_admin_neither_sees_nor_revokes_the_keys_of_a_higher_role() {
    on_both(async |club| {
        let (owner, admin) = (club.member(Role::Owner), club.member(Role::Admin));
        let (text, owners) = issue(owner, json!({"name": "Owner's"})).await;
        let (_, admins) = issue(admin, json!({"name": "Admin's"})).await;
        let names = async |person: &Person| {
            let keys = person.get(KEYS).await.body["data"].as_array().expect("keys").clone();
            keys.iter().map(|key| key["name"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(admin).await, ["Admin's"]);
        assert_eq!(names(owner).await, ["Admin's", "Owner's"]);
        assert_eq!(admin.get(&path(&owners)).await.code(), "not_found");
        let refused = admin.delete(&path(&owners)).await;
        assert_eq!((refused.status, refused.code()), (403, "operation_forbidden"));
        assert_eq!(club.with_key(&text).get(PROFILE).await.status, 200, "the key still works");

        // What counts is the role today, not the one that the key was issued with.
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let second = fixture.member(Role::Owner);
        let (key, _) = fixture.key(second.user, Role::Owner);
        fixture.write().await;
        let second_key = format!("{KEYS}/{key}");
        assert_eq!(admin.delete(&second_key).await.code(), "operation_forbidden");
        let lowered =
            owner.patch(&format!("/api/v1/members/{}", second.member), &json!({"role": "coach"})).await;
        assert_eq!(lowered.status, 200, "{}", lowered.body);
        assert_eq!(admin.delete(&second_key).await.status, 200);
        assert_eq!(owner.delete(&path(&admins)).await.status, 200, "a higher role may");
    })
    .await;
}

#[tokio::test]
async fn a_revoked_key_is_refused_from_the_next_request_on() {
    on_both(async |club| {
        let coach = club.member(Role::Coach);
        let key = club.with_key(&coach.issue_key(&json!({"name": "Lost"})).await);
        let (by_itself, by_owner, by_admin) = (0, 1, 2);
        for by in [by_itself, by_owner, by_admin] {
            let (text, record) = issue(coach, json!({"name": "Scoreboard"})).await;
            let holder = club.with_key(&text);
            assert_eq!(holder.get(PROFILE).await.status, 200);
            let revoker = [&holder, coach, club.member(Role::Admin)][by];
            let ended = revoker.delete(&path(&record)).await;
            let id = &record["id"];
            assert_eq!((ended.status, ended.body), (200, json!({"data": {"id": id, "deleted": true}})));
            let refused = holder.get(PROFILE).await;
            assert_eq!((refused.status, refused.code()), (401, "key_revoked"));
            let now = coach.get(&path(&record)).await.body;
            assert_eq!(now["data"]["status"], "revoked");
            assert!(now["data"]["revoked_at"].is_string());
            let again = coach.delete(&path(&record)).await;
            assert_eq!(again.status, 200, "a revoked key can be revoked again");
            assert_eq!(coach.get(&path(&record)).await.body, now, "and stays as it was");
        }
        assert_eq!(key.get(PROFILE).await.status, 200, "other keys go on");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_the_owner_affects_their_keys_at_once() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let season = |name: &str| json!({"name": name, "sport": "softball", "time_zone": "America/New_York"});
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let member = fixture.member(Role::Manager);
        let key = club.with_key(&fixture.key(member.user, Role::Manager).1);
        fixture.write().await;
        let member = format!("/api/v1/members/{}", member.member);
        let change = async |body: Value| assert_eq!(owner.patch(&member, &body).await.status, 200);
        assert_eq!(key.post(SEASONS, &season("One")).await.status, 201);
        change(json!({"role": "viewer"})).await;
        assert_eq!(key.post(SEASONS, &season("Two")).await.code(), "role_insufficient");
        assert_eq!(key.get(SEASONS).await.status, 200);
        change(json!({"role": "owner"})).await;
        assert_eq!(
            key.get(PROFILE).await.body["data"]["role"],
            "manager",
            "never more than the role it was issued with"
        );
        assert_eq!(key.post(SEASONS, &season("Two")).await.status, 201);
        change(json!({"suspended": true})).await;
        assert_eq!(key.get(SEASONS).await.code(), "invalid_credentials");
        change(json!({"suspended": false})).await;
        assert_eq!(key.get(SEASONS).await.status, 200);
        assert_eq!(owner.delete(&member).await.status, 200);
        assert_eq!(key.get(SEASONS).await.code(), "key_revoked");
    })
    .await;
}

/// Sends reads in a loop. Returns the number of successful requests, and how many of them began after the revocation was acknowledged.
async fn read_repeatedly(person: Person, acknowledged: Arc<AtomicBool>) -> (usize, usize) {
    let (mut served, mut late) = (0, 0);
    loop {
        let after = acknowledged.load(Ordering::SeqCst);
        let answer = person.get(SEASONS).await;
        match (answer.status, answer.code()) {
            (200, _) => {
                served += 1;
                late += usize::from(after);
                // So that a fast server does not reach the limit of requests.
                tokio::time::sleep(Duration::from_millis(8)).await;
            }
            (401, "key_revoked") if after => return (served, late),
            // Running during the revocation: refused before the revoking client got its response.
            (401, "key_revoked") => {}
            _ => panic!("{}", answer.body),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_request_that_starts_after_an_acknowledged_revocation_is_served() {
    on_both(async |club| {
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let members = [(); 2].map(|()| fixture.member(Role::Viewer));
        let keys = members.map(|member| fixture.key(member.user, Role::Viewer));
        fixture.write().await;
        let admin = club.member(Role::Admin);
        for (id, text) in keys {
            let acknowledged = Arc::new(AtomicBool::new(false));
            let readers: Vec<_> = (0..50)
                .map(|_| tokio::spawn(read_repeatedly(club.with_key(&text), acknowledged.clone())))
                .collect();
            tokio::time::sleep(Duration::from_millis(100)).await;
            let revoked = admin.delete(&format!("{KEYS}/{id}")).await;
            acknowledged.store(true, Ordering::SeqCst);
            assert_eq!(revoked.status, 200, "{}", revoked.body);
            let (mut served, mut late) = (0, 0);
            for reader in readers {
                let (one, other) = reader.await.expect("a reader");
                served += one;
                late += other;
            }
            assert!(served >= 50, "too few reads to tell: {served}");
            assert_eq!(late, 0, "served after the revocation was acknowledged");
        }
    })
    .await;
}

#[tokio::test]
async fn keys_are_listed_in_pages_with_cursors_for_one_caller() {
    on_both(async |club| {
        let (coach, admin) = (club.member(Role::Coach), club.member(Role::Admin));
        for at in 0..5 {
            issue(coach, json!({"name": format!("Key {at}")})).await;
        }
        let first = coach.get(&format!("{KEYS}?limit=2")).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor").to_owned();
        assert_eq!(first.body["page"], json!({"limit": 2, "has_more": true, "next_cursor": cursor}));
        let second = coach.get(&format!("{KEYS}?limit=2&cursor={cursor}")).await;
        let link = second.header("link").to_owned();
        let next = link.strip_prefix('<').and_then(|link| link.split_once(">; rel=\"next\""));
        let third = coach.get(next.expect("a link").0).await;
        assert_eq!(third.body["page"], json!({"limit": 2, "has_more": false, "next_cursor": null}));
        let mut names = Vec::new();
        for page in [&first, &second, &third] {
            for key in page.body["data"].as_array().expect("keys") {
                names.push(key["name"].as_str().expect("a name").to_owned());
            }
        }
        assert_eq!(names, ["Key 4", "Key 3", "Key 2", "Key 1", "Key 0"]);
        let flipped = format!("{}{}", if cursor.starts_with('A') { "B" } else { "A" }, &cursor[1..]);
        for (caller, path) in [
            (admin, format!("{KEYS}?cursor={cursor}")),
            (&club.neighbours().await, format!("{KEYS}?cursor={cursor}")),
            (coach, format!("/api/v1/auth/sessions?cursor={cursor}")),
            (coach, format!("{KEYS}?cursor={flipped}")),
            (coach, format!("{KEYS}?cursor=")),
            (coach, format!("{KEYS}?cursor=x")),
        ] {
            let refused = caller.get(&path).await;
            assert_eq!((refused.status, refused.code()), (400, "invalid_cursor"), "{path}");
        }
        for limit in ["0", "101", "-1", "two"] {
            let refused = coach.get(&format!("{KEYS}?limit={limit}")).await;
            assert_eq!((refused.status, refused.code()), (400, "invalid_parameter"), "{limit}");
        }
    })
    .await;
}
