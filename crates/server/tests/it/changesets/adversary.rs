//! Someone with an agent's key, or one person alone, tries to get something executed that no one else approved.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::many_venues;
use crate::shapes::is_problem;
use crate::support::changesets::{CHANGESETS, Proposal, a_venue};
use crate::support::{Club, Person, on_both, send};

async fn agent_of(club: &Club, person: &Person) -> Person {
    club.with_key(&person.issue_key(&json!({"name": "Agent", "kind": "agent"})).await)
}

async fn halls(club: &Club) -> usize {
    let list = club.member(Role::Viewer).get("/api/v1/venues?limit=100").await;
    list.body["data"].as_array().map_or(0, Vec::len)
}

#[tokio::test]
async fn a_key_can_neither_approve_nor_execute() {
    on_both(async |club| {
        let admin = club.member(Role::Admin);
        let agent = agent_of(&club, admin).await;
        let script = club.with_key(&admin.issue_key(&json!({"name": "Script"})).await);
        let narrow = club.with_key(
            &admin.issue_key(&json!({"name": "Narrow", "scopes": ["venues:write", "changesets:read"]})).await,
        );
        is_problem(
            &agent.post("/api/v1/venues", &json!({"name": "A", "time_zone": "UTC"})).await,
            Code::ScopeInsufficient,
            "directly",
        );
        let body = json!({"title": "A change", "operations": [a_venue("Hall")]});
        is_problem(
            &narrow.post(CHANGESETS, &body).await,
            Code::ScopeInsufficient,
            "write does not include propose",
        );
        let proposal = Proposal::new(&agent, &json!([a_venue("Hall")])).await.submitted().await;
        assert_eq!(
            (proposal.state(), &proposal.answer.body["data"]["risk"]),
            ("in_review", &json!("R1")),
            "never R0"
        );
        let hash = proposal.hash().await;
        for key in [&agent, &script, &agent_of(&club, club.member(Role::Owner)).await] {
            for (step, body) in [
                ("approve", &hash),
                ("execute", &hash),
                ("reject", &json!({})),
                ("unapprove", &json!({})),
                (
                    "schedule",
                    &json!({"simulation_hash": hash["simulation_hash"], "at": "2199-01-01T00:00:00Z"}),
                ),
            ] {
                is_problem(&proposal.try_step(key, step, body).await, Code::SessionRequired, step);
            }
            is_problem(
                &proposal.try_step(key, "undo", &json!({"quick": true})).await,
                Code::OperationForbidden,
                "undo",
            );
        }
        // An edit with a key is the key's, until someone sends all operations in a session.
        let own = Proposal::new(admin, &json!([a_venue("Own")])).await;
        let path = format!("{CHANGESETS}/{}", own.id);
        let edited_by = async |who: &Person, edit: Value| {
            send(who.request(reqwest::Method::PATCH, &path).header("if-match", "*").json(&edit)).await
        };
        for (who, edit, by_key) in [
            (&agent, json!({"title": "By the agent"}), true),
            (admin, json!({"title": "By the admin"}), true),
            (admin, json!({"operations": [a_venue("Own")]}), false),
        ] {
            let edited = edited_by(who, edit).await;
            assert_eq!(edited.body["data"]["author"]["key_id"].is_string(), by_key, "{}", edited.text);
            assert_eq!(edited.body["data"]["author"]["is_agent"], true, "an agent had a part in it");
        }
        let own = own.submitted().await;
        assert_eq!(own.answer.body["data"]["risk"], "R1", "never R0");
        assert_eq!(own.try_step(admin, "withdraw", &json!({})).await.status, 200);
        // The owner of the key is the author.
        is_problem(&proposal.try_step(admin, "approve", &hash).await, Code::OwnChangeset, "their own key");
        assert_eq!(halls(&club).await, 0);
        let proposal = proposal.approved_by(club.member(Role::Manager)).await;
        proposal.executed_by(admin).await;
        assert_eq!(halls(&club).await, 1);
    })
    .await;
}

#[tokio::test]
async fn splitting_editing_and_undoing_are_no_way_round_an_approval() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        // Risk sums over the author's changesets, whatever session or key they used.
        let first = Proposal::new(manager, &json!([a_venue("1"), a_venue("2"), a_venue("3")]))
            .await
            .submitted()
            .await;
        assert_eq!(first.state(), "approved");
        let other = club.another_session(Role::Manager).await;
        let second =
            Proposal::new(&other, &json!([a_venue("4"), a_venue("5"), a_venue("6")])).await.submitted().await;
        assert_eq!((second.state(), &second.answer.body["data"]["risk"]), ("in_review", &json!("R1")));
        // What was approved is the effect: an edit after the approval is not approved.
        let second = second.approved_by(admin).await;
        let hash = second.hash().await;
        let path = format!("{CHANGESETS}/{}", second.id);
        let edit = json!({"operations": many_venues("Edited")});
        let edited =
            send(other.request(reqwest::Method::PATCH, &path).header("if-match", "*").json(&edit)).await;
        assert_eq!(edited.status, 200, "{}", edited.text);
        let refused = second.try_step(&other, "execute", &hash).await;
        is_problem(&refused, Code::State, "the approval is void");
        let second = second.simulated().await;
        is_problem(&second.try_step(&other, "execute", &hash).await, Code::State, "it is not submitted");
        // An approval for one simulation is none for the next.
        let second = second.submitted_again().await;
        is_problem(
            &second.try_step(admin, "approve", &hash).await,
            Code::SimulationChanged,
            "of the earlier one",
        );
        assert_eq!(halls(&club).await, 0);
        // The reason is mailed to families: another one is not what was approved.
        let third = Proposal::new(manager, &many_venues("Third")).await.submitted().await;
        let hash = third.hash().await;
        let path = format!("{CHANGESETS}/{}", third.id);
        for edit in [json!({"reason": "Pay at example.org"}), json!({"drift_policy": "tolerate_unrelated"})] {
            let edited =
                send(manager.request(reqwest::Method::PATCH, &path).header("if-match", "*").json(&edit))
                    .await;
            assert_eq!(edited.status, 200, "{}", edited.text);
        }
        let third = third.submitted().await;
        is_problem(&third.try_step(admin, "approve", &hash).await, Code::SimulationChanged, "other words");
        let validated = manager
            .post("/api/v1/venues?validate_only=true", &json!({"name": "V", "time_zone": "UTC"}))
            .await;
        assert_eq!((validated.status, halls(&club).await), (201, 0), "validating stores nothing");
    })
    .await;
}

#[tokio::test]
async fn what_was_revoked_or_demoted_since_counts() {
    on_both(async |club| {
        let (manager, admin, owner) =
            (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Owner));
        let key = manager.issue_key(&json!({"name": "Agent", "kind": "agent"})).await;
        let agent = club.with_key(&key);
        let proposal =
            Proposal::new(&agent, &json!([a_venue("Hall")])).await.submitted().await.approved_by(admin).await;
        let hash = proposal.hash().await;
        let id = agent.get("/api/v1/api-keys/current").await;
        assert_eq!(manager.delete(&format!("/api/v1/api-keys/{}", id.id())).await.status, 200);
        is_problem(
            &proposal.try_step(admin, "execute", &hash).await,
            Code::AuthorityLost,
            "the key was revoked",
        );
        // An approver who is demoted between approval and execution.
        let proposal =
            Proposal::new(manager, &many_venues("Hall")).await.submitted().await.approved_by(admin).await;
        let hash = proposal.hash().await;
        let members = owner.get("/api/v1/members").await;
        let member = members.body["data"]
            .as_array()
            .expect("members")
            .iter()
            .find(|member| member["user"]["id"] == json!(admin.user))
            .expect("the admin")["id"]
            .as_str()
            .expect("an id")
            .to_owned();
        let demoted = owner.patch(&format!("/api/v1/members/{member}"), &json!({"role": "viewer"})).await;
        assert_eq!(demoted.status, 200, "{}", demoted.text);
        is_problem(&proposal.try_step(manager, "execute", &hash).await, Code::AuthorityLost, "the approver");
        // Someone whom the author has just made a manager.
        let promoted = owner.patch(&format!("/api/v1/members/{member}"), &json!({"role": "admin"})).await;
        assert_eq!(promoted.status, 200, "{}", promoted.text);
        let own = Proposal::new(owner, &many_venues("Of the owner")).await.submitted().await;
        let friend = club.sign_in(Role::Admin).await;
        let hash = own.hash().await;
        is_problem(
            &own.try_step(&friend, "approve", &hash).await,
            Code::ApproverTooNew,
            "their own creature",
        );
        assert_eq!(halls(&club).await, 0);
    })
    .await;
}

#[tokio::test]
async fn what_the_approver_or_the_author_may_not_do_is_not_executed() {
    on_both(async |club| {
        let (manager, admin, owner) = (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Owner));
        let members = owner.get("/api/v1/members").await;
        let id = |role: Role| -> String {
            let user = json!(club.member(role).user);
            let all = members.body["data"].as_array().expect("members").clone();
            all.iter().find(|it| it["user"]["id"] == user).expect("a member")["id"].as_str().expect("an id").to_owned()
        };
        let raise = |who: &str, role: &str| -> Value { json!([{"op": "update", "resource": "members", "id": who, "set": {"role": role}}]) };
        // Forbidden to the author, though the approver could.
        let mut proposal = Proposal::new(manager, &raise(&id(Role::Viewer), "coach")).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "operation_forbidden", "{data}");
        // Allowed to the author, forbidden to the approver.
        let proposal = Proposal::new(owner, &raise(&id(Role::Coach), "owner")).await.submitted().await;
        assert_eq!(proposal.answer.body["data"]["risk"], "R3", "{}", proposal.answer.text);
        let hash = proposal.hash().await;
        is_problem(&proposal.try_step(admin, "approve", &hash).await, Code::OperationForbidden, "above their role");
        // Fields of a member that no changeset changes.
        let suspend = json!([{"op": "update", "resource": "members", "id": id(Role::Coach), "set": {"suspended": true}}]);
        let refused = owner.post(CHANGESETS, &json!({"title": "A change", "operations": suspend})).await;
        is_problem(&refused, Code::InvalidOperation, "only roles");
    })
    .await;
}
