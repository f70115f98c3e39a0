//! Changes of the organization by its admins.

use fieldhouse_domain::roles::Role;
use reqwest::Method;
use serde_json::{Value, json};

use crate::imports::import_coburg;
use crate::support::{on_both, send};

const ORGANIZATION: &str = "/api/v1/organization";

#[tokio::test]
async fn an_admin_changes_the_organization_and_the_ledger_records_it() {
    on_both(async |club| {
        let admin = club.member(Role::Admin);
        let wanted = json!({"name": "Riverside  United", "slug": "riverside-united", "country": "nz", "time_zone": "Pacific/Auckland"});
        let changed = admin.patch(ORGANIZATION, &wanted).await;
        assert_eq!(changed.status, 200, "{}", changed.text);
        let data = &changed.body["data"];
        assert_eq!(
            ["name", "slug", "country", "time_zone"].map(|field| data[field].clone()),
            ["Riverside United", "riverside-united", "NZ", "Pacific/Auckland"].map(|text| json!(text))
        );
        assert_eq!(club.member(Role::Viewer).get(ORGANIZATION).await.body["data"], *data);
        let log = admin.get("/api/v1/audit-log?operation=organization.change").await;
        let effect = &log.body["data"][0]["effects"][0];
        assert_eq!(effect["changed"], json!(["name", "slug", "country", "time_zone"]));
        assert_eq!(effect["before"]["slug"], "riverside-club");
        let cleared = admin.patch(ORGANIZATION, &json!({"country": null})).await;
        assert_eq!((&cleared.body["data"]["country"], &cleared.body["data"]["version"]), (&Value::Null, &json!(3)));
        let login = json!({"email": admin.email, "password": crate::support::PASSWORD, "organization": "riverside-united"});
        assert_eq!(club.anonymous().post("/api/v1/auth/login", &login).await.status, 200);
    })
    .await;
}

#[tokio::test]
async fn versions_and_short_names_are_compared_and_values_checked() {
    on_both(async |club| {
        club.neighbours().await;
        let admin = club.member(Role::Admin);
        let stale = admin
            .request(Method::PATCH, ORGANIZATION)
            .header("if-match", "\"9\"")
            .json(&json!({"name": "A"}));
        let stale = send(stale).await;
        assert_eq!((stale.status, stale.code()), (412, "version_mismatch"));
        let taken = admin.patch(ORGANIZATION, &json!({"slug": "neighbour-club"})).await;
        assert_eq!((taken.status, taken.code()), (409, "duplicate"));
        assert_eq!(taken.body["errors"][0]["pointer"], "/slug");
        let wrong =
            json!({"name": null, "slug": "A B", "country": "AUS", "time_zone": "Mars", "suspended_at": null});
        let wrong = admin.patch(ORGANIZATION, &wrong).await;
        assert_eq!(
            (wrong.status, wrong.body["errors"].as_array().map(Vec::len)),
            (422, Some(5)),
            "{}",
            wrong.text
        );
        let manager = club.member(Role::Manager).patch(ORGANIZATION, &json!({"name": "A"})).await;
        assert_eq!((manager.status, manager.code()), (403, "role_insufficient"));
    })
    .await;
}

#[tokio::test]
async fn another_time_zone_moves_no_game() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        import_coburg(manager).await;
        let games = async || {
            let path = "/api/v1/games?from=2022-04-01T00:00:00Z&to=2022-09-20T00:00:00Z&limit=100";
            manager.get(path).await.body["data"].clone()
        };
        let before = games().await;
        assert_eq!(before[0]["time_zone"], "Australia/Melbourne");
        let changed =
            club.member(Role::Admin).patch(ORGANIZATION, &json!({"time_zone": "America/New_York"})).await;
        assert_eq!(changed.body["data"]["time_zone"], "America/New_York");
        assert_eq!(games().await, before);
    })
    .await;
}
