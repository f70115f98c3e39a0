//! Who may propose and confirm a relation, and what its body may contain.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use super::{NAME, RELATIONS, act, child_of, in_hours, membership, propose};
use crate::matrix::relations::relate;
use crate::shapes::is_problem;
use crate::support::{Answer, Club, on_both, on_both_in_held_time};

/// The pointers and codes of a problem's invalid fields.
fn errors(answer: &Answer) -> Vec<(&str, &str)> {
    let errors = answer.body["errors"].as_array().expect("errors").iter();
    errors
        .map(|it| (it["pointer"].as_str().expect("a pointer"), it["code"].as_str().expect("a code")))
        .collect()
}

#[tokio::test]
async fn those_who_may_not_propose_learn_only_what_they_see_already() {
    on_both(async |club| {
        let (parent, coach, manager) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Manager));
        let child = child_of(parent).await;
        let path = format!("{child}/relations");
        let unknown = "/api/v1/children/chi_01h2xcejqtf2nbrexx3vqjhp41/relations";
        let body = json!({"user_id": club.member(Role::Admin).user, "kind": "guardian"});
        let (hidden, missing) = (coach.post(&path, &body).await, coach.post(unknown, &body).await);
        for refused in [&hidden, &missing, &coach.get(&path).await, &manager.get(&path).await] {
            is_problem(refused, Code::NotFound, "a stranger's child and one that does not exist");
            assert_eq!(refused.body["detail"], missing.body["detail"]);
        }
        is_problem(&manager.post(unknown, &body).await, Code::NotFound, "no child");
        let neighbour = club.neighbours().await;
        is_problem(&neighbour.post(&path, &body).await, Code::NotFound, "of another club");

        let id = child.rsplit('/').next().expect("an id");
        relate(&club, "coach.ok", id.parse().expect("an id"), coach.user.expect("a user")).await;
        assert_eq!(coach.get(&child).await.status, 200, "the coach sees the roster");
        for refused in [coach.post(&path, &body).await, coach.get(&path).await] {
            is_problem(&refused, Code::RelationshipInsufficient, "staff of the child's team");
        }
        let relation = manager.post(&path, &body).await;
        assert_eq!(relation.status, 201, "a manager proposes by the child's id: {}", relation.text);
        assert!(!relation.text.contains(NAME), "{}", relation.text);
        is_problem(&act(coach, &relation, "revoke").await, Code::RelationshipInsufficient, "staff");
        is_problem(&act(club.member(Role::Viewer), &relation, "revoke").await, Code::NotFound, "a stranger");
        is_problem(&act(coach, &relation, "accept").await, Code::NotFound, "someone else's");
        for action in ["confirm", "accept", "revoke"] {
            is_problem(&act(&neighbour, &relation, action).await, Code::NotFound, "of another club");
        }
    })
    .await;
}

#[tokio::test]
async fn no_one_grants_a_relation_to_themselves() {
    on_both(async |club| {
        let (parent, owner, admin) =
            (club.member(Role::Member), club.member(Role::Owner), club.member(Role::Admin));
        let child = child_of(parent).await;
        let path = format!("{child}/relations");
        for who in [parent, owner] {
            let body = json!({"user_id": who.user, "kind": "guardian"});
            is_problem(&who.post(&path, &body).await, Code::SelfGrant, "of themselves");
        }
        let relation = propose(owner, &child, admin).await;
        is_problem(&act(owner, &relation, "confirm").await, Code::SamePerson, "the proposer");
        is_problem(&act(admin, &relation, "confirm").await, Code::SelfGrant, "the person");
        // The owner makes the coach a manager, who is then no second person for what the owner proposes.
        let changed = owner.patch(&membership(&club, Role::Coach).await, &json!({"role": "manager"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let helper = club.another_session(Role::Coach).await;
        is_problem(
            &act(&helper, &relation, "confirm").await,
            Code::SamePerson,
            "whose role the proposer gave",
        );
        let key = club.with_key(&owner.issue_key(&json!({"name": "Script"})).await);
        for action in ["confirm", "accept", "revoke"] {
            is_problem(&act(&key, &relation, action).await, Code::SessionRequired, "a key");
        }
        let body = json!({"user_id": admin.user, "kind": "support"});
        is_problem(&key.post(&path, &body).await, Code::SessionRequired, "a key");
        is_problem(&key.get(RELATIONS).await, Code::SessionRequired, "a key");
        let confirmed = act(club.member(Role::Manager), &relation, "confirm").await;
        assert_eq!(confirmed.body["data"]["confirmed_alone"], false, "{}", confirmed.text);
        is_problem(&act(&helper, &relation, "confirm").await, Code::State, "again");
    })
    .await;
}

#[tokio::test]
async fn all_but_the_family_need_an_end_and_a_reason() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let path = format!("{}/relations", child_of(parent).await);
        let mut body = json!({"user_id": club.member(Role::Coach).user, "kind": "support", "reason": "Help"});
        for kind in ["registrar", "medical_staff", "support"] {
            body["kind"] = json!(kind);
            let refused = parent.post(&path, &body).await;
            is_problem(&refused, Code::ExpiryRequired, kind);
            assert_eq!(errors(&refused), [("/expires_at", "required")]);
        }
        for (hours, code) in [(25, "too_late"), (-1, "in_the_past")] {
            body["expires_at"] = in_hours(&club, hours);
            assert_eq!(errors(&parent.post(&path, &body).await), [("/expires_at", code)]);
        }
        body["expires_at"] = in_hours(&club, 5);
        body["reason"] = json!(null);
        body["user_id"] = json!(club.neighbours().await.user);
        let refused = parent.post(&path, &body).await;
        is_problem(&refused, Code::ValidationFailed, "two fields");
        assert_eq!(errors(&refused), [("/user_id", "not_found"), ("/reason", "required")]);
    })
    .await;
}

#[tokio::test]
async fn a_relation_is_recorded_once() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let (child, sibling) = (child_of(parent).await, child_of(parent).await);
        let body = |kind: &str| json!({"user_id": coach.user, "kind": kind});
        let relation = propose(parent, &child, coach).await;
        let again = parent.post(&format!("{child}/relations"), &body("guardian")).await;
        is_problem(&again, Code::Duplicate, "it is proposed");
        assert_eq!(parent.post(&format!("{sibling}/relations"), &body("guardian")).await.status, 201);
        assert_eq!(parent.post(&format!("{sibling}/relations"), &body("self")).await.status, 201);
        let other = parent.post(&format!("{child}/relations"), &body("self")).await;
        is_problem(&other, Code::Duplicate, "a person is one child");
        assert_eq!(act(parent, &relation, "revoke").await.status, 200, "withdrawn");
        propose(parent, &child, coach).await;
    })
    .await;
}

/// Suspends the member with a role, or resumes them.
async fn suspend(club: &Club, role: Role, suspended: bool) {
    let owner = club.another_session(Role::Owner).await;
    let changed = owner.patch(&membership(club, role).await, &json!({"suspended": suspended})).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
}

#[tokio::test]
async fn an_owner_confirms_alone_a_day_after_all_owners_were_told() {
    on_both_in_held_time(async |club| {
        let (parent, owner, coach) =
            (club.member(Role::Member), club.member(Role::Owner), club.member(Role::Coach));
        let relation = propose(owner, &child_of(parent).await, coach).await;
        suspend(&club, Role::Manager, true).await;
        is_problem(&act(owner, &relation, "confirm").await, Code::SamePerson, "the admin could");
        suspend(&club, Role::Admin, true).await;
        let refused = act(owner, &relation, "confirm").await;
        is_problem(&refused, Code::SamePerson, "too early");
        let detail = refused.body["detail"].as_str().expect("a detail");
        assert!(detail.ends_with("An owner can confirm it alone from 2026-03-02T09:00:00Z on."), "{detail}");
        club.pass(SignedDuration::from_hours(24));
        let owner = &club.another_session(Role::Owner).await;
        let confirmed = act(owner, &relation, "confirm").await;
        assert_eq!(confirmed.body["data"]["confirmed_alone"], true, "marked: {}", confirmed.text);
        let accepted = act(&club.another_session(Role::Coach).await, &relation, "accept").await;
        assert_eq!(accepted.body["data"]["confirmed_alone"], true, "permanently: {}", accepted.text);
    })
    .await;
}
