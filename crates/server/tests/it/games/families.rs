//! Games of the caller's own children, of one child, and of the teams that someone is staff of.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, ToSpan};
use serde_json::{Value, json};

use super::UPCOMING;
use super::changes::{GAMES, wanted};
use crate::shapes::is_problem;
use crate::support::families::{CHILDREN, Families, signed_in};
use crate::support::league::created;
use crate::support::{Answer, Club, Person, on_both};

/// A child who is in the home team for five days, and games of that team tomorrow and in ten days.
struct Setting {
    families: Families,
    child: String,
    registration: String,
    tomorrow: String,
    later: String,
}

impl Setting {
    async fn of(club: &Club) -> Self {
        let families = Families::of(club).await;
        let (child, registration) = families.accepted(club, "Kim K.", true).await;
        let zone = TimeZone::get("Australia/Melbourne").expect("a zone");
        let last = club.app.clock.now().to_zoned(zone).date().saturating_add(5.days());
        families.added(club, &child, json!({"ends_on": last})).await;
        let manager = club.another_session(Role::Manager).await;
        let game = async |days: i64| {
            let start =
                club.app.clock.now().saturating_add(SignedDuration::from_hours(24 * days)).expect("a time");
            let mut game = wanted(&families.league);
            game["starts_at"] = json!(start);
            game["ends_at"] = Value::Null;
            created(&manager, GAMES, &game).await.id().to_owned()
        };
        let (tomorrow, later) = (game(1).await, game(10).await);
        Self { families, child, registration, tomorrow, later }
    }
}

/// The ids of the games in a response, each with the caller's children who play.
fn listed(answer: &Answer) -> Vec<(&str, &Value)> {
    let games = answer.body["data"].as_array().unwrap_or_else(|| panic!("{}", answer.text));
    games.iter().map(|game| (game["id"].as_str().expect("an id"), &game["my_children"])).collect()
}

async fn upcoming(person: &Person, query: &str) -> Answer {
    person.get(&format!("{UPCOMING}?{query}")).await
}

#[tokio::test]
async fn a_parent_sees_which_of_their_children_play_while_they_are_in_the_team() {
    on_both(async |club| {
        let setting = Setting::of(&club).await;
        let (tomorrow, later) = (setting.tomorrow.as_str(), setting.later.as_str());
        let parent = signed_in(&club, setting.families.parent).await;
        let (mine, none) = (json!([setting.child]), json!([]));
        for list in [
            UPCOMING.to_owned(),
            GAMES.to_owned(),
            format!("/api/v1/teams/{}/schedule", setting.families.league.home),
        ] {
            let shown = parent.get(&list).await;
            assert_eq!(listed(&shown), [(tomorrow, &mine), (later, &none)], "{list}");
            assert_eq!(shown.header("cache-control"), "private, no-store", "{list}");
            let manager = club.member(Role::Manager).get(&list).await;
            assert_eq!(listed(&manager), [(tomorrow, &none), (later, &none)], "{list}");
            assert!(!manager.text.contains(&setting.child));
        }
        let path = format!("{GAMES}/{tomorrow}");
        assert_eq!(parent.get(&path).await.body["data"]["my_children"], mine);
        let manager = club.member(Role::Manager).get(&path).await;
        assert_eq!(
            (&manager.body["data"]["my_children"], manager.header("cache-control")),
            (&none, "private, no-cache")
        );
        assert_eq!(listed(&upcoming(&parent, "mine=true").await), [(tomorrow, &mine)]);
        let since = club.app.clock.now().saturating_sub(SignedDuration::from_hours(1)).expect("a time");
        let changed = parent.get(&format!("{GAMES}?updated_since={since}")).await;
        assert!(listed(&changed).contains(&(tomorrow, &mine)), "{}", changed.text);

        // A withdrawn registration ends the child's place with the next request, also for what was read before.
        let tag = parent.get(&path).await.header("etag").to_owned();
        let registration = format!("/api/v1/registrations/{}", setting.registration);
        assert_eq!(parent.delete(&registration).await.status, 200);
        let request = parent.request(reqwest::Method::GET, &path).header("if-none-match", tag);
        let after = crate::support::send(request).await;
        assert_eq!((after.status, &after.body["data"]["my_children"]), (200, &none), "{}", after.text);
        assert_eq!(listed(&upcoming(&parent, "mine=true").await), []);
    })
    .await;
}

#[tokio::test]
async fn staff_list_the_games_of_their_teams_and_of_a_child_on_the_roster() {
    on_both(async |club| {
        let setting = Setting::of(&club).await;
        let (tomorrow, later) = (setting.tomorrow.as_str(), setting.later.as_str());
        let coach = signed_in(&club, setting.families.coach).await;
        let none = json!([]);
        assert_eq!(listed(&upcoming(&coach, "mine=true").await), [(tomorrow, &none), (later, &none)]);
        let first = upcoming(&coach, "mine=true&limit=1").await;
        assert_eq!(listed(&first), [(tomorrow, &none)]);
        let cursor = first.body["page"]["next_cursor"].as_str().expect("a cursor");
        assert_eq!(
            listed(&upcoming(&coach, &format!("mine=true&limit=1&cursor={cursor}")).await),
            [(later, &none)]
        );
        let of_child = format!("child_id={}", setting.child);
        let shown = upcoming(&coach, &of_child).await;
        assert_eq!(listed(&shown), [(tomorrow, &none)]);
        assert_eq!(shown.header("cache-control"), "private, no-store");

        let parent = signed_in(&club, setting.families.parent).await;
        let (child, mine) = (&setting.child, json!([setting.child]));
        assert_eq!(listed(&upcoming(&parent, &of_child).await), [(tomorrow, &mine)]);
        let seen = parent.get(&format!("{CHILDREN}/{child}/access-log")).await;
        let seen = seen.body["data"].as_array().expect("events");
        let by_coach: Vec<_> = seen.iter().filter(|it| it["operation"] == "games.upcoming").collect();
        assert_eq!(by_coach.len(), 1, "{seen:?}");
        assert_eq!((&by_coach[0]["capacity"], &by_coach[0]["class"]), (&json!("staff"), &json!("roster")));

        let manager = club.member(Role::Manager);
        let hidden = upcoming(manager, &of_child).await;
        is_problem(&hidden, Code::NotFound, "not_found");
        let unknown = upcoming(manager, "child_id=chi_01h2xcejqtf2nbrexx3vqjhp41").await;
        assert_eq!((unknown.status, &unknown.body["detail"]), (404, &hidden.body["detail"]));
        let both = upcoming(&parent, &format!("{of_child}&mine=true")).await;
        is_problem(&both, Code::InvalidParameter, "invalid_parameter");
        assert_eq!(listed(&upcoming(manager, "mine=true").await), [], "a manager of no team");
    })
    .await;
}

#[tokio::test]
async fn a_key_for_games_alone_shows_no_child() {
    on_both(async |club| {
        let setting = Setting::of(&club).await;
        let parent = signed_in(&club, setting.families.parent).await;
        let key = parent.issue_key(&json!({"name": "Calendar", "scopes": ["games:read"]})).await;
        let calendar = club.with_key(&key);
        let shown = upcoming(&calendar, "limit=1").await;
        assert_eq!(listed(&shown), [(setting.tomorrow.as_str(), &json!([]))]);
        assert_eq!(listed(&upcoming(&calendar, "mine=true").await), []);
        let refused = upcoming(&calendar, &format!("child_id={}", setting.child)).await;
        is_problem(&refused, Code::ScopeInsufficient, "scope_insufficient");
        let key = parent.issue_key(&json!({"name": "Both", "scopes": ["games:read", "children:read"]})).await;
        let shown = upcoming(&club.with_key(&key), "mine=true").await;
        assert_eq!(listed(&shown), [(setting.tomorrow.as_str(), &json!([setting.child]))]);
    })
    .await;
}
