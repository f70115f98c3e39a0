//! Members: who belongs to the club, and what members with higher roles may do to them.

use fieldhouse_api::Code;
use fieldhouse_domain::ids::MemberId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::records;
use fieldhouse_testing::clubs;
use jiff::SignedDuration;
use reqwest::Method;
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::{Club, PASSWORD, Person, on_both, on_both_in_held_time, send};

const MEMBERS: &str = "/api/v1/members";

async fn list(person: &Person) -> Vec<Value> {
    let answer = person.get(MEMBERS).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"].as_array().expect("a list").clone()
}

/// The membership of the member with a role.
async fn membership(club: &Club, role: Role) -> Value {
    let email = &club.member(role).email;
    let members = list(club.member(Role::Owner)).await;
    members.into_iter().find(|member| member["user"]["email"] == *email).expect("a member")
}

async fn address(club: &Club, role: Role) -> String {
    let member = membership(club, role).await;
    format!("{MEMBERS}/{}", member["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn a_changed_role_has_the_time_at_which_it_was_given() {
    on_both_in_held_time(async |club| {
        let (admin, path) = (club.member(Role::Admin), address(&club, Role::Coach).await);
        club.pass(SignedDuration::from_mins(5));
        let changed = admin.patch(&path, &json!({"role": "manager"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let id: MemberId = changed.id().parse().expect("an id");
        let read = clubs::write(&club.app.store, club.organization, async move |tx, proof| {
            records::read::<Member, _>(tx, proof, id).await
        });
        let member = read.await.expect("the store answers").expect("a member");
        assert_eq!((member.role_given_by, member.role_given_at), (admin.user, Some(club.app.clock.now())));
    })
    .await;
}

#[tokio::test]
async fn a_manager_sees_who_belongs_to_the_club() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        let manager = club.member(Role::Manager);
        let members = list(manager).await;
        let mut roles: Vec<_> = members.iter().filter_map(|member| member["role"].as_str()).collect();
        roles.sort_unstable();
        assert_eq!(roles, ["admin", "coach", "manager", "member", "owner", "viewer"]);
        for member in &members {
            let id = member["id"].as_str().expect("an id");
            assert!(id.starts_with("mem_"));
            let read = manager.get(&format!("{MEMBERS}/{id}")).await;
            assert_eq!((read.status, &read.body["data"]), (200, member));
            assert!(read.header("etag").starts_with("\"1-"));
            assert_eq!(member["suspended_at"], json!(null));
            let role: Role = member["role"].as_str().expect("a role").parse().expect("a role");
            assert_eq!(member["user"]["email"], club.member(role).email);
            assert_eq!(member["user"]["name"], format!("{role} of Riverside Club"));
            assert!(member["joined_at"].as_str().is_some_and(|at| at.ends_with('Z')));
            is_problem(
                &neighbour.get(&format!("{MEMBERS}/{id}")).await,
                Code::NotFound,
                "a neighbour's member",
            );
        }
        assert_eq!(list(&neighbour).await.len(), 6);
        is_problem(&club.member(Role::Coach).get(MEMBERS).await, Code::RoleInsufficient, "a coach");
    })
    .await;
}

#[tokio::test]
async fn members_who_joined_at_the_same_time_are_listed_in_pages() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let whole = list(manager).await;
        for limit in 1..=6 {
            let (mut path, mut gathered) = (format!("{MEMBERS}?limit={limit}"), Vec::new());
            loop {
                let page = manager.get(&path).await;
                gathered.extend(page.body["data"].as_array().expect("a list").iter().cloned());
                let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
                path = format!("{MEMBERS}?limit={limit}&cursor={cursor}");
            }
            assert_eq!(gathered, whole, "by {limit}");
        }
    })
    .await;
}

#[tokio::test]
async fn members_are_found_by_name_address_and_role_and_sorted() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let roles = async |query: &str| {
            let answer = manager.get(&format!("{MEMBERS}?{query}")).await;
            assert_eq!(answer.status, 200, "{query}: {}", answer.text);
            let members = answer.body["data"].as_array().expect("a list").clone();
            members.iter().map(|it| it["role"].as_str().expect("a role").to_owned()).collect::<Vec<_>>()
        };
        let by_name = ["admin", "coach", "manager", "member", "owner", "viewer"];
        assert_eq!(roles("sort=name").await, by_name);
        assert_eq!(roles("sort=-name").await, by_name.into_iter().rev().collect::<Vec<_>>());
        let (earliest, latest) = (roles("sort=joined_at").await, roles("sort=-joined_at").await);
        assert_eq!(latest, earliest.into_iter().rev().collect::<Vec<_>>());
        assert_eq!(roles("q=RIVERSIDE+coach").await, ["coach"]);
        assert_eq!(roles(&format!("q={}", club.member(Role::Owner).email)).await, ["owner"]);
        assert_eq!(roles("role=coach").await, ["coach"]);
        assert_eq!(roles("role=coach&q=owner").await, Vec::<String>::new());
        let page = manager.get(&format!("{MEMBERS}?sort=-name&limit=4")).await;
        let cursor = page.body["page"]["next_cursor"].as_str().expect("another page");
        assert_eq!(roles(&format!("sort=-name&limit=4&cursor={cursor}")).await, ["coach", "admin"]);
        let other = manager.get(&format!("{MEMBERS}?sort=name&limit=4&cursor={cursor}")).await;
        is_problem(&other, Code::InvalidCursor, "the cursor of another order");
        let unknown = manager.get(&format!("{MEMBERS}?sort=email")).await;
        is_problem(&unknown, Code::InvalidParameter, "an order that there is not");
    })
    .await;
}

#[tokio::test]
async fn a_new_role_takes_effect_with_the_next_request() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let key = club.with_key(&coach.issue_key(&json!({"name": "a key"})).await);
        let path = address(&club, Role::Coach).await;
        let changed = admin.patch(&path, &json!({"role": "manager"})).await;
        assert_eq!(
            (changed.status, &changed.body["data"]["role"]),
            (200, &json!("manager")),
            "{}",
            changed.text
        );
        assert_eq!(
            (changed.header("etag").get(..3), &changed.body["data"]["version"]),
            (Some("\"2-"), &json!(2))
        );
        is_problem(&coach.get(MEMBERS).await, Code::TokenExpired, "the session has ended");
        is_problem(
            &key.get(MEMBERS).await,
            Code::RoleInsufficient,
            "a key keeps the role it was issued with",
        );
        let fresh = club.another_session(Role::Coach).await;
        assert_eq!(fresh.get(MEMBERS).await.status, 200);
        assert_eq!(admin.patch(&path, &json!({"role": "viewer"})).await.status, 200);
        let key_now = key.get("/api/v1/profile/me").await;
        assert_eq!((key_now.status, &key_now.body["data"]["role"]), (200, &json!("viewer")));
        assert_eq!(
            admin.patch(&path, &json!({"role": "viewer"})).await.body["data"]["version"],
            3,
            "unchanged"
        );
    })
    .await;
}

#[tokio::test]
async fn a_suspended_member_is_refused_until_the_suspension_ends() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let key = club.with_key(&coach.issue_key(&json!({"name": "a key"})).await);
        let path = address(&club, Role::Coach).await;
        let suspended = admin.patch(&path, &json!({"suspended": true})).await;
        assert!(suspended.body["data"]["suspended_at"].is_string(), "{}", suspended.text);
        let again = admin.patch(&path, &json!({"suspended": true})).await;
        assert_eq!(again.body, suspended.body, "suspended once");
        for person in [coach, &key] {
            let refused = person.get("/api/v1/seasons").await;
            assert_eq!(refused.status, 401, "{}", refused.text);
        }
        let login = json!({"email": coach.email, "password": PASSWORD});
        let refused = club.anonymous().post("/api/v1/auth/login", &login).await;
        is_problem(&refused, Code::OperationForbidden, "a sign-in");
        let detail = refused.body["detail"].as_str().expect("a detail");
        assert!(detail.starts_with("Your membership is suspended ("), "{detail}");
        let guess = json!({"email": coach.email, "password": "another long password"});
        let guessed = club.anonymous().post("/api/v1/auth/login", &guess).await;
        is_problem(&guessed, Code::InvalidCredentials, "who does not know the password is told nothing");
        let back = admin.patch(&path, &json!({"suspended": false})).await;
        assert_eq!(back.body["data"]["suspended_at"], json!(null));
        assert_eq!(key.get("/api/v1/seasons").await.status, 200);
        club.sign_in(Role::Coach).await;
    })
    .await;
}

#[tokio::test]
async fn callers_cannot_change_higher_roles_or_give_them() {
    on_both(async |club| {
        let admin = club.member(Role::Admin);
        let (owner, coach) = (address(&club, Role::Owner).await, address(&club, Role::Coach).await);
        let own = address(&club, Role::Admin).await;
        for (path, change) in [
            (&owner, json!({"role": "viewer"})),
            (&owner, json!({"suspended": true})),
            (&coach, json!({"role": "owner"})),
            (&own, json!({"role": "owner"})),
        ] {
            is_problem(&admin.patch(path, &change).await, Code::OperationForbidden, path);
        }
        is_problem(&admin.delete(&owner).await, Code::OperationForbidden, "a removal");
        assert_eq!(admin.patch(&coach, &json!({"role": "admin"})).await.status, 200, "up to their own role");
        is_problem(
            &club.member(Role::Manager).patch(&coach, &json!({})).await,
            Code::RoleInsufficient,
            "a manager",
        );
        assert_eq!(membership(&club, Role::Owner).await["version"], 1);
    })
    .await;
}

#[tokio::test]
async fn a_club_keeps_its_last_owner() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let own = address(&club, Role::Owner).await;
        for change in [json!({"role": "admin"}), json!({"suspended": true})] {
            is_problem(&owner.patch(&own, &change).await, Code::LastOwner, "the last owner");
        }
        is_problem(&owner.delete(&own).await, Code::LastOwner, "the last owner");
        let admin = address(&club, Role::Admin).await;
        assert_eq!(owner.patch(&admin, &json!({"role": "owner"})).await.status, 200);
        assert_eq!(owner.patch(&admin, &json!({"suspended": true})).await.status, 200);
        is_problem(&owner.delete(&own).await, Code::LastOwner, "a suspended owner does not count");
        assert_eq!(owner.patch(&admin, &json!({"suspended": false})).await.status, 200);
        let left = owner.patch(&own, &json!({"role": "viewer"})).await;
        assert_eq!(left.status, 200, "{}", left.text);
        assert_eq!(owner.get(MEMBERS).await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn two_owners_cannot_both_remove_each_other() {
    on_both(async |club| {
        let owner = club.member(Role::Owner);
        let (first, second) = (address(&club, Role::Owner).await, address(&club, Role::Admin).await);
        assert_eq!(owner.patch(&second, &json!({"role": "owner"})).await.status, 200);
        let other = club.another_session(Role::Admin).await;
        let (one, two) = tokio::join!(owner.delete(&second), other.delete(&first));
        assert!([&one, &two].iter().any(|answer| answer.status == 200), "{} {}", one.text, two.text);
        assert!([&one, &two].iter().any(|answer| answer.status != 200), "{} {}", one.text, two.text);
    })
    .await;
}

#[tokio::test]
async fn a_removed_member_loses_all_keys_and_sessions() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let key = club.with_key(&coach.issue_key(&json!({"name": "a key"})).await);
        let path = address(&club, Role::Coach).await;
        let id = path.rsplit('/').next().expect("an id");
        let removed = admin.delete(&path).await;
        assert_eq!((removed.status, &removed.body), (200, &json!({"data": {"id": id, "deleted": true}})));
        for person in [coach, &key] {
            assert_eq!(person.get("/api/v1/seasons").await.status, 401);
        }
        is_problem(&admin.get(&path).await, Code::NotFound, "a removed member");
        is_problem(&admin.delete(&path).await, Code::NotFound, "a removed member");
        assert_eq!(list(admin).await.len(), 5);
        let login = json!({"email": coach.email, "password": PASSWORD});
        let refused = club.anonymous().post("/api/v1/auth/login", &login).await;
        is_problem(&refused, Code::OperationForbidden, "a sign-in");
        let detail = refused.body["detail"].as_str().expect("a detail");
        assert!(detail.starts_with("You no longer belong to an organization."), "{detail}");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_an_older_version_of_a_member_is_refused() {
    on_both(async |club| {
        let (admin, path) = (club.member(Role::Admin), address(&club, Role::Coach).await);
        let tag = admin.get(&path).await.header("etag").to_owned();
        let change = |tag: &str, role: &str| {
            send(admin.request(Method::PATCH, &path).header("if-match", tag).json(&json!({"role": role})))
        };
        assert_eq!(change(&tag, "member").await.status, 200);
        let refused = change(&tag, "manager").await;
        is_problem(&refused, Code::VersionMismatch, "an older version");
        assert_eq!(refused.body["current_version"], 2);
        let refused = send(admin.request(Method::DELETE, &path).header("if-match", &tag)).await;
        is_problem(&refused, Code::VersionMismatch, "an older version");
    })
    .await;
}

#[tokio::test]
async fn a_validated_change_of_a_member_does_not_end_their_sessions() {
    on_both(async |club| {
        let (admin, path) = (club.member(Role::Admin), address(&club, Role::Coach).await);
        let tried = admin.patch(&format!("{path}?validate_only=true"), &json!({"role": "viewer"})).await;
        assert_eq!((tried.status, &tried.body["data"]["role"]), (200, &json!("viewer")));
        assert_eq!(admin.delete(&format!("{path}?validate_only=true")).await.status, 200);
        assert_eq!(club.member(Role::Coach).get("/api/v1/seasons").await.status, 200);
        assert_eq!(membership(&club, Role::Coach).await["role"], "coach");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_member_reports_invalid_fields() {
    on_both(async |club| {
        let (admin, path) = (club.member(Role::Admin), address(&club, Role::Coach).await);
        for (change, pointer) in [
            (json!({"role": "king"}), "/role"),
            (json!({"role": null}), "/role"),
            (json!({"suspended": "yes"}), "/suspended"),
            (json!({"suspended": null}), "/suspended"),
            (json!({"user": {}}), "/user"),
        ] {
            let refused = admin.patch(&path, &change).await;
            is_problem(&refused, Code::ValidationFailed, pointer);
            assert_eq!(pointers(&refused), [pointer]);
        }
        let key = club.with_key(&admin.issue_key(&json!({"name": "a key"})).await);
        is_problem(&key.patch(&path, &json!({"role": "viewer"})).await, Code::SessionRequired, "a key");
        is_problem(&key.delete(&path).await, Code::SessionRequired, "a key");
        assert_eq!(key.get(&path).await.status, 200);
    })
    .await;
}
