//! The audit log and the history of a season.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::{Answer, on_both};

const LOG: &str = "/api/v1/audit-log";

fn operations(answer: &Answer) -> Vec<&str> {
    let entries = answer.body["data"].as_array().expect("entries");
    entries.iter().filter_map(|entry| entry["operation"].as_str()).collect()
}

#[tokio::test]
async fn the_audit_log_has_who_changed_what_and_the_records_before() {
    on_both(async |club| {
        let (manager, admin) = (club.member(Role::Manager), club.member(Role::Admin));
        let made = manager
            .post("/api/v1/seasons", &json!({"name": "Winter", "sport": "netball", "time_zone": "UTC"}))
            .await;
        let path = format!("/api/v1/seasons/{}", made.id());
        let changed = manager.patch(&path, &json!({"name": "Summer"})).await;
        manager
            .post(
                "/api/v1/colleges/favorites",
                &json!({"custom": {"college_name": "Creek", "sport": "softball"}}),
            )
            .await;

        let log = admin.get(LOG).await;
        let entries = log.body["data"].as_array().expect("entries");
        assert_eq!(operations(&log)[..2], ["seasons.change", "seasons.create"], "a favorite has no entry");
        let newest = &entries[0];
        assert_eq!(newest["at"], changed.body["data"]["updated_at"]);
        assert_eq!(newest["request_id"], changed.header("x-request-id"));
        let profile = manager.get("/api/v1/profile/me").await;
        assert_eq!(newest["actor"]["user_id"], profile.body["data"]["id"]);
        assert_eq!(newest["actor"]["name"], profile.body["data"]["name"]);
        let effect = &newest["effects"][0];
        let shown =
            ["kind", "id", "verb", "version", "changed", "cleared"].map(|field| effect[field].clone());
        let expected =
            [json!("season"), json!(made.id()), json!("updated"), json!(2), json!(["name"]), json!(false)];
        assert_eq!(shown, expected);
        assert_eq!(
            (&effect["before"]["name"], &effect["after"]["name"]),
            (&json!("Winter"), &json!("Summer"))
        );
        assert_eq!(entries[1]["effects"][0]["before"], Value::Null);

        let one = admin.get(&format!("{LOG}?limit=1")).await;
        let cursor = one.body["page"]["next_cursor"].as_str().expect("a cursor");
        let next = admin.get(&format!("{LOG}?limit=1&cursor={cursor}")).await;
        assert_eq!((operations(&one), operations(&next)), (vec!["seasons.change"], vec!["seasons.create"]));
        let user = profile.body["data"]["id"].as_str().expect("an id");
        for (filter, count) in [
            (format!("operation=seasons.create&actor={user}"), 1),
            (format!("record_id={}", made.id()), 2),
            (format!("record_id={}&until=2020-01-01T00:00:00Z", made.id()), 0),
            (format!("record_id={}&since=2020-01-01T00:00:00Z", made.id()), 2),
            ("key_id=key_01h455vb4pex5vsknk084sn02q".to_owned(), 0),
        ] {
            assert_eq!(operations(&admin.get(&format!("{LOG}?{filter}")).await).len(), count, "{filter}");
        }
        for wrong in ["record_id=x", "operation=a%00b"] {
            is_problem(&admin.get(&format!("{LOG}?{wrong}")).await, Code::InvalidParameter, wrong);
        }
    })
    .await;
}

#[tokio::test]
async fn the_history_of_a_deleted_season_can_be_read() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let made = manager
            .post("/api/v1/seasons", &json!({"name": "Winter", "sport": "netball", "time_zone": "UTC"}))
            .await;
        let path = format!("/api/v1/seasons/{}", made.id());
        assert_eq!(manager.delete(&path).await.status, 200);
        let history = manager.get(&format!("{path}/history")).await;
        assert_eq!(operations(&history), ["seasons.delete", "seasons.create"]);
        let one = manager.get(&format!("{path}/history?limit=1")).await;
        let cursor = one.body["page"]["next_cursor"].as_str().expect("a cursor");
        let next = manager.get(&format!("{path}/history?limit=1&cursor={cursor}")).await;
        assert_eq!(operations(&next), ["seasons.create"]);
        let nowhere = manager.get("/api/v1/seasons/sea_01h455vb4pex5vsknk084sn02q/history").await;
        is_problem(&nowhere, Code::NotFound, "an unknown season");
    })
    .await;
}
