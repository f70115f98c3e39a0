//! Imports of leagues, with a real one: Coburg's junior basketball of winter 2022, as PlayHQ exported it. Refused files are in
//! `imports/refused.rs`.

mod formats;
mod refused;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::shapes::is_problem;
use crate::support::{Answer, Club, Person, on_both, send};

pub(crate) const COBURG: &str =
    include_str!("../../../../data/leagues/playhq/coburg-basketball-winter-2022.csv");
const IMPORTS: &str = "/api/v1/imports/league";

/// An import of a file.
pub(crate) fn of(content: &str) -> Value {
    json!({"format": "playhq", "sport": "basketball", "time_zone": "Australia/Melbourne", "content": content})
}

/// Imports a whole file.
pub(crate) async fn import(person: &Person, content: &str) -> Value {
    let answer = person.post(IMPORTS, &of(content)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"].clone()
}

/// Imports the league of Coburg.
pub(crate) async fn import_coburg(person: &Person) -> Value {
    import(person, COBURG).await
}

/// The owner, as the only one who could approve: they import directly what would have to be a changeset otherwise.
pub(crate) async fn only_admin(club: &Club) -> &Person {
    let owner = club.member(Role::Owner);
    let members = owner.get("/api/v1/members?limit=100").await.body["data"].clone();
    let admin = members.as_array().and_then(|all| all.iter().find(|member| member["role"] == "admin"));
    let path = format!("/api/v1/members/{}", admin.and_then(|admin| admin["id"].as_str()).expect("an admin"));
    let lowered = owner.patch(&path, &json!({"role": "viewer"})).await;
    assert_eq!(lowered.status, 200, "{}", lowered.text);
    owner
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
async fn a_league_is_imported_once_in_any_form() {
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
        assert_eq!(season["version"], 1, "it was not changed");
    })
    .await;
}

#[tokio::test]
async fn a_file_of_several_megabytes_can_be_sent_as_a_form_or_as_json() {
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
async fn a_dry_run_of_an_import_stores_nothing() {
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
async fn a_later_version_of_a_file_updates_changed_records() {
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
        assert_eq!(unscored, 0, "an older file removes no result");
    })
    .await;
}

#[tokio::test]
async fn known_games_move_to_places_and_teams_that_are_new() {
    on_both(async |club| {
        let manager = only_admin(&club).await;
        import_coburg(manager).await;
        let moved = COBURG
            .replace(",Northcote High School,", ",Northcote Sports Centre,")
            .replace("Rebels U10 Boys Blue", "Rebels U10 Boys Navy")
            .replace("Saturday U10 Boys Division 3", "Saturday U10 Boys Division 9");
        let report = import(manager, &moved).await;
        let counts = &report["counts"];
        assert_eq!((&counts["venues_created"], &counts["divisions_created"]), (&json!(1), &json!(1)));
        assert_eq!((&counts["teams_created"], &counts["games_updated"]), (&json!(15), &json!(58)));
        let venues = manager.get("/api/v1/venues?q=northcote+sports").await.body;
        let at = format!(
            "/api/v1/games?from=2022-01-01T00:00:00Z&to=2022-12-31T00:00:00Z&venue_id={}",
            venues["data"][0]["id"].as_str().expect("a venue")
        );
        assert!(!manager.get(&at).await.body["data"].as_array().expect("games").is_empty(), "{at}");
    })
    .await;
}

#[tokio::test]
async fn a_manager_can_import_and_a_coach_cannot() {
    on_both(async |club| {
        let refused = club.member(Role::Coach).post(IMPORTS, &of(COBURG)).await;
        is_problem(&refused, Code::RoleInsufficient, "a coach");
        assert_eq!(refused.body["required_role"], "manager");
        import_coburg(club.member(Role::Manager)).await;
        for person in club.everyone() {
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
async fn three_concurrent_imports_of_a_league_create_it_once() {
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
