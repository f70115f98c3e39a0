//! Imports of leagues, with a real one: Coburg's junior basketball of the winter of 2022, as PlayHQ exported it.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::shapes::{is_problem, pointers};
use crate::support::{Answer, Person, on_both, send};

pub(crate) const COBURG: &str =
    include_str!("../../../../data/leagues/playhq/coburg-basketball-winter-2022.csv");
const IMPORTS: &str = "/api/v1/imports/league";

/// An import of a file.
pub(crate) fn of(content: &str) -> Value {
    json!({"format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne", "content": content})
}

/// Imports a file, all of it.
pub(crate) async fn import(person: &Person, content: &str) -> Value {
    let answer = person.post(IMPORTS, &of(content)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"].clone()
}

/// Imports the league of Coburg.
pub(crate) async fn import_coburg(person: &Person) -> Value {
    import(person, COBURG).await
}

async fn upload(person: &Person, form: Form) -> Answer {
    send(person.request(reqwest::Method::POST, IMPORTS).multipart(form)).await
}

fn form(content: Vec<u8>) -> Form {
    Form::new()
        .text("format", "playhq")
        .text("sport", "Basketball")
        .text("time_zone", "Australia/Melbourne")
        .part("content", Part::bytes(content).file_name("fixture.csv"))
}

async fn seasons(person: &Person) -> Vec<Value> {
    person.get("/api/v1/seasons").await.body["data"].as_array().expect("a list").clone()
}

#[track_caller]
fn has(counts: &Value, expected: &[(&str, u64)]) {
    for (name, count) in counts.as_object().expect("counts") {
        let expected = expected.iter().find(|(expected, _)| expected == name).map_or(0, |(_, count)| *count);
        assert_eq!(count, expected, "{name}");
    }
}

const ALL_NEW: [(&str, u64); 7] = [
    ("seasons_created", 1),
    ("divisions_created", 15),
    ("teams_created", 144),
    ("venues_created", 8),
    ("games_created", 319),
    ("byes", 20),
    ("rows", 319),
];
const ALL_KNOWN: [(&str, u64); 7] = [
    ("seasons_unchanged", 1),
    ("divisions_unchanged", 15),
    ("teams_unchanged", 144),
    ("venues_unchanged", 8),
    ("games_unchanged", 319),
    ("byes", 20),
    ("rows", 319),
];

#[tokio::test]
async fn a_league_is_imported_once_however_it_is_sent() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let report = import_coburg(manager).await;
        assert_eq!((&report["dry_run"], &report["bad_rows"]), (&json!(false), &json!([])));
        has(&report["counts"], &ALL_NEW);
        has(&import_coburg(manager).await["counts"], &ALL_KNOWN);
        let respelt = format!("\u{feff}{}", COBURG.replace('\n', "\r\n"));
        has(&import(manager, &respelt).await["counts"], &ALL_KNOWN);
        let uploaded = upload(manager, form(respelt.into_bytes())).await;
        assert_eq!(uploaded.status, 200, "{}", uploaded.text);
        has(&uploaded.body["data"]["counts"], &ALL_KNOWN);

        let season = &seasons(manager).await[0];
        for (name, value) in [
            ("name", "Junior Domestic Winter 2022"),
            ("sport", "basketball"),
            ("status", "active"),
            ("starts_on", "2022-04-30"),
            ("ends_on", "2022-09-10"),
            ("time_zone", "Australia/Melbourne"),
        ] {
            assert_eq!(season[name], value, "{name}");
        }
        let divisions = season["divisions"].as_array().expect("a list");
        let names: Vec<_> = divisions.iter().filter_map(|division| division["name"].as_str()).collect();
        assert!(names.len() == 15 && names.is_sorted(), "{names:?}");
        let mixed = divisions.iter().find(|division| division["name"] == "Saturday U8 Mixed Division 1/2");
        assert_eq!(mixed.expect("a division")["age_group"], "U8");
        assert_eq!(season["version"], 1, "nothing changed it");
    })
    .await;
}

#[tokio::test]
async fn a_file_of_some_megabytes_is_taken_as_a_form_and_as_json() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let blank_row = ",".repeat(20) + "\n";
        let large = COBURG.to_owned() + &blank_row.repeat(140_000);
        assert!(large.len() > 2 << 20, "{}", large.len());
        let uploaded = upload(manager, form(large.clone().into_bytes())).await;
        assert_eq!(uploaded.status, 200, "{}", uploaded.text);
        has(&uploaded.body["data"]["counts"], &ALL_NEW);
        has(&import(manager, &large).await["counts"], &ALL_KNOWN);
    })
    .await;
}

#[tokio::test]
async fn an_import_is_tried_out_before_it_is_done() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut wanted = of(COBURG);
        wanted["dry_run"] = json!(true);
        let tried = manager.post(IMPORTS, &wanted).await;
        assert_eq!((tried.status, &tried.body["data"]["dry_run"]), (200, &json!(true)));
        has(&tried.body["data"]["counts"], &ALL_NEW);
        let tried = upload(manager, form(COBURG.into()).text("dry_run", "true")).await;
        has(&tried.body["data"]["counts"], &ALL_NEW);
        assert_eq!(seasons(manager).await, Vec::<Value>::new());
        has(&import_coburg(manager).await["counts"], &ALL_NEW);
    })
    .await;
}

#[tokio::test]
async fn a_later_version_of_a_file_updates_what_has_changed() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        import_coburg(manager).await;
        let upcoming = "/api/v1/games/upcoming?from=2022-09-09T00:00:00Z&to=2022-09-12T00:00:00Z";
        let before = manager.get(upcoming).await.body["data"][0].clone();
        let id = before["external_id"].as_str().expect("an id");
        let line = COBURG.lines().find(|line| line.ends_with(id)).expect("its line");
        let (home, away) = (before["home"]["name"].as_str(), before["away"]["name"].as_str());
        let (home, away) = (home.expect("a name"), away.expect("a name"));
        let later = line
            .replace(&format!("{home},,,{away},,"), &format!("{home},31,WON,{away},28,LOST"))
            .replace("UPCOMING", "FINAL");
        assert_ne!(later, line);
        let counts = import(manager, &COBURG.replace(line, &later)).await["counts"].clone();
        assert_eq!((&counts["games_updated"], &counts["games_unchanged"]), (&json!(1), &json!(318)));
        let game = manager.get(&format!("/api/v1/games/{}", before["id"].as_str().expect("an id"))).await;
        let game = &game.body["data"];
        assert_eq!((&game["status"], &game["version"]), (&json!("final"), &json!(2)));
        assert_eq!((&game["home"]["score"], &game["away"]["score"]), (&json!(31), &json!(28)));
        assert_eq!(game["last_change"]["reason"], "import");
        assert_eq!(game["last_change"]["fields"], json!(["status", "home", "away"]));
        assert_eq!(game["last_change"]["at"], game["updated_at"]);
        let unscored = import_coburg(manager).await["counts"]["games_updated"].clone();
        assert_eq!(unscored, 0, "an older file takes no result back");
    })
    .await;
}

#[tokio::test]
async fn bad_rows_refuse_the_whole_file_or_are_left_out() {
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
        assert_eq!(import_coburg(manager).await["counts"]["games_created"], 3, "once they are mended");
    })
    .await;
}

#[tokio::test]
async fn what_is_no_import_is_refused_by_its_field() {
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
async fn a_form_is_refused_by_its_part() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let latin = COBURG.replace("Magic", "M\u{e4}gic").chars().map(|letter| letter as u8).collect();
        for (form, pointer) in [
            (form(latin), "/content"),
            (form(COBURG.into()).text("colour", "blue"), "/colour"),
            (form(COBURG.into()).text("dry_run", "perhaps"), "/dry_run"),
            (form(COBURG.into()).text("sport", "again"), "/sport"),
            (Form::new().text("format", "playhq").text("sport", "a").text("time_zone", "UTC"), "/content"),
            (
                Form::new()
                    .text("format", "other")
                    .text("sport", "a")
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

#[tokio::test]
async fn a_manager_imports_and_a_coach_does_not() {
    on_both(async |club| {
        let refused = club.member(Role::Coach).post(IMPORTS, &of(COBURG)).await;
        is_problem(&refused, Code::RoleInsufficient, "a coach");
        assert_eq!(refused.body["required_role"], "manager");
        import_coburg(club.member(Role::Manager)).await;
        for person in club.everybody() {
            assert_eq!(seasons(person).await.len(), 1, "{}", person.role);
        }
        let neighbour = club.neighbours().await;
        assert_eq!(seasons(&neighbour).await, Vec::<Value>::new());
        let games = "/api/v1/games/upcoming?from=2022-04-01T00:00:00Z&to=2022-09-20T00:00:00Z";
        assert_eq!(neighbour.get(games).await.body["data"], json!([]));
        has(&import_coburg(&neighbour).await["counts"], &ALL_NEW);
        assert_eq!(seasons(club.member(Role::Viewer)).await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_league_that_is_imported_three_times_at_once_is_there_once() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut imports = tokio::task::JoinSet::new();
        for _ in 0..3 {
            let manager = manager.clone();
            imports.spawn(async move { manager.post(IMPORTS, &of(COBURG)).await });
        }
        while let Some(answer) = imports.join_next().await {
            let answer = answer.expect("a request");
            assert!(answer.status == 200 || answer.code() == "overloaded", "{}", answer.text);
        }
        has(&import_coburg(manager).await["counts"], &ALL_KNOWN);
    })
    .await;
}
