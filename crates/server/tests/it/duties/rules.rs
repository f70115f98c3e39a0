//! Who may propose and confirm a duty, and what its body may contain.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use super::{DUTIES, act, in_hours, membership, propose, wanted};
use crate::shapes::{is_problem, pointers};
use crate::support::fixtures::Fixture;
use crate::support::league::League;
use crate::support::mail::{sent, sent_nothing};
use crate::support::{Answer, Club, on_both, on_both_in_held_time};

/// The pointers and codes of a problem's invalid fields.
fn errors(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.body["errors"].as_array().expect("errors").iter();
    errors
        .map(|it| (it["pointer"].as_str().expect("a pointer"), it["code"].as_str().expect("a code")))
        .collect()
}

#[tokio::test]
async fn no_one_proposes_or_confirms_themselves() {
    on_both(async |club| {
        let (admin, owner) = (club.member(Role::Admin), club.member(Role::Owner));
        let refused = admin.post(DUTIES, &wanted(&club, admin, "support")).await;
        is_problem(&refused, Code::SelfGrant, "an admin of themselves");
        let duty = propose(&club, owner, admin).await;
        is_problem(&act(admin, &duty, "confirm").await, Code::SelfGrant, "the holder");
        // The owner makes the manager an admin, who is then no second person for what the owner proposes.
        let changed = owner.patch(&membership(&club, Role::Manager).await, &json!({"role": "admin"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let helper = club.another_session(Role::Manager).await;
        is_problem(&act(&helper, &duty, "confirm").await, Code::SamePerson, "whose role the proposer gave");
        let key = club.with_key(&owner.issue_key(&json!({"name": "Script"})).await);
        is_problem(&act(&key, &duty, "confirm").await, Code::SessionRequired, "a key");
        is_problem(&key.get(DUTIES).await, Code::SessionRequired, "a key");
    })
    .await;
}

#[tokio::test]
async fn a_duty_must_end_in_time() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let mut body = wanted(&club, coach, "support");
        for (ends_at, code) in [
            (in_hours(&club, 25), "too_late"),
            (in_hours(&club, -1), "before_start"),
            (json!("tomorrow"), "invalid"),
        ] {
            body["ends_at"] = ends_at;
            let refused = admin.post(DUTIES, &body).await;
            is_problem(&refused, Code::ValidationFailed, code);
            assert_eq!(errors(&refused), [("/ends_at", code)]);
        }
        body["ends_at"] = json!(null);
        is_problem(&admin.post(DUTIES, &body).await, Code::ExpiryRequired, "null");
        body.as_object_mut().expect("an object").remove("ends_at");
        let refused = admin.post(DUTIES, &body).await;
        is_problem(&refused, Code::ExpiryRequired, "none");
        assert_eq!(errors(&refused), [("/ends_at", "required")]);
        let mut long = wanted(&club, coach, "medical_staff");
        long["ends_at"] = in_hours(&club, 401 * 24);
        assert_eq!(errors(&admin.post(DUTIES, &long).await), [("/ends_at", "too_late")]);
        long["ends_at"] = in_hours(&club, 399 * 24);
        assert_eq!(admin.post(DUTIES, &long).await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn a_duty_names_records_of_its_own_club() {
    on_both(async |club| {
        let (admin, coach) = (club.member(Role::Admin), club.member(Role::Coach));
        let league = League::create(admin, "Winter").await;
        let summer = League::create(admin, "Summer").await;
        let neighbour = club.neighbours().await;
        let theirs = League::create(&neighbour, "Winter").await;
        let mut body = wanted(&club, coach, "registrar");
        let refused = admin.post(DUTIES, &body).await;
        assert_eq!(errors(&refused), [("/season_id", "required")], "a registrar needs a season");

        body["user_id"] = json!(neighbour.user);
        body["season_id"] = json!(theirs.season);
        body["team_ids"] = json!([theirs.home]);
        let refused = admin.post(DUTIES, &body).await;
        let missing = "not_found";
        let expected = [("/user_id", missing), ("/season_id", missing), ("/team_ids/0", missing)];
        assert_eq!(errors(&refused), expected, "{}", refused.text);

        body["user_id"] = json!(coach.user);
        body["season_id"] = json!(league.season);
        body["team_ids"] = json!([league.home, summer.home, league.home]);
        let refused = admin.post(DUTIES, &body).await;
        assert_eq!(errors(&refused), [("/team_ids/1", "other_season"), ("/team_ids/2", "duplicate")]);

        body["team_ids"] = json!([league.home]);
        body["season_id"] = json!(null);
        let duty = admin.post(DUTIES, &body).await;
        assert_eq!(duty.body["data"]["season_id"], json!(league.season), "that of the team: {}", duty.text);
        for action in ["confirm", "accept", "revoke"] {
            is_problem(&act(&neighbour, &duty, action).await, Code::NotFound, "another club's duty");
        }
        let theirs = neighbour.get(&format!("{DUTIES}/{}", duty.id())).await;
        is_problem(&theirs, Code::NotFound, "another club's duty");
        let empty = json!({"kind": "chef", "reason": " ", "unknown": 1});
        let refused = admin.post(DUTIES, &empty).await;
        let mut found = pointers(&refused);
        found.sort_unstable();
        assert_eq!(found, ["/kind", "/reason", "/unknown", "/user_id"]);
    })
    .await;
}

/// Suspends the admin, so that the owner is the only one who could confirm.
async fn suspend_admin(club: &Club, suspended: bool) {
    let owner = club.another_session(Role::Owner).await;
    let path = membership(club, Role::Admin).await;
    let changed = owner.patch(&path, &json!({"suspended": suspended})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

#[tokio::test]
async fn an_owner_confirms_alone_a_day_after_all_owners_were_told() {
    on_both_in_held_time(async |club| {
        let (owner, coach) = (club.member(Role::Owner), club.member(Role::Coach));
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let second = fixture.member(Role::Owner);
        fixture.write().await;
        let duty = propose(&club, owner, coach).await;
        let letters = sent(&club).await;
        let mut to: Vec<_> = letters.iter().map(|letter| letter.to.clone()).collect();
        to.sort();
        let mut owners = vec![owner.email.clone(), format!("{}@people.example", second.user)];
        owners.sort();
        assert_eq!(to, owners, "every owner is told");
        let subject =
            "owner of Riverside Club proposes coach of Riverside Club as medical staff in Riverside Club";
        assert_eq!(letters[0].subject, subject);
        let text = letters[0].text.split_whitespace().collect::<Vec<_>>().join(" ");
        for part in
            ["alone from Monday, 2 March 2026 at 20:00 (AEDT) on", "until Tuesday, 3 March 2026", duty.id()]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("The season starts"), "the reason may name a child: {text}");

        // The second owner was not given their role by the first: the first is not alone.
        club.pass(SignedDuration::from_hours(24));
        let owner = &club.another_session(Role::Owner).await;
        is_problem(&act(owner, &duty, "confirm").await, Code::SamePerson, "the admin and an owner could");
        suspend_admin(&club, true).await;
        is_problem(&act(owner, &duty, "confirm").await, Code::SamePerson, "the other owner could");
        let members = owner.get("/api/v1/members?role=owner&limit=100").await;
        let members = members.body["data"].as_array().expect("members").iter();
        let other =
            members.clone().find(|it| it["user"]["id"] == json!(second.user)).expect("the other owner");
        let path = format!("/api/v1/members/{}", other["id"].as_str().expect("an id"));
        assert_eq!(owner.patch(&path, &json!({"suspended": true})).await.status, 200);

        let late = owner.post(DUTIES, &wanted(&club, coach, "safeguarding_lead")).await;
        let refused = act(owner, &late, "confirm").await;
        is_problem(&refused, Code::SamePerson, "too early");
        let detail = refused.body["detail"].as_str().expect("a detail");
        let wanted =
            "No second person can confirm this. An owner can confirm it alone from 2026-03-03T09:00:00Z on.";
        assert_eq!(detail, wanted);
        let confirmed = act(owner, &duty, "confirm").await;
        assert_eq!(confirmed.body["data"]["confirmed_alone"], true, "marked: {}", confirmed.text);
        let accepted = act(&club.another_session(Role::Coach).await, &duty, "accept").await;
        assert_eq!(accepted.body["data"]["confirmed_alone"], true, "permanently: {}", accepted.text);

        suspend_admin(&club, false).await;
        club.pass(SignedDuration::from_hours(24));
        let owner = &club.another_session(Role::Owner).await;
        is_problem(&act(owner, &late, "confirm").await, Code::SamePerson, "the admin can again");
    })
    .await;
}

#[tokio::test]
async fn owners_are_not_told_of_a_duty_that_is_no_longer_proposed() {
    on_both(async |club| {
        let duty = propose(&club, club.member(Role::Admin), club.member(Role::Coach)).await;
        assert_eq!(act(club.member(Role::Owner), &duty, "revoke").await.status, 200);
        sent_nothing(&club).await;
        let message = club.operator().get("/operator/mail").await.body["data"][0].clone();
        let expected = (&json!("duty_proposed"), &json!("void"));
        assert_eq!((&message["kind"], &message["status"]), expected);
    })
    .await;
}
