//! What owners are told if fewer people approve a changeset than its risk asks for.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::many_venues;
use crate::shapes::is_problem;
use crate::support::changesets::{Proposal, a_venue};
use crate::support::mail::{Letter, sent};
use crate::support::{Club, on_both_in_held_time};

async fn told(club: &Club) -> Vec<Letter> {
    let letters = sent(club).await;
    letters.into_iter().filter(|letter| letter.subject.contains("that too few people can approve")).collect()
}

/// 51 venues: an admin has to approve them.
fn risky(name: &str) -> Value {
    (0..51).map(|number| a_venue(&format!("{name} {number}"))).collect()
}

#[tokio::test]
async fn every_owner_but_the_author_is_told_of_a_changeset_that_too_few_can_approve() {
    on_both_in_held_time(async |club| {
        let (manager, admin, owner) =
            (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Owner));
        sent(&club).await;
        let usual = Proposal::new(manager, &many_venues("Hall")).await.submitted().await;
        assert_eq!(usual.answer.body["data"]["reduced_approval"], json!(false));
        assert!(told(&club).await.is_empty(), "one manager can approve it");

        // At R3 two admins have to approve it, and besides the admin there is only the owner.
        let coach = owner.get("/api/v1/members?limit=100").await.body["data"]
            .as_array()
            .and_then(|members| members.iter().find(|member| member["role"] == "coach").cloned())
            .expect("a coach");
        let raise =
            json!({"op": "update", "resource": "members", "id": coach["id"], "set": {"role": "manager"}});
        let mut operations = risky("Ground");
        operations.as_array_mut().expect("a list").push(raise);
        let proposal = Proposal::new(admin, &operations).await.submitted().await;
        let data = &proposal.answer.body["data"];
        assert_eq!((&data["risk"], &data["reduced_approval"]), (&json!("R3"), &json!(true)), "{data}");
        let letters = told(&club).await;
        let [letter] = &letters[..] else { panic!("{letters:?}") };
        assert!(letter.to.contains("owner@"), "{}", letter.to);
        for part in [
            "A change",
            "52 records: 51 created, 1 updated",
            "only 1 other person can approve it",
            &format!("fieldhouse changesets reject {}", proposal.id),
            "It cannot be executed before ",
        ] {
            assert!(letter.text.contains(part), "{part}: {}", letter.text);
        }
        let proposal = proposal.approved_by(owner).await;
        let hash = proposal.hash().await;
        let early = proposal.try_step(admin, "execute", &hash).await;
        assert_eq!(early.status, 409, "{}", early.text);
        assert!(told(&club).await.is_empty(), "an approval is not told again");

        // Nothing is sent about what has ended before.
        let proposal = Proposal::new(admin, &operations).await.submitted().await;
        assert_eq!(proposal.try_step(owner, "reject", &json!({})).await.status, 200);
        assert!(told(&club).await.is_empty(), "it was rejected");
        // An owner gets no message about their own.
        let own = Proposal::new(owner, &operations).await.submitted().await;
        assert_eq!(own.answer.body["data"]["reduced_approval"], json!(true), "{}", own.answer.text);
        assert!(told(&club).await.is_empty(), "the owner is its author");
        is_problem(&own.try_step(owner, "approve", &own.hash().await).await, Code::OwnChangeset, "their own");
    })
    .await;
}
