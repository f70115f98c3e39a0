//! Staff of teams: proposing, confirming by a second person, changing and removing.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::fixtures::Fixture;
use crate::support::league::League;
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time};

async fn user(person: &Person) -> String {
    person.get("/api/v1/profile/me").await.id().to_owned()
}

pub(crate) fn staff_of(team: &str) -> String {
    format!("/api/v1/teams/{team}/staff")
}

/// Proposes a person as a coach.
pub(crate) async fn propose(manager: &Person, team: &str, coach: &Person) -> Answer {
    manager.post(&staff_of(team), &json!({"user_id": user(coach).await, "kind": "coach"})).await
}

pub(crate) async fn confirm(who: &Person, entry: &Answer) -> Answer {
    let team = entry.body["data"]["team_id"].as_str().expect("a team");
    who.post(&format!("{}/{}/confirm", staff_of(team), entry.id()), &json!({})).await
}

/// The staff page of a team.
async fn listed(club: &Club, team: &str) -> Vec<Value> {
    let list = club.member(Role::Viewer).get(&staff_of(team)).await;
    list.body["data"].as_array().unwrap_or_else(|| panic!("{}", list.text)).clone()
}

#[tokio::test]
async fn a_member_is_proposed_and_confirmed_by_a_second_person() {
    on_both(async |club| {
        let (manager, admin, coach) =
            (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Coach));
        let league = League::create(manager, "Winter").await;
        let entry = propose(manager, &league.home, coach).await;
        assert_eq!(entry.status, 201, "{}", entry.text);
        let data = &entry.body["data"];
        assert_eq!((&data["state"], &data["confirmed_by"]), (&json!("proposed"), &json!(null)));
        assert_eq!(data["user"], json!({"id": user(coach).await, "name": "coach of Riverside Club"}));
        assert_eq!(data["proposed_by"], json!(user(manager).await));
        is_problem(&confirm(manager, &entry).await, Code::SamePerson, "the proposer");
        is_problem(&confirm(coach, &entry).await, Code::RoleInsufficient, "a coach");
        let key = club.with_key(&admin.issue_key(&json!({"name": "Script"})).await);
        is_problem(&confirm(&key, &entry).await, Code::SessionRequired, "a key");
        let confirmed = confirm(admin, &entry).await;
        let data = &confirmed.body["data"];
        assert_eq!((&data["state"], &data["confirmed_alone"]), (&json!("confirmed"), &json!(false)));
        assert_eq!(data["confirmed_by"], json!(user(admin).await));
        is_problem(&confirm(admin, &entry).await, Code::State, "again");
        let teams = coach.get("/api/v1/profile/me").await.body["data"]["teams"].clone();
        assert_eq!(teams, json!([league.home]), "the profile names the teams of a member of staff");
        assert_eq!(manager.get("/api/v1/profile/me").await.body["data"]["teams"], json!([]));
        assert_eq!(listed(&club, &league.home).await, std::slice::from_ref(data));
        assert_eq!(listed(&club, &league.away).await, Vec::<Value>::new());
        let again = propose(admin, &league.home, coach).await;
        is_problem(&again, Code::Duplicate, "an open entry of the same person");

        let path = format!("{}/{}", staff_of(&league.home), entry.id());
        is_problem(
            &manager.delete(&format!("/api/v1/teams/{}", league.home)).await,
            Code::InUse,
            "a team with staff",
        );
        assert_eq!(manager.delete(&path).await.body, json!({"data": {"id": entry.id(), "deleted": true}}));
        assert_eq!(propose(admin, &league.home, coach).await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn no_one_adds_changes_or_confirms_themselves() {
    on_both(async |club| {
        let (manager, admin, owner) =
            (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Owner));
        let league = League::create(manager, "Winter").await;
        is_problem(
            &propose(manager, &league.home, manager).await,
            Code::SelfGrant,
            "a manager of themselves",
        );
        let entry = propose(admin, &league.home, manager).await;
        is_problem(&confirm(manager, &entry).await, Code::SelfGrant, "the coach themselves");
        let path = format!("{}/{}", staff_of(&league.home), entry.id());
        is_problem(&manager.patch(&path, &json!({"kind": "head_coach"})).await, Code::SelfGrant, "");
        // The admin makes another member a manager, who is then no second person for what the admin proposes.
        let members = owner.get("/api/v1/members?limit=100").await;
        let member = members.body["data"].as_array().expect("members").iter();
        let member = member.clone().find(|one| one["role"] == "member").expect("a member")["id"].clone();
        let address = format!("/api/v1/members/{}", member.as_str().expect("an id"));
        assert_eq!(admin.patch(&address, &json!({"role": "manager"})).await.status, 200);
        let helper = club.another_session(Role::Member).await;
        is_problem(&confirm(&helper, &entry).await, Code::SamePerson, "whose role the proposer gave them");
        assert_eq!(confirm(owner, &entry).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn references_to_another_club_are_refused() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let neighbour = club.neighbours().await;
        let theirs = League::create(&neighbour, "Winter").await;
        let refused = propose(manager, &league.home, &neighbour).await;
        is_problem(&refused, Code::ValidationFailed, "another club's user");
        assert_eq!(
            (pointers(&refused), &refused.body["errors"][0]["code"]),
            (vec!["/user_id"], &json!("not_found"))
        );
        let coach = club.member(Role::Coach);
        is_problem(&propose(manager, &theirs.home, coach).await, Code::NotFound, "another club's team");
        is_problem(&manager.get(&staff_of(&theirs.home)).await, Code::NotFound, "another club's team");
        let entry = propose(manager, &league.home, coach).await;
        let elsewhere = format!("{}/{}", staff_of(&league.away), entry.id());
        for answer in [
            manager.patch(&elsewhere, &json!({"kind": "assistant"})).await,
            manager.delete(&elsewhere).await,
            confirm(&neighbour, &entry).await,
        ] {
            is_problem(&answer, Code::NotFound, "an entry of another team, or club");
        }
        let wrong =
            json!({"user_id": "x", "kind": "referee", "starts_on": "2026-05-01", "ends_on": "2026-04-30"});
        let refused = manager.post(&staff_of(&league.home), &wrong).await;
        let mut found = pointers(&refused);
        found.sort_unstable();
        assert_eq!(found, ["/ends_on", "/kind", "/user_id"]);
    })
    .await;
}

#[tokio::test]
async fn a_longer_period_is_confirmed_again_and_a_removed_member_ends() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let league = League::create(manager, "Winter").await;
        let entry = propose(manager, &league.home, club.member(Role::Coach)).await;
        let path = format!("{}/{}", staff_of(&league.home), entry.id());
        confirm(admin, &entry).await;
        let shorter = manager.patch(&path, &json!({"ends_on": "2199-01-01", "kind": "assistant"})).await;
        assert_eq!(shorter.body["data"]["state"], "confirmed", "{}", shorter.text);
        let longer = manager.patch(&path, &json!({"ends_on": "2199-02-01"})).await;
        assert_eq!(
            (&longer.body["data"]["state"], &longer.body["data"]["confirmed_at"]),
            (&json!("proposed"), &json!(null))
        );
        is_problem(&confirm(manager, &longer).await, Code::SamePerson, "who made it longer");
        assert_eq!(confirm(admin, &longer).await.status, 200);
        let over = manager.patch(&path, &json!({"ends_on": "2020-01-01"})).await;
        assert_eq!(over.body["data"]["state"], "ended", "the last day has passed");

        let members = admin.get("/api/v1/members?limit=100").await;
        let coach = members.body["data"].as_array().expect("members").iter();
        let coach = coach.clone().find(|one| one["role"] == "coach").expect("a coach")["id"].clone();
        let removed = admin.delete(&format!("/api/v1/members/{}", coach.as_str().expect("an id"))).await;
        assert_eq!(removed.status, 200);
        assert_eq!(listed(&club, &league.home).await[0]["state"], "ended");
        let log = admin.get("/api/v1/audit-log?operation=members.remove").await;
        let kinds = log.body["data"][0]["effects"].as_array().expect("effects").iter();
        assert!(kinds.clone().any(|effect| effect["kind"] == "staff"), "in the entry of the removal");
        is_problem(&manager.patch(&path, &json!({"kind": "coach"})).await, Code::State, "an ended entry");
    })
    .await;
}

#[tokio::test]
async fn an_owner_confirms_alone_a_day_later_if_no_other_member_can() {
    on_both_in_held_time(async |club| {
        let owner = club.member(Role::Owner);
        let league = League::create(owner, "Winter").await;
        let entry = propose(owner, &league.home, club.member(Role::Coach)).await;
        club.pass(SignedDuration::from_hours(24));
        let owner = &club.another_session(Role::Owner).await;
        is_problem(&confirm(owner, &entry).await, Code::SamePerson, "a manager and an admin could");
        let members = owner.get("/api/v1/members?limit=100").await;
        for member in members.body["data"].as_array().expect("members") {
            if member["role"] == "manager" || member["role"] == "admin" {
                let path = format!("/api/v1/members/{}", member["id"].as_str().expect("an id"));
                assert_eq!(owner.patch(&path, &json!({"suspended": true})).await.status, 200);
            }
        }
        let body = json!({"user_id": entry.body["data"]["user"]["id"], "kind": "coach"});
        let late = owner.post(&staff_of(&league.away), &body).await;
        let refused = confirm(owner, &late).await;
        is_problem(&refused, Code::SamePerson, "too early");
        let detail = refused.body["detail"].as_str().expect("a detail");
        assert!(
            detail.starts_with("No second person can confirm this. An owner can confirm it alone from 2"),
            "{detail}"
        );
        let confirmed = confirm(owner, &entry).await;
        assert_eq!(confirmed.status, 200, "{}", confirmed.text);
        assert_eq!(confirmed.body["data"]["confirmed_alone"], true, "marked");
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        fixture.member(Role::Manager);
        fixture.write().await;
        is_problem(&confirm(owner, &late).await, Code::SamePerson, "a new manager could");
    })
    .await;
}
