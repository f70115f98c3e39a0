//! Seasons: creating, reading, changing and deleting them. `seasons/list.rs` has the list, `seasons/since.rs` the changes,
//! `seasons/mirrors.rs` the copies that clients keep.

mod list;
mod mirrors;
mod purge;
mod since;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::imports::import_coburg;
use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Club, Person, on_both};

const SEASONS: &str = "/api/v1/seasons";

/// Creates a season with these fields and defaults for other required ones.
async fn make(person: &Person, fields: Value) -> Answer {
    let mut wanted =
        json!({"name": "Winter 2026", "sport": "basketball", "time_zone": "Australia/Melbourne"});
    let given = fields.as_object().expect("an object").clone();
    wanted.as_object_mut().expect("an object").extend(given);
    person.post(SEASONS, &wanted).await
}

fn address(made: &Answer) -> String {
    assert_eq!(made.status, 201, "{}", made.text);
    format!("{SEASONS}/{}", made.id())
}

/// The number of entries in the club's ledger, including those that wait to be posted.
async fn audited(club: &Club) -> i64 {
    club.app.store.generation(club.organization).await.expect("a generation").commits
}

#[tokio::test]
async fn a_new_season_has_defaults() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let made = make(manager, json!({"name": "  Winter \t 2026 ", "sport": "Track & Field"})).await;
        assert_eq!(made.status, 201, "{}", made.text);
        let season = made.body["data"].clone();
        let at = season["created_at"].as_str().expect("a time");
        assert!(
            at.ends_with('Z')
                && at.parse::<Timestamp>().is_ok()
                && at.len() <= "2026-01-01T00:00:00.123456Z".len()
        );
        let expected = json!({
            "id": made.id(), "name": "Winter 2026", "sport": "track_and_field", "status": "draft",
            "starts_on": null, "ends_on": null, "time_zone": "Australia/Melbourne", "divisions": [],
            "scoring": {"win": 3, "draw": 1, "loss": 0},
            "tiebreakers": ["head_to_head", "difference", "scored", "name"],
            "external_id": null, "created_at": at, "updated_at": at, "version": 1,
        });
        assert_eq!(season, expected);
        assert!(made.id().starts_with("sea_") && made.id().len() == 30);
        let read = club.member(Role::Viewer).get(&address(&made)).await;
        assert_eq!((read.status, &read.body), (200, &made.body));
        assert_eq!(read.header("etag"), made.header("etag"));
    })
    .await;
}

#[tokio::test]
async fn a_season_stores_every_field() {
    on_both(async |club| {
        let said = json!({
            "name": "Été à Montréal", "sport": "soccer", "status": "registration", "time_zone": "America/Toronto",
            "starts_on": "2026-05-01", "ends_on": "2026-05-01", "scoring": {"win": 2, "draw": -100, "loss": 100},
            "tiebreakers": ["scored"], "external_id": "league/7",
        });
        let made = make(club.member(Role::Manager), said.clone()).await;
        let season = club.member(Role::Viewer).get(&address(&made)).await.body["data"].clone();
        for (name, value) in said.as_object().expect("an object") {
            assert_eq!(&season[name], value, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn two_seasons_cannot_have_the_same_name_in_any_spelling() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        address(&make(manager, json!({"name": "Été 2026"})).await);
        for name in ["Été 2026", "ETE  2026", "été-2026"] {
            is_problem(&make(manager, json!({"name": name})).await, Code::Duplicate, name);
        }
        let other = address(&make(manager, json!({"name": "Hiver 2026"})).await);
        let taken = manager.patch(&other, &json!({"name": "ete 2026"})).await;
        is_problem(&taken, Code::Duplicate, "a change of name");
        let respelt = manager.patch(&other, &json!({"name": "HIVER 2026"})).await;
        assert_eq!((respelt.status, &respelt.body["data"]["name"]), (200, &json!("HIVER 2026")));
        let neighbour = club.neighbours().await;
        assert_eq!(make(&neighbour, json!({"name": "Été 2026"})).await.status, 201, "another club may");
    })
    .await;
}

#[tokio::test]
async fn a_name_without_letters_is_valid() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for name in ["2026", "冬季", "مسابقة", "🏀", "⚽"] {
            address(&make(manager, json!({"name": name})).await);
        }
        is_problem(
            &make(manager, json!({"name": "\u{0}"})).await,
            Code::ValidationFailed,
            "a control character",
        );
    })
    .await;
}

#[tokio::test]
async fn a_change_keeps_fields_left_out_and_clears_fields_sent_as_null() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let made =
            make(manager, json!({"starts_on": "2026-05-01", "ends_on": "2026-09-01", "external_id": "a"}))
                .await;
        let path = address(&made);
        let changed =
            manager.patch(&path, &json!({"ends_on": null, "external_id": "b", "status": "active"})).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let mut expected = made.body["data"].clone();
        for (name, value) in
            [("ends_on", json!(null)), ("external_id", json!("b")), ("status", json!("active"))]
        {
            expected[name] = value;
        }
        expected["version"] = json!(2);
        expected["updated_at"] = changed.body["data"]["updated_at"].clone();
        assert_eq!(changed.body["data"], expected);
        assert!(expected["updated_at"].as_str() > expected["created_at"].as_str());
        assert_eq!(manager.get(&path).await.body, changed.body);
    })
    .await;
}

#[tokio::test]
async fn a_change_cannot_clear_required_fields() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = address(&make(manager, json!({})).await);
        for name in ["name", "sport", "time_zone", "status", "scoring", "tiebreakers"] {
            let refused = manager.patch(&path, &json!({name: null})).await;
            is_problem(&refused, Code::ValidationFailed, name);
            assert_eq!(pointers(&refused), [format!("/{name}")]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_change_without_a_difference_keeps_the_version() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let made = make(manager, json!({"starts_on": "2026-05-01"})).await;
        let path = address(&made);
        let before = audited(&club).await;
        for change in [json!({}), json!({"starts_on": "2026-05-01", "sport": "Basketball"})] {
            let changed = manager.patch(&path, &change).await;
            assert_eq!((changed.status, &changed.body), (200, &made.body));
            assert_eq!(changed.header("etag"), made.header("etag"));
        }
        assert_eq!(audited(&club).await, before);
    })
    .await;
}

#[tokio::test]
async fn a_change_is_validated_by_its_result() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = address(&make(manager, json!({"starts_on": "2026-05-01"})).await);
        let refused = manager.patch(&path, &json!({"ends_on": "2026-04-30"})).await;
        is_problem(&refused, Code::ValidationFailed, "an end before the start");
        assert_eq!(pointers(&refused), ["/ends_on"]);
    })
    .await;
}

#[tokio::test]
async fn errors_in_the_body_are_reported_before_conflicts_with_the_record() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let unknown = "/api/v1/seasons/sea_01h2xcejqtf2nbrexx3vqjhp41";
        assert_eq!(make(manager, json!({"name": "Winter"})).await.status, 201);
        for (wrong, expected) in [
            (json!({"starts_on": "2026-05-02", "ends_on": "2026-05-01"}), vec!["/ends_on"]),
            (
                json!({"scoring": {"win": 101, "draw": 0, "loss": -101}}),
                vec!["/scoring/win", "/scoring/loss"],
            ),
            (json!({"tiebreakers": ["name", "scored", "name"]}), vec!["/tiebreakers"]),
            (json!({"starts_on": "2026-05-01T10:00"}), vec!["/starts_on"]),
            (json!({"ends_on": "-000001-01-01"}), vec!["/ends_on"]),
        ] {
            let mut named = wrong.clone();
            named["name"] = "Winter".into();
            for refused in [make(manager, named).await, manager.patch(unknown, &wrong).await] {
                is_problem(&refused, Code::ValidationFailed, &wrong.to_string());
                assert_eq!(pointers(&refused), expected, "{wrong}");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn an_archived_season_can_only_change_back_to_completed() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let path = address(&make(manager, json!({"status": "archived"})).await);
        for status in ["draft", "registration", "active"] {
            is_problem(&manager.patch(&path, &json!({"status": status})).await, Code::State, status);
        }
        for status in ["completed", "active"] {
            assert_eq!(manager.patch(&path, &json!({"status": status})).await.status, 200, "{status}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_season_can_be_deleted_once() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let made = make(manager, json!({})).await;
        let path = address(&made);
        let deleted = manager.delete(&path).await;
        assert_eq!(
            (deleted.status, &deleted.body),
            (200, &json!({"data": {"id": made.id(), "deleted": true}}))
        );
        for answer in [manager.get(&path).await, manager.delete(&path).await] {
            is_problem(&answer, Code::NotFound, "a deleted season");
        }
        assert_eq!(make(manager, json!({})).await.status, 201, "its name is free again");
    })
    .await;
}

#[tokio::test]
async fn a_season_with_games_cannot_be_deleted() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        import_coburg(manager).await;
        let season = manager.get(SEASONS).await.body["data"][0].clone();
        assert_eq!(season["divisions"].as_array().map(Vec::len), Some(15));
        let refused = manager.delete(&format!("{SEASONS}/{}", season["id"].as_str().expect("an id"))).await;
        is_problem(&refused, Code::InUse, "a season with games");
        let said = "The season has 15 divisions, 144 teams and 319 games.";
        assert!(
            refused.body["detail"].as_str().is_some_and(|detail| detail.starts_with(said)),
            "{}",
            refused.text
        );
    })
    .await;
}

#[tokio::test]
async fn a_validated_request_gets_a_response_and_stores_nothing() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let before = audited(&club).await;
        let wanted = json!({"name": "Winter", "sport": "netball", "time_zone": "UTC"});
        let tried = manager.post("/api/v1/seasons?validate_only=true", &wanted).await;
        assert_eq!((tried.status, &tried.body["data"]["name"]), (201, &json!("Winter")));
        assert_eq!(manager.get(SEASONS).await.body["data"], json!([]));
        assert_eq!(audited(&club).await, before);

        let made = make(manager, json!({})).await;
        let (path, before) = (address(&made), audited(&club).await);
        let tried = manager.patch(&format!("{path}?validate_only=true"), &json!({"status": "active"})).await;
        assert_eq!((tried.status, &tried.body["data"]["version"]), (200, &json!(2)));
        let tried = manager.delete(&format!("{path}?validate_only=true")).await;
        assert_eq!((tried.status, &tried.body["data"]["deleted"]), (200, &json!(true)));
        assert_eq!(manager.get(&path).await.body, made.body);
        assert_eq!(audited(&club).await, before);
        let since = format!("{SEASONS}?updated_since=2020-01-01T00:00:00Z");
        assert_eq!(manager.get(&since).await.body["deleted"], json!([]));

        let taken = manager
            .post(
                "/api/v1/seasons?validate_only=true",
                &json!({"name": "WINTER 2026",
            "sport": "netball", "time_zone": "UTC"}),
            )
            .await;
        is_problem(&taken, Code::Duplicate, "validation finds the conflict");
        let real = manager.patch(&format!("{path}?validate_only=false"), &json!({"status": "active"})).await;
        assert_eq!((real.status, audited(&club).await), (200, before + 1));
    })
    .await;
}

#[tokio::test]
async fn twenty_concurrent_creations_of_one_season_create_one() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut tries = tokio::task::JoinSet::new();
        for _ in 0..20 {
            let manager = manager.clone();
            tries.spawn(async move { make(&manager, json!({})).await });
        }
        let mut made = 0;
        while let Some(answer) = tries.join_next().await {
            let answer = answer.expect("a request");
            if answer.status == 201 {
                made += 1;
            } else {
                is_problem(&answer, Code::Duplicate, "a second one");
            }
        }
        assert_eq!(made, 1);
    })
    .await;
}
