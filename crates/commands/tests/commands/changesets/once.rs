//! Whatever happens at the same time, a changeset is executed once.

use std::sync::Arc;

use fieldhouse_store::games;
use fieldhouse_testing::databases;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_100_executions_at_once_one_runs_and_the_others_get_its_result() {
    for database in databases::both() {
        let store = Arc::new(database.open().await);
        let league = League::found(&store, "Hundred").await;
        let operations =
            json!([{"op": "create", "resource": "venues", "data": {"name": "New", "time_zone": "UTC"}}]);
        let changeset = approved(&store, &league.club, &operations, DriftPolicy::Strict).await;
        let mut running = tokio::task::JoinSet::new();
        for _ in 0..100 {
            let (store, author, changeset) = (store.clone(), league.author().clone(), changeset.clone());
            running.spawn(async move { execute(&store, &author, &changeset).await });
        }
        let (mut first, mut entries) = (0, std::collections::BTreeSet::new());
        while let Some(executed) = running.join_next().await {
            let (shown, replayed) = done(executed.unwrap());
            first += usize::from(!replayed);
            entries.insert(shown.changeset.entry_id.expect("an entry"));
        }
        assert_eq!((first, entries.len()), (1, 1));
        let venues = crate::venues(&store, &league.club).await;
        assert_eq!(venues, ["New", "Oval"]);
    }
}

/// How many pairs of changesets book one field each. With 200, it takes a minute: on PostgreSQL, executions of one author collide.
fn pairs() -> usize {
    if std::env::var_os("FIELDHOUSE_LONG_TESTS").is_some() { 200 } else { 30 }
}
const CLIENTS: usize = 24;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_two_changesets_that_book_one_field_one_is_executed() {
    for database in databases::both() {
        let store = Arc::new(database.open().await);
        let league = Arc::new(League::found(&store, "Pairs").await);
        // What the author changes in a day counts together: from the start, all of it needs an admin.
        let many = (0..51).map(|at| {
            let data = json!({"name": format!("V{at}"), "time_zone": "UTC"});
            json!({"op": "create", "resource": "venues", "data": data})
        });
        let many = approved(&store, &league.club, &many.collect(), DriftPolicy::Strict).await;
        done(execute(&store, league.author(), &many).await);
        let mut open: Vec<Shown> = Vec::new();
        let mut executed = 0;
        let mut turned_away = 0;
        // At most 20 are open at once: ten pairs of one author.
        for round in 0..pairs() / 10 {
            for pair in 0..10 {
                let hour = 300 + i64::try_from(round * 10 + pair).unwrap() * 3;
                for (home, away) in [(league.home.id, league.away.id), (league.away.id, league.home.id)] {
                    let operations = json!([{"op": "create", "resource": "games", "data": {
                        "season_id": league.season.id, "division_id": league.division.id,
                        "home_team_id": home, "away_team_id": away, "venue_id": league.venue.id,
                        "time_zone": "UTC", "starts_at": after(hour), "ends_at": after(hour + 1),
                    }}]);
                    open.push(approved(&store, &league.club, &operations, DriftPolicy::Strict).await);
                }
            }
            let work = Arc::new(std::sync::Mutex::new(std::mem::take(&mut open)));
            let mut clients = tokio::task::JoinSet::new();
            for _ in 0..CLIENTS {
                let (store, league, work) = (store.clone(), league.clone(), work.clone());
                clients.spawn(async move {
                    let mut results = Vec::new();
                    loop {
                        let Some(next) = work.lock().unwrap().pop() else { return results };
                        let id = next.changeset.id;
                        results.push((id, execute(&store, league.club.owner(), &next).await));
                    }
                });
            }
            while let Some(results) = clients.join_next().await {
                for (id, result) in results.unwrap() {
                    if let Ok(Executed::Done { replayed, .. }) = result {
                        assert!(!replayed);
                        executed += 1;
                    } else {
                        stale(result);
                        turned_away += 1;
                        withdraw(&store, league.author(), id).await;
                    }
                }
            }
        }
        assert_eq!((executed, turned_away), (pairs(), pairs()));
        let scope = league.club.owner().scope(&store).await;
        let filter = games::Filter::default();
        let mut starts = std::collections::BTreeSet::new();
        let mut from = None;
        loop {
            let page = games::list(&mut &*store, &scope, &filter, from, 100).await.unwrap().records;
            let Some(last) = page.last() else { break };
            from = Some(last.point());
            for listed in &page {
                assert!(starts.insert(listed.starts_at), "booked twice at {}", listed.starts_at);
            }
        }
        assert_eq!(starts.len(), pairs() + 1);
    }
}
