//! How a relation ends: by its time, and with a membership.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::json;

use super::{RELATIONS, act, child_of, in_hours, listed, membership, propose, second_guardian};
use crate::shapes::is_problem;
use crate::support::{on_both, on_both_in_held_time};

#[tokio::test]
async fn a_relation_ends_at_its_end_and_can_be_proposed_again() {
    on_both_in_held_time(async |club| {
        let (parent, manager, coach) =
            (club.member(Role::Member), club.member(Role::Manager), club.member(Role::Coach));
        let child = child_of(parent).await;
        let path = format!("{child}/relations");
        let body = |hours| {
            let expires_at = in_hours(&club, hours);
            json!({"user_id": coach.user, "kind": "support", "expires_at": expires_at, "reason": "Help"})
        };
        let relation = parent.post(&path, &body(5)).await;
        assert_eq!(relation.status, 201, "{}", relation.text);
        assert_eq!(act(manager, &relation, "confirm").await.status, 200);
        assert_eq!(act(coach, &relation, "accept").await.status, 200);
        assert_eq!(coach.get(&format!("{child}/contact")).await.status, 200);
        is_problem(
            &coach.get(&format!("{child}/medical")).await,
            Code::RelationshipInsufficient,
            "support reads no more than it needs",
        );
        assert_eq!(super::own(coach).await, json!([]), "no family");

        club.pass(SignedDuration::from_hours(5));
        let (parent, manager, coach) = (
            club.another_session(Role::Member).await,
            club.another_session(Role::Manager).await,
            club.another_session(Role::Coach).await,
        );
        is_problem(&coach.get(&format!("{child}/contact")).await, Code::NotFound, "at its end");
        assert_eq!(listed(&coach, RELATIONS).await, [(relation.id().to_owned(), "expired".to_owned())]);
        for (who, action) in [(&manager, "confirm"), (&coach, "accept"), (&parent, "revoke")] {
            is_problem(&act(who, &relation, action).await, Code::State, "a relation that is over");
        }
        let again = parent.post(&path, &body(5)).await;
        assert_eq!(again.status, 201, "it takes the place of the one that is over: {}", again.text);
        assert_eq!(listed(&parent, &path).await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn a_removed_member_loses_their_relations_for_good() {
    on_both(async |club| {
        let (parent, coach, admin) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Admin));
        let (child, sibling) = (child_of(parent).await, child_of(parent).await);
        let open = second_guardian(&club, parent, &child, coach).await;
        let waiting = propose(parent, &sibling, coach).await;
        assert_eq!(admin.delete(&membership(&club, Role::Coach).await).await.status, 200);
        for (child, relation) in [(&child, &open), (&sibling, &waiting)] {
            let all = listed(parent, &format!("{child}/relations")).await;
            assert!(all.contains(&(relation.id().to_owned(), "expired".to_owned())), "{all:?}");
        }
        is_problem(&act(club.member(Role::Manager), &waiting, "confirm").await, Code::State, "over");
        let log = admin.get("/api/v1/audit-log?operation=members.remove").await;
        let effects = log.body["data"][0]["effects"].as_array().expect("effects").iter();
        assert_eq!(effects.filter(|effect| effect["kind"] == "relation").count(), 2, "{}", log.text);
        assert!(
            !log.text.contains(parent.user.expect("a user").to_string().as_str()),
            "sealed: {}",
            log.text
        );
        let body = json!({"user_id": coach.user, "kind": "guardian"});
        let again = parent.post(&format!("{child}/relations"), &body).await;
        is_problem(&again, Code::ValidationFailed, "no longer a member");
    })
    .await;
}

#[tokio::test]
async fn a_suspended_guardian_sees_nothing_until_they_are_resumed() {
    on_both(async |club| {
        let (parent, coach, admin) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Admin));
        let child = child_of(parent).await;
        let relation = second_guardian(&club, parent, &child, coach).await;
        let path = membership(&club, Role::Coach).await;
        assert_eq!(admin.patch(&path, &json!({"suspended": true})).await.status, 200);
        is_problem(&coach.get(&child).await, Code::TokenExpired, "suspended");
        assert_eq!(admin.patch(&path, &json!({"suspended": false})).await.status, 200);
        let coach = club.another_session(Role::Coach).await;
        assert_eq!(coach.get(&child).await.status, 200, "the relation has stayed");
        assert_eq!(listed(&coach, RELATIONS).await, [(relation.id().to_owned(), "active".to_owned())]);
    })
    .await;
}
