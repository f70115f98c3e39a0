//! Venues: creating, listing, reading, changing and deleting them, their history, and what changed.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::imports::import_coburg;
use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Club, Person, on_both};

const VENUES: &str = "/api/v1/venues";

async fn create(person: &Person, name: &str) -> Answer {
    let created = person.post(VENUES, &json!({"name": name, "time_zone": "Australia/Melbourne"})).await;
    assert_eq!(created.status, 201, "{}", created.text);
    created
}

fn address(created: &Answer) -> String {
    format!("{VENUES}/{}", created.id())
}

fn names(answer: &Answer) -> Vec<&str> {
    let venues = answer.body["data"].as_array().expect("a list");
    venues.iter().map(|venue| venue["name"].as_str().expect("a name")).collect()
}

async fn generation(club: &Club) -> i64 {
    club.app.store.generation(club.organization).await.expect("a generation").commits
}

#[tokio::test]
async fn a_venue_is_created_with_every_field_and_read_back() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let plain = create(manager, "  Town \t Hall ").await;
        let at = plain.body["data"]["created_at"].clone();
        let expected = json!({
            "id": plain.id(), "name": "Town Hall", "address": null, "latitude": null, "longitude": null,
            "time_zone": "Australia/Melbourne", "fields": [], "created_at": at, "updated_at": at, "version": 1,
        });
        assert_eq!(plain.body["data"], expected);
        assert!(plain.id().starts_with("ven_"));

        let wanted = json!({
            "name": "Stade d'été", "address": "1 Rue du Parc", "latitude": -37.743_212_345_678_9, "longitude": 180,
            "time_zone": "America/Toronto", "fields": ["Court 1", "Court 2"],
        });
        let created = manager.post(VENUES, &wanted).await;
        let read = club.member(Role::Viewer).get(&address(&created)).await;
        for (field, value) in wanted.as_object().expect("an object") {
            let same = read.body["data"][field] == *value || read.body["data"][field].as_f64() == value.as_f64();
            assert!(same, "{field}: {}", read.text);
        }
        assert_eq!((read.status, &read.body), (200, &created.body));
        assert_eq!(read.header("etag"), created.header("etag"));
        assert_eq!(read.header("cache-control"), "private, no-cache");
    })
    .await;
}

#[tokio::test]
async fn every_wrong_field_of_a_venue_is_reported() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let wrong = json!({
            "name": " ", "latitude": 90.1, "longitude": -180.5, "time_zone": "Mars/Olympus",
            "fields": vec!["Court"; 101], "roof": 5,
        });
        let refused = manager.post(VENUES, &wrong).await;
        is_problem(&refused, Code::ValidationFailed, "six wrong fields");
        let mut found = pointers(&refused);
        found.sort_unstable();
        assert_eq!(found, ["/fields", "/latitude", "/longitude", "/name", "/roof", "/time_zone"]);
        let path = address(&create(manager, "Town Hall").await);
        let refused = manager.patch(&path, &json!({"name": null, "time_zone": null, "fields": null})).await;
        is_problem(&refused, Code::ValidationFailed, "what every venue has cannot be emptied");
        assert_eq!(pointers(&refused), ["/name", "/time_zone", "/fields"]);
    })
    .await;
}

#[tokio::test]
async fn two_venues_of_a_club_cannot_have_the_same_name() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        create(manager, "Été Park").await;
        let other = address(&create(manager, "Hill Park").await);
        let body = json!({"name": "ete-PARK", "time_zone": "UTC"});
        for refused in
            [manager.post(VENUES, &body).await, manager.patch(&other, &json!({"name": "ete park"})).await]
        {
            is_problem(&refused, Code::Duplicate, "the same name in another spelling");
        }
        create(&club.neighbours().await, "Été Park").await;
    })
    .await;
}

#[tokio::test]
async fn venues_are_listed_by_name_page_by_page_and_searched_by_words() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for name in ["north hall", "Zoo", "Éden Park", "South Hall", "eden"] {
            create(manager, name).await;
        }
        create(&club.neighbours().await, "Another club's hall").await;
        let viewer = club.member(Role::Viewer);
        let all = ["eden", "Éden Park", "north hall", "South Hall", "Zoo"];
        assert_eq!(names(&viewer.get(VENUES).await), all);
        for limit in 1..=5 {
            let (mut path, mut listed) = (format!("{VENUES}?limit={limit}"), Vec::new());
            loop {
                let page = viewer.get(&path).await;
                listed.extend(names(&page).into_iter().map(str::to_owned));
                let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
                path = format!("{VENUES}?limit={limit}&cursor={cursor}");
            }
            assert_eq!(listed, all, "by {limit}");
        }
        for (words, expected) in
            [("hall", vec!["north hall", "South Hall"]), ("par%20EDEN", vec!["Éden Park"]), ("all", vec![])]
        {
            assert_eq!(names(&viewer.get(&format!("{VENUES}?q={words}")).await), expected, "{words}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_change_keeps_what_it_does_not_name_and_honours_if_match() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let created = create(manager, "Town Hall").await;
        let path = address(&created);
        let changed = manager.patch(&path, &json!({"address": "1 Hall St", "fields": ["A"]})).await;
        let mut expected = created.body["data"].clone();
        expected["address"] = json!("1 Hall St");
        expected["fields"] = json!(["A"]);
        expected["version"] = json!(2);
        expected["updated_at"] = changed.body["data"]["updated_at"].clone();
        assert_eq!(changed.body["data"], expected);
        assert_eq!(manager.get(&path).await.body, changed.body);

        let at = |tag: &str| manager.request(reqwest::Method::PATCH, &path).header("if-match", tag);
        let stale = crate::support::send(at("\"1-x\"").json(&json!({"address": null}))).await;
        is_problem(&stale, Code::VersionMismatch, "an earlier version");
        let emptied = crate::support::send(at("\"2-x\"").json(&json!({"address": null}))).await;
        assert_eq!((emptied.status, &emptied.body["data"]["address"]), (200, &Value::Null));

        let before = generation(&club).await;
        assert_eq!(
            manager.patch(&path, &json!({"fields": ["A"]})).await.body,
            emptied.body,
            "nothing differs"
        );
        let tried = manager.patch(&format!("{path}?validate_only=true"), &json!({"name": "Hall"})).await;
        assert_eq!((tried.status, &tried.body["data"]["version"]), (200, &json!(4)));
        assert_eq!(generation(&club).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_venue_is_deleted_only_when_no_game_refers_to_it() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        import_coburg(manager).await;
        let used = manager.get(&format!("{VENUES}?limit=1")).await;
        let used = format!("{VENUES}/{}", used.body["data"][0]["id"].as_str().expect("an id"));
        let refused = manager.delete(&used).await;
        is_problem(&refused, Code::InUse, "a venue with games");
        assert_eq!(manager.get(&used).await.status, 200);

        let created = create(manager, "Empty Park").await;
        let path = address(&created);
        let deleted = manager.delete(&path).await;
        assert_eq!(deleted.body, json!({"data": {"id": created.id(), "deleted": true}}));
        for answer in [manager.get(&path).await, manager.delete(&path).await] {
            is_problem(&answer, Code::NotFound, "a deleted venue");
        }
    })
    .await;
}

#[tokio::test]
async fn a_history_has_every_change_with_its_fields_even_of_a_deleted_venue() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = address(&create(manager, "Town Hall").await);
        manager.patch(&path, &json!({"latitude": 1.5})).await;
        manager.delete(&path).await;
        let history = manager.get(&format!("{path}/history")).await;
        let entries = history.body["data"].as_array().expect("a list");
        let told: Vec<_> = entries
            .iter()
            .map(|entry| (&entry["operation"], &entry["effects"][0]["verb"], &entry["effects"][0]["changed"]))
            .collect();
        let (created, changed, deleted) =
            (json!("venues.create"), json!("venues.change"), json!("venues.delete"));
        let verbs = [json!("deleted"), json!("updated"), json!("created")];
        let (none, latitude) = (json!([]), json!(["latitude"]));
        let expected =
            [(&deleted, &verbs[0], &none), (&changed, &verbs[1], &latitude), (&created, &verbs[2], &none)];
        assert_eq!(told, expected);
        assert_eq!(entries[1]["effects"][0]["before"]["latitude"], Value::Null);
        assert_eq!(entries[1]["effects"][0]["after"]["latitude"], json!(1.5));
        let neighbour = club.neighbours().await;
        is_problem(&neighbour.get(&format!("{path}/history")).await, Code::NotFound, "another club's venue");
    })
    .await;
}

#[tokio::test]
async fn a_copy_is_kept_by_token() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (one, two) = (create(manager, "One").await, create(manager, "Two").await);
        let listed = manager.get(VENUES).await;
        let token = listed.body["page"]["sync"].as_str().expect("a token").to_owned();
        manager.patch(&address(&two), &json!({"name": "Second"})).await;
        manager.delete(&address(&one)).await;
        create(manager, "Three").await;
        let feed = manager.get(&format!("{VENUES}?since={token}")).await;
        assert_eq!(names(&feed), ["Second", "Three"]);
        assert_eq!(feed.body["deleted"][0]["id"], json!(one.id()));
        let refused = manager.get(&format!("{VENUES}?since={token}&q=one")).await;
        is_problem(&refused, Code::InvalidParameter, "a filter");
        let seasons = manager.get(&format!("/api/v1/seasons?since={token}")).await;
        is_problem(&seasons, Code::InvalidCursor, "the token of another list");
    })
    .await;
}
