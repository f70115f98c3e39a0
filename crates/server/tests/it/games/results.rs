//! Results, who may enter them, and the standings that follow.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::changes::{GAMES, wanted};
use crate::shapes::{is_problem, pointers};
use crate::staff::{confirm, propose, staff_of};
use crate::support::league::{League, created, division, team};
use crate::support::{Answer, Person, on_both, send};

async fn enter(person: &Person, game: &Answer, body: &Value) -> Answer {
    let path = format!("{GAMES}/{}/result", game.id());
    send(person.request(reqwest::Method::POST, &path).header("if-match", game.header("etag")).json(body))
        .await
}

fn score(home: i64, away: i64) -> Value {
    json!({"home_score": home, "away_score": away, "status": "final"})
}

#[tokio::test]
async fn a_coach_enters_results_while_they_are_confirmed_staff_of_either_team() {
    on_both(async |club| {
        let (manager, admin, coach) =
            (club.member(Role::Manager), club.member(Role::Admin), club.member(Role::Coach));
        let league = League::create(manager, "Winter").await;
        let game = created(manager, GAMES, &wanted(&league)).await;
        is_problem(&enter(coach, &game, &score(2, 1)).await, Code::OperationForbidden, "a coach of no team");
        let entry = propose(manager, &league.away, coach).await;
        is_problem(&enter(coach, &game, &score(2, 1)).await, Code::OperationForbidden, "not confirmed");
        confirm(admin, &entry).await;
        let entered = enter(coach, &game, &score(2, 1)).await;
        assert_eq!(entered.status, 200, "{}", entered.text);
        let data = &entered.body["data"];
        assert_eq!(
            (&data["status"], &data["home_score"], &data["away_score"]),
            (&json!("final"), &json!(2), &json!(1))
        );
        is_problem(&enter(coach, &game, &score(3, 1)).await, Code::VersionMismatch, "an earlier version");
        let blind = coach.post(&format!("{GAMES}/{}/result", game.id()), &score(3, 1)).await;
        is_problem(&blind, Code::PreconditionRequired, "without a version");
        let key = club.with_key(&coach.issue_key(&json!({"name": "Scoreboard"})).await);
        let reason = json!({"home_score": 3, "away_score": 1, "status": "final", "reason": "Counted again"});
        let corrected = enter(&key, &entered, &reason).await;
        assert_eq!(corrected.body["data"]["last_change"]["reason"], "Counted again", "{}", corrected.text);

        let path = format!("{}/{}", staff_of(&league.away), entry.id());
        assert_eq!(manager.patch(&path, &json!({"ends_on": "2020-01-01"})).await.status, 200);
        is_problem(
            &enter(coach, &corrected, &score(9, 0)).await,
            Code::OperationForbidden,
            "after their last day",
        );
        assert_eq!(enter(manager, &corrected, &score(3, 2)).await.status, 200, "a manager needs no team");
        let viewer = club.member(Role::Viewer);
        is_problem(&enter(viewer, &game, &score(1, 1)).await, Code::RoleInsufficient, "a viewer");
        is_problem(
            &enter(&club.neighbours().await, &game, &score(1, 1)).await,
            Code::NotFound,
            "another club's game",
        );
        let unknown =
            coach.post(&format!("{GAMES}/gam_01h2xcejqtf2nbrexx3vqjhp41/result"), &score(1, 1)).await;
        is_problem(&unknown, Code::NotFound, "no game");
    })
    .await;
}

#[tokio::test]
async fn a_result_has_the_scores_that_its_status_needs() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let game = created(manager, GAMES, &wanted(&league)).await;
        for (body, expected) in [
            (json!({"status": "final"}), vec!["/home_score", "/away_score"]),
            (json!({"status": "in_progress", "home_score": 1}), vec!["/away_score"]),
            (json!({"status": "forfeit"}), vec!["/home_score", "/away_score"]),
            (json!({"status": "scheduled", "home_score": -1}), vec!["/home_score", "/status"]),
        ] {
            let refused = enter(manager, &game, &body).await;
            is_problem(&refused, Code::ValidationFailed, &body.to_string());
            assert_eq!(pointers(&refused), expected, "{body}");
        }
        for body in [json!({"status": "forfeit", "home_score": 0}), json!({"status": "abandoned"})] {
            let game = created(manager, &format!("{GAMES}?allow_overlap=true"), &wanted(&league)).await;
            assert_eq!(enter(manager, &game, &body).await.status, 200, "{body}");
        }
        let mut open = wanted(&league);
        open["away_team_id"] = json!(null);
        open["starts_at"] = json!("2026-05-01T20:00:00Z");
        open["ends_at"] = json!(null);
        let mut bye = open.clone();
        bye["kind"] = json!("bye");
        for body in [open, bye] {
            let game = created(manager, GAMES, &body).await;
            is_problem(&enter(manager, &game, &score(1, 0)).await, Code::State, &body.to_string());
        }
    })
    .await;
}

#[tokio::test]
async fn standings_follow_the_results() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let owls = team(manager, &league.season, &league.division, "Owls").await.id().to_owned();
        let open = division(manager, &league.season, "Open").await.id().to_owned();
        team(manager, &league.season, &open, "Gulls").await;
        let address = format!("/api/v1/seasons/{}/standings", league.season);
        let of_division = format!("{address}?division_id={}", league.division);
        let viewer = club.member(Role::Viewer);
        let empty = viewer.get(&of_division).await;
        assert_eq!(empty.body["data"]["rows"].as_array().map(Vec::len), Some(3), "{}", empty.text);

        let play = async |home: &str, away: &str, result: Value| {
            let mut body = wanted(&league);
            body["home_team_id"] = json!(home);
            body["away_team_id"] = json!(away);
            body["ends_at"] = json!(null);
            let game = created(manager, GAMES, &body).await;
            assert_eq!(enter(manager, &game, &result).await.status, 200, "{result}");
        };
        play(&league.home, &league.away, score(2, 0)).await;
        play(&owls, &league.away, score(5, 0)).await;
        play(&league.home, &owls, score(1, 1)).await;
        play(&league.home, &owls, json!({"status": "abandoned"})).await;
        let read = viewer.get(&of_division).await;
        let data = &read.body["data"];
        let rows = data["rows"].as_array().expect("rows").iter().map(|row| {
            (
                row["rank"].as_i64(),
                row["team"]["name"].as_str(),
                row["points"].as_i64(),
                row["decided_by"].as_str(),
            )
        });
        let expected = [
            (Some(1), Some("Owls"), Some(4), None),
            (Some(2), Some("Eagles"), Some(4), Some("difference")),
            (Some(3), Some("Hawks"), Some(0), Some("points")),
        ];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
        assert_eq!((&data["excluded_games"], &data["ruleset"]["win"]), (&json!(1), &json!(3)));
        let first = json!({
            "rank": 1, "team": {"id": owls, "name": "Owls"}, "played": 2, "won": 1, "drawn": 1, "lost": 0,
            "scored": 6, "conceded": 1, "difference": 5, "points": 4, "decided_by": null,
        });
        assert_eq!(data["rows"][0], first);
        assert_eq!(viewer.get(&of_division).await.header("etag"), read.header("etag"), "nothing has changed");
        let whole = viewer.get(&address).await;
        assert_eq!(whole.body["data"]["rows"].as_array().map(Vec::len), Some(4), "the whole season");

        // A team that moves to another division keeps its results in the old one.
        let moved = manager.patch(&format!("/api/v1/teams/{owls}"), &json!({"division_id": open})).await;
        assert_eq!(moved.status, 200);
        assert_eq!(viewer.get(&of_division).await.body["data"]["rows"][0], first);
        let summer = League::create(manager, "Summer").await;
        let refused = viewer.get(&format!("{address}?division_id={}", summer.division)).await;
        is_problem(&refused, Code::InvalidParameter, "a division of another season");
        let neighbour = club.neighbours().await;
        is_problem(&neighbour.get(&address).await, Code::NotFound, "another club's season");
    })
    .await;
}
