//! Divisions: creating, listing, reading, changing and deleting them, their history, and what changed.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::json;

use crate::shapes::{is_problem, pointers};
use crate::support::league::{DIVISIONS, League, SEASONS, all_names, division, history, names, team};
use crate::support::on_both;

#[tokio::test]
async fn a_division_is_created_with_every_field_and_shown_in_its_season() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let season = League::create(manager, "Winter").await.season;
        let wanted = json!({
            "season_id": season, "name": "U14 Mixed", "age_group": "U14", "gender": "mixed", "external_id": "g-7",
        });
        let created = manager.post(DIVISIONS, &wanted).await;
        assert_eq!(created.status, 201, "{}", created.text);
        let at = created.body["data"]["created_at"].clone();
        let mut expected = wanted.clone();
        expected["id"] = json!(created.id());
        expected["created_at"] = at.clone();
        expected["updated_at"] = at;
        expected["version"] = json!(1);
        assert_eq!(created.body["data"], expected);
        let viewer = club.member(Role::Viewer);
        let read = viewer.get(&format!("{DIVISIONS}/{}", created.id())).await;
        assert_eq!((read.status, &read.body), (200, &created.body));
        assert_eq!(read.header("cache-control"), "private, no-cache");

        let season = viewer.get(&format!("{SEASONS}/{season}")).await.body["data"].clone();
        let shown = json!({"id": created.id(), "name": "U14 Mixed", "age_group": "U14", "gender": "mixed"});
        assert_eq!((&season["divisions"][1], &season["version"]), (&shown, &json!(3)), "both divisions touch it");
    })
    .await;
}

#[tokio::test]
async fn wrong_references_and_repeated_names_of_divisions_are_refused() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (winter, summer) =
            (League::create(manager, "Winter").await, League::create(manager, "Summer").await);
        let neighbour = club.neighbours().await;
        let theirs = League::create(&neighbour, "Winter").await;
        let unknown = "sea_01h2xcejqtf2nbrexx3vqjhp41";
        for season in [theirs.season.as_str(), unknown] {
            let refused = manager.post(DIVISIONS, &json!({"season_id": season, "name": "U14"})).await;
            is_problem(&refused, Code::ValidationFailed, "a season that is not the club's");
            assert_eq!(pointers(&refused), ["/season_id"]);
        }
        let refused = manager.post(DIVISIONS, &json!({"name": " ", "gender": "both", "colour": 1})).await;
        let mut wrong = pointers(&refused);
        wrong.sort_unstable();
        assert_eq!(wrong, ["/colour", "/gender", "/name", "/season_id"], "all at once");

        let u14 = division(manager, &winter.season, "Ü14").await;
        let path = format!("{DIVISIONS}/{}", u14.id());
        let again = json!({"season_id": winter.season, "name": "u14"});
        is_problem(&manager.post(DIVISIONS, &again).await, Code::Duplicate, "the same name");
        is_problem(&manager.patch(&path, &json!({"name": "u12"})).await, Code::Duplicate, "the same name");
        division(manager, &summer.season, "U14").await;
        let moved = manager.patch(&path, &json!({"season_id": summer.season})).await;
        assert_eq!(pointers(&moved), ["/season_id"], "a division stays in its season");
        for answer in [
            neighbour.get(&path).await,
            neighbour.patch(&path, &json!({"name": "Ours"})).await,
            neighbour.delete(&path).await,
            neighbour.get(&format!("{path}/history")).await,
        ] {
            is_problem(&answer, Code::NotFound, "another club's division");
        }
    })
    .await;
}

#[tokio::test]
async fn divisions_are_listed_by_name_and_filtered_by_season_and_words() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (winter, summer) =
            (League::create(manager, "Winter").await, League::create(manager, "Summer").await);
        for name in ["Été Girls", "eté boys", "Open"] {
            division(manager, &winter.season, name).await;
        }
        League::create(&club.neighbours().await, "Theirs").await;
        let all = ["eté boys", "Été Girls", "Open", "U12", "U12"];
        let viewer = club.member(Role::Viewer);
        for limit in 1..=6 {
            assert_eq!(all_names(viewer, DIVISIONS, "", limit).await, all, "by {limit}");
        }
        let of = |season: &str, words: &str| format!("{DIVISIONS}?season_id={season}&q={words}");
        assert_eq!(names(&viewer.get(&of(&summer.season, "")).await), ["U12"]);
        assert_eq!(names(&viewer.get(&of(&winter.season, "ete%20g")).await), ["Été Girls"]);
        assert_eq!(names(&viewer.get(&of(&summer.season, "ete")).await), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_division_is_deleted_only_without_teams_and_its_history_stays() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let refused = manager.delete(&format!("{DIVISIONS}/{}", league.division)).await;
        is_problem(&refused, Code::InUse, "a division with teams");
        assert!(refused.text.contains("2 teams, games and registrations refer to it"), "{}", refused.text);

        let listed = manager.get(DIVISIONS).await;
        let token = listed.body["page"]["sync"].as_str().expect("a token").to_owned();
        let path = format!("{DIVISIONS}/{}", division(manager, &league.season, "Open").await.id());
        manager.patch(&path, &json!({"age_group": "U16"})).await;
        let feed = manager.get(&format!("{DIVISIONS}?since={token}")).await;
        assert_eq!(names(&feed), ["Open"], "once, as it is now");
        let stale = manager.request(reqwest::Method::DELETE, &path).header("if-match", "\"1-x\"");
        is_problem(&crate::support::send(stale).await, Code::VersionMismatch, "an earlier version");
        assert_eq!(manager.delete(&path).await.status, 200);
        let feed = manager.get(&format!("{DIVISIONS}?since={token}")).await;
        assert_eq!((names(&feed).len(), feed.body["deleted"].as_array().map(Vec::len)), (0, Some(1)));
        let filtered = format!("{DIVISIONS}?since={token}&season_id={}", league.season);
        is_problem(&manager.get(&filtered).await, Code::InvalidParameter, "a filter");

        let told = history(manager, &path).await;
        let told: Vec<_> = told.iter().map(|(what, verb, fields)| (&**what, &**verb, fields.len())).collect();
        let expected = [
            ("divisions.delete", "deleted", 0),
            ("divisions.change", "updated", 1),
            ("divisions.create", "created", 0),
        ];
        assert_eq!(told, expected);
        team(manager, &league.season, &league.division, "Owls").await;
    })
    .await;
}
