//! Followers: a reader of a growing ledger sees every acknowledged change once and in order, even if posters are killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{OrganizationId, SeasonId};
use fieldhouse_store::ledger::{self, Entry, Filter, Verdict};
use fieldhouse_store::{Change, OrgScope, Result, Store, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::season;
use tokio::task::JoinSet;

use super::{is_long, nodes};
use crate::raw;
use crate::writes::one_more;

const CLUBS: usize = 5;
const WRITERS: usize = 16;
/// How many entries a follower reads at once.
const PAGE: u32 = 50;
/// The minimum number of changes by each writer, and of killed posters.
const SHORT: (usize, usize) = (25, 10);
const LONG: (usize, usize) = (120, 100);

/// Terminates the sessions that are posting.
const KILL: &str = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
        AND (query LIKE 'WITH taken AS (DELETE%' OR query LIKE 'INSERT INTO ledger_%' OR query LIKE 'UPDATE ledger_heads%'
            OR query LIKE '%FOR NO KEY UPDATE')";

/// A club with one season, which all writers change.
#[derive(Clone)]
struct Target {
    organization: OrganizationId,
    scope: Arc<OrgScope>,
    season: SeasonId,
}

impl Target {
    async fn found(store: &Store, number: usize) -> Self {
        let club = Club::found(store, &format!("Followed {number}")).await;
        let winter = season("Winter");
        club.create(store, vec![AnyRecord::from(winter.clone())]).await;
        let scope = Arc::new(club.owner().scope(store).await);
        Self { organization: club.id(), scope, season: winter.id }
    }

    /// Changes the season once.
    #[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
    async fn change(self, store: Arc<Store>, request_id: String) -> Result<()> {
        let (operator, moment) = (store.operator(), clubs::moment());
        let changed = store.write("testing.change", async move |tx| {
            let moment = moment.again();
            let read = seasons::read(tx, &*self.scope, self.season).await?.expect("the season").season;
            let proof = clubs::permitted(tx, &operator, self.organization).await?;
            let request_id = &request_id;
            let change = Change { moment: &moment, operation: "seasons.update", request_id, reason: None };
            tx.apply(&proof, change, &[one_more(read)]).await.map(drop)
        });
        changed.await
    }
}

/// The requests known to writers: those that succeeded, and those whose result they did not wait for.
#[derive(Default)]
struct Known {
    acknowledged: BTreeSet<String>,
    abandoned: BTreeSet<String>,
}

/// The shared state of a test's tasks.
struct Load {
    changes: usize,
    kills: usize,
    killed: AtomicUsize,
    /// Whether all entries are posted.
    is_over: AtomicBool,
}

impl Load {
    async fn write(self: Arc<Self>, writer: usize, store: Arc<Store>, targets: Arc<Vec<Target>>) -> Known {
        let mut known = Known::default();
        let mut number = 0;
        while number < self.changes || self.killed.load(Ordering::SeqCst) < self.kills {
            let request = format!("{writer}-{number}");
            let change = targets[(writer + number) % CLUBS].clone().change(store.clone(), request.clone());
            if number % 8 == 7 {
                let patience = Duration::from_micros(400 * (number as u64 % 10));
                match tokio::time::timeout(patience, change).await {
                    Ok(changed) => drop(changed.map(|()| known.acknowledged.insert(request)).unwrap()),
                    Err(_) => drop(known.abandoned.insert(request)),
                }
            } else {
                change.await.unwrap();
                known.acknowledged.insert(request);
            }
            number += 1;
        }
        known
    }

    /// Posts, and is cut off after a different time in each round. Its session may be killed at any moment.
    async fn post(self: Arc<Self>, store: Arc<Store>) {
        let mut patience = 0;
        while !self.is_over.load(Ordering::SeqCst) {
            let _ = tokio::time::timeout(Duration::from_micros(patience), store.post_everything()).await;
            patience = (patience + 700) % 30_000;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    async fn kill(self: Arc<Self>, sessions: tokio_postgres::Client) {
        while self.killed.load(Ordering::SeqCst) < self.kills {
            let killed: i64 = sessions.query_one(KILL, &[]).await.unwrap().get(0);
            self.killed.fetch_add(usize::try_from(killed).unwrap(), Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Reads entries as they are posted. Returns the ids of their requests, in order.
    async fn follow(self: Arc<Self>, store: Arc<Store>, target: Target) -> Vec<String> {
        let mut followed = Followed::default();
        loop {
            let was_over = self.is_over.load(Ordering::SeqCst);
            while followed.read_on(&store, &target).await {}
            if was_over {
                return followed.requests;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

#[derive(Default)]
struct Followed {
    last: Option<Entry>,
    version: i64,
    requests: Vec<String>,
}

impl Followed {
    /// Reads the next entries. Returns whether there were any.
    async fn read_on(&mut self, store: &Store, target: &Target) -> bool {
        let seq = self.last.as_ref().map_or(0, |last| last.seq);
        let end = Some(seq + 1 + i64::from(PAGE));
        let page = ledger::entries(&mut &*store, &target.scope, &Filter::default(), end, PAGE).await.unwrap();
        let new: Vec<_> = page.into_iter().rev().filter(|entry| entry.seq > seq).collect();
        let found = !new.is_empty();
        for entry in new {
            self.take(entry);
        }
        found
    }

    fn take(&mut self, entry: Entry) {
        if let Some(last) = &self.last {
            assert!(entry.posted_at > last.posted_at, "{entry:?} follows {last:?}");
        }
        assert_eq!(entry.seq, self.last.as_ref().map_or(0, |last| last.seq) + 1, "no gap");
        assert!(entry.posted_at > entry.at);
        if entry.operation == "seasons.update" {
            let [effect] = &entry.effects[..] else { panic!("one effect: {entry:?}") };
            let before: serde_json::Value = serde_json::from_str(effect.before.as_ref().unwrap()).unwrap();
            assert_eq!((before["version"].as_i64(), effect.version), (Some(self.version), self.version + 1));
            self.requests.push(entry.request_id.clone());
        }
        self.version = entry.effects.last().map_or(0, |effect| effect.version);
        self.last = Some(entry);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn followers_see_every_acknowledged_change_once_and_in_order_even_if_posters_are_killed() {
    for database in databases::both() {
        follow(&database).await;
    }
}

async fn follow(database: &Database) {
    let nodes = nodes(database).await;
    let mut targets = Vec::new();
    for number in 0..CLUBS {
        targets.push(Target::found(&nodes[0], number).await);
    }
    let targets = Arc::new(targets);
    let (changes, kills) = if is_long() { LONG } else { SHORT };
    // SQLite has no posters.
    let kills = if database.url().is_some() { kills } else { 0 };
    let load =
        Arc::new(Load { changes, kills, killed: AtomicUsize::new(0), is_over: AtomicBool::new(false) });
    let node = |number: usize| nodes[number % nodes.len()].clone();

    let (mut writers, mut helpers, mut followers) = (JoinSet::new(), JoinSet::new(), Vec::new());
    for writer in 0..WRITERS {
        writers.spawn(load.clone().write(writer, node(writer), targets.clone()));
    }
    for number in 0..nodes.len() {
        helpers.spawn(load.clone().post(node(number)));
    }
    if database.url().is_some() {
        helpers.spawn(load.clone().kill(raw::postgres(database).await));
    }
    for (number, target) in targets.iter().enumerate() {
        followers.push(tokio::spawn(load.clone().follow(node(number + 1), target.clone())));
    }
    let mut known = Known::default();
    for by_one in writers.join_all().await {
        known.acknowledged.extend(by_one.acknowledged);
        known.abandoned.extend(by_one.abandoned);
    }
    nodes[0].post_everything().await.unwrap();
    load.is_over.store(true, Ordering::SeqCst);
    helpers.join_all().await;

    let mut seen = BTreeSet::new();
    for (target, follower) in targets.iter().zip(followers) {
        for request in follower.await.unwrap() {
            assert!(seen.insert(request.clone()), "{request} was seen twice");
        }
        let verdict = ledger::verify(&nodes[0], &target.scope).await.unwrap();
        assert!(matches!(verdict, Verdict::Intact { cleared: 0, .. }), "{verdict:?}");
    }
    let missed: Vec<_> = known.acknowledged.difference(&seen).collect();
    assert!(missed.is_empty(), "acknowledged and not seen: {missed:?}");
    let invented: Vec<_> = seen
        .iter()
        .filter(|seen| !known.acknowledged.contains(*seen) && !known.abandoned.contains(*seen))
        .collect();
    assert!(invented.is_empty(), "seen and never written: {invented:?}");
    assert!(known.acknowledged.len() >= WRITERS * changes / 2 && load.killed.load(Ordering::SeqCst) >= kills);
}
