//! What is refused because of the state of a changeset, and what is returned if nothing has changed.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::changesets::{CHANGESETS, Proposal, a_venue};
use crate::support::fixtures::Fixture;
use crate::support::{on_both, send};

#[tokio::test]
async fn an_unchanged_changeset_and_its_parts_return_304() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let proposal = Proposal::new(manager, &json!([a_venue("Hall")])).await.submitted().await;
        let simulation = proposal.answer.body["data"]["simulation"]["id"].as_str().expect("an id");
        let path = format!("{CHANGESETS}/{}", proposal.id);
        let simulation = format!("/simulations/{simulation}");
        for part in ["", "/diff", "/impact", "/events", &simulation] {
            let path = format!("{path}{part}");
            let first = manager.get(&path).await;
            let tag = first.header("etag").to_owned();
            let again = manager.request(reqwest::Method::GET, &path).header("if-none-match", tag);
            assert_eq!(send(again).await.status, 304, "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_draft_is_neither_shown_nor_decided_about() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let draft = Proposal::new(manager, &json!([a_venue("Hall")])).await;
        let path = format!("{CHANGESETS}/{}", draft.id);
        for part in ["diff", "impact"] {
            is_problem(&manager.get(&format!("{path}/{part}")).await, Code::NotSimulated, part);
        }
        is_problem(&draft.try_step(admin, "reject", &json!({})).await, Code::State, "nothing to reject");
        let resolution = json!({"resolutions": [
            {"record": "ven_01h455vb4pex5vsknk084sn02q", "resolution": "skip"}
        ]});
        is_problem(&draft.try_step(manager, "resolutions", &resolution).await, Code::State, "it is no undo");
        let at = json!({"simulation_hash": "0", "at": "2199-01-01T00:00:00Z"});
        is_problem(&draft.try_step(manager, "schedule", &at).await, Code::State, "it is not approved");
        let undo = json!({"undo": {"changeset_id": draft.id}});
        is_problem(&manager.post(CHANGESETS, &undo).await, Code::State, "it was not executed");
    })
    .await;
}

#[tokio::test]
async fn a_simulation_with_too_many_effects_is_refused() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let venues: Vec<Value> = (0..2_002).map(|_| json!(fixture.venue())).collect();
        fixture.write().await;
        let delete = json!({"op": "delete", "resource": "venues", "id": venues[0], "dependents": "list",
            "ids": venues[1..]});
        let draft = Proposal::new(manager, &json!([delete])).await;
        // Which limit it reaches first depends on the machine: the time, or the number of effects.
        let refused = draft.try_step(manager, "simulate", &json!({})).await;
        is_problem(&refused, Code::SimulationTooLarge, "2,002 venues");
        let unchanged = manager.get(&format!("{CHANGESETS}/{}", draft.id)).await.body;
        assert_eq!(unchanged["data"]["state"], "draft", "{unchanged}");
        assert_eq!(
            manager.get(&format!("/api/v1/venues/{}", venues[0].as_str().expect("an id"))).await.status,
            200
        );
    })
    .await;
}
