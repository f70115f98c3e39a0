//! The generation under load: if it is the same before and after a read, the read saw exactly the state of that generation.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{OrganizationId, SeasonId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::ledger::Generation;
use fieldhouse_store::{Change, Error, OrgScope, Store, records, seasons};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::databases::{self, Database};
use fieldhouse_testing::leagues::season;
use tokio::task::JoinSet;

use super::{is_long, nodes};
use crate::writes::one_more;

const SEASONS: usize = 6;

/// The shared state of a test's tasks.
struct League {
    organization: OrganizationId,
    scope: OrgScope,
    seasons: Vec<SeasonId>,
    is_over: AtomicBool,
}

impl League {
    async fn found(store: &Store) -> Self {
        let club = Club::found(store, "Generations").await;
        let seasons: Vec<Season> = (0..SEASONS).map(|number| season(&format!("Season {number}"))).collect();
        club.create(store, seasons.iter().cloned().map(AnyRecord::from).collect()).await;
        Self {
            organization: club.id(),
            scope: club.owner().scope(store).await,
            seasons: seasons.into_iter().map(|season| season.id).collect(),
            is_over: AtomicBool::new(false),
        }
    }

    /// Changes one season after the other, each in its own commit.
    #[expect(clippy::disallowed_methods, reason = "tests set up what the operator could")]
    async fn change(self: Arc<Self>, store: Arc<Store>, count: usize) {
        for number in 0..count {
            let (operator, organization) = (store.operator(), self.organization);
            let (moment, season) = (clubs::moment(), self.seasons[number % SEASONS]);
            let changed = store.write("testing.change", async move |tx| {
                let moment = moment.again();
                let proof = clubs::permitted(tx, &operator, organization).await?;
                let read = records::read::<Season, _>(tx, &proof, season).await?.expect("the season");
                let change = Change { moment: &moment, operation: "test", request_id: "test", reason: None };
                tx.apply(&proof, change, &[one_more(read)]).await?;
                Ok::<_, Error>(())
            });
            changed.await.unwrap();
        }
    }

    /// The number of times that seasons were created or changed: every commit adds one.
    async fn versions(&self, store: &Store) -> i64 {
        let filter = seasons::Filter::default();
        let listed = seasons::list(&mut &*store, &self.scope, &filter, None, 100).await.unwrap().records;
        listed.iter().map(|line| line.version).sum()
    }

    async fn generation(&self, store: &Store) -> Generation {
        store.generation(self.organization).await.unwrap()
    }

    /// Reads the generation, the data and the generation again. Returns the data of each generation that was the same before and after.
    async fn read(self: Arc<Self>, store: Arc<Store>) -> BTreeMap<Generation, i64> {
        let mut read = BTreeMap::new();
        let mut before = self.generation(&store).await;
        while !self.is_over.load(Ordering::SeqCst) {
            let data = self.versions(&store).await;
            let after = self.generation(&store).await;
            assert!(after >= before, "{after:?} is less than {before:?}");
            if before == after {
                let known = *read.entry(before).or_insert(data);
                assert_eq!(known, data, "different data at {before:?}");
            }
            before = after;
        }
        read
    }

    async fn post(self: Arc<Self>, store: Arc<Store>) {
        while !self.is_over.load(Ordering::SeqCst) {
            store.post(self.organization).await.unwrap();
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_generation_has_one_state_and_increases_with_every_commit() {
    for database in databases::both() {
        under_load(&database).await;
    }
}

async fn under_load(database: &Database) {
    let nodes = nodes(database).await;
    let league = Arc::new(League::found(&nodes[0]).await);
    let start = league.generation(&nodes[0]).await;
    let versions = league.versions(&nodes[0]).await;
    let (mut writers, mut posters, mut readers) = (JoinSet::new(), JoinSet::new(), JoinSet::new());
    let changes = if is_long() { 500 } else { 60 };
    for node in &nodes {
        for _ in 0..2 {
            writers.spawn(league.clone().change(node.clone(), changes));
            readers.spawn(league.clone().read(node.clone()));
        }
        posters.spawn(league.clone().post(node.clone()));
    }
    let written = i64::try_from(writers.len() * changes).unwrap();
    writers.join_all().await;
    for node in &nodes {
        let end = Generation { commits: start.commits + written, ..start };
        assert_eq!(league.generation(node).await, end, "every commit adds one, on every node");
    }
    nodes[0].post_everything().await.unwrap();
    assert_eq!(
        league.generation(&nodes[0]).await.commits,
        start.commits + written,
        "posting does not change it"
    );
    league.is_over.store(true, Ordering::SeqCst);
    posters.join_all().await;

    let mut states = 0;
    for read in readers.join_all().await {
        states += read.len();
        for (generation, data) in read {
            let commits = generation.commits - start.commits;
            assert_eq!(data, versions + commits, "the data after {commits} commits");
        }
    }
    assert!(states > 4, "some reads saw one generation only");
}
