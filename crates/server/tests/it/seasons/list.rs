//! The list of seasons: its order, its filters and its pages.

use std::collections::BTreeSet;

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::json;

use super::{SEASONS, address, make};
use crate::shapes::is_problem;
use crate::support::{Person, on_both};

/// The names of the seasons in a list.
pub(super) async fn names(person: &Person, query: &str) -> Vec<String> {
    let listed = person.get(&format!("{SEASONS}{query}")).await;
    assert_eq!(listed.status, 200, "{}", listed.text);
    let seasons = listed.body["data"].as_array().expect("a list");
    seasons.iter().map(|season| season["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn the_latest_season_is_first() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for (name, starts_on) in
            [("Old", json!("2020-05-01")), ("New", json!("2090-05-01")), ("Undated", json!(null))]
        {
            address(&make(manager, json!({"name": name, "starts_on": starts_on})).await);
        }
        let listed = names(club.member(Role::Viewer), "").await;
        assert_eq!(
            listed,
            ["New", "Undated", "Old"],
            "a season without a first day is listed by its creation"
        );
        let page = club.member(Role::Viewer).get(SEASONS).await;
        let sync = page.body["page"]["sync"].as_str().expect("a token");
        let expected = json!({"limit": 25, "has_more": false, "next_cursor": null, "sync": sync});
        assert_eq!(page.body["page"], expected);
        assert_eq!(page.header("link"), "");
        assert!(page.body.get("deleted").is_none());
    })
    .await;
}

#[tokio::test]
async fn seasons_are_filtered_by_status_sport_year_and_words() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for season in [
            json!({"name": "Été à Montréal", "sport": "soccer", "status": "active",
                "starts_on": "2024-05-01", "ends_on": "2024-08-01"}),
            json!({"name": "Winter League & Cup", "sport": "basketball", "status": "active",
                "starts_on": "2024-11-01", "ends_on": "2025-02-01"}),
            json!({"name": "St. John’s Winter Cup", "sport": "basketball", "status": "archived",
                "starts_on": "2023-11-01", "ends_on": "2023-12-01"}),
        ] {
            address(&make(manager, season).await);
        }
        let (montreal, league, johns) = ("Été à Montréal", "Winter League & Cup", "St. John’s Winter Cup");
        for (query, expected) in [
            ("?status=active", vec![league, montreal]),
            ("?status=draft", vec![]),
            ("?sport=Basketball", vec![league, johns]),
            ("?sport=soccer&status=archived", vec![]),
            ("?year=2024", vec![league, montreal]),
            ("?year=2025", vec![league]),
            ("?year=2023", vec![johns]),
            ("?year=2022", vec![]),
            ("?q=montreal", vec![montreal]),
            ("?q=ETE%20mont", vec![montreal]),
            ("?q=%C3%89t%C3%A9", vec![montreal]),
            ("?q=win", vec![league, johns]),
            ("?q=cup%20winter", vec![league, johns]),
            ("?q=and", vec![league]),
            ("?q=johns", vec![johns]),
            ("?q=inter", vec![]),
            ("?q=win%25", vec![league, johns]),
            ("?q=_inter", vec![]),
            ("?q=", vec![league, montreal, johns]),
            ("?q=winter&year=2025&sport=basketball&status=active", vec![league]),
        ] {
            assert_eq!(names(manager, query).await, expected, "{query}");
        }
        let long = format!("{SEASONS}?q={}", "a+".repeat(7));
        is_problem(&manager.get(&long).await, Code::InvalidParameter, "too many words");
        let long = format!("{SEASONS}?q={}", "a".repeat(201));
        is_problem(&manager.get(&long).await, Code::InvalidParameter, "too long a word");
        for (query, detail) in [
            ("year=20260", "year must be from 1900 to 2199."),
            ("year=MMXXVI", "year is not an integer."),
            ("year=40000", "year is too large."),
            ("limit=-1", "limit is too small."),
            ("colour=red", "colour is not a known parameter."),
            ("year=1&status=over", "2 parameters are invalid."),
        ] {
            let refused = manager.get(&format!("{SEASONS}?{query}")).await;
            assert_eq!(refused.body["detail"], detail, "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_pages_of_a_list_contain_every_season_once() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for number in 0..23 {
            // Many have the same date, so that only their ids differ.
            let starts_on = format!("2026-05-{:02}", number / 10 + 1);
            address(
                &make(manager, json!({"name": format!("Season {number}"), "starts_on": starts_on})).await,
            );
        }
        let whole = names(manager, "?limit=100").await;
        assert_eq!(whole.len(), 23);
        for limit in [1, 2, 7, 22, 23] {
            let (mut path, mut gathered) = (format!("{SEASONS}?q=season&limit={limit}"), Vec::new());
            loop {
                let page = manager.get(&path).await;
                let seasons = page.body["data"].as_array().expect("a list").clone();
                assert!(seasons.len() <= limit && !seasons.is_empty());
                gathered
                    .extend(seasons.iter().map(|season| season["name"].as_str().expect("a name").to_owned()));
                let link = page.header("link");
                if page.body["page"]["has_more"] == false {
                    assert_eq!((link, &page.body["page"]["next_cursor"]), ("", &json!(null)));
                    break;
                }
                let next = link.strip_prefix('<').and_then(|link| link.strip_suffix(">; rel=\"next\""));
                path = next.expect("a link").to_owned();
                let cursor = page.body["page"]["next_cursor"].as_str().expect("a cursor");
                assert!(path.ends_with(&format!("cursor={cursor}")), "{path}");
            }
            assert_eq!(gathered, whole, "by {limit}");
            assert_eq!(gathered.iter().collect::<BTreeSet<_>>().len(), 23, "by {limit}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_has_1_to_100_seasons() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        for limit in ["0", "101", "4294967295"] {
            let refused = viewer.get(&format!("{SEASONS}?limit={limit}")).await;
            is_problem(&refused, Code::InvalidParameter, limit);
        }
        for limit in [1, 100] {
            let page = viewer.get(&format!("{SEASONS}?limit={limit}")).await;
            assert_eq!(page.body["page"]["limit"], limit);
        }
    })
    .await;
}

#[tokio::test]
async fn a_cursor_is_valid_for_its_caller_and_filters_only() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        for name in ["One", "Two", "Three"] {
            address(&make(manager, json!({"name": name, "status": "active"})).await);
        }
        let neighbour = club.neighbours().await;
        let page = manager.get(&format!("{SEASONS}?limit=1&status=active")).await;
        let cursor = page.body["page"]["next_cursor"].as_str().expect("a cursor").to_owned();
        let mut tampered = cursor.clone().into_bytes();
        let last = tampered.len() - 3;
        tampered[last] = if tampered[last] == b'A' { b'B' } else { b'A' };
        let tampered = String::from_utf8(tampered).expect("ASCII");
        let refused = async |person: &Person, query: String| {
            let answer = person.get(&format!("{SEASONS}?{query}")).await;
            is_problem(&answer, Code::InvalidCursor, &query);
        };
        refused(manager, format!("cursor={cursor}")).await;
        refused(manager, format!("status=draft&cursor={cursor}")).await;
        refused(manager, format!("status=active&q=o&cursor={cursor}")).await;
        refused(manager, format!("status=active&cursor={tampered}")).await;
        refused(manager, format!("status=active&cursor={cursor}A")).await;
        refused(manager, "status=active&cursor=".to_owned()).await;
        refused(manager, "status=active&cursor=%20".to_owned()).await;
        refused(manager, format!("status=active&cursor={}", "A".repeat(2000))).await;
        refused(club.member(Role::Owner), format!("status=active&cursor={cursor}")).await;
        refused(&neighbour, format!("status=active&cursor={cursor}")).await;
        let members = club.member(Role::Owner).get(&format!("/api/v1/members?cursor={cursor}")).await;
        is_problem(&members, Code::InvalidCursor, "another list");
        let other_limit = names(manager, &format!("?status=active&limit=2&cursor={cursor}")).await;
        assert_eq!(other_limit.len(), 2, "the limit may change");
        let since =
            manager.get(&format!("{SEASONS}?updated_since=2020-01-01T00:00:00Z&cursor={cursor}")).await;
        is_problem(&since, Code::InvalidCursor, "the list of changes");
    })
    .await;
}

#[tokio::test]
async fn a_cursor_continues_at_its_position_after_changes() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut made = Vec::new();
        for number in 1..=4 {
            let season =
                json!({"name": format!("Season {number}"), "starts_on": format!("2026-05-0{number}")});
            made.push(address(&make(manager, season).await));
        }
        let page = manager.get(&format!("{SEASONS}?limit=2")).await;
        let cursor = page.body["page"]["next_cursor"].as_str().expect("a cursor").to_owned();
        assert_eq!(manager.delete(&made[2]).await.status, 200, "the last season of the page");
        address(&make(manager, json!({"name": "Season 5", "starts_on": "2026-05-05"})).await);
        let rest = names(manager, &format!("?cursor={cursor}")).await;
        assert_eq!(rest, ["Season 2", "Season 1"]);
    })
    .await;
}

#[tokio::test]
async fn a_club_does_not_see_seasons_of_another() {
    on_both(async |club| {
        let neighbour = club.neighbours().await;
        address(&make(&neighbour, json!({"name": "Theirs"})).await);
        address(&make(club.member(Role::Manager), json!({"name": "Ours"})).await);
        assert_eq!(names(club.member(Role::Viewer), "").await, ["Ours"]);
        assert_eq!(names(club.member(Role::Viewer), "?q=theirs").await, Vec::<String>::new());
        assert_eq!(names(&neighbour, "").await, ["Theirs"]);
        assert_eq!(names(club.member(Role::Owner), "?updated_since=2020-01-01T00:00:00Z").await, ["Ours"]);
    })
    .await;
}
