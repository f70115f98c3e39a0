//! Mirrors: copies that clients update with only `since` or only `updated_since`, while clocks disagree.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_domain::seasons::{Season, shown};
use fieldhouse_domain::text::Name;
use fieldhouse_store::ledger::{self, Changed, Filter, Point, Position};
use fieldhouse_store::{Change, OrgScope, Store, records, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::{parsed, season};
use jiff::{SignedDuration, Timestamp};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use uuid::Uuid;

use super::{is_long, nodes};

const WRITERS: u64 = 6;
const MIRRORS: usize = 4;
/// The minimum number of feeds that each mirror reads while others write.
const FEEDS: usize = 6;
/// How many changes a mirror reads at once: few, so that others are made between two pages.
const PAGE: u32 = 30;
const ALL: u32 = 1000;

/// The shared state of a test's tasks.
struct League {
    club: Club,
    scope: OrgScope,
    /// Seasons that exist or existed.
    known: Mutex<Vec<SeasonId>>,
    is_over: AtomicBool,
    /// How many times each mirror has read all changes.
    feeds: [AtomicUsize; MIRRORS],
}

impl League {
    fn is_followed(&self) -> bool {
        self.feeds.iter().all(|feeds| feeds.load(Ordering::SeqCst) >= FEEDS)
    }

    /// Creates, changes or deletes seasons at random, with a clock that is half an hour fast or slow.
    #[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
    async fn edit(self: Arc<Self>, store: Arc<Store>, writer: u64, edits: usize) {
        let mut random = StdRng::seed_from_u64(writer);
        let mut edit = 0;
        while edit < edits || !self.is_followed() {
            edit += 1;
            let known = self.known.lock().unwrap().clone();
            let picked = (!known.is_empty()).then(|| known[random.random_range(0..known.len())]);
            let (name, roll) = (format!("Season {writer} {edit}"), random.random_range(0..10));
            let by = SignedDuration::from_mins(if writer.is_multiple_of(2) { 30 } else { -30 });
            let moment = clubs::moment_at(now().saturating_add(by).unwrap());
            let (operator, organization) = (store.operator(), self.club.id());
            let written = store.write("testing.edit", async move |tx| {
                let proof = &clubs::permitted(tx, &operator, organization).await?;
                let read = match picked.filter(|_| roll > 2) {
                    Some(id) => records::read::<Season, _>(tx, proof, id).await?,
                    None => None,
                };
                let moment = moment.again();
                let (id, effect) = match read {
                    Some(read) if roll > 7 => (None, Effect::delete(AnyRecord::from(read))),
                    Some(read) => {
                        let after = Season { name: Name::stored(name.clone()), ..read.clone() };
                        (None, Effect::update(&moment, read, after).expect("the name differs"))
                    }
                    None => {
                        let at = moment.now();
                        let made = Season { created_at: at, updated_at: at, ..season(&name) };
                        (Some(made.id), Effect::create(AnyRecord::from(made)))
                    }
                };
                let change =
                    Change { moment: &moment, operation: "seasons.edit", request_id: "edit", reason: None };
                tx.apply(proof, change, &[effect]).await?;
                Ok::<_, fieldhouse_store::Error>(id)
            });
            let made = written.await.unwrap();
            self.known.lock().unwrap().extend(made);
            // Slowly enough that the mirrors catch up.
            let pause = if edit < edits { 0..20 } else { 100..200 };
            tokio::time::sleep(Duration::from_millis(random.random_range(pause))).await;
        }
    }

    /// The seasons as they are now, and their position in the ledger.
    async fn now(&self, store: &Store) -> (BTreeMap<Uuid, shown::Season>, Position) {
        let filter = seasons::Filter::default();
        let listing = seasons::list(&mut &*store, &self.scope, &filter, None, ALL).await.unwrap();
        let seasons = parsed(&listing.records).into_iter().map(|season| (season.id.uuid(), season));
        (seasons.collect(), listing.position)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "entries are posted with the database's clock, which cannot be set"
)]
fn now() -> Timestamp {
    Timestamp::now()
}

/// The parameter with which a mirror requests changes.
enum By {
    Since(i64),
    UpdatedSince(Timestamp),
}

struct Mirror {
    by: By,
    seasons: BTreeMap<Uuid, shown::Season>,
}

impl Mirror {
    /// Starts with a list and its token.
    async fn of_list(store: &Store, league: &League) -> Self {
        let (seasons, position) = league.now(store).await;
        Self { by: By::Since(position.seq), seasons }
    }

    /// Starts with everything that ever changed.
    fn of_changes() -> Self {
        Self { by: By::UpdatedSince(Timestamp::MIN), seasons: BTreeMap::new() }
    }

    async fn keep_up(mut self, number: usize, store: Arc<Store>, league: Arc<League>) -> Self {
        loop {
            let was_over = league.is_over.load(Ordering::SeqCst);
            self.read_to_the_end(&store, &league.scope).await;
            league.feeds[number].fetch_add(1, Ordering::SeqCst);
            if was_over {
                return self;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }

    /// Reads one feed page by page, as the server does for a client.
    async fn read_to_the_end(&mut self, store: &Store, scope: &OrgScope) {
        let (mut after, mut sync, mut newest) = (None, None, None::<Timestamp>);
        loop {
            let mut following = ledger::following(store, scope).await.unwrap();
            let head = ledger::head(&mut following, scope).await.unwrap();
            sync.get_or_insert(head.seq);
            let from = match (after, &self.by) {
                (Some(after), _) => after,
                (None, By::Since(seq)) => Point::behind(*seq),
                (None, By::UpdatedSince(time)) => {
                    let seq = ledger::posted_until(&mut following, scope, *time).await.unwrap();
                    Point::behind(seq.min(head.seq))
                }
            };
            let page = seasons::changed(&mut following, scope, from, PAGE).await.unwrap();
            following.finish().await.unwrap();
            after = page.last().map(|change| change.point);
            let is_last = page.len() < PAGE as usize;
            for change in page {
                newest = newest.max(Some(self.take(change)));
            }
            if is_last {
                break;
            }
        }
        match &mut self.by {
            By::Since(token) => *token = sync.unwrap_or(*token),
            By::UpdatedSince(time) => *time = newest.map_or(*time, |newest| newest.max(*time)),
        }
    }

    /// Applies a change. Returns its `updated_at` or `deleted_at`.
    fn take(&mut self, change: Changed<seasons::Listed>) -> Timestamp {
        let Some(listed) = change.record else {
            self.seasons.remove(&change.id);
            return change.at;
        };
        let at = listed.season.updated_at;
        self.seasons.insert(change.id, listed.into());
        at
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn mirrors_converge_even_if_clocks_are_an_hour_apart() {
    for database in databases::both() {
        converge(&database).await;
    }
}

async fn converge(database: &Database) {
    let nodes = nodes(database).await;
    let node = |number: usize| nodes[number % nodes.len()].clone();
    let club = Club::found(&nodes[0], "Mirrored").await;
    club.create(&nodes[0], vec![AnyRecord::from(season("First"))]).await;
    let scope = club.owner().scope(&nodes[0]).await;
    let league = Arc::new(League {
        club,
        scope,
        known: Mutex::default(),
        is_over: AtomicBool::new(false),
        feeds: Default::default(),
    });
    let edits = if is_long() { 300 } else { 50 };

    let mut writers = JoinSet::new();
    for (number, writer) in (0..WRITERS).enumerate() {
        writers.spawn(league.clone().edit(node(number), writer, edits));
    }
    let mut mirrors = JoinSet::new();
    for number in 0..MIRRORS {
        let mirror = match number % 2 {
            0 => Mirror::of_list(&nodes[0], &league).await,
            _ => Mirror::of_changes(),
        };
        mirrors.spawn(mirror.keep_up(number, node(number / 2), league.clone()));
    }
    writers.join_all().await;
    league.is_over.store(true, Ordering::SeqCst);
    let everything = Filter::default();
    for entry in ledger::entries(&mut &*nodes[0], &league.scope, &everything, None, u32::MAX).await.unwrap() {
        assert!(entry.posted_at > entry.at, "posted before it happened: {entry:?}");
    }
    let (now, _) = league.now(&nodes[0]).await;
    assert!(now.len() > 10, "the random edits leave some seasons");
    for mirror in mirrors.join_all().await {
        let differing: Vec<_> = now
            .keys()
            .chain(mirror.seasons.keys())
            .filter(|id| now.get(*id) != mirror.seasons.get(*id))
            .collect();
        let by = if matches!(mirror.by, By::Since(_)) { "since" } else { "updated_since" };
        assert!(differing.is_empty(), "a mirror by {by} differs in {differing:?}");
    }
}

#[tokio::test]
async fn a_page_of_changes_is_full_even_if_one_of_its_records_is_deleted_meanwhile() {
    for database in databases::both() {
        let store = database.open().await;
        let club = Club::found(&store, "Deleted Meanwhile").await;
        let scope = club.owner().scope(&store).await;
        let made: Vec<_> = ["One", "Two", "Three"].map(season).into();
        club.create(&store, made.iter().cloned().map(AnyRecord::from).collect()).await;
        let mut following = ledger::following(&store, &scope).await.unwrap();
        // On PostgreSQL the entry of this deletion waits until the reader has finished.
        clubs::apply(&store, club.id(), vec![Effect::delete(made[0].clone())]).await.unwrap();
        let page = seasons::changed(&mut following, &scope, Point::behind(0), 2).await.unwrap();
        following.finish().await.unwrap();
        let ids: Vec<_> = page.iter().map(|change| change.id).collect();
        assert_eq!(
            ids,
            [made[1].id.uuid(), made[2].id.uuid()],
            "clients would take a shorter page for the last one"
        );
        let mut following = ledger::following(&store, &scope).await.unwrap();
        let rest = seasons::changed(&mut following, &scope, page[1].point, 2).await.unwrap();
        following.finish().await.unwrap();
        assert_eq!(rest.len(), 1);
        assert_eq!(
            (rest[0].id, &rest[0].record),
            (made[0].id.uuid(), &None),
            "the later entry reports the deletion"
        );
    }
}
