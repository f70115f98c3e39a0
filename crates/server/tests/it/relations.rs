//! Relations: what opens a child, from the proposal to the end.

mod ends;
mod guardians;
mod rules;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::mail::sent;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time, send};

const RELATIONS: &str = "/api/v1/relations";
const NAME: &str = "Zzyzxgrove of the relations";

/// Creates a child of a person, and returns its address.
async fn child_of(parent: &Person) -> String {
    let wanted = json!({"display_name": NAME, "birth_date": "2010-05-06"});
    let created = parent.post("/api/v1/children", &wanted).await;
    assert_eq!(created.status, 201, "{}", created.text);
    format!("/api/v1/children/{}", created.body["data"]["child_id"].as_str().expect("an id"))
}

/// Proposes someone as a child's guardian.
async fn propose(who: &Person, child: &str, person: &Person) -> Answer {
    let body = json!({"user_id": person.user, "kind": "guardian"});
    let relation = who.post(&format!("{child}/relations"), &body).await;
    assert_eq!(relation.status, 201, "{}", relation.text);
    relation
}

/// Calls an action of a relation.
async fn act(who: &Person, relation: &Answer, action: &str) -> Answer {
    who.post(&format!("{RELATIONS}/{}/{action}", relation.id()), &json!({})).await
}

/// Proposes someone as a guardian, whom the manager confirms and who accepts.
async fn second_guardian(club: &Club, parent: &Person, child: &str, person: &Person) -> Answer {
    let relation = propose(parent, child, person).await;
    assert_eq!(act(club.member(Role::Manager), &relation, "confirm").await.status, 200);
    let relation = act(person, &relation, "accept").await;
    assert_eq!(relation.body["data"]["state"], "active", "{}", relation.text);
    relation
}

/// The relations that a list shows: their ids and states.
async fn listed(who: &Person, path: &str) -> Vec<(String, String)> {
    let list = who.get(path).await;
    let data = list.body["data"].as_array().unwrap_or_else(|| panic!("{}", list.text));
    let text = |it: &Value, field: &str| it[field].as_str().expect("a string").to_owned();
    data.iter().map(|it| (text(it, "id"), text(it, "state"))).collect()
}

/// The children in a person's profile.
async fn own(person: &Person) -> Value {
    person.get("/api/v1/profile/me").await.body["data"]["children"].clone()
}

/// The address of the membership of the member with a role.
async fn membership(club: &Club, role: Role) -> String {
    let email = &club.member(role).email;
    let members = club.another_session(Role::Owner).await.get("/api/v1/members?limit=100").await;
    let mut members = members.body["data"].as_array().expect("members").iter();
    let member = members.find(|member| member["user"]["email"] == *email).expect("a member");
    format!("/api/v1/members/{}", member["id"].as_str().expect("an id"))
}

#[tokio::test]
async fn four_people_make_a_second_guardian() {
    on_both(async |club| {
        let (parent, manager, coach) =
            (club.member(Role::Member), club.member(Role::Manager), club.member(Role::Coach));
        let child = child_of(parent).await;
        let relation = propose(parent, &child, coach).await;
        let data = &relation.body["data"];
        assert_eq!(data["user"], json!({"id": coach.user, "name": "coach of Riverside Club"}));
        assert_eq!((&data["state"], &data["proposed_by"]), (&json!("proposed"), &json!(parent.user)));
        assert_eq!((&data["kind"], &data["expires_at"]), (&json!("guardian"), &json!(null)));

        let waiting = |state: &str| vec![(relation.id().to_owned(), state.to_owned())];
        assert_eq!(listed(coach, RELATIONS).await, waiting("proposed"), "their own");
        assert_eq!(listed(manager, RELATIONS).await, waiting("proposed"), "it waits for a manager");
        assert_eq!(listed(club.member(Role::Viewer), RELATIONS).await, [], "no one else's");
        let of_parent = listed(parent, RELATIONS).await;
        assert_eq!(of_parent.len(), 1, "their own, which is another one: {of_parent:?}");
        is_problem(&act(coach, &relation, "accept").await, Code::State, "not confirmed yet");
        is_problem(&act(parent, &relation, "confirm").await, Code::RoleInsufficient, "a parent");

        let confirmed = act(manager, &relation, "confirm").await;
        let data = &confirmed.body["data"];
        assert_eq!((&data["state"], &data["confirmed_by"]), (&json!("confirmed"), &json!(manager.user)));
        assert_eq!(listed(manager, RELATIONS).await, [], "it waits no more");
        for shown in [&confirmed, &manager.get(RELATIONS).await, &relation] {
            assert!(!shown.text.contains(NAME), "a relation has no name of a child: {}", shown.text);
        }
        is_problem(&manager.get(&child).await, Code::NotFound, "a manager sees nothing of the child");
        is_problem(&coach.get(&child).await, Code::NotFound, "not accepted yet");
        assert_eq!(own(coach).await, json!([]));

        is_problem(&act(manager, &relation, "accept").await, Code::OperationForbidden, "someone else's");
        is_problem(&act(club.member(Role::Viewer), &relation, "accept").await, Code::RoleInsufficient, "");
        let open = act(coach, &relation, "accept").await;
        assert_eq!(open.body["data"]["state"], "active", "{}", open.text);
        let read = coach.get(&child).await;
        assert_eq!(read.body["data"]["capacity"], "guardian", "{}", read.text);
        assert_eq!(coach.get(&format!("{child}/medical")).await.status, 200);
        let since = &open.body["data"]["starts_at"];
        let id = &open.body["data"]["child_id"];
        let shown = json!([{"child_id": id, "display_name": NAME, "relation": "guardian", "since": since}]);
        assert_eq!(own(coach).await, shown);
        let all = listed(parent, &format!("{child}/relations")).await;
        assert_eq!(all[0], (relation.id().to_owned(), "active".to_owned()), "newest first");
        assert_eq!(all.len(), 2);
        assert_eq!(listed(coach, &format!("{child}/relations")).await, all, "both see the same");

        let given_up = act(coach, &relation, "revoke").await;
        assert_eq!(given_up.body["data"]["revoked_by"], json!(coach.user), "{}", given_up.text);
        is_problem(&coach.get(&child).await, Code::NotFound, "on the next request");
        assert_eq!(own(coach).await, json!([]));
        assert_eq!(listed(coach, RELATIONS).await, waiting("revoked"));
        is_problem(&act(coach, &relation, "accept").await, Code::State, "revoked");
    })
    .await;
}

#[tokio::test]
async fn lists_are_paged_newest_first() {
    on_both(async |club| {
        let (parent, manager) = (club.member(Role::Member), club.member(Role::Manager));
        let child = child_of(parent).await;
        let mut wanted = Vec::new();
        for role in [Role::Viewer, Role::Coach, Role::Admin] {
            wanted.push(propose(parent, &child, club.member(role)).await.id().to_owned());
        }
        wanted.reverse();
        for (who, list, skipped) in [(manager, RELATIONS, 0), (parent, &*format!("{child}/relations"), 1)] {
            let first = who.get(&format!("{list}?limit=2")).await;
            let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
            let mut all = listed(who, &format!("{list}?limit=2")).await;
            all.extend(listed(who, &format!("{list}?limit=2&cursor={cursor}")).await);
            let ids: Vec<_> = all.into_iter().map(|(id, _)| id).collect();
            assert_eq!(ids[..3], wanted, "{list}");
            assert_eq!(ids.len(), 3 + skipped, "the parent's own is the oldest");
        }
    })
    .await;
}

#[tokio::test]
async fn owners_and_the_person_are_told_and_no_message_names_the_child() {
    on_both_in_held_time(async |club| {
        let (parent, owner, coach) =
            (club.member(Role::Member), club.member(Role::Owner), club.member(Role::Coach));
        let child = child_of(parent).await;
        let id = child.rsplit('/').next().expect("an id");
        let relation = propose(parent, &child, coach).await;
        let letters = sent(&club).await;
        assert_eq!(letters.iter().map(|it| &it.to).collect::<Vec<_>>(), [&owner.email]);
        let subject =
            "member of Riverside Club proposes coach of Riverside Club as guardian of a child in Riverside Club";
        assert_eq!(letters[0].subject, subject);
        let text = letters[0].text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains("alone from Monday, 2 March 2026 at 20:00 (AEDT) on"), "{text}");
        assert!(text.contains(relation.id()) && !text.contains(NAME) && !text.contains(id), "{text}");

        assert_eq!(act(club.member(Role::Manager), &relation, "confirm").await.status, 200);
        let letters = sent(&club).await;
        assert_eq!(letters.iter().map(|it| &it.to).collect::<Vec<_>>(), [&coach.email]);
        assert_eq!(letters[0].subject, "Accept that you are guardian of a child in Riverside Club");
        let text = &letters[0].text;
        assert!(text.contains(&format!("fieldhouse relations accept {}", relation.id())), "{text}");
        assert!(!text.contains(NAME) && !text.contains(id), "{text}");

        let other = propose(parent, &child, club.member(Role::Admin)).await;
        assert_eq!(act(parent, &other, "revoke").await.status, 200, "withdrawn");
        assert_eq!(sent(&club).await.len(), 0, "it no longer applies");
    })
    .await;
}

#[tokio::test]
async fn a_repeated_request_gets_what_is_true_now() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent).await;
        let body = json!({"user_id": coach.user, "kind": "guardian"});
        let path = format!("{child}/relations");
        let once = async |who: &Person, path: &str, body: &Value| {
            let request = who.request(reqwest::Method::POST, path).header("idempotency-key", path.to_owned());
            send(if body.is_null() { request } else { request.json(body) }).await
        };
        let relation = once(parent, &path, &body).await;
        let confirm = format!("{RELATIONS}/{}/confirm", relation.id());
        let accept = format!("{RELATIONS}/{}/accept", relation.id());
        let revoke = format!("{RELATIONS}/{}/revoke", relation.id());
        for (who, path, state) in [
            (club.member(Role::Manager), &confirm, "confirmed"),
            (coach, &accept, "active"),
            (coach, &revoke, "revoked"),
        ] {
            for _ in 0..2 {
                let answer = once(who, path, &json!(null)).await;
                assert_eq!((answer.status, &answer.body["data"]["state"]), (200, &json!(state)), "{path}");
            }
        }
        let again = once(parent, &path, &body).await;
        assert_eq!((again.id(), &again.body["data"]["state"]), (relation.id(), &json!("revoked")));
        let change = json!({"locale": "en-AU"});
        for replayed in ["", "true"] {
            let request = parent.request(reqwest::Method::PATCH, "/api/v1/profile/me");
            let answer = send(request.header("idempotency-key", "profile").json(&change)).await;
            assert_eq!(answer.body["data"]["children"][0]["display_name"], NAME, "{}", answer.text);
            assert_eq!(answer.header("idempotent-replayed"), replayed);
        }
    })
    .await;
}

#[tokio::test]
async fn the_profile_shows_the_family_unless_a_key_is_narrowed() {
    on_both(async |club| {
        let parent = club.another_session(Role::Member).await;
        child_of(&parent).await;
        for (scopes, count) in
            [(json!([]), 1), (json!(["profile:read", "children:read"]), 1), (json!(["profile:read"]), 0)]
        {
            let wanted = json!({"name": "Script", "scopes": scopes});
            let wanted = if count == 1 && scopes == json!([]) { json!({"name": "Script"}) } else { wanted };
            let key = club.with_key(&parent.issue_key(&wanted).await);
            assert_eq!(own(&key).await.as_array().map(Vec::len), Some(count), "{scopes}");
        }
    })
    .await;
}

/// A time some hours from now, on the server's clock.
fn in_hours(club: &Club, hours: i64) -> Value {
    json!(club.app.clock.now().saturating_add(SignedDuration::from_hours(hours)).expect("a time"))
}
