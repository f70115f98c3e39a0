//! Duties: proposing, confirming by a second person, accepting and revoking.

mod ends;
mod rules;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::{Answer, Club, Person, on_both};

const DUTIES: &str = "/api/v1/duties";

/// A time some hours from now, on the server's clock.
fn in_hours(club: &Club, hours: i64) -> Value {
    json!(club.app.clock.now().saturating_add(SignedDuration::from_hours(hours)).expect("a time"))
}

/// The body of a duty of a person that ends in 48 hours.
fn wanted(club: &Club, holder: &Person, kind: &str) -> Value {
    let ends_at = in_hours(club, if kind == "support" { 5 } else { 48 });
    json!({"user_id": holder.user, "kind": kind, "ends_at": ends_at, "reason": "The season starts"})
}

/// Proposes a person as medical staff.
async fn propose(club: &Club, admin: &Person, holder: &Person) -> Answer {
    let duty = admin.post(DUTIES, &wanted(club, holder, "medical_staff")).await;
    assert_eq!(duty.status, 201, "{}", duty.text);
    duty
}

/// Calls an action of a duty.
async fn act(who: &Person, duty: &Answer, action: &str) -> Answer {
    who.post(&format!("{DUTIES}/{}/{action}", duty.id()), &json!({})).await
}

/// Proposes, confirms and accepts a duty.
async fn accepted(club: &Club, holder: &Person) -> Answer {
    let duty = propose(club, club.member(Role::Admin), holder).await;
    assert_eq!(act(club.member(Role::Owner), &duty, "confirm").await.status, 200);
    let duty = act(holder, &duty, "accept").await;
    assert_eq!(duty.status, 200, "{}", duty.text);
    duty
}

/// The duties in a person's profile.
async fn own(person: &Person) -> Value {
    person.get("/api/v1/profile/me").await.body["data"]["duties"].clone()
}

async fn state(club: &Club, duty: &Answer) -> Value {
    let owner = club.another_session(Role::Owner).await;
    owner.get(&format!("{DUTIES}/{}", duty.id())).await.body["data"]["state"].clone()
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
async fn a_duty_is_proposed_confirmed_accepted_and_revoked() {
    on_both(async |club| {
        let (admin, owner, coach) =
            (club.member(Role::Admin), club.member(Role::Owner), club.member(Role::Coach));
        let duty = propose(&club, admin, coach).await;
        let data = &duty.body["data"];
        assert_eq!(data["user"], json!({"id": coach.user, "name": "coach of Riverside Club"}));
        assert_eq!((&data["state"], &data["proposed_by"]), (&json!("proposed"), &json!(admin.user)));
        assert_eq!((&data["team_ids"], &data["season_id"]), (&json!([]), &json!(null)));
        assert_eq!(own(coach).await[0]["state"], "proposed");
        is_problem(&act(coach, &duty, "accept").await, Code::State, "not confirmed yet");

        is_problem(&act(admin, &duty, "confirm").await, Code::SamePerson, "the proposer");
        let confirmed = act(owner, &duty, "confirm").await;
        let data = &confirmed.body["data"];
        assert_eq!((&data["state"], &data["confirmed_by"]), (&json!("confirmed"), &json!(owner.user)));
        assert_eq!(data["confirmed_alone"], false);
        is_problem(&act(owner, &duty, "confirm").await, Code::State, "again");

        is_problem(&act(owner, &duty, "accept").await, Code::OperationForbidden, "someone else's duty");
        is_problem(&act(club.member(Role::Manager), &duty, "accept").await, Code::NotFound, "no admin");
        let open = act(coach, &duty, "accept").await;
        assert_eq!(open.body["data"]["state"], "accepted", "{}", open.text);
        is_problem(&act(coach, &duty, "accept").await, Code::State, "again");
        let data = &open.body["data"];
        let shown = json!([{
            "id": data["id"], "kind": "medical_staff", "team_ids": [], "season_id": null, "state": "accepted",
            "starts_at": data["starts_at"], "ends_at": data["ends_at"],
        }]);
        assert_eq!(own(coach).await, shown);
        assert_eq!(own(owner).await, json!([]));

        is_problem(&act(club.member(Role::Manager), &duty, "revoke").await, Code::NotFound, "no admin");
        let revoked = act(admin, &duty, "revoke").await;
        let data = &revoked.body["data"];
        assert_eq!((&data["state"], &data["revoked_by"]), (&json!("revoked"), &json!(admin.user)));
        assert_eq!(own(coach).await, json!([]));
        for action in ["confirm", "revoke"] {
            is_problem(&act(owner, &duty, action).await, Code::State, "a revoked duty");
        }
        let history = admin.get(&format!("{DUTIES}/{}/history", duty.id())).await;
        let operations = history.body["data"].as_array().expect("entries").iter();
        let operations: Vec<_> = operations.map(|entry| entry["operation"].clone()).collect();
        assert_eq!(operations, ["duties.revoke", "duties.accept", "duties.confirm", "duties.add"]);
    })
    .await;
}

#[tokio::test]
async fn a_holder_gives_a_duty_up() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        let duty = propose(&club, club.member(Role::Admin), viewer).await;
        assert_eq!(act(club.member(Role::Owner), &duty, "confirm").await.status, 200);
        is_problem(&act(viewer, &duty, "accept").await, Code::RoleInsufficient, "a viewer");
        let revoked = act(viewer, &duty, "revoke").await;
        assert_eq!(revoked.body["data"]["revoked_by"], json!(viewer.user), "{}", revoked.text);
    })
    .await;
}

#[tokio::test]
async fn the_list_is_filtered_by_holder_kind_and_state() {
    on_both(async |club| {
        let (admin, coach, member) =
            (club.member(Role::Admin), club.member(Role::Coach), club.member(Role::Member));
        let open = accepted(&club, coach).await;
        let support = admin.post(DUTIES, &wanted(&club, coach, "support")).await;
        let other = propose(&club, admin, member).await;
        let user = coach.user.expect("a user");
        for (query, expected) in [
            (String::new(), vec![&other, &support, &open]),
            (format!("?user_id={user}"), vec![&support, &open]),
            ("?kind=support".to_owned(), vec![&support]),
            ("?state=accepted".to_owned(), vec![&open]),
            ("?state=proposed&kind=medical_staff".to_owned(), vec![&other]),
            ("?state=ended".to_owned(), vec![]),
        ] {
            let list = admin.get(&format!("{DUTIES}{query}")).await;
            let ids = list.body["data"].as_array().unwrap_or_else(|| panic!("{}", list.text)).iter();
            let ids: Vec<_> = ids.map(|duty| duty["id"].as_str().expect("an id")).collect();
            assert_eq!(ids, expected.iter().map(|duty| duty.id()).collect::<Vec<_>>(), "{query}");
        }
        let first = admin.get(&format!("{DUTIES}?limit=2")).await;
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a second page");
        let second = admin.get(&format!("{DUTIES}?limit=2&cursor={cursor}")).await;
        assert_eq!(second.body["data"], json!([open.body["data"]]));
        assert_eq!(second.body["page"]["has_more"], false);
    })
    .await;
}
