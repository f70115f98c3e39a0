//! Imports as changesets: proposed, simulated, approved, executed and undone like any other.

use fieldhouse_api::Code;
use fieldhouse_domain::changesets::outcome::digest;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::read;
use crate::imports::{COBURG, of, only_admin};
use crate::shapes::is_problem;
use crate::support::changesets::{CHANGESETS, Proposal};
use crate::support::{Answer, Person, on_both, send};

const DIRECT: &str = "/api/v1/imports/league";
const PROPOSED: &str = "/api/v1/imports/league?as_changeset=true";

/// The first rows of the league.
fn rows(count: usize) -> String {
    COBURG.lines().take(count + 1).flat_map(|line| [line, "\n"]).collect()
}

/// The same file a year later: each of its games moves.
fn later(file: &str) -> String {
    file.replace("/2022,", "/2023,")
}

async fn proposed<'a>(author: &'a Person, body: &Value) -> Proposal<'a> {
    let answer = author.post(PROPOSED, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    Proposal { author, id: answer.id().to_owned(), answer }
}

async fn count(who: &Person, of: &str) -> usize {
    who.get(&format!("/api/v1/{of}?limit=100")).await.body["data"].as_array().expect("a list").len()
}

async fn edited(author: &Person, id: &str, edit: &Value) -> Answer {
    let path = format!("{CHANGESETS}/{id}");
    send(author.request(reqwest::Method::PATCH, &path).header("if-match", "*").json(edit)).await
}

#[tokio::test]
async fn an_import_is_proposed_approved_executed_and_undone() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let file = rows(12);
        let mut body = of(&file);
        (body["file_name"], body["reason"]) = (json!("winter.csv"), json!("The draw is out"));
        let proposal = proposed(manager, &body).await;
        let data = proposal.answer.body["data"].clone();
        assert_eq!((&data["kind"], &data["state"]), (&json!("import"), &json!("simulated")), "{data}");
        assert_eq!(
            (&data["title"], &data["reason"]),
            (&json!("Import of winter.csv"), &json!("The draw is out"))
        );
        let operation = json!({
            "op": "import", "format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne",
            "home_zone": data["operations"][0]["operation"]["home_zone"], "skip_bad": false,
            "file": {"name": "winter.csv", "bytes": file.len(), "sha256": digest(&file)},
        });
        assert_eq!(data["operations"], json!([{"operation": operation, "redacted": false}]));
        assert_eq!(
            (count(manager, "seasons").await, count(manager, "games").await),
            (0, 0),
            "nothing is stored"
        );

        let diff = manager.get(&format!("{CHANGESETS}/{}/diff", proposal.id)).await;
        let effects = diff.body["data"]["effects"].as_array().expect("effects").clone();
        let games: Vec<_> = effects.iter().filter(|effect| effect["kind"] == "game").collect();
        assert_eq!(games.len(), 12, "{}", diff.text);
        let proposal = proposal.submitted_again().await;
        assert_eq!(proposal.state(), "in_review", "{}", proposal.answer.text);
        let proposal = proposal.approved_by(admin).await.executed_by(manager).await;
        let seasons = manager.get("/api/v1/seasons").await;
        let season = effects.iter().find(|effect| effect["kind"] == "season").expect("a season");
        assert_eq!(seasons.body["data"][0]["id"], season["id"], "the ids are those of the simulation");
        assert_eq!(count(manager, "games").await, 12);
        let again = manager.post(DIRECT, &of(&file)).await;
        assert_eq!((&again.body["data"]["counts"]["games_unchanged"], again.status), (&json!(12), 200));

        // It only created records that no one has changed since.
        let undone = proposal.try_step(manager, "undo", &json!({})).await;
        assert_eq!(undone.status, 201, "{}", undone.text);
        let undo = Proposal { author: manager, id: undone.id().to_owned(), answer: undone };
        let undo = undo.submitted_again().await;
        assert_eq!(undo.answer.body["data"]["risk"], json!("R1"), "{}", undo.answer.text);
        undo.approved_by(admin).await.executed_by(manager).await;
        assert_eq!((count(manager, "seasons").await, count(manager, "games").await), (0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_file_is_compared_again_and_what_changed_since_makes_it_stale() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let file = rows(8);
        assert_eq!(manager.post(DIRECT, &of(&file)).await.status, 200);
        let proposal = proposed(manager, &of(&later(&file))).await.submitted_again().await;
        let proposal = proposal.approved_by(admin).await;
        let hash = proposal.hash().await;
        let games = manager.get("/api/v1/games?limit=1").await;
        let game = games.body["data"][0].clone();
        let path = format!("/api/v1/games/{}", game["id"].as_str().expect("an id"));
        let note = manager.request(reqwest::Method::PATCH, &path).header("if-match", "*");
        let moved = send(note.json(&json!({"round": "Final"}))).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        let refused = proposal.try_step(manager, "execute", &hash).await;
        is_problem(&refused, Code::ChangesetStale, "a game has changed");
        let drifted = refused.body["drifted"].as_array().expect("a list").clone();
        assert!(drifted.iter().any(|it| it["of"] == "game" && it["id"] == game["id"]), "{}", refused.text);
        assert!(drifted.iter().any(|it| it["of"] == "games_of_season"), "{}", refused.text);
        // It is compared with the records as they are now, and can be decided again.
        let proposal = proposal.simulated().await.submitted_again().await.approved_by(admin).await;
        proposal.executed_by(manager).await;
        let unchanged = manager.post(DIRECT, &of(&later(&file))).await;
        assert_eq!(unchanged.body["data"]["counts"]["games_unchanged"], 8, "{}", unchanged.text);
    })
    .await;
}

#[tokio::test]
async fn the_title_can_be_edited_and_the_operations_cannot() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let proposal = proposed(manager, &of(&rows(3))).await;
        let edit = json!({"operations": [crate::support::changesets::a_venue("Hall")]});
        is_problem(&edited(manager, &proposal.id, &edit).await, Code::State, "its operations");
        let edit = json!({"title": "The winter draw", "drift_policy": "tolerate_unrelated"});
        assert_eq!(edited(manager, &proposal.id, &edit).await.status, 200);
        let proposal = proposal.simulated().await;
        let data = read(manager, &proposal.id).await;
        assert_eq!((&data["title"], &data["operation_count"]), (&json!("The winter draw"), &json!(1)));
        assert_eq!(data["operations"][0]["operation"]["op"], "import");
    })
    .await;
}

#[tokio::test]
async fn a_key_may_propose_an_import_if_it_may_propose() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let body = of(&rows(3));
        let key = |wanted: Value| async move { manager.issue_key(&wanted).await };
        let agent = club.with_key(
            &key(json!({"name": "Agent", "kind": "agent", "scopes": ["changesets:propose"]})).await,
        );
        let writer = club.with_key(&key(json!({"name": "Script", "scopes": ["imports:write"]})).await);
        is_problem(&agent.post(DIRECT, &body).await, Code::ScopeInsufficient, "an agent imports");
        is_problem(&writer.post(PROPOSED, &body).await, Code::ScopeInsufficient, "a script proposes");
        is_problem(&club.member(Role::Coach).post(PROPOSED, &body).await, Code::RoleInsufficient, "a coach");
        assert_eq!(writer.post(DIRECT, &body).await.status, 200);
        let other = of(&rows(6));
        let proposal = proposed(&agent, &other).await.submitted_again().await;
        assert_eq!(proposal.state(), "in_review", "an agent's is never approved at once");
        proposal.approved_by(admin).await.executed_by(manager).await;
        assert_eq!(count(manager, "games").await, 6);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_proposed_is_refused_as_in_a_direct_import() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let head = COBURG.lines().next().expect("a header");
        let bad = of(&format!("{}30/02/2022,U10,Round 1,A,,,B,,,,,,,,,,,C,D,E,F,g\n", rows(2)));
        let refused = manager.post(PROPOSED, &bad).await;
        is_problem(&refused, Code::ValidationFailed, "a bad row");
        assert_eq!(refused.body["bad_row_count"], 1, "{}", refused.text);
        let mut skipping = bad.clone();
        skipping["skip_bad"] = json!(true);
        let proposal = proposed(manager, &skipping).await;
        let warnings = &proposal.answer.body["data"]["simulation"]["warnings"];
        assert_eq!(warnings[0]["code"], "bad_rows", "{warnings}");
        for content in ["no league", &format!("{}\u{0}", rows(2))] {
            is_problem(&manager.post(PROPOSED, &of(content)).await, Code::ValidationFailed, "a bad file");
        }
        let many: Vec<String> = (0..2_001).map(|game| {
            let row = "05/03/2022,U10,Round 1,A,,,B,,,,PENDING,Hall,Court 1,09:15:00,,,Club,Cup,DOMESTIC,Winter 2022";
            format!("{row},game-{game}")
        }).collect();
        let large = manager.post(PROPOSED, &of(&format!("{head}\n{}\n", many.join("\n")))).await;
        is_problem(&large, Code::SimulationTooLarge, "2,001 games");
        assert!(large.body["detail"].as_str().is_some_and(|detail| detail.contains("Divide the file")), "{}", large.text);
        // With a dry run, the report says what would change, and nothing is proposed.
        let mut dry = of(&rows(2));
        dry["dry_run"] = json!(true);
        let report = manager.post(PROPOSED, &dry).await;
        assert_eq!((report.status, &report.body["data"]["dry_run"]), (200, &json!(true)), "{}", report.text);
        for _ in 0..19 {
            proposed(manager, &of(&rows(1))).await;
        }
        is_problem(&manager.post(PROPOSED, &of(&rows(1))).await, Code::TooManyOpen, "twenty");
    })
    .await;
}

#[tokio::test]
async fn a_file_that_changes_many_records_has_to_be_proposed_where_others_can_approve() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let file = rows(70);
        assert_eq!(manager.post(DIRECT, &of(&file)).await.status, 200, "new records need no changeset");
        let few = of(&later(&rows(40)));
        assert_eq!(manager.post(DIRECT, &few).await.status, 200, "40 changes need none");
        let changed = later(&file).replace("/2023,", "/2024,");
        let refused = manager.post(DIRECT, &of(&changed)).await;
        is_problem(&refused, Code::ChangesetRequired, "70 changes");
        assert_eq!(refused.body["template"], json!({"query": {"as_changeset": "true"}}), "{}", refused.text);
        let mut dry = of(&changed);
        dry["dry_run"] = json!(true);
        let report = manager.post(DIRECT, &dry).await;
        assert_eq!(
            (report.status, &report.body["data"]["changeset_required"]),
            (200, &json!(true)),
            "{}",
            report.text
        );

        // Without anyone else who can approve it, it is imported directly.
        let owner = only_admin(&club).await;
        dry["content"] = json!(later(&file));
        assert_eq!(owner.post(DIRECT, &dry).await.body["data"]["changeset_required"], json!(false));
        let direct = owner.post(DIRECT, &of(&later(&file))).await;
        assert_eq!(direct.status, 200, "{}", direct.text);
    })
    .await;
}
