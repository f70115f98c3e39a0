//! Deletes a season with everything that belongs to it.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::imports::import_coburg;
use crate::shapes::is_problem;
use crate::support::{Club, Person, on_both};

const SEASONS: &str = "/api/v1/seasons";

/// Imports a league and returns the address of its season.
async fn imported(club: &Club) -> String {
    let manager = club.member(Role::Manager);
    import_coburg(manager).await;
    let seasons = manager.get(SEASONS).await.body;
    format!("{SEASONS}/{}", seasons["data"][0]["id"].as_str().expect("an id"))
}

/// What the refusal to delete a season says.
async fn contents(person: &Person, season: &str) -> (Value, String) {
    let refused = person.delete(&format!("{season}?validate_only=true")).await;
    is_problem(&refused, Code::InUse, "a season with games");
    (refused.body["counts"].clone(), refused.body["digest"].as_str().expect("a digest").to_owned())
}

async fn count(person: &Person, list: &str) -> usize {
    person.get(list).await.body["data"].as_array().expect("a list").len()
}

#[tokio::test]
async fn a_season_is_deleted_with_everything_in_one_change() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let season = imported(&club).await;
        let other = json!({"name": "Summer", "sport": "basketball", "time_zone": "Australia/Melbourne"});
        let other = manager.post(SEASONS, &other).await;
        let team = manager.get("/api/v1/teams?limit=1").await.body["data"][0]["id"].clone();
        let coach = manager.get("/api/v1/members?role=coach").await.body["data"][0]["user"]["id"].clone();
        let staff = format!("/api/v1/teams/{}/staff", team.as_str().expect("an id"));
        let added = manager.post(&staff, &json!({"user_id": coach, "kind": "coach"})).await;
        assert_eq!(added.status, 201, "{}", added.text);

        let (counts, digest) = contents(admin, &season).await;
        assert_eq!(counts, json!({"divisions": 15, "teams": 144, "games": 319, "staff": 1, "duties": 0, "registrations": 0, "roster_entries": 0}));
        let venues = count(manager, "/api/v1/venues?limit=100").await;
        let purged = admin.post(&format!("{season}/purge"), &json!({"confirm": digest})).await;
        assert_eq!((purged.status, &purged.body["data"]["counts"]), (200, &counts), "{}", purged.text);
        is_problem(&admin.get(&season).await, Code::NotFound, "a purged season");
        for list in ["divisions", "teams", "games?from=2022-01-01T00:00:00Z&to=2022-12-31T00:00:00Z"] {
            assert_eq!(count(manager, &format!("/api/v1/{list}")).await, 0, "{list}");
        }
        assert_eq!(count(manager, "/api/v1/venues?limit=100").await, venues, "a venue belongs to the club");
        assert_eq!(manager.get(&format!("{SEASONS}/{}", other.id())).await.status, 200);

        let entries = admin.get("/api/v1/audit-log?operation=seasons.purge").await;
        assert_eq!(entries.body["data"].as_array().map(Vec::len), Some(1), "one entry: {}", entries.text);
        assert_eq!(entries.body["data"][0]["effects"].as_array().map(Vec::len), Some(480));
        let changes = manager.get(&format!("{SEASONS}?updated_since=2020-01-01T00:00:00Z")).await;
        assert_eq!(changes.body["deleted"].as_array().map(Vec::len), Some(1));
        assert_eq!(count(manager, SEASONS).await, 1);
        import_coburg(manager).await;
        assert_eq!(count(manager, SEASONS).await, 2, "the file can be imported again");
    })
    .await;
}

#[tokio::test]
async fn a_season_that_has_changed_is_not_purged() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let season = imported(&club).await;
        let (counts, digest) = contents(admin, &season).await;
        assert_eq!(
            contents(admin, &season).await,
            (counts, digest.clone()),
            "the same digest for the same list"
        );
        let game = "/api/v1/games?from=2022-01-01T00:00:00Z&to=2022-12-31T00:00:00Z&limit=1";
        let game = manager.get(game).await.body["data"][0].clone();
        let division = format!("/api/v1/divisions/{}", game["division_id"].as_str().expect("an id"));
        assert_eq!(manager.patch(&division, &json!({"age_group": "U13"})).await.status, 200);

        for wrong in [digest.as_str(), "", "0"] {
            let refused = admin.post(&format!("{season}/purge"), &json!({"confirm": wrong})).await;
            is_problem(&refused, Code::InUse, "another digest");
            let (counts, today) = contents(admin, &season).await;
            assert_eq!((&refused.body["counts"], &refused.body["digest"]), (&counts, &json!(today)));
            assert_ne!(today, digest);
        }
        let (_, today) = contents(admin, &season).await;
        let confirmed = json!({"confirm": today});
        let refused = manager.post(&format!("{season}/purge"), &confirmed).await;
        is_problem(&refused, Code::RoleInsufficient, "a manager");
        let neighbour = club.neighbours().await.post(&format!("{season}/purge"), &confirmed).await;
        is_problem(&neighbour, Code::NotFound, "another organization's season");
        assert_eq!(manager.get(&season).await.status, 200);
        assert_eq!(admin.post(&format!("{season}/purge"), &confirmed).await.status, 200);
        let again = admin.post(&format!("{season}/purge"), &confirmed).await;
        is_problem(&again, Code::NotFound, "a purged season");
    })
    .await;
}
