//! Changes and deletions since a time or an earlier list, with which a client keeps a copy.

use fieldhouse_api::Code;
use fieldhouse_domain::roles::Role;
use serde_json::{Value, json};

use super::list::names;
use super::{SEASONS, address, make};
use crate::shapes::is_problem;
use crate::support::on_both;

const LONG_AGO: &str = "2020-01-01T00:00:00Z";

#[tokio::test]
async fn a_client_receives_changes_and_deletions_earliest_first() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let one = address(&make(manager, json!({"name": "One"})).await);
        let two = address(&make(manager, json!({"name": "Two"})).await);
        let three = make(manager, json!({"name": "Three"})).await;
        assert_eq!(manager.patch(&one, &json!({"status": "active"})).await.status, 200);
        assert_eq!(manager.delete(&two).await.status, 200);
        let since = manager.get(&format!("{SEASONS}?updated_since={LONG_AGO}")).await;
        assert_eq!(names(manager, &format!("?updated_since={LONG_AGO}")).await, ["Three", "One"]);
        let deleted = since.body["deleted"].as_array().expect("a list");
        assert_eq!(deleted.len(), 1);
        assert!(two.ends_with(deleted[0]["id"].as_str().expect("an id")));
        assert!(deleted[0]["deleted_at"].as_str().is_some_and(|at| at.ends_with('Z')));
        assert_eq!(deleted[0].as_object().map(serde_json::Map::len), Some(2));
        let at = three.body["data"]["updated_at"].as_str().expect("a time");
        assert_eq!(
            names(manager, &format!("?updated_since={at}")).await,
            ["Three", "One"],
            "includes changes at that time"
        );
        let later = manager.get(&format!("{SEASONS}?updated_since=2999-01-01T00:00:00Z")).await;
        assert_eq!((&later.body["data"], &later.body["deleted"]), (&json!([]), &json!([])));
    })
    .await;
}

#[tokio::test]
async fn the_pages_of_changes_contain_every_change_once() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let mut made = Vec::new();
        for number in 0..9 {
            made.push(address(&make(manager, json!({"name": format!("Season {number}")})).await));
        }
        for path in made.iter().step_by(3) {
            assert_eq!(manager.delete(path).await.status, 200);
        }
        for limit in 1..=4 {
            let (mut path, mut ids) =
                (format!("{SEASONS}?updated_since={LONG_AGO}&limit={limit}"), Vec::new());
            loop {
                let page = manager.get(&path).await;
                let both =
                    [&page.body["data"], &page.body["deleted"]].map(|part| part.as_array().expect("a list"));
                assert!(both.iter().map(|part| part.len()).sum::<usize>() <= limit);
                let id = |record: &Value| record["id"].as_str().expect("an id").to_owned();
                ids.extend(both.into_iter().flatten().map(id));
                let Some(cursor) = page.body["page"]["next_cursor"].as_str() else { break };
                path = format!("{SEASONS}?updated_since={LONG_AGO}&limit={limit}&cursor={cursor}");
            }
            assert_eq!(ids.len(), 9, "by {limit}");
            let mut expected: Vec<_> =
                made.iter().map(|path| path.rsplit('/').next().expect("an id")).collect();
            ids.sort();
            expected.sort_unstable();
            assert_eq!(ids, expected, "by {limit}");
        }
    })
    .await;
}

#[tokio::test]
async fn changes_cannot_be_combined_with_a_filter() {
    on_both(async |club| {
        let viewer = club.member(Role::Viewer);
        for filter in ["status=active", "sport=netball", "year=2026", "q=winter"] {
            let refused = viewer.get(&format!("{SEASONS}?updated_since={LONG_AGO}&{filter}")).await;
            is_problem(&refused, Code::InvalidParameter, filter);
        }
    })
    .await;
}

#[tokio::test]
async fn a_sync_token_returns_the_changes_after_it() {
    on_both(async |club| {
        let manager = club.member(Role::Manager);
        let one = address(&make(manager, json!({"name": "One"})).await);
        let two = address(&make(manager, json!({"name": "Two"})).await);
        make(manager, json!({"name": "Three"})).await;
        let list = manager.get(&format!("{SEASONS}?limit=1")).await;
        let token = |answer: &crate::support::Answer| {
            answer.body["page"]["sync"].as_str().expect("a token").to_owned()
        };
        let first = token(&list);
        let next = list.body["page"]["next_cursor"].as_str().expect("a cursor");
        make(manager, json!({"name": "Four"})).await;
        let second_page = manager.get(&format!("{SEASONS}?limit=1&cursor={next}")).await;
        assert_eq!(token(&second_page), first, "the token of the first page");

        assert_eq!(manager.patch(&one, &json!({"status": "active"})).await.status, 200);
        assert_eq!(manager.delete(&two).await.status, 200);
        assert_eq!(names(manager, &format!("?since={first}")).await, ["Four", "One"]);
        let changes = manager.get(&format!("{SEASONS}?since={first}")).await;
        assert_eq!(changes.body["deleted"].as_array().map(Vec::len), Some(1));
        let after = manager.get(&format!("{SEASONS}?since={}", token(&changes))).await;
        assert_eq!((&after.body["data"], &after.body["deleted"]), (&json!([]), &json!([])));

        for wrong in ["x", &first[1..]] {
            is_problem(&manager.get(&format!("{SEASONS}?since={wrong}")).await, Code::InvalidCursor, wrong);
        }
        for filter in ["status=active", "q=winter", "updated_since=2020-01-01T00:00:00Z"] {
            let refused = manager.get(&format!("{SEASONS}?since={first}&{filter}")).await;
            is_problem(&refused, Code::InvalidParameter, filter);
        }
    })
    .await;
}
