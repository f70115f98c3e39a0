//! Mirrors: clients that update a copy with only `since` or only `updated_since`, while others write.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fieldhouse_domain::roles::Role;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{SEASONS, make};
use crate::support::{Person, on_both};

/// The minimum number of times that each mirror reads all changes while others write.
const FEEDS: usize = 4;

type Seasons = BTreeMap<String, Value>;

/// The shared state of a test's tasks.
#[derive(Default)]
struct Progress {
    is_over: AtomicBool,
    feeds: [AtomicUsize; 2],
}

fn by_id(records: &Value) -> impl Iterator<Item = (String, Value)> {
    let records = records.as_array().expect("a list").iter();
    records.map(|record| (record["id"].as_str().expect("an id").to_owned(), record.clone()))
}

fn time(value: &Value) -> Timestamp {
    value.as_str().and_then(|text| text.parse().ok()).expect("a time")
}

/// Creates, changes and deletes seasons.
async fn edit(person: &Person, writer: usize, progress: &Progress) {
    let mut made = Vec::new();
    let mut edit = 0;
    while edit < 20 || progress.feeds.iter().any(|feeds| feeds.load(Ordering::SeqCst) < FEEDS) {
        assert!(edit < 300, "the mirrors never catch up");
        edit += 1;
        let name = json!({"name": format!("Season {writer} {edit}")});
        match edit % 3 {
            0 => {
                let path: String = made.remove(edit % made.len());
                assert_eq!(person.delete(&path).await.status, 200);
            }
            1 => made.push(super::address(&make(person, name).await)),
            _ => assert_eq!(person.patch(&made[edit % made.len()], &name).await.status, 200),
        }
        if edit.is_multiple_of(6) {
            made.push(super::address(&make(person, json!({"name": format!("Other {writer} {edit}")})).await));
        }
        // Slowly enough that the mirrors catch up.
        let pause = if edit < 20 { 5 } else { 100 };
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
}

/// Reads a feed to its end. Returns the token of its first page, and the newest time in it.
async fn feed(person: &Person, query: &str, seasons: &mut Seasons) -> (String, Option<Timestamp>) {
    let (mut cursor, mut token, mut newest) = (String::new(), None, None);
    loop {
        let page = person.get(&format!("{SEASONS}?{query}&limit=5{cursor}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        token.get_or_insert(page.body["page"]["sync"].as_str().expect("a token").to_owned());
        for (id, season) in by_id(&page.body["data"]) {
            newest = newest.max(Some(time(&season["updated_at"])));
            seasons.insert(id, season);
        }
        for (id, deleted) in by_id(&page.body["deleted"]) {
            newest = newest.max(Some(time(&deleted["deleted_at"])));
            seasons.remove(&id);
        }
        match page.body["page"]["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (token.expect("a token"), newest),
        }
    }
}

async fn by_since(person: &Person, progress: &Progress) -> Seasons {
    let list = person.get(&format!("{SEASONS}?limit=100")).await;
    let mut seasons: Seasons = by_id(&list.body["data"]).collect();
    let mut token = list.body["page"]["sync"].as_str().expect("a token").to_owned();
    loop {
        let was_over = progress.is_over.load(Ordering::SeqCst);
        token = feed(person, &format!("since={token}"), &mut seasons).await.0;
        progress.feeds[0].fetch_add(1, Ordering::SeqCst);
        if was_over {
            return seasons;
        }
    }
}

async fn by_updated_since(person: &Person, progress: &Progress) -> Seasons {
    let (mut seasons, mut time) =
        (Seasons::new(), "2020-01-01T00:00:00Z".parse::<Timestamp>().expect("a time"));
    loop {
        let was_over = progress.is_over.load(Ordering::SeqCst);
        let newest = feed(person, &format!("updated_since={time}"), &mut seasons).await.1;
        time = newest.map_or(time, |newest| newest.max(time));
        progress.feeds[1].fetch_add(1, Ordering::SeqCst);
        if was_over {
            return seasons;
        }
    }
}

#[tokio::test]
async fn mirrors_converge_while_others_write() {
    on_both(async |club| {
        let progress = Progress::default();
        let [owner, admin, viewer] = [Role::Owner, Role::Admin, Role::Viewer].map(|role| club.member(role));
        let write = async {
            tokio::join!(edit(owner, 1, &progress), edit(admin, 2, &progress));
            progress.is_over.store(true, Ordering::SeqCst);
        };
        let (since, updated_since, ()) =
            tokio::join!(by_since(viewer, &progress), by_updated_since(viewer, &progress), write);
        let list = viewer.get(&format!("{SEASONS}?limit=100")).await;
        let now: Seasons = by_id(&list.body["data"]).collect();
        assert!(now.len() > 5 && list.body["page"]["next_cursor"].is_null());
        assert_eq!(since, now, "by since");
        assert_eq!(updated_since, now, "by updated_since");
    })
    .await;
}
