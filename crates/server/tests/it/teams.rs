//! Teams: creating, listing, reading, changing and deleting them, their history, and what changed.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::json;

use crate::shapes::{is_problem, pointers};
use crate::support::league::{League, TEAMS, all_names, division, history, names, team};
use crate::support::{Person, on_both};

#[tokio::test]
async fn a_team_is_created_with_every_field_and_changed() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let open = division(manager, &league.season, "Open").await;
        let wanted = json!({
            "season_id": league.season, "division_id": league.division, "name": " Sainte\tFoy ", "short_name": "STF",
            "external_id": "t-9",
        });
        let created = manager.post(TEAMS, &wanted).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let path = format!("{TEAMS}/{}", created.id());
        let mut expected = wanted.clone();
        expected["name"] = json!("Sainte Foy");
        for field in ["id", "created_at", "updated_at", "version"] {
            expected[field] = created.body["data"][field].clone();
        }
        assert_eq!(created.body["data"], expected);
        let viewer = club.member(Role::Viewer);
        assert_eq!(viewer.get(&path).await.body, created.body);

        let change = json!({"division_id": open.id(), "short_name": null});
        let changed = manager.patch(&path, &change).await;
        assert_eq!((changed.status, &changed.body["data"]["version"]), (200, &json!(2)), "{}", changed.text);
        expected["division_id"] = json!(open.id());
        expected["short_name"] = json!(null);
        for field in ["updated_at", "version"] {
            expected[field] = changed.body["data"][field].clone();
        }
        assert_eq!(viewer.get(&path).await.body["data"], expected);
        let told = history(manager, &path).await;
        assert_eq!(told[0].2, ["division_id", "short_name"]);
        let tried = manager.patch(&format!("{path}?validate_only=true"), &json!({"name": "Tried"})).await;
        assert_eq!((tried.status, &tried.body["data"]["version"]), (200, &json!(3)));
        assert_eq!(viewer.get(&path).await.body["data"]["name"], "Sainte Foy", "nothing was stored");
    })
    .await;
}

#[tokio::test]
async fn the_division_of_a_team_is_in_its_season_and_its_club() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (winter, summer) =
            (League::create(manager, "Winter").await, League::create(manager, "Summer").await);
        let neighbour = club.neighbours().await;
        let theirs = League::create(&neighbour, "Winter").await;
        let post = async |season: &str, division: &str| {
            let body = json!({"season_id": season, "division_id": division, "name": "Owls"});
            manager.post(TEAMS, &body).await
        };
        let path = format!("{TEAMS}/{}", winter.home);
        for (refused, field, code) in [
            (post(&winter.season, &summer.division).await, "/division_id", "other_season"),
            (post(&winter.season, &theirs.division).await, "/division_id", "not_found"),
            (post(&theirs.season, &winter.division).await, "/season_id", "not_found"),
            (
                manager.patch(&path, &json!({"division_id": summer.division})).await,
                "/division_id",
                "other_season",
            ),
            (
                manager.patch(&path, &json!({"division_id": theirs.division})).await,
                "/division_id",
                "not_found",
            ),
        ] {
            is_problem(&refused, Code::ValidationFailed, field);
            assert_eq!((pointers(&refused), &refused.body["errors"][0]["code"]), (vec![field], &json!(code)));
        }
        for answer in [neighbour.get(&path).await, neighbour.patch(&path, &json!({"name": "Ours"})).await] {
            is_problem(&answer, Code::NotFound, "another club's team");
        }
        let again = json!({"season_id": winter.season, "division_id": winter.division, "name": "EAGLES"});
        is_problem(&manager.post(TEAMS, &again).await, Code::Duplicate, "the same name in the division");
        let open = division(manager, &winter.season, "Open").await;
        team(manager, &winter.season, open.id(), "Eagles").await;
        let moved = manager.patch(&path, &json!({"division_id": open.id()})).await;
        is_problem(&moved, Code::Duplicate, "the name is taken in the other division");
    })
    .await;
}

#[tokio::test]
async fn teams_are_listed_in_both_directions_and_filtered() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let winter = League::create(manager, "Winter").await;
        let summer = League::create(manager, "Summer").await;
        let open = division(manager, &winter.season, "Open").await.id().to_owned();
        for name in ["Éclairs", "eagles of Coburg"] {
            team(manager, &winter.season, &open, name).await;
        }
        League::create(&club.neighbours().await, "Theirs").await;
        let mut all =
            ["Eagles", "Eagles", "eagles of Coburg", "Éclairs", "Hawks", "Hawks"].map(str::to_owned);
        let viewer = club.member(Role::Viewer);
        for limit in [1, 2, 3, 6] {
            assert_eq!(all_names(viewer, TEAMS, "sort=name", limit).await, all, "by {limit}");
        }
        all.reverse();
        for limit in [1, 2, 3, 6] {
            assert_eq!(all_names(viewer, TEAMS, "sort=-name", limit).await, all, "by {limit}, reversed");
        }
        let (of_winter, of_open) = (format!("season_id={}", winter.season), format!("division_id={open}"));
        let of_summer = format!("season_id={}&division_id={open}", summer.season);
        for (query, expected) in [
            (format!("{of_winter}&sort=-name&q=eagl"), vec!["eagles of Coburg", "Eagles"]),
            (of_open, vec!["eagles of Coburg", "Éclairs"]),
            (of_summer, vec![]),
        ] {
            assert_eq!(names(&viewer.get(&format!("{TEAMS}?{query}")).await), expected, "{query}");
        }
        is_problem(
            &viewer.get(&format!("{TEAMS}?sort=age")).await,
            Code::InvalidParameter,
            "an unknown order",
        );
    })
    .await;
}

/// A token after which nothing has changed. A busy server may return changes of the last second again.
async fn behind_all(person: &Person) -> String {
    loop {
        let listed = person.get(TEAMS).await;
        let token = listed.body["page"]["sync"].as_str().expect("a token").to_owned();
        if names(&person.get(&format!("{TEAMS}?since={token}")).await).is_empty() {
            return token;
        }
    }
}

#[tokio::test]
async fn a_team_is_deleted_only_without_games_and_a_copy_of_the_list_learns_of_it() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        crate::imports::import_coburg(manager).await;
        let listed = manager.get(TEAMS).await;
        let used = format!("{TEAMS}/{}", listed.body["data"][0]["id"].as_str().expect("an id"));
        is_problem(&manager.delete(&used).await, Code::InUse, "a team with games");
        let token = behind_all(manager).await;
        let league = League::create(manager, "Winter").await;
        let deleted = manager.delete(&format!("{TEAMS}/{}", league.home)).await;
        assert_eq!(deleted.body, json!({"data": {"id": league.home, "deleted": true}}));
        is_problem(&manager.get(&format!("{TEAMS}/{}", league.home)).await, Code::NotFound, "deleted");
        assert_eq!(manager.get(&format!("{TEAMS}/{}", league.away)).await.status, 200);
        let feed = manager.get(&format!("{TEAMS}?since={token}")).await;
        assert_eq!(names(&feed), ["Hawks"]);
        assert_eq!(feed.body["deleted"][0]["id"], json!(league.home));
        let told = history(manager, &format!("{TEAMS}/{}", league.home)).await;
        assert_eq!(told.len(), 2, "also of a deleted team");
        for filter in ["sort=name", "q=hawks"] {
            let refused = manager.get(&format!("{TEAMS}?since={token}&{filter}")).await;
            is_problem(&refused, Code::InvalidParameter, filter);
        }
    })
    .await;
}
