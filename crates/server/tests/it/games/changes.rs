//! Creating, changing and deleting games, overlaps, and what families are told.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::league::{League, created, division, history, team};
use crate::support::{Answer, Person, on_both, send};

pub(crate) const GAMES: &str = "/api/v1/games";

/// The body of a game of a league on 2 May 2026 from 9 to 10 o'clock in Melbourne.
pub(crate) fn wanted(league: &League) -> Value {
    json!({
        "season_id": league.season, "division_id": league.division, "time_zone": "Australia/Melbourne",
        "starts_at": "2026-05-01T23:00:00Z", "ends_at": "2026-05-02T00:00:00Z",
        "home_team_id": league.home, "away_team_id": league.away,
    })
}

/// Sends a change of the version of a game.
pub(crate) async fn change(person: &Person, game: &Answer, body: &Value) -> Answer {
    let path = format!("{GAMES}/{}", game.id());
    send(person.request(Method::PATCH, &path).header("if-match", game.header("etag")).json(body)).await
}

async fn venue(manager: &Person, name: &str, fields: &[&str]) -> String {
    let body = json!({"name": name, "time_zone": "Australia/Melbourne", "fields": fields});
    created(manager, "/api/v1/venues", &body).await.id().to_owned()
}

#[tokio::test]
async fn a_game_is_created_with_every_field_and_read_back() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let hall = venue(manager, "Hall", &["Court 1", "Court 2"]).await;
        let mut body = wanted(&league);
        for (field, value) in
            [("venue_id", json!(hall)), ("field", json!("Court 2")), ("round", json!("Final"))]
        {
            body[field] = value;
        }
        for (field, value) in
            [("status", json!("final")), ("home_score", json!(0)), ("external_id", json!("g"))]
        {
            body[field] = value;
        }
        let game = created(manager, GAMES, &body).await;
        let data = &game.body["data"];
        for (field, value) in body.as_object().expect("an object") {
            assert_eq!(data[field], *value, "{field}");
        }
        assert_eq!((&data["local_start"], &data["kind"]), (&json!("2026-05-02T09:00:00"), &json!("game")));
        assert_eq!(data["home"], json!({"team_id": league.home, "name": "Eagles", "score": 0}));
        assert_eq!(data["away"], json!({"team_id": league.away, "name": "Hawks", "score": null}));
        assert_eq!(data["venue"], json!({"id": hall, "name": "Hall", "field": "Court 2"}));
        let read = club.member(Role::Viewer).get(&format!("{GAMES}/{}", game.id())).await;
        assert_eq!((&read.body, read.header("etag")), (&game.body, game.header("etag")));

        let bye = json!({
            "season_id": league.season, "division_id": league.division, "time_zone": "Australia/Melbourne",
            "kind": "bye", "starts_at": "2026-05-08T14:00:00Z", "time_tbd": true, "home_team_id": league.home,
        });
        let bye = created(manager, GAMES, &bye).await;
        assert_eq!((&bye.body["data"]["kind"], &bye.body["data"]["away"]), (&json!("bye"), &json!(null)));
        let nanoseconds = json!({"starts_at": "2026-06-01T00:00:00.123456789Z", "ends_at": null});
        let moved = change(manager, &game, &nanoseconds).await;
        assert_eq!(
            moved.body["data"]["starts_at"], "2026-06-01T00:00:00.123456Z",
            "as precise as it is stored"
        );
    })
    .await;
}

#[tokio::test]
async fn every_wrong_field_of_a_game_is_reported_at_once() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let mut body = wanted(&league);
        body["ends_at"] = body["starts_at"].clone();
        body["away_team_id"] = body["home_team_id"].clone();
        body["home_score"] = json!(-1);
        body["away_score"] = json!(1);
        body["round"] = json!(" ");
        body["referee"] = json!("Rita");
        let refused = manager.post(GAMES, &body).await;
        is_problem(&refused, Code::ValidationFailed, "six wrong fields");
        let mut wrong = pointers(&refused);
        wrong.sort_unstable();
        assert_eq!(wrong, ["/away_score", "/away_team_id", "/ends_at", "/home_score", "/referee", "/round"]);

        let game = created(manager, GAMES, &wanted(&league)).await;
        let refused = change(manager, &game, &json!({"ends_at": "2026-05-01T22:00:00Z"})).await;
        assert_eq!(pointers(&refused), ["/ends_at"], "against the stored start");
        let refused = change(manager, &game, &json!({"season_id": league.season, "kind": "bye"})).await;
        assert_eq!(pointers(&refused), ["/season_id", "/kind"], "a game keeps its season and its kind");
    })
    .await;
}

#[tokio::test]
async fn what_a_game_refers_to_is_in_its_season_and_its_club() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (winter, summer) =
            (League::create(manager, "Winter").await, League::create(manager, "Summer").await);
        let neighbour = club.neighbours().await;
        let theirs = League::create(&neighbour, "Winter").await;
        let hall = venue(&neighbour, "Their hall", &[]).await;
        let with = |changes: &[(&str, &String)]| {
            let mut body = wanted(&winter);
            for (field, id) in changes {
                body[*field] = json!(id);
            }
            body
        };
        let refused = manager.post(GAMES, &with(&[("season_id", &theirs.season)])).await;
        assert_eq!(pointers(&refused), ["/season_id"]);
        let foreign = [
            ("division_id", &theirs.division),
            ("home_team_id", &theirs.home),
            ("away_team_id", &theirs.away),
            ("venue_id", &hall),
        ];
        let fields = ["/division_id", "/home_team_id", "/away_team_id", "/venue_id"];
        let game = created(manager, GAMES, &wanted(&winter)).await;
        let changed: Value = foreign.iter().map(|(field, id)| ((*field).to_owned(), json!(id))).collect();
        for refused in [manager.post(GAMES, &with(&foreign)).await, change(manager, &game, &changed).await] {
            is_problem(&refused, Code::ValidationFailed, "another club's records");
            assert_eq!(pointers(&refused), fields);
            assert_eq!(refused.body["errors"][3]["code"], "not_found");
        }
        let other_season = with(&[("division_id", &summer.division), ("away_team_id", &summer.away)]);
        let refused = manager.post(GAMES, &other_season).await;
        assert_eq!(pointers(&refused), ["/division_id", "/home_team_id", "/away_team_id"]);
        let open = division(manager, &winter.season, "Open").await.id().to_owned();
        let owls = team(manager, &winter.season, &open, "Owls").await.id().to_owned();
        let refused = manager.post(GAMES, &with(&[("away_team_id", &owls)])).await;
        assert_eq!(refused.body["errors"][0]["code"], "other_division");
        for path in ["", "/history"] {
            let answer = neighbour.get(&format!("{GAMES}/{}{path}", game.id())).await;
            is_problem(&answer, Code::NotFound, "another club's game");
        }
        is_problem(
            &change(&neighbour, &game, &json!({"round": "1"})).await,
            Code::NotFound,
            "another club's game",
        );
    })
    .await;
}

#[tokio::test]
async fn changes_and_deletions_name_the_version_and_families_see_the_reason() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let game = created(manager, GAMES, &wanted(&league)).await;
        let path = format!("{GAMES}/{}", game.id());
        let blind = manager.patch(&path, &json!({"round": "1"})).await;
        is_problem(&blind, Code::PreconditionRequired, "a change without a version");
        is_problem(&manager.delete(&path).await, Code::PreconditionRequired, "a deletion without a version");
        let postponed =
            json!({"status": "postponed", "starts_at": "2026-05-09T01:00:00Z", "ends_at": null, "reason": "Rain"});
        let changed = change(manager, &game, &postponed).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let last = &changed.body["data"]["last_change"];
        assert_eq!((&last["fields"], &last["reason"]), (&json!(["starts_at", "status"]), &json!("Rain")));
        assert_eq!(changed.body["data"]["local_start"], "2026-05-09T11:00:00");
        is_problem(&change(manager, &game, &json!({"round": "2"})).await, Code::VersionMismatch, "stale");
        let renamed = change(manager, &changed, &json!({"round": "Round 2"})).await;
        assert_eq!(&renamed.body["data"]["last_change"], last, "families need not know");
        let wrong = change(manager, &renamed, &json!({"reason": "x".repeat(301)})).await;
        assert_eq!(pointers(&wrong), ["/reason"]);

        let tag = renamed.header("etag");
        let deleted = send(manager.request(Method::DELETE, &path).header("if-match", tag)).await;
        assert_eq!(deleted.body, json!({"data": {"id": game.id(), "deleted": true}}));
        is_problem(&manager.get(&path).await, Code::NotFound, "a deleted game");
        let told = history(manager, &path).await;
        let told: Vec<_> = told.iter().map(|(operation, ..)| operation.as_str()).collect();
        assert_eq!(told, ["games.delete", "games.change", "games.change", "games.create"]);
        let entries = manager.get(&format!("{path}/history")).await;
        assert_eq!(entries.body["data"][2]["reason"], "Rain");
    })
    .await;
}

#[tokio::test]
async fn games_at_the_same_time_are_refused_unless_a_manager_allows_it() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let hall = venue(manager, "Hall", &["Court 1", "Court 2"]).await;
        let mut body = wanted(&league);
        body["venue_id"] = json!(hall);
        body["field"] = json!("Court 1");
        let first = created(manager, GAMES, &body).await;
        let refused = manager.post(GAMES, &body).await;
        is_problem(&refused, Code::Overlap, "the same game again");
        let data = &first.body["data"];
        let conflict =
            json!([{"id": data["id"], "starts_at": data["starts_at"], "ends_at": data["ends_at"]}]);
        assert_eq!(refused.body["conflicts"], conflict);

        let owls = team(manager, &league.season, &league.division, "Owls").await.id().to_owned();
        let gulls = team(manager, &league.season, &league.division, "Gulls").await.id().to_owned();
        body["home_team_id"] = json!(owls);
        body["away_team_id"] = json!(gulls);
        is_problem(&manager.post(GAMES, &body).await, Code::Overlap, "the same court");
        body["field"] = json!("Court 2");
        let beside = created(manager, GAMES, &body).await;
        let moved = json!({"field": "court 1"});
        let refused = change(manager, &beside, &moved).await;
        is_problem(&refused, Code::Overlap, "moved to the same court");
        let path = format!("{GAMES}/{}?allow_overlap=true", beside.id());
        let tag = beside.header("etag");
        let allowed = send(manager.request(Method::PATCH, &path).header("if-match", tag).json(&moved)).await;
        assert_eq!(allowed.status, 200, "{}", allowed.text);
        let renamed = change(manager, &allowed, &json!({"round": "Round 1"})).await;
        assert_eq!(renamed.status, 200, "what was allowed does not prevent other changes: {}", renamed.text);
        let later = json!({"starts_at": "2026-05-01T23:30:00Z", "ends_at": "2026-05-02T00:30:00Z"});
        is_problem(&change(manager, &renamed, &later).await, Code::Overlap, "moved again");
        let cancelled = change(manager, &first, &json!({"status": "cancelled"})).await;
        assert_eq!(cancelled.status, 200);
        assert_eq!(change(manager, &renamed, &later).await.status, 200, "a cancelled game is not in the way");
        let again = change(manager, &cancelled, &json!({"status": "scheduled"})).await;
        is_problem(&again, Code::Overlap, "scheduled again");
        let open = change(manager, &cancelled, &json!({"status": "scheduled", "ends_at": null})).await;
        assert_eq!(open.status, 200, "without a known end no overlap is assumed");
        let coach = club.member(Role::Coach);
        is_problem(
            &coach.post(&format!("{GAMES}?allow_overlap=true"), &body).await,
            Code::RoleInsufficient,
            "",
        );
    })
    .await;
}
