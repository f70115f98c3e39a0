//! Every file of the project's data, imported as a club would. The numbers were counted from the files with another program.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::{COBURG, IMPORTS, has, only_admin};
use crate::shapes::{is_problem, pointers};
use crate::support::{Person, on_both};

macro_rules! data {
    ($path:literal) => {
        include_str!(concat!("../../../../../data/", $path))
    };
}

/// A file, what the caller adds, and the numbers of its import into an empty organization.
type Case = (&'static str, Value, &'static str, &'static [(&'static str, u64)]);

fn files() -> [Case; 7] {
    [
        (
            data!("leagues/openfootball/2025-26_en.1.json"),
            json!({"time_zone": "Europe/London"}),
            "openfootball",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 20),
                ("games_created", 380),
                ("rows", 380),
            ],
        ),
        (
            data!("leagues/openfootball/2025-26_tr.1.json"),
            json!({"time_zone": "Europe/Istanbul"}),
            "openfootball",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 18),
                ("games_created", 306),
                ("rows", 306),
            ],
        ),
        (
            data!("leagues/openfootball/2025_mls.json"),
            json!({}),
            "openfootball",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 30),
                ("games_created", 510),
                ("rows", 510),
            ],
        ),
        (
            data!("leagues/worldcup/2026_worldcup.before-kickoff.json"),
            json!({}),
            "openfootball",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 112),
                ("venues_created", 16),
                ("games_created", 104),
                ("rows", 104),
            ],
        ),
        (
            data!("leagues/worldcup/2026_worldcup.mid-tournament.json"),
            json!({}),
            "openfootball",
            &[
                ("seasons_updated", 0),
                ("seasons_unchanged", 1),
                ("divisions_unchanged", 1),
                ("teams_unchanged", 79),
                ("venues_unchanged", 16),
                ("games_updated", 91),
                ("games_unchanged", 13),
                ("rows", 104),
            ],
        ),
        (
            data!("ics/bears.ics"),
            json!({"sport": "football"}),
            "ics",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 18),
                ("games_created", 21),
                ("rows", 21),
            ],
        ),
        (
            data!("ics/Packers.ics"),
            json!({"sport": "football"}),
            "ics",
            &[
                ("seasons_created", 1),
                ("divisions_created", 1),
                ("teams_created", 44),
                ("games_created", 64),
                ("byes", 3),
                ("rows", 66),
                ("skipped_rows", 2),
            ],
        ),
    ]
}

fn with(content: &str, more: &Value) -> Value {
    let mut body = more.clone();
    body["content"] = json!(content);
    body
}

#[tokio::test]
async fn every_file_is_recognized_and_imported() {
    on_both(async |club| {
        let manager = only_admin(&club).await;
        for (content, more, format, expected) in files() {
            let mut tried = with(content, &more);
            tried["dry_run"] = json!(true);
            let tried = manager.post(IMPORTS, &tried).await;
            assert_eq!(tried.status, 200, "{}", tried.text);
            let answer = manager.post(IMPORTS, &with(content, &more)).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            let report = &answer.body["data"];
            assert_eq!((&report["format"], &report["bad_rows"]), (&json!(format), &json!([])));
            has(&report["counts"], expected);
            for member in ["counts", "matches", "suggestions", "skipped_rows", "time_zone"] {
                assert_eq!(report[member], tried.body["data"][member], "a dry run reports the same {member}");
            }
            let again = manager.post(IMPORTS, &with(content, &more)).await.body["data"]["counts"].clone();
            for name in ["seasons", "divisions", "teams", "venues", "games"] {
                let changes = [&again[format!("{name}_created")], &again[format!("{name}_updated")]];
                assert_eq!(changes, [&json!(0), &json!(0)], "{name} the second time");
            }
        }
    })
    .await;
}

#[tokio::test]
async fn one_import_is_one_entry_of_the_ledger() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (content, more, ..) = &files()[3];
        assert_eq!(manager.post(IMPORTS, &with(content, more)).await.status, 200);
        let admin = club.member(Role::Admin);
        let entries = admin.get("/api/v1/audit-log?operation=imports.league").await;
        let entries = entries.body["data"].as_array().expect("a list").clone();
        assert_eq!(entries.len(), 1);
        assert_eq!(entries[0]["reason"], "import");
    })
    .await;
}

#[tokio::test]
async fn the_time_zone_is_that_of_the_request_the_file_or_the_organization() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let zone = async |content: &str, more: Value| {
            let mut body = with(content, &more);
            body["dry_run"] = json!(true);
            manager.post(IMPORTS, &body).await.body["data"]["time_zone"].clone()
        };
        let bears = data!("ics/bears.ics");
        assert_eq!(
            zone(bears, json!({"sport": "football", "time_zone": "Europe/Vienna"})).await,
            "Europe/Vienna"
        );
        assert_eq!(zone(bears, json!({"sport": "football"})).await, "Canada/Mountain");
        let organization = manager.get("/api/v1/organization").await.body["data"]["time_zone"].clone();
        assert_eq!(zone(COBURG, json!({"sport": "basketball"})).await, organization);
    })
    .await;
}

#[tokio::test]
async fn a_file_of_another_format_is_refused_with_what_it_is() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let roster = "First Name,Last Name,Jersey #,Role label,Is Coach,Is Non-Player\nA,B,1,Parent,No,Yes\n";
        let game_changer =
            "Date,Time,Home Team,Away Team,Location,Field,Game Type,Game Number\n1,2,3,4,5,6,7,8\n";
        for (format, content, recognised_as, message) in [
            ("ics", COBURG, json!("PlayHQ fixture export"), "not like an iCalendar file"),
            ("playhq", data!("ics/bears.ics"), json!("iCalendar file"), "not like a PlayHQ fixture export"),
            ("teamsnap", roster, json!("TeamSnap tournament roster"), "Rosters cannot be imported"),
            ("auto", roster, json!("TeamSnap tournament roster"), "Rosters cannot be imported"),
            ("auto", game_changer, json!("GameChanger schedule"), "which cannot be imported"),
            ("auto", "day,home\n1,2\n", Value::Null, "the format of the file is not known"),
            ("auto", "{\"name\": 1}", Value::Null, "cannot be read as JSON"),
            ("auto", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", Value::Null, "no rows"),
        ] {
            let body = json!({"format": format, "sport": "basketball", "content": content});
            let refused = manager.post(IMPORTS, &body).await;
            is_problem(&refused, Code::ValidationFailed, message);
            assert_eq!(pointers(&refused), ["/content"], "{}", refused.text);
            assert_eq!(refused.body["recognised_as"], recognised_as, "{message}");
            let said = refused.body["errors"][0]["message"].as_str().expect("a message");
            assert!(said.contains(message), "{said}");
        }
    })
    .await;
}

#[tokio::test]
async fn what_a_file_does_not_say_is_required() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let schedule = "Date,Start time,Arrival Time,Short label,Division,Home Team,Away Team,Location\n\
                        09/13/2026,9:00 AM,,,U8,Ants,Bees,Oval\n";
        for (more, pointer) in
            [(json!({"sport": "soccer"}), "/season"), (json!({"season": "Fall"}), "/sport")]
        {
            let refused = manager.post(IMPORTS, &with(schedule, &more)).await;
            is_problem(&refused, Code::ValidationFailed, pointer);
            assert_eq!(pointers(&refused), [pointer], "{}", refused.text);
        }
        let more = json!({"sport": "soccer", "season": "Fall", "time_zone": "America/Chicago"});
        let report = manager.post(IMPORTS, &with(schedule, &more)).await.body["data"].clone();
        assert_eq!((&report["delimiter"], &report["date_order"]), (&json!("comma"), &json!("mdy")));
        assert_eq!(report["counts"]["games_created"], 1);
        let upcoming = "/api/v1/games/upcoming?from=2026-09-01T00:00:00Z&to=2026-10-01T00:00:00Z";
        assert_eq!(manager.get(upcoming).await.body["data"][0]["starts_at"], "2026-09-13T14:00:00Z");
    })
    .await;
}

#[tokio::test]
async fn an_import_that_would_hold_the_writer_too_long_is_refused() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let header = "Date,Start time,Arrival Time,Short label,Division,Home Team,Away Team,Location";
        let row = |row| format!("09/13/2026,9:00 AM,,,U8,Home {row},Away {row},Oval");
        let rows: Vec<String> = (0..20_000).map(row).collect();
        let file = format!("{header}\n{}\n", rows.join("\n"));
        let mut body = with(&file, &json!({"sport": "soccer", "season": "Fall"}));
        for dry_run in [true, false] {
            body["dry_run"] = json!(dry_run);
            let refused = manager.post(IMPORTS, &body).await;
            is_problem(&refused, Code::LimitReached, "20,000 games and 40,000 teams");
            let detail = refused.body["detail"].as_str().expect("a detail");
            assert!(detail.contains("60003 records") && detail.contains("Split the file"), "{detail}");
        }
        assert_eq!(super::seasons(manager).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn anyone_can_list_the_formats() {
    on_both(async |club| {
        let anonymous: &Person = &club.anonymous();
        let formats = anonymous.get("/api/v1/imports/formats").await;
        assert_eq!(formats.status, 200, "{}", formats.text);
        let formats = formats.body["data"]["formats"].as_array().expect("a list").clone();
        let names: Vec<_> = formats.iter().filter_map(|format| format["format"].as_str()).collect();
        assert_eq!(
            names,
            [
                "playhq",
                "openfootball",
                "sportsengine",
                "sportsengine-legacy",
                "sportsengine-season",
                "teamsnap",
                "teamapp",
                "ics"
            ]
        );
        assert!(
            formats.iter().all(|format| format["rules"].as_array().is_some_and(|rules| !rules.is_empty()))
        );
    })
    .await;
}
