//! Changesets: proposing, simulating, deciding, executing and undoing, through the API.

mod adversary;
mod imports;
mod reduced;
mod statuses;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::changesets::{CHANGESETS, Proposal, a_venue};
use crate::support::families::{Families, signed_in};
use crate::support::fixtures::Fixture;
use crate::support::league::{League, created};
use crate::support::{Person, on_both, on_both_in_held_time, send};

const NAME: &str = "Zzyzxgrove of the changesets";

pub(crate) async fn read(who: &Person, id: &str) -> Value {
    let read = who.get(&format!("{CHANGESETS}/{id}")).await;
    assert_eq!(read.status, 200, "{}", read.text);
    read.body["data"].clone()
}

fn game(league: &League, starts_at: &str) -> Value {
    json!({"season_id": league.season, "division_id": league.division, "home_team_id": league.home,
        "away_team_id": league.away, "starts_at": starts_at, "time_zone": "Australia/Melbourne"})
}

/// Seven venues: more records than risk R0 permits.
pub(crate) fn many_venues(name: &str) -> Value {
    (0..7).map(|number| a_venue(&format!("{name} {number}"))).collect()
}

#[tokio::test]
async fn a_league_is_created_with_references_and_its_ids_are_those_of_the_simulation() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let operations = json!([
            {"op": "create", "ref": "s", "resource": "seasons",
                "data": {"name": "Winter", "sport": "netball", "time_zone": "Australia/Melbourne"}},
            {"op": "create", "ref": "d", "resource": "divisions", "data": {"season_id": {"$ref": "s"}, "name": "U12"}},
            {"op": "create", "ref": "t1", "resource": "teams",
                "data": {"season_id": {"$ref": "s"}, "division_id": {"$ref": "d"}, "name": "Blue"}},
            {"op": "create", "ref": "t2", "resource": "teams",
                "data": {"season_id": {"$ref": "s"}, "division_id": {"$ref": "d"}, "name": "Red"}},
            {"op": "create", "resource": "games", "data": {"season_id": {"$ref": "s"}, "division_id": {"$ref": "d"},
                "home_team_id": {"$ref": "t1"}, "away_team_id": {"$ref": "t2"}, "starts_at": "2199-03-07T00:00:00Z",
                "time_zone": "Australia/Melbourne"}},
        ]);
        let proposal = Proposal::new(manager, &operations).await.simulated().await;
        assert!(manager.get("/api/v1/seasons").await.body["data"].as_array().is_some_and(Vec::is_empty));
        let diff = manager.get(&format!("{CHANGESETS}/{}/diff", proposal.id)).await;
        let effects = diff.body["data"]["effects"].as_array().expect("effects").clone();
        let kinds: Vec<_> = effects.iter().map(|it| it["kind"].as_str().expect("a kind")).collect();
        assert_eq!(kinds, ["season", "division", "team", "team", "game"], "{}", diff.text);
        let mut proposal = proposal;
        let submitted = proposal.step(manager, "submit", &json!({})).await;
        assert_eq!((&submitted["risk"], &submitted["state"]), (&json!("R0"), &json!("approved")));
        proposal.executed_by(manager).await;
        for effect in &effects {
            let (kind, id) = (effect["kind"].as_str().expect("a kind"), effect["id"].as_str().expect("an id"));
            let stored = manager.get(&format!("/api/v1/{kind}s/{id}")).await;
            assert_eq!(stored.status, 200, "{kind} {id}: {}", stored.text);
        }
    })
    .await;
}

#[tokio::test]
async fn a_wrong_operation_is_named_with_its_place() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let team = &league.home;
        for (index, pointer, operations) in [
            (0, "/op", json!([{"op": "move", "resource": "games"}])),
            (1, "/data/name", json!([a_venue("Hall"), {"op": "create", "resource": "venues", "data": {"time_zone": "UTC"}}])),
            (0, "/data/hat", json!([{"op": "create", "resource": "venues", "data": {"name": "A", "time_zone": "UTC", "hat": 1}}])),
            (0, "/data/season_id", json!([{"op": "create", "resource": "divisions",
                "data": {"season_id": {"$ref": "later"}, "name": "U12"}}])),
            (1, "/data/season_id", json!([{"op": "create", "ref": "v", "resource": "venues",
                "data": {"name": "A", "time_zone": "UTC"}}, {"op": "create", "resource": "divisions",
                "data": {"season_id": {"$ref": "v"}, "name": "U12"}}])),
            (0, "/id", json!([{"op": "update", "resource": "games", "id": team, "set": {"status": "postponed"}}])),
            (0, "/set", json!([{"op": "update", "resource": "teams", "id": team}])),
            (0, "/test/0/op", json!([{"op": "assert", "resource": "teams", "id": team,
                "test": [{"op": "replace", "path": "/name", "value": "X"}]}])),
            (0, "/ids", json!([{"op": "delete", "resource": "teams", "id": team, "dependents": "list"}])),
            (0, "/hat", json!([{"op": "delete", "resource": "teams", "id": team, "hat": true}])),
        ] {
            let refused = manager.post(CHANGESETS, &json!({"title": "A change", "operations": operations})).await;
            is_problem(&refused, Code::InvalidOperation, pointer);
            assert_eq!((&refused.body["index"], &refused.body["pointer"]), (&json!(index), &json!(pointer)), "{}", refused.text);
        }
        let key = json!([{"op": "create", "resource": "api_keys", "data": {}}]);
        let refused = manager.post(CHANGESETS, &json!({"title": "A change", "operations": key})).await;
        is_problem(&refused, Code::OperationNotChangeable, "credentials");
        for body in [json!({"title": "A change"}), json!({"operations": [a_venue("A")]}),
            json!({"title": "A change", "operations": []}), json!({"undo": {}})]
        {
            is_problem(&manager.post(CHANGESETS, &body).await, Code::ValidationFailed, "incomplete");
        }
    })
    .await;
}

#[tokio::test]
async fn problems_of_a_simulation_name_the_operation_and_nothing_is_stored() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let twice = json!([a_venue("Hall"), a_venue("Hall")]);
        let mut proposal = Proposal::new(manager, &twice).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        let problem = &data["simulation"]["problems"][0];
        assert_eq!((&data["state"], &problem["index"], &problem["code"]), (&json!("draft"), &json!(1), &json!("duplicate")), "{data}");
        let refused = proposal.try_step(manager, "submit", &json!({})).await;
        is_problem(&refused, Code::NotSimulated, "it has a problem");
        let halls = manager.get("/api/v1/venues").await;
        assert_eq!(halls.body["data"], json!([]));

        let stale = json!([{"op": "update", "resource": "teams", "id": league.home, "if_version": 7, "set": {"name": "X"}}]);
        let mut proposal = Proposal::new(manager, &stale).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "version_mismatch", "{data}");
        // A coach may propose, but cannot do by a changeset what they cannot do directly.
        let coach = club.member(Role::Coach);
        let mut proposal = Proposal::new(coach, &json!([a_venue("Hall")])).await;
        let data = proposal.step(coach, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "operation_forbidden", "{data}");
        let nothing = json!([{"op": "assert", "resource": "teams", "id": league.home,
            "test": [{"op": "test", "path": "/name", "value": "Eagles"}]}]);
        let mut proposal = Proposal::new(manager, &nothing).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "state", "it changes nothing: {data}");
    })
    .await;
}

#[tokio::test]
async fn one_person_proposes_another_approves_and_it_is_executed_once() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let proposal = Proposal::new(manager, &many_venues("Hall")).await.submitted().await;
        assert_eq!((proposal.state(), &proposal.answer.body["data"]["risk"]), ("in_review", &json!("R1")));
        let hash = proposal.hash().await;
        is_problem(&proposal.try_step(manager, "execute", &hash).await, Code::State, "no one approved it");
        is_problem(&proposal.try_step(manager, "approve", &hash).await, Code::OwnChangeset, "their own");
        is_problem(&proposal.try_step(manager, "reject", &json!({})).await, Code::OwnChangeset, "their own");
        let other = json!({"simulation_hash": "0000"});
        is_problem(&proposal.try_step(admin, "approve", &other).await, Code::SimulationChanged, "another");
        let proposal = proposal.approved_by(admin).await;
        is_problem(&proposal.try_step(admin, "approve", &hash).await, Code::State, "it is approved");
        is_problem(&proposal.try_step(admin, "execute", &other).await, Code::SimulationChanged, "another");
        let proposal = proposal.executed_by(manager).await;
        let again = proposal.try_step(admin, "execute", &hash).await;
        assert_eq!((again.status, &again.body["data"]["replayed"]), (200, &json!(true)), "{}", again.text);
        let halls = manager.get("/api/v1/venues").await;
        assert_eq!(halls.body["data"].as_array().map(Vec::len), Some(7));
        let log = admin.get("/api/v1/audit-log?operation=changesets.execute").await;
        let [entry] = &log.body["data"].as_array().expect("entries")[..] else { panic!("{}", log.text) };
        assert_eq!(entry["changeset_id"], json!(proposal.id), "{entry}");
        assert_eq!(entry["actor"]["user_id"], json!(manager.user));
        assert_eq!(
            (&entry["actor"]["on_behalf_of"], &entry["reason"]),
            (&json!(manager.user), &json!("The court is flooded"))
        );
        let approvals: Vec<_> = entry["effects"]
            .as_array()
            .expect("effects")
            .iter()
            .filter(|effect| effect["kind"] == "changeset")
            .map(|effect| &effect["after"]["approvals"][0]["user_id"])
            .collect();
        assert_eq!(approvals, [&json!(admin.user)]);
        let events = manager.get(&format!("{CHANGESETS}/{}/events", proposal.id)).await;
        let events: Vec<_> = events.body["data"]
            .as_array()
            .expect("events")
            .iter()
            .map(|it| it["event"].as_str().expect("an event"))
            .collect();
        assert_eq!(events, ["created", "simulated", "submitted", "approved", "executed"]);
    })
    .await;
}

#[tokio::test]
async fn an_edit_and_another_simulation_make_approvals_void() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let mut proposal =
            Proposal::new(manager, &many_venues("Hall")).await.submitted().await.approved_by(admin).await;
        proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(proposal.state(), "approved", "nothing is different");
        let approved = proposal.hash().await;
        let path = format!("{CHANGESETS}/{}", proposal.id);
        let edit = json!({"operations": many_venues("Shed")});
        is_problem(&manager.patch(&path, &edit).await, Code::PreconditionRequired, "of which version?");
        let by =
            |who: &Person| who.request(reqwest::Method::PATCH, &path).header("if-match", "*").json(&edit);
        is_problem(&send(by(admin)).await, Code::OperationForbidden, "only its author");
        let edited = send(by(manager)).await;
        assert_eq!(
            (&edited.body["data"]["state"], &edited.body["data"]["approvals"]),
            (&json!("draft"), &json!([])),
            "{}",
            edited.text
        );
        is_problem(&proposal.try_step(admin, "execute", &approved).await, Code::State, "it is a draft");
        let proposal = proposal.submitted().await;
        assert_eq!(proposal.state(), "in_review");
        let mut proposal = proposal.approved_by(admin).await;
        assert_eq!(proposal.state(), "approved");
        proposal.step(admin, "unapprove", &json!({})).await;
        assert_eq!(proposal.state(), "in_review");
        is_problem(&proposal.try_step(admin, "unapprove", &json!({})).await, Code::State, "no approval");
        proposal.step(admin, "reject", &json!({"reason": "Too many"})).await;
        is_problem(&proposal.try_step(manager, "simulate", &json!({})).await, Code::State, "it was rejected");
        is_problem(&proposal.try_step(manager, "withdraw", &json!({})).await, Code::State, "it was rejected");
        is_problem(&send(by(manager)).await, Code::State, "it was rejected");
        is_problem(&proposal.try_step(manager, "submit", &json!({})).await, Code::State, "it was rejected");
    })
    .await;
}

#[tokio::test]
async fn drift_makes_it_stale_and_nothing_is_done() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let league = League::create(manager, "Winter").await;
        let rename = json!([{"op": "update", "resource": "teams", "id": league.home, "set": {"short_name": "EAG"}}]);
        let proposal = Proposal::new(manager, &rename).await.submitted().await;
        let moved = admin.patch(&format!("/api/v1/teams/{}", league.home), &json!({"name": "Falcons"})).await;
        assert_eq!(moved.status, 200, "{}", moved.text);
        let hash = proposal.hash().await;
        let refused = proposal.try_step(manager, "execute", &hash).await;
        is_problem(&refused, Code::ChangesetStale, "the team has changed");
        assert_eq!(refused.body["drifted"][0]["id"], json!(league.home), "{}", refused.text);
        assert_eq!(read(manager, &proposal.id).await["state"], "stale");
        let team = manager.get(&format!("/api/v1/teams/{}", league.home)).await;
        assert_eq!(team.body["data"]["short_name"], json!(null));
        proposal.submitted().await.executed_by(manager).await;
        let team = manager.get(&format!("/api/v1/teams/{}", league.home)).await;
        assert_eq!((&team.body["data"]["name"], &team.body["data"]["short_name"]), (&json!("Falcons"), &json!("EAG")));

        // A record that takes a name meanwhile.
        let proposal = Proposal::new(manager, &json!([a_venue("Hall")])).await.submitted().await;
        created(admin, "/api/v1/venues", &json!({"name": "Hall", "time_zone": "UTC"})).await;
        let hash = proposal.hash().await;
        let refused = proposal.try_step(manager, "execute", &hash).await;
        is_problem(&refused, Code::ChangesetStale, "the name is taken");
        assert_eq!(refused.body["drifted"][0]["code"], "duplicate", "{}", refused.text);

        // With the policy, a change that does not matter is tolerated.
        let body = json!({"title": "A change", "drift_policy": "tolerate_unrelated", "operations": [
            {"op": "create", "resource": "teams", "data": {"season_id": league.season, "division_id": league.division, "name": "Owls"}}]});
        let proposal = Proposal::of(manager, &body).await.submitted().await;
        admin.patch(&format!("/api/v1/divisions/{}", league.division), &json!({"age_group": "U13"})).await;
        proposal.executed_by(manager).await;
    })
    .await;
}

#[tokio::test]
async fn overlaps_are_refused_at_the_end_only() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let timed = |start: &str, end: &str| {
            let mut body = game(&league, start);
            body["ends_at"] = json!(end);
            body
        };
        let early = created(manager, "/api/v1/games", &timed("2199-03-07T00:00:00Z", "2199-03-07T01:00:00Z")).await;
        let late = created(manager, "/api/v1/games", &timed("2199-03-07T02:00:00Z", "2199-03-07T03:00:00Z")).await;
        let at = |id: &str, start: &str, end: &str| {
            json!({"op": "update", "resource": "games", "id": id, "set": {"starts_at": start, "ends_at": end}})
        };
        // Two games change places: the first move alone would overlap.
        let swap = json!([
            at(early.id(), "2199-03-07T02:00:00Z", "2199-03-07T03:00:00Z"),
            at(late.id(), "2199-03-07T00:00:00Z", "2199-03-07T01:00:00Z"),
        ]);
        Proposal::new(manager, &swap).await.submitted().await.executed_by(manager).await;
        let mut onto = at(early.id(), "2199-03-07T00:30:00Z", "2199-03-07T01:30:00Z");
        let mut proposal = Proposal::new(manager, &json!([onto])).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "overlap", "{data}");
        onto["allow_overlap"] = json!(true);
        let proposal = Proposal::new(manager, &json!([onto])).await.simulated().await;
        let impact = manager.get(&format!("{CHANGESETS}/{}/impact", proposal.id)).await;
        assert_eq!(impact.body["data"]["impact"]["double_bookings"]["count"], 1, "{}", impact.text);
        assert_eq!(impact.body["data"]["warnings"][0]["code"], "double_bookings");
    })
    .await;
}

#[tokio::test]
async fn deletions_name_every_dependent_and_an_undo_restores_all_of_them() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let league = League::create(manager, "Winter").await;
        let played = created(manager, "/api/v1/games", &game(&league, "2199-03-07T00:00:00Z")).await;
        let restrict = json!([{"op": "delete", "resource": "teams", "id": league.home}]);
        let mut proposal = Proposal::new(manager, &restrict).await;
        let data = proposal.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "in_use", "{data}");
        let listed = json!([{"op": "delete", "resource": "teams", "id": league.home, "dependents": "list", "ids": [played.id()]}]);
        let proposal = Proposal::new(manager, &listed).await.submitted().await;
        assert_eq!(proposal.answer.body["data"]["risk"], "R2", "a deletion: {}", proposal.answer.text);
        is_problem(&proposal.try_step(&club.another_session(Role::Manager).await, "approve", &proposal.hash().await).await, Code::OwnChangeset, "the same person");
        let proposal = proposal.approved_by(admin).await.executed_by(manager).await;
        assert_eq!(manager.get(&format!("/api/v1/teams/{}", league.home)).await.status, 404);
        let undo = proposal.try_step(manager, "undo", &json!({"quick": true})).await;
        is_problem(&undo, Code::OperationForbidden, "an admin approved it");
        let undone = proposal.try_step(admin, "undo", &json!({"quick": true})).await;
        assert_eq!((undone.status, &undone.body["data"]["state"]), (201, &json!("executed")), "{}", undone.text);
        let team = manager.get(&format!("/api/v1/teams/{}", league.home)).await;
        assert_eq!((&team.body["data"]["name"], &team.body["data"]["version"]), (&json!("Eagles"), &json!(3)), "{}", team.text);
        assert_eq!(manager.get(&format!("/api/v1/games/{}", played.id())).await.status, 200);
        assert_eq!(read(manager, &proposal.id).await["undone_by"], undone.body["data"]["id"]);
        is_problem(&proposal.try_step(admin, "undo", &json!({})).await, Code::State, "it was undone");
        // Undoing the undo is a redo.
        let redo = admin.post(&format!("{CHANGESETS}/{}/undo", undone.id()), &json!({"quick": true})).await;
        assert_eq!(redo.body["data"]["state"], "executed", "{}", redo.text);
        assert_eq!(manager.get(&format!("/api/v1/teams/{}", league.home)).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_deletion_of_a_venue_counts_the_games_that_its_changeset_has_moved() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let league = League::create(manager, "Winter").await;
        let venue = async |name: &str| {
            let venue = created(manager, "/api/v1/venues", &json!({"name": name, "time_zone": "UTC"})).await;
            venue.id().to_owned()
        };
        let (hall, park) = (venue("Hall").await, venue("Park").await);
        let mut in_hall = game(&league, "2199-03-07T00:00:00Z");
        in_hall["venue_id"] = json!(hall);
        let played = created(manager, "/api/v1/games", &in_hall).await;
        let to_park =
            json!({"op": "update", "resource": "games", "id": played.id(), "set": {"venue_id": park}});
        let and_delete = |venue: &str| json!([to_park, {"op": "delete", "resource": "venues", "id": venue}]);
        let mut onto = Proposal::new(manager, &and_delete(&park)).await;
        let data = onto.step(manager, "simulate", &json!({})).await;
        assert_eq!(data["simulation"]["problems"][0]["code"], "in_use", "{data}");
        let proposal = Proposal::new(manager, &and_delete(&hall)).await.submitted().await;
        let proposal = proposal.approved_by(admin).await.executed_by(manager).await;
        let place = async || {
            let hall = manager.get(&format!("/api/v1/venues/{hall}")).await.status;
            let game = manager.get(&format!("/api/v1/games/{}", played.id())).await;
            (hall, game.body["data"]["venue_id"].clone())
        };
        assert_eq!(place().await, (404, json!(park)));
        let undone = proposal.try_step(admin, "undo", &json!({"quick": true})).await;
        assert_eq!(
            (undone.status, &undone.body["data"]["state"]),
            (201, &json!("executed")),
            "{}",
            undone.text
        );
        assert_eq!(place().await, (200, json!(hall)));
    })
    .await;
}

#[tokio::test]
async fn an_undo_keeps_later_edits_and_names_its_conflicts() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let league = League::create(manager, "Winter").await;
        let team = format!("/api/v1/teams/{}", league.home);
        let rename = json!([{"op": "update", "resource": "teams", "id": league.home, "set": {"name": "Falcons", "short_name": "FAL"}}]);
        let proposal = Proposal::new(manager, &rename).await.submitted().await.executed_by(manager).await;
        admin.patch(&team, &json!({"external_id": "t-1", "short_name": "FCN"})).await;
        let refused = proposal.try_step(manager, "undo", &json!({"quick": true})).await;
        is_problem(&refused, Code::UndoConflict, "the short name was changed since");
        let conflict = &refused.body["conflicts"][0];
        assert_eq!((&conflict["kind"], &conflict["field"]), (&json!("field_changed"), &json!("short_name")), "{}", refused.text);
        let undo = proposal.try_step(manager, "undo", &json!({})).await;
        assert_eq!(undo.body["data"]["state"], "draft", "{}", undo.text);
        let mut undo = Proposal { author: manager, id: undo.id().to_owned(), answer: undo };
        let keep = json!({"resolutions": [{"record": league.home, "field": "short_name", "resolution": "keep_current"}]});
        let data = undo.step(manager, "resolutions", &keep).await;
        assert_eq!(data["state"], "simulated", "{data}");
        undo.submitted().await.executed_by(manager).await;
        let now = manager.get(&team).await;
        let now = &now.body["data"];
        assert_eq!((&now["name"], &now["short_name"], &now["external_id"]), (&json!("Eagles"), &json!("FCN"), &json!("t-1")));

        // A direct change is undone by its entry, what a key did by the key.
        let log = admin.get("/api/v1/audit-log?operation=teams.change").await;
        let entry = log.body["data"][0]["id"].clone();
        let undo = Proposal::of(admin, &json!({"undo": {"entry": entry}})).await.submitted().await;
        undo.executed_by(admin).await;
        assert_eq!(manager.get(&team).await.body["data"]["short_name"], json!("FAL"));
        let since = club.app.clock.now();
        let key = club.with_key(&manager.issue_key(&json!({"name": "Script"})).await);
        key.patch(&team, &json!({"short_name": "KEY"})).await;
        created(&key, "/api/v1/venues", &json!({"name": "Shed", "time_zone": "UTC"})).await;
        let id = key.get("/api/v1/api-keys/current").await;
        let body = json!({"undo": {"key_id": id.id(), "since": since}});
        let undo = Proposal::of(admin, &body).await.submitted().await;
        assert_eq!(undo.answer.body["data"]["risk"], "R2", "it deletes: {}", undo.answer.text);
        let undo = undo.approved_by(club.member(Role::Owner)).await;
        undo.executed_by(admin).await;
        assert_eq!(manager.get(&team).await.body["data"]["short_name"], json!("FAL"));
        assert_eq!(manager.get("/api/v1/venues").await.body["data"], json!([]));
        // Credentials are never restored.
        let log = admin.get("/api/v1/audit-log?operation=api_keys.create").await;
        let refused = admin.post(CHANGESETS, &json!({"undo": {"entry": log.body["data"][0]["id"]}})).await;
        is_problem(&refused, Code::OperationNotChangeable, "a key");
        assert_eq!(refused.body["not_changeable"], json!(["api_key"]));
        let unknown = json!({"undo": {"changeset_id": "chg_01h2xcejqtf2nbrexx3vqjhp41"}});
        is_problem(&admin.post(CHANGESETS, &unknown).await, Code::NotFound, "no such changeset");
    })
    .await;
}

#[tokio::test]
async fn children_in_a_changeset_are_shown_to_those_whom_a_relation_opens_them() {
    on_both(async |club| {
        let families = Families::of(&club).await;
        let (child, _) = families.accepted(&club, NAME, false).await;
        let mut fixture = Fixture::new(&club, SignedDuration::ZERO).await;
        let registrar = fixture.member(Role::Coach).user;
        fixture.registrar(families.league.season.parse().expect("an id"), Vec::new(), registrar);
        fixture.write().await;
        let registrar = &signed_in(&club, registrar).await;
        let add = json!([{"op": "create", "resource": "roster_entries",
            "data": {"team_id": families.league.home, "child_id": child, "jersey_number": 77}}]);
        let unrelated = club.member(Role::Owner);
        let refused = unrelated.post(CHANGESETS, &json!({"title": "A change", "operations": add})).await;
        is_problem(&refused, Code::InvalidOperation, "no relation opens the child");
        let proposal = Proposal::new(registrar, &add).await.submitted().await;
        assert_eq!(
            proposal.answer.body["data"]["operations"],
            json!([{"operation": null, "redacted": true}])
        );
        let path = format!("{CHANGESETS}/{}/diff", proposal.id);
        let own = registrar.get(&path).await;
        assert_eq!(own.body["data"]["effects"][0]["after"]["jersey_number"], 77, "{}", own.text);
        let hidden = unrelated.get(&path).await;
        let effect = &hidden.body["data"]["effects"][0];
        assert_eq!((&effect["redacted"], &effect["after"]), (&json!(true), &json!(null)), "{}", hidden.text);
        assert!(!hidden.text.contains("jersey") && !hidden.text.contains(NAME));
        let hash = proposal.hash().await;
        is_problem(
            &proposal.try_step(unrelated, "approve", &hash).await,
            Code::ContentNotVisible,
            "no relation",
        );
    })
    .await;
}

#[tokio::test]
async fn time_ends_simulations_reviews_and_approvals_and_starts_scheduled_ones() {
    on_both_in_held_time(async |club| {
        let manager = club.member(Role::Manager);
        let proposal = Proposal::new(manager, &many_venues("Old")).await.simulated().await;
        club.pass(SignedDuration::from_hours(25));
        let manager = club.sign_in(Role::Manager).await;
        is_problem(
            &proposal.try_step(&manager, "submit", &json!({})).await,
            Code::SimulationExpired,
            "a day old",
        );
        let scheduled = Proposal::new(&manager, &json!([a_venue("Scheduled")])).await.submitted().await;
        let review = Proposal::new(&manager, &many_venues("Review")).await.submitted().await;
        let mut at = scheduled.hash().await;
        at["at"] = json!("2026-01-01T00:00:00Z");
        is_problem(
            &scheduled.try_step(&manager, "schedule", &at).await,
            Code::ValidationFailed,
            "in the past",
        );
        at["at"] = json!(club.app.clock.now().saturating_add(SignedDuration::from_hours(5)).expect("a time"));
        let answer = scheduled.try_step(&manager, "schedule", &at).await;
        assert_eq!(answer.body["data"]["schedule_at"], at["at"], "{}", answer.text);
        fieldhouse_server::workers::run_changesets(&club.app).await;
        assert_eq!(read(&manager, &scheduled.id).await["state"], "approved", "it is not time yet");
        club.pass(SignedDuration::from_hours(5));
        fieldhouse_server::workers::run_changesets(&club.app).await;
        let done = read(&club.sign_in(Role::Manager).await, &scheduled.id).await;
        assert_eq!((&done["state"], &done["executed"]["by"]), (&json!("executed"), &json!(null)), "{done}");
        club.pass(SignedDuration::from_hours(14 * 24));
        let admin_later = club.sign_in(Role::Admin).await;
        let hash = json!({"simulation_hash": "0"});
        is_problem(&review.try_step(&admin_later, "approve", &hash).await, Code::State, "it has expired");
        fieldhouse_server::workers::run_changesets(&club.app).await;
        assert_eq!(read(&admin_later, &review.id).await["state"], "expired");
    })
    .await;
}

#[tokio::test]
async fn an_author_has_at_most_twenty_open_changesets_and_an_agent_ten() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let agent = club.with_key(&manager.issue_key(&json!({"name": "Agent", "kind": "agent"})).await);
        let body = json!({"title": "A change", "operations": [a_venue("Hall")]});
        for _ in 0..10 {
            assert_eq!(agent.post(CHANGESETS, &body).await.status, 201);
        }
        let refused = agent.post(CHANGESETS, &body).await;
        is_problem(&refused, Code::TooManyOpen, "ten");
        assert_eq!(refused.body["limit"], 10);
        for _ in 0..10 {
            assert_eq!(manager.post(CHANGESETS, &body).await.status, 201);
        }
        is_problem(&manager.post(CHANGESETS, &body).await, Code::TooManyOpen, "twenty");
        let open = manager.get(&format!("{CHANGESETS}?state=draft")).await;
        let id = open.body["data"][0]["id"].as_str().expect("an id").to_owned();
        assert_eq!(manager.post(&format!("{CHANGESETS}/{id}/withdraw"), &json!({})).await.status, 200);
        assert_eq!(manager.post(CHANGESETS, &body).await.status, 201);
        let coach = club.member(Role::Coach);
        assert_eq!(coach.get(CHANGESETS).await.body["data"], json!([]), "a coach sees their own");
        let of_others = club.member(Role::Viewer);
        is_problem(&of_others.get(CHANGESETS).await, Code::RoleInsufficient, "");
        is_problem(&coach.get(&format!("{CHANGESETS}/{id}")).await, Code::NotFound, "another's");
    })
    .await;
}
