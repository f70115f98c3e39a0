//! Changesets: the requests of their life cycle.

use fieldhouse_client::Operations;
use fieldhouse_client::api::changesets::{
    ChangeChangeset, NewUndo, Rejection, Resolve, Schedule, SimulationHash,
};
use fieldhouse_client::domain::games::{ChangeGame, GameStatus};
use fieldhouse_client::domain::ids::GameId;
use serde_json::{Value, json};

use crate::support::{Reply, Stub};
use crate::{client, code};

const CHANGESET: &str = "chg_01h2xcejqtf2nbrexx3vqjhp41";
const SIMULATION: &str = "sim_01h2xcejqtf2nbrexx3vqjhp41";
const GAME: &str = "gam_01h2xcejqtf2nbrexx3vqjhp41";

fn simulation() -> Value {
    json!({
        "id": SIMULATION, "hash": "abc", "effect_digest": "d", "at": "2026-03-01T09:00:00Z",
        "expires_at": "2026-03-02T09:00:00Z", "impact": {}, "conflicts": [], "warnings": [], "problems": [],
    })
}

fn changeset(state: &str) -> Value {
    json!({
        "id": CHANGESET, "kind": "change", "title": "Rain", "reason": null, "state": state,
        "author": {"user_id": "usr_01h2xcejqtf2nbrexx3vqjhp41", "key_id": null, "is_agent": false},
        "operation_count": 1, "operations": [], "drift_policy": "strict", "simulation": simulation(), "risk": "R2",
        "approvals": [], "required_approvals": 1, "approver_role": "admin", "reduced_approval": false,
        "not_before": null, "submitted_at": null, "schedule_at": null, "expires_at": null, "executed": null,
        "undo_of": null, "undone_by": null, "created_at": "2026-03-01T09:00:00Z",
        "updated_at": "2026-03-01T09:00:00Z", "version": 1,
    })
}

fn stub() -> Stub {
    Stub::new(|seen| {
        let last = seen.call.rsplit('/').next().unwrap_or_default();
        match last {
            "execute" => {
                Reply::json(200, &json!({"data": {"changeset": changeset("executed"), "replayed": true}}))
            }
            "diff" if seen.header("accept") == Some("text/plain") => Reply::text(200, "1 game moves\n"),
            "diff" => Reply::json(
                200,
                &json!({"data": {"changeset_id": CHANGESET, "simulation_id": SIMULATION, "hash": "abc",
                    "effects": [], "redacted": 0}}),
            ),
            "impact" => Reply::json(200, &json!({"data": simulation()})),
            "undo" => Reply::problem(409, "undo_conflict"),
            _ => Reply::json(200, &json!({"data": changeset("in_review")})),
        }
    })
}

#[tokio::test]
async fn a_changeset_is_proposed_decided_and_executed() {
    let stub = stub();
    let client = client(&stub);
    let changesets = client.changesets();
    let mut operations = Operations::new();
    let off = ChangeGame { status: Some(GameStatus::Postponed), ..ChangeGame::default() };
    let game: GameId = GAME.parse().expect("an id");
    operations.update(game, &off).expect("a change").if_version(3);
    let new = operations.changeset("Rain".parse().expect("a title"));
    let id = changesets.create(&new).await.expect("a changeset").id;
    let hash = SimulationHash { simulation_hash: "abc".to_owned() };
    changesets.simulate(id).await.expect("a changeset");
    assert_eq!(changesets.diff(id).text().await.expect("a diff"), "1 game moves\n");
    assert_eq!(changesets.diff(id).await.expect("a diff").hash.as_deref(), Some("abc"));
    changesets.impact(id).await.expect("a simulation");
    changesets.submit(id).await.expect("a changeset");
    changesets.approve(id, &hash).await.expect("a changeset");
    changesets.unapprove(id).await.expect("a changeset");
    let at = "2026-03-03T09:00:00Z".parse().expect("a time");
    let schedule = Schedule { simulation_hash: "abc".to_owned(), at };
    changesets.schedule(id, &schedule).await.expect("a changeset");
    assert!(changesets.execute(id, &hash).await.expect("an execution").replayed);
    changesets.reject(id, &Rejection::default()).await.expect("a changeset");
    changesets.withdraw(id, &Rejection::default()).await.expect("a changeset");
    changesets.resolve(id, &Resolve::default()).await.expect("a changeset");
    changesets.change(id, &ChangeChangeset::default()).await.expect("a changeset");
    assert_eq!(code(changesets.undo(id, &NewUndo::default()).await), "undo_conflict");
    let own = format!("/api/v1/changesets/{CHANGESET}");
    let verbs = [
        "/simulate",
        "/diff",
        "/diff",
        "/impact",
        "/submit",
        "/approve",
        "/unapprove",
        "/schedule",
        "/execute",
        "/reject",
        "/withdraw",
        "/resolutions",
        "",
        "/undo",
    ];
    let calls = verbs.map(|verb| match verb {
        "/diff" | "/impact" => format!("GET {own}{verb}"),
        "" => format!("PATCH {own}"),
        _ => format!("POST {own}{verb}"),
    });
    let seen = stub.seen();
    assert_eq!(seen[0].call, "POST /api/v1/changesets");
    assert_eq!(seen[1..].iter().map(|seen| seen.call.clone()).collect::<Vec<_>>(), calls);
    let sent: Value = serde_json::from_str(&seen[0].body).expect("JSON");
    let operation = json!({"op": "update", "resource": "games", "id": GAME, "if_version": 3,
        "set": {"status": "postponed"}});
    assert_eq!(sent, json!({"title": "Rain", "operations": [operation]}));
}
