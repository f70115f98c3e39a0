//! Guardians among themselves: no one of them revokes another, and each may give up their own relation.

use fieldhouse_api::Code;
use fieldhouse_domain::children::Child;
use fieldhouse_domain::children::restrictions::Restriction;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::roles::Role;
use fieldhouse_testing::{clubs, families};
use serde_json::json;

use super::{RELATIONS, act, child_of, listed, membership, own, propose, second_guardian};
use crate::shapes::is_problem;
use crate::support::on_both;

#[tokio::test]
async fn one_parent_does_not_revoke_the_other() {
    on_both(async |club| {
        let (parent, coach, owner) =
            (club.member(Role::Member), club.member(Role::Coach), club.member(Role::Owner));
        let child = child_of(parent).await;
        let relation = second_guardian(&club, parent, &child, coach).await;
        is_problem(&act(parent, &relation, "revoke").await, Code::OperationForbidden, "the other parent");
        // A parent who runs the club is a parent.
        let changed = owner.patch(&membership(&club, Role::Member).await, &json!({"role": "manager"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let parent = club.another_session(Role::Member).await;
        is_problem(&act(&parent, &relation, "revoke").await, Code::OperationForbidden, "as a manager");
        assert_eq!(coach.get(&child).await.status, 200);

        let revoked = act(club.member(Role::Manager), &relation, "revoke").await;
        assert_eq!(revoked.status, 200, "a manager decides: {}", revoked.text);
        is_problem(&coach.get(&child).await, Code::NotFound, "on the next request");
        is_problem(&coach.get(&format!("{child}/relations")).await, Code::NotFound, "on the next request");
    })
    .await;
}

#[tokio::test]
async fn a_parent_does_not_block_what_a_manager_proposes() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent).await;
        let relation = propose(club.member(Role::Admin), &child, coach).await;
        is_problem(&act(parent, &relation, "revoke").await, Code::OperationForbidden, "not their proposal");
        let body = json!({"user_id": club.member(Role::Viewer).user, "kind": "self"});
        let account = club.member(Role::Admin).post(&format!("{child}/relations"), &body).await;
        assert_eq!(act(parent, &account, "revoke").await.status, 200, "no guardian's");
        assert_eq!(act(club.member(Role::Manager), &relation, "confirm").await.status, 200);
        assert_eq!(act(coach, &relation, "accept").await.status, 200);
        assert_eq!(coach.get(&child).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_guardian_gives_up_their_own_relation_even_if_it_is_the_last() {
    on_both(async |club| {
        let parent = club.member(Role::Member);
        let child = child_of(parent).await;
        let (id, _) = listed(parent, RELATIONS).await.remove(0);
        let given_up = parent.post(&format!("{RELATIONS}/{id}/revoke"), &json!({})).await;
        assert_eq!(given_up.status, 200, "{}", given_up.text);
        is_problem(&parent.get(&child).await, Code::NotFound, "on the next request");
        assert_eq!(own(parent).await, json!([]));
        // The club finds another guardian.
        let relation = propose(club.member(Role::Admin), &child, club.member(Role::Coach)).await;
        assert_eq!(act(club.member(Role::Manager), &relation, "confirm").await.status, 200);
        assert_eq!(act(club.member(Role::Coach), &relation, "accept").await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn a_restricted_guardian_sees_no_child_and_decides_nothing() {
    on_both(async |club| {
        let (parent, coach) = (club.member(Role::Member), club.member(Role::Coach));
        let child = child_of(parent).await;
        let relation = second_guardian(&club, parent, &child, coach).await;
        let id = child.rsplit('/').next().expect("an id").parse().expect("an id");
        let order = Restriction {
            user_id: parent.user,
            classes: Vec::new(),
            ..families::restriction(&Child { id, ..families::child("Kim") })
        };
        let effects = vec![Effect::create(order)];
        clubs::apply(&club.app.store, club.organization, effects).await.expect("an order");

        assert_eq!(own(parent).await, json!([]));
        assert_eq!(own(coach).await.as_array().map(Vec::len), Some(1));
        is_problem(&parent.get(&format!("{child}/relations")).await, Code::NotFound, "restricted");
        let body = json!({"user_id": club.member(Role::Viewer).user, "kind": "guardian"});
        is_problem(&parent.post(&format!("{child}/relations"), &body).await, Code::NotFound, "restricted");
        is_problem(&act(parent, &relation, "revoke").await, Code::NotFound, "restricted");
        let owner = club.member(Role::Owner);
        let changed = owner.patch(&membership(&club, Role::Member).await, &json!({"role": "manager"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let parent = club.another_session(Role::Member).await;
        is_problem(&act(&parent, &relation, "revoke").await, Code::NotFound, "as a manager");
        let own = listed(&parent, RELATIONS).await;
        let (id, _) = own.iter().find(|(id, _)| id != relation.id()).expect("their own");
        let given_up = parent.post(&format!("{RELATIONS}/{id}/revoke"), &json!({})).await;
        assert_eq!(given_up.status, 200, "they may give it up: {}", given_up.text);
    })
    .await;
}
