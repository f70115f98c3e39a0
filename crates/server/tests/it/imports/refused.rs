//! Files and forms that cannot be imported, or only in part.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use reqwest::multipart::Form;
use serde_json::{Value, json};

use super::{COBURG, IMPORTS, form, import_coburg, of, seasons, upload};
use crate::shapes::{is_problem, pointers};
use crate::support::{on_both, send};

#[tokio::test]
async fn bad_rows_refuse_the_file_or_are_skipped() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut lines: Vec<String> = COBURG.lines().map(str::to_owned).collect();
        lines[2] = lines[2].replace("30/04/2022", "31/04/2022");
        lines[9] += ",too,many,fields";
        lines[318] = lines[318].replace("UPCOMING", "PERHAPS");
        let broken = lines.join("\n");
        let refused = manager.post(IMPORTS, &of(&broken)).await;
        is_problem(&refused, Code::ValidationFailed, "a broken file");
        let rows = refused.body["bad_rows"].as_array().expect("a list");
        let wrong: Vec<_> = rows.iter().map(|row| (&row["line"], &row["column"])).collect();
        assert_eq!(
            wrong,
            [
                (&json!(3), &json!("game date")),
                (&json!(10), &json!(null)),
                (&json!(319), &json!("game status"))
            ]
        );
        assert!(rows.iter().all(|row| row["reason"].as_str().is_some_and(|reason| !reason.is_empty())));
        assert_eq!(refused.body["bad_row_count"], 3);
        assert_eq!(seasons(manager).await, Vec::<Value>::new());

        let mut wanted = of(&broken);
        wanted["skip_bad"] = json!(true);
        let report = manager.post(IMPORTS, &wanted).await.body["data"].clone();
        assert_eq!(report["bad_rows"], refused.body["bad_rows"]);
        let counts = &report["counts"];
        assert_eq!(
            (&counts["games_created"], &counts["bad_rows"], &counts["rows"]),
            (&json!(316), &json!(3), &json!(319))
        );
        assert_eq!(import_coburg(manager).await["counts"]["games_created"], 3, "once the rows are corrected");
    })
    .await;
}

#[tokio::test]
async fn an_invalid_import_is_refused_with_its_field() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for (name, value, pointer) in [
            ("format", json!("teamsheet"), "/format"),
            ("sport", json!(""), "/sport"),
            ("time_zone", json!("Australia/Coburg"), "/time_zone"),
            ("content", json!(""), "/content"),
            ("content", json!("a,b\n1,2\n"), "/content"),
            ("content", json!("\u{feff}"), "/content"),
            ("dry_run", json!("true"), "/dry_run"),
        ] {
            let mut wanted = of(COBURG);
            wanted[name] = value;
            let refused = manager.post(IMPORTS, &wanted).await;
            is_problem(&refused, Code::ValidationFailed, name);
            assert_eq!(pointers(&refused), [pointer], "{}", refused.text);
        }
        let mut wanted = of(COBURG);
        (wanted["sport"], wanted["time_zone"]) = (json!(" "), json!("Nowhere"));
        assert_eq!(pointers(&manager.post(IMPORTS, &wanted).await), ["/sport", "/time_zone"]);
    })
    .await;
}

#[tokio::test]
async fn a_file_without_a_league_is_refused_with_the_reason() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let header = COBURG.lines().next().expect("a header");
        let team_app =
            "event_name,team_name,start_date,location,access_groups,rsvp,reference_id\nTraining,U12,,,,,\n";
        for (name, value, message) in [
            ("content", header, "cannot be imported: the file has a header and no rows"),
            (
                "content",
                team_app,
                "cannot be imported: this looks like a Team App schedule, not like a PlayHQ fixture export",
            ),
            ("sport", "quidditch", "is not a known sport"),
        ] {
            let mut wanted = of(COBURG);
            wanted[name] = json!(value);
            let refused = manager.post(IMPORTS, &wanted).await;
            is_problem(&refused, Code::ValidationFailed, name);
            assert_eq!(refused.body["errors"][0]["message"], message);
            if name == "sport" {
                let fix = refused.body["errors"][0]["fix"].as_str().expect("a fix");
                assert!(fix.starts_with("Send one of: ") && fix.contains("basketball"), "{fix}");
            }
        }
        assert_eq!(seasons(manager).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn an_invalid_form_is_refused_with_its_part() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let latin = COBURG.replace("Magic", "M\u{e4}gic").chars().map(|letter| letter as u8).collect();
        for (form, pointer) in [
            (form(latin), "/content"),
            (form(COBURG.into()).text("colour", "blue"), "/colour"),
            (form(COBURG.into()).text("dry_run", "perhaps"), "/dry_run"),
            (form(COBURG.into()).text("sport", "again"), "/sport"),
            (
                Form::new().text("format", "playhq").text("sport", "netball").text("time_zone", "UTC"),
                "/content",
            ),
            (
                Form::new()
                    .text("format", "other")
                    .text("sport", "netball")
                    .text("time_zone", "UTC")
                    .text("content", ""),
                "/format",
            ),
        ] {
            let refused = upload(manager, form).await;
            is_problem(&refused, Code::ValidationFailed, pointer);
            assert_eq!(pointers(&refused), [pointer], "{}", refused.text);
        }
        let broken = manager.request(reqwest::Method::POST, IMPORTS);
        for media_type in ["multipart/form-data", "multipart/form-data; boundary=x"] {
            let broken =
                broken.try_clone().expect("a request").header("content-type", media_type).body("--y\r\n");
            is_problem(&send(broken).await, Code::ValidationFailed, media_type);
        }
    })
    .await;
}
