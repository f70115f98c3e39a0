//! Games: the list of upcoming games, and single games. Changes and other lists are in files of their own.

pub(crate) mod changes;
mod families;
mod lists;
mod results;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::imports::{import, import_coburg, of};
use crate::shapes::{is_problem, pointers};
use crate::support::{Person, on_both, on_both_in_held_time};

const UPCOMING: &str = "/api/v1/games/upcoming";
/// The whole winter of Coburg.
const WINTER: &str = "from=2022-04-01T00:00:00Z&to=2022-09-20T00:00:00Z";
pub(crate) const HEADER: &str = "game date,grade,round,team a,team a score,team a result,team b,team b score,team b result,bye,\
    game status,venue,playing surface,time,game code,game alias,organisation,competition,competition type,season,game id";

/// A row of a file: a game between two teams on a date (DD/MM/YYYY), at a time or without one.
pub(crate) fn game(id: &str, day: &str, time: &str, status: &str) -> String {
    let number = id.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    format!(
        "{day},U10,Round {number},Reds,,,Blues,,,,{status},Hall,Court 1,{time},,,Club,League,DOMESTIC,2026,{id}\n"
    )
}

/// Imports rows with times in UTC.
async fn import_rows(person: &Person, rows: &[String]) {
    let mut wanted = of(&format!("{HEADER}\n{}", rows.concat()));
    wanted["time_zone"] = json!("UTC");
    let answer = person.post("/api/v1/imports/league", &wanted).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn games(person: &Person, query: &str) -> Vec<Value> {
    let listed = person.get(&format!("{UPCOMING}?{query}")).await;
    assert_eq!(listed.status, 200, "{query}: {}", listed.text);
    listed.body["data"].as_array().expect("a list").clone()
}

/// The external ids of the games in a list.
async fn ids(person: &Person, query: &str) -> Vec<String> {
    let games = games(person, query).await;
    games.iter().map(|game| game["external_id"].as_str().unwrap_or_default().to_owned()).collect()
}

/// All games that a query returns, from all its pages.
async fn all(person: &Person, query: &str, limit: usize) -> Vec<Value> {
    let (mut path, mut gathered) = (format!("{UPCOMING}?{query}&limit={limit}"), Vec::new());
    loop {
        let page = person.get(&path).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let games = page.body["data"].as_array().expect("a list");
        assert!(games.len() <= limit);
        gathered.extend(games.iter().cloned());
        let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { return gathered };
        assert!(page.header("link").contains(cursor));
        path = format!("{UPCOMING}?{query}&limit={limit}&cursor={cursor}");
    }
}

#[tokio::test]
async fn upcoming_games_are_listed_soonest_first_in_pages() {
    on_both(async |club| {
        import_coburg(club.member(Role::Manager)).await;
        let viewer = club.member(Role::Viewer);
        let whole = all(viewer, WINTER, 100).await;
        assert_eq!(whole.len(), 319);
        let order = |game: &Value| {
            let at: Timestamp = game["starts_at"].as_str().expect("a time").parse().expect("RFC 3339");
            (at, game["id"].as_str().expect("an id").to_owned())
        };
        assert!(whole.iter().map(order).is_sorted_by(|one, other| one < other), "each once, in order");
        assert_eq!(all(viewer, WINTER, 7).await, whole);
        assert_eq!(all(viewer, WINTER, 99).await, whole);
        let first = viewer.get(&format!("{UPCOMING}?{WINTER}")).await;
        assert_eq!(first.body["page"]["limit"], 25);
        assert_eq!(whole.iter().filter(|game| game["kind"] == "bye").count(), 20);
    })
    .await;
}

#[tokio::test]
async fn a_game_has_its_time_its_venue_and_its_teams() {
    on_both(async |club| {
        import_coburg(club.member(Role::Manager)).await;
        let viewer = club.member(Role::Viewer);
        let whole = all(viewer, WINTER, 100).await;
        let find = |id: &str| whole.iter().find(|game| game["external_id"] == id).expect("a game").clone();
        let game = find("18e7c402-5162-4b58-84b4-c4b445c86f5d");
        for (name, value) in [
            ("kind", json!("game")),
            ("status", json!("final")),
            ("round", json!("Round 1")),
            ("starts_at", json!("2022-04-29T23:15:00Z")),
            ("local_start", json!("2022-04-30T09:15:00")),
            ("time_zone", json!("Australia/Melbourne")),
            ("time_tbd", json!(false)),
            ("ends_at", json!(null)),
            ("my_children", json!([])),
            ("last_change", json!(null)),
            ("version", json!(1)),
        ] {
            assert_eq!(game[name], value, "{name}");
        }
        assert_eq!(
            (&game["home"]["name"], &game["home"]["score"]),
            (&json!("Rebels U10 Boys Blue"), &json!(10))
        );
        assert_eq!(
            (&game["away"]["name"], &game["away"]["score"]),
            (&json!("Magic U10 Boys Gold"), &json!(10))
        );
        assert_eq!(game["venue"]["name"], "Coburg Senior High School");
        assert_eq!(game["venue"]["field"], "Court 1");

        let groundless = find("7bfab7d9-21fc-4bc3-846a-a670ed48675f");
        assert_eq!((&groundless["venue"], &groundless["time_tbd"]), (&json!(null), &json!(true)));
        assert_eq!(groundless["starts_at"], "2022-04-29T14:00:00Z");
        assert_eq!(groundless["local_start"], "2022-04-30T00:00:00");

        let bye = whole.iter().find(|game| game["kind"] == "bye").expect("a bye");
        assert!(bye["home"]["name"].is_string());
        assert_eq!(
            (&bye["away"], &bye["external_id"], &bye["venue"]),
            (&json!(null), &json!(null), &json!(null))
        );
        for game in [&game, &groundless, bye] {
            let read = viewer.get(&format!("/api/v1/games/{}", game["id"].as_str().expect("an id"))).await;
            assert_eq!((read.status, &read.body["data"]), (200, game), "the game is the same in the list");
            assert!(read.header("etag").starts_with("\"1-"));
            assert_eq!(read.body["data"].as_object().map(serde_json::Map::len), Some(26));
        }
    })
    .await;
}

#[tokio::test]
async fn games_are_filtered_by_team_season_and_status() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        import_coburg(manager).await;
        let other = format!("{HEADER}\n{}", game("other-1", "07/05/2022", "09:15:00", "POSTPONED"));
        import(manager, &other).await;
        let viewer = club.member(Role::Viewer);
        let whole = all(viewer, WINTER, 100).await;
        assert_eq!(whole.len(), 320);
        let team = whole.iter().find(|game| game["kind"] == "bye").expect("a bye")["home"]["team_id"].clone();
        let plays = |game: &&Value| [&game["home"], &game["away"]].iter().any(|side| side["team_id"] == team);
        let expected: Vec<_> = whole.iter().filter(plays).cloned().collect();
        assert!(expected.len() > 10, "{}", expected.len());
        let team = team.as_str().expect("an id");
        assert_eq!(all(viewer, &format!("{WINTER}&team_id={team}"), 100).await, expected);
        assert_eq!(all(viewer, &format!("{WINTER}&team_id={team}"), 3).await, expected);

        let season = expected[0]["season_id"].as_str().expect("an id");
        assert_eq!(all(viewer, &format!("{WINTER}&season_id={season}"), 100).await.len(), 319);
        let both = format!("{WINTER}&season_id={season}&team_id={team}");
        assert_eq!(all(viewer, &both, 100).await, expected);
        let postponed = games(viewer, &format!("{WINTER}&status=postponed")).await;
        assert_eq!(postponed.len(), 1, "a postponed game is listed");
        let others = postponed[0]["season_id"].as_str().expect("an id");
        assert_eq!(
            games(viewer, &format!("{WINTER}&season_id={others}&team_id={team}")).await,
            Vec::<Value>::new()
        );
        assert_eq!(
            games(viewer, &format!("{WINTER}&season_id={others}&status=final")).await,
            Vec::<Value>::new()
        );
        assert_eq!(games(viewer, &format!("{WINTER}&status=final")).await.len(), 16);
        let finals = games(viewer, &format!("{WINTER}&status=final&team_id={team}")).await;
        let expected_finals: Vec<_> =
            expected.iter().filter(|game| game["status"] == "final").cloned().collect();
        assert_eq!(finals, expected_finals);
        let stranger = "tea_01h2xcejqtf2nbrexx3vqjhp41";
        assert_eq!(games(viewer, &format!("{WINTER}&team_id={stranger}")).await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn a_window_includes_its_start_and_excludes_its_end() {
    on_both(async |club| {
        let rows = [
            game("g1", "09/03/2026", "", "UPCOMING"),
            game("g2", "10/03/2026", "", "UPCOMING"),
            game("g3", "10/03/2026", "11:59:59", "UPCOMING"),
            game("g4", "10/03/2026", "12:00:00", "CANCELLED"),
            game("g5", "11/03/2026", "12:00:00", "UPCOMING"),
            game("g6", "12/03/2026", "", "UPCOMING"),
        ];
        import_rows(club.member(Role::Manager), &rows).await;
        let viewer = club.member(Role::Viewer);
        let within = async |from: &str, to: &str| ids(viewer, &format!("from={from}&to={to}")).await;
        let noon = "2026-03-10T12:00:00Z";
        // A game without a time counts until its day is over.
        assert_eq!(within(noon, "2026-03-13T00:00:00Z").await, ["g2", "g4", "g5", "g6"]);
        assert_eq!(within(noon, "2026-03-12T00:00:00Z").await, ["g2", "g4", "g5"]);
        assert_eq!(within(noon, "2026-03-11T12:00:00Z").await, ["g2", "g4"]);
        assert_eq!(within("2026-03-10T23:59:00Z", "2026-03-11T00:00:00Z").await, ["g2"]);
        assert_eq!(within("2026-03-11T01:30:00Z", "2026-03-12T00:00:00Z").await, ["g5"]);
        assert_eq!(within(noon, noon).await, ["g2"]);
        let team = games(viewer, &format!("from={noon}")).await[0]["home"]["team_id"].clone();
        let team = team.as_str().expect("an id");
        assert_eq!(ids(viewer, &format!("from={noon}&team_id={team}")).await, ["g2", "g4", "g5", "g6"]);
        assert_eq!(all(viewer, &format!("from={noon}"), 1).await.len(), 4);
    })
    .await;
}

#[tokio::test]
async fn the_next_thirty_days_are_listed_by_default() {
    on_both(async |club| {
        let now = club.app.clock.now();
        let row = |id: &str, days: i64| {
            let day = now.saturating_add(SignedDuration::from_hours(days * 24)).expect("a time");
            let at = jiff::Zoned::new(day, jiff::tz::TimeZone::UTC);
            game(id, &at.strftime("%d/%m/%Y").to_string(), &at.strftime("%H:%M:%S").to_string(), "UPCOMING")
        };
        let rows = [row("g1", -2), row("g2", 1), row("g3", 29), row("g4", 31), row("g5", 200)];
        import_rows(club.member(Role::Manager), &rows).await;
        let viewer = club.member(Role::Viewer);
        assert_eq!(ids(viewer, "limit=100").await, ["g2", "g3"]);
        let later = now.saturating_add(SignedDuration::from_hours(60 * 24)).expect("a time");
        assert_eq!(ids(viewer, &format!("to={later}")).await, ["g2", "g3", "g4"]);
        let earlier = now.saturating_sub(SignedDuration::from_hours(3 * 24)).expect("a time");
        assert_eq!(ids(viewer, &format!("from={earlier}")).await, ["g1", "g2"], "thirty days from then");
    })
    .await;
}

#[tokio::test]
async fn a_game_is_upcoming_in_the_thirty_days_before_its_start() {
    on_both_in_held_time(async |club| {
        assert_eq!(club.app.clock.now().to_string(), "2026-03-01T09:00:00Z", "31 days before the game");
        let manager = club.member(Role::Manager);
        let script = club.with_key(&manager.issue_key(&json!({"name": "Script"})).await);
        import_rows(manager, &[game("g1", "01/04/2026", "09:00:00", "UPCOMING")]).await;
        let second = SignedDuration::from_secs(1);
        assert_eq!(games(&script, "").await.len(), 0, "too far in the future");
        club.pass(SignedDuration::from_hours(24) + second);
        assert_eq!(games(&script, "").await.len(), 1);
        club.pass(SignedDuration::from_hours(30 * 24) - second);
        assert_eq!(games(&script, "").await.len(), 1, "it starts now");
        club.pass(second);
        assert_eq!(games(&script, "").await.len(), 0, "it has started");
    })
    .await;
}

#[tokio::test]
async fn a_window_has_at_most_180_days_and_ends_after_its_start() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        let ask = async |from: &str, to: &str| viewer.get(&format!("{UPCOMING}?from={from}&to={to}")).await;
        assert_eq!(ask("2026-01-01T00:00:00Z", "2026-06-30T00:00:00Z").await.status, 200);
        for (from, to) in [
            ("2026-01-01T00:00:00Z", "2026-06-30T00:00:01Z"),
            ("2026-01-01T00:00:01Z", "2026-01-01T00:00:00Z"),
            ("-009999-01-02T01:59:59Z", "9999-12-30T22:00:00Z"),
        ] {
            let refused = ask(from, to).await;
            is_problem(&refused, Code::InvalidParameter, from);
            assert_eq!(pointers(&refused), ["to"]);
        }
        let offset = ask("2026-01-01T00:00:00%2B11:00", "2026-01-02T00:00:00-05:00").await;
        assert_eq!(offset.status, 200, "{}", offset.text);
        let plus = ask("2026-01-01T00:00:00+11:00", "2026-01-02T00:00:00Z").await;
        is_problem(&plus, Code::InvalidParameter, "an unescaped plus");
        assert_eq!(plus.body["detail"], "from is invalid: '+' in a query must be written %2B.");
        assert_eq!(plus.body["errors"][0]["fix"], "Send 2026-01-01T00:00:00%2B11:00.");
    })
    .await;
}

#[tokio::test]
async fn a_game_of_another_organization_is_not_found() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        import_coburg(&neighbour).await;
        let theirs = games(&neighbour, WINTER).await[0].clone();
        let owner = club.member(Role::Owner);
        let read = owner.get(&format!("/api/v1/games/{}", theirs["id"].as_str().expect("an id"))).await;
        is_problem(&read, Code::NotFound, "a neighbour's game");
        for (name, of) in [("season_id", &theirs["season_id"]), ("team_id", &theirs["home"]["team_id"])] {
            let query = format!("{WINTER}&{name}={}", of.as_str().expect("an id"));
            assert_eq!(games(owner, &query).await, Vec::<Value>::new(), "{name}");
        }
    })
    .await;
}
