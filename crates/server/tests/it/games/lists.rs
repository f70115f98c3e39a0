//! The list of games past and future, schedules of teams, copies kept by token, and local times.

use fieldhouse_api::Code;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::workers;
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::changes::{GAMES, change, wanted};
use crate::shapes::{is_problem, pointers};
use crate::support::league::{League, created, team};
use crate::support::{Answer, Club, Person, on_both, on_both_in_held_time};

/// The rounds of listed games.
fn rounds(answer: &Answer) -> Vec<&str> {
    let games = answer.body["data"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    games.iter().map(|game| game["round"].as_str().unwrap_or_default()).collect()
}

/// Creates a game of an hour on a day of 2026.
async fn played(manager: &Person, league: &League, round: &str, day: &str) -> Answer {
    let mut body = wanted(league);
    body["round"] = json!(round);
    body["starts_at"] = json!(format!("2026-{day}T08:00:00Z"));
    body["ends_at"] = json!(format!("2026-{day}T09:00:00Z"));
    created(manager, GAMES, &body).await
}

#[tokio::test]
async fn games_are_listed_filtered_and_paged_in_both_directions() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let (winter, summer) =
            (League::create(manager, "Winter").await, League::create(manager, "Summer").await);
        for (league, round, day) in [
            (&winter, "1", "01-10"),
            (&winter, "2", "03-10"),
            (&summer, "3", "05-10"),
            (&winter, "4", "07-10"),
        ] {
            played(manager, league, round, day).await;
        }
        let owls = team(manager, &winter.season, &winter.division, "Owls").await.id().to_owned();
        let theirs = club.neighbours().await;
        played(&theirs, &League::create(&theirs, "Theirs").await, "9", "03-10").await;
        let viewer = club.member(Role::Viewer);
        let of = |field: &str, id: &str| format!("{field}={id}");
        for (query, expected) in [
            (String::new(), vec!["1", "2", "3", "4"]),
            ("sort=-starts_at".to_owned(), vec!["4", "3", "2", "1"]),
            ("from=2026-03-10T08:00:00Z&to=2026-07-10T08:00:00Z".to_owned(), vec!["2", "3"]),
            ("from=2026-06-01T00:00:00Z".to_owned(), vec!["4"]),
            ("to=2026-02-01T00:00:00Z".to_owned(), vec!["1"]),
            (of("season_id", &summer.season), vec!["3"]),
            (of("division_id", &winter.division) + "&sort=-starts_at", vec!["4", "2", "1"]),
            (of("team_id", &winter.home), vec!["1", "2", "4"]),
            (of("team_id", &owls), vec![]),
            ("round=2".to_owned(), vec!["2"]),
            ("status=final".to_owned(), vec![]),
        ] {
            assert_eq!(rounds(&viewer.get(&format!("{GAMES}?{query}")).await), expected, "{query}");
            let (mut path, mut listed) = (format!("{GAMES}?limit=1&{query}"), Vec::new());
            loop {
                let page = viewer.get(&path).await;
                listed.extend(rounds(&page).into_iter().map(str::to_owned));
                let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
                path = format!("{GAMES}?limit=1&{query}&cursor={cursor}");
            }
            assert_eq!(listed, expected, "{query} one by one");
        }
        for wrong in [
            "from=2026-01-01T00:00:00Z&to=2027-01-02T00:00:01Z",
            "from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z",
        ] {
            let refused = viewer.get(&format!("{GAMES}?{wrong}")).await;
            is_problem(&refused, Code::InvalidParameter, wrong);
            assert_eq!(pointers(&refused), ["to"]);
        }
        let year = "from=2026-01-01T00:00:00Z&to=2027-01-02T00:00:00Z";
        assert_eq!(viewer.get(&format!("{GAMES}?{year}")).await.status, 200, "366 days");
    })
    .await;
}

#[tokio::test]
async fn a_schedule_has_the_games_of_one_team() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let owls = team(manager, &league.season, &league.division, "Owls").await.id().to_owned();
        for (round, day) in [("1", "01-10"), ("2", "03-10"), ("3", "05-10")] {
            played(manager, &league, round, day).await;
        }
        let viewer = club.member(Role::Viewer);
        let schedule = |team: &str, query: &str| format!("/api/v1/teams/{team}/schedule?{query}");
        let first = viewer.get(&schedule(&league.away, "limit=2")).await;
        assert_eq!(rounds(&first), ["1", "2"]);
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        assert!(first.header("link").contains(cursor));
        let rest = viewer.get(&schedule(&league.away, &format!("limit=2&cursor={cursor}"))).await;
        assert_eq!(rounds(&rest), ["3"]);
        assert_eq!(rounds(&viewer.get(&schedule(&league.home, "from=2026-05-01T00:00:00Z")).await), ["3"]);
        assert_eq!(rounds(&viewer.get(&schedule(&league.home, "status=cancelled")).await), [""; 0]);
        assert_eq!(rounds(&viewer.get(&schedule(&owls, "")).await), [""; 0]);
        let stranger = club.neighbours().await;
        for path in [schedule(&league.home, ""), schedule("tea_01h2xcejqtf2nbrexx3vqjhp41", "")] {
            is_problem(&stranger.get(&path).await, Code::NotFound, "another club's team");
        }
    })
    .await;
}

#[tokio::test]
async fn a_copy_of_the_games_is_kept_by_token() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let (one, two) =
            (played(manager, &league, "1", "01-10").await, played(manager, &league, "2", "03-10").await);
        let token = manager.get(GAMES).await.body["page"]["sync"].as_str().expect("a token").to_owned();
        change(manager, &one, &json!({"round": "1a"})).await;
        let path = format!("{GAMES}/{}", two.id());
        let deleted = manager.request(reqwest::Method::DELETE, &path).header("if-match", two.header("etag"));
        assert_eq!(crate::support::send(deleted).await.status, 200);
        let feed = manager.get(&format!("{GAMES}?since={token}")).await;
        assert_eq!((rounds(&feed), &feed.body["data"][0]["home"]["name"]), (vec!["1a"], &json!("Eagles")));
        assert_eq!(feed.body["deleted"][0]["id"], json!(two.id()));
        for filter in ["round=1", "from=2026-01-01T00:00:00Z", "sort=starts_at"] {
            let refused = manager.get(&format!("{GAMES}?since={token}&{filter}")).await;
            is_problem(&refused, Code::InvalidParameter, filter);
        }
    })
    .await;
}

/// Changes a stored game as an older version of the server could have left it.
async fn left_behind(club: &Club, game: &Answer, edit: impl Fn(&mut Game)) {
    let id = game.id().parse().expect("an id");
    let store = &club.app.store;
    let moment = club.app.clock.moment();
    let stored = fieldhouse_testing::clubs::write(store, club.organization, async move |tx, proof| {
        Ok(fieldhouse_store::games::read(tx, proof, id).await?.expect("the game").game)
    });
    let before = stored.await.expect("the game is read");
    let mut after = before.clone();
    edit(&mut after);
    let effects = Effect::update(&moment, before, after).into_iter().collect();
    fieldhouse_testing::clubs::apply(store, club.organization, effects).await.expect("it is written");
}

#[tokio::test]
async fn games_to_come_move_with_the_rules_of_their_time_zone() {
    on_both_in_held_time(async |club| {
        let manager = club.member(Role::Manager);
        let league = League::create(manager, "Winter").await;
        let past = played(manager, &league, "past", "02-10").await;
        let off = played(manager, &league, "off", "05-10").await;
        let right = played(manager, &league, "right", "06-10").await;
        let old = played(manager, &league, "old", "07-10").await;
        // As if clocks showed an hour less when these were set.
        let hour = SignedDuration::from_hours(1);
        let earlier = |game: &mut Game| game.local_start = game.local_start().checked_add(hour).ok();
        for game in [&past, &off] {
            left_behind(&club, game, earlier).await;
        }
        left_behind(&club, &old, |game| game.local_start = None).await;
        let read =
            async |game: &Answer| manager.get(&format!("{GAMES}/{}", game.id())).await.body["data"].clone();
        let (shown, unmoved) = (read(&off).await, [read(&past).await, read(&right).await]);
        workers::keep_local_times(&club.app).await;
        let moved = read(&off).await;
        assert_eq!(
            (&moved["starts_at"], &moved["ends_at"]),
            (&json!("2026-05-10T09:00:00Z"), &json!("2026-05-10T10:00:00Z"))
        );
        assert_eq!((&moved["local_start"], &moved["last_change"]), (&shown["local_start"], &Value::Null));
        assert_eq!([read(&past).await, read(&right).await], unmoved);
        let entries = manager.get(&format!("{GAMES}/{}/history", off.id())).await.body["data"].clone();
        assert_eq!(entries[0]["operation"], "games.keep_local_times");
        assert_eq!(
            (&entries[0]["actor"]["user_id"], &entries[0]["reason"]),
            (&Value::Null, &json!("The rules of the time zone have changed."))
        );
        let entries = manager.get(&format!("{GAMES}/{}/history", old.id())).await.body["data"].clone();
        assert_eq!(entries[0]["effects"][0]["changed"], json!(["local_start"]), "filled in");
        let before = club.app.store.generation(club.organization).await.expect("a generation").commits;
        workers::keep_local_times(&club.app).await;
        let after = club.app.store.generation(club.organization).await.expect("a generation").commits;
        assert_eq!(after, before, "a second run changes nothing");
    })
    .await;
}
