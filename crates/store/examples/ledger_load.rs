//! Loads the ledger of a PostgreSQL database: writers at a constant rate in several organizations, while a transaction keeps an old
//! snapshot open, so that PostgreSQL cannot remove the journal's dead rows. `cargo xtask bench ledger` runs it.
//!
//! Arguments: the URL of an empty database, writes a second, and seconds. It prints how many writes were committed, how many entries
//! waited to be posted at the end of each second, and how long reading a generation took.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_store::{Change, Options, Store, migrations};
use fieldhouse_testing::clubs::{self, Club};
use fieldhouse_testing::leagues;
use tokio_postgres::{Client, NoTls};

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

const ORGANIZATIONS: usize = 5;
const WRITERS: u32 = 32;
/// How long the server collects commits before it posts them.
const POSTING_PAUSE: Duration = Duration::from_millis(20);
/// The pause between two reads of a generation.
const SAMPLING_PAUSE: Duration = Duration::from_millis(10);

/// What the tasks share.
struct Load {
    store: Store,
    clubs: Vec<Club>,
    written: AtomicU64,
    is_over: AtomicBool,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, rate, seconds] = arguments.as_slice() else {
        return Err("arguments: the database's URL, writes a second, seconds".into());
    };
    let (rate, seconds): (u32, u64) = (rate.parse()?, seconds.parse()?);
    let load = Arc::new(Load::prepare(url).await?);
    let observer = connect(url).await?;
    let old = connect(url).await?;
    old.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT COUNT(*) FROM journal").await?;

    let poster = tokio::spawn(Arc::clone(&load).post());
    let reads = tokio::spawn(Arc::clone(&load).sample());
    let pause = Duration::from_secs(1) * WRITERS / rate;
    let tasks: Vec<_> =
        (0..WRITERS).map(|number| tokio::spawn(Arc::clone(&load).write(number as usize, pause))).collect();
    let mut waiting = Vec::new();
    for _ in 0..seconds {
        tokio::time::sleep(Duration::from_secs(1)).await;
        waiting.push(observer.query_one("SELECT COUNT(*) FROM journal", &[]).await?.try_get::<_, i64>(0)?);
    }
    load.is_over.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await??;
    }
    let samples = reads.await??;
    poster.await??;
    let began = Instant::now();
    while load.store.post_everything().await? > 0 {}
    old.batch_execute("COMMIT").await?;
    report(load.written.load(Ordering::Relaxed), seconds, waiting, began.elapsed(), samples);
    Ok(())
}

impl Load {
    async fn prepare(url: &str) -> Outcome<Self> {
        let options = Options::Postgres { url: url.to_owned(), root_certificates: None, connections: 16 };
        let store = Store::open(&options).await?;
        migrations::run(&store).await?;
        let mut clubs = Vec::new();
        for number in 0..ORGANIZATIONS {
            clubs.push(Club::found(&store, &format!("Club {number}")).await);
        }
        Ok(Self { store, clubs, written: AtomicU64::new(0), is_over: AtomicBool::new(false) })
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Creates one venue per pause. A writer that was late catches up.
    #[expect(clippy::disallowed_methods, reason = "the load is written as the operator")]
    async fn write(self: Arc<Self>, number: usize, pause: Duration) -> Outcome<()> {
        let mut interval = tokio::time::interval(pause);
        let organization = self.clubs[number % ORGANIZATIONS].id();
        for count in 0u64.. {
            interval.tick().await;
            if self.is_over() {
                break;
            }
            let venue = leagues::venue(&format!("Venue {number} {count}"));
            let (operator, moment) = (self.store.operator(), clubs::moment());
            let created = self.store.write("ledger_load.create", async move |tx| {
                let moment = moment.again();
                let proof = clubs::permitted(tx, &operator, organization).await?;
                let change = Change { moment: &moment, operation: "load", request_id: "load", reason: None };
                tx.apply(&proof, change, &[Effect::create(AnyRecord::from(venue.clone()))]).await?;
                Ok::<_, fieldhouse_store::Error>(())
            });
            created.await?;
            self.written.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Posts as the server does.
    async fn post(self: Arc<Self>) -> Outcome<()> {
        while !self.is_over() {
            let _ = tokio::time::timeout(Duration::from_secs(1), self.store.post_when_committed()).await;
            tokio::time::sleep(POSTING_PAUSE).await;
        }
        Ok(())
    }

    /// Measures reads of a generation.
    async fn sample(self: Arc<Self>) -> Outcome<Vec<Duration>> {
        let mut samples = Vec::new();
        for number in 0usize.. {
            tokio::time::sleep(SAMPLING_PAUSE).await;
            if self.is_over() {
                break;
            }
            let organization = self.clubs[number % ORGANIZATIONS].id();
            let started = Instant::now();
            self.store.generation(organization).await?;
            samples.push(started.elapsed());
        }
        Ok(samples)
    }
}

async fn connect(url: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

#[expect(clippy::print_stdout, reason = "the figures are its output")]
fn report(written: u64, seconds: u64, mut waiting: Vec<i64>, rest: Duration, mut samples: Vec<Duration>) {
    let at_end = waiting.last().copied().unwrap_or_default();
    waiting.sort_unstable();
    samples.sort_unstable();
    let part = |hundredths: usize| {
        let at = (samples.len() * hundredths / 100).min(samples.len().saturating_sub(1));
        samples.get(at).copied().unwrap_or_default()
    };
    let middle = waiting.get(waiting.len() / 2).copied().unwrap_or_default();
    let most = waiting.last().copied().unwrap_or_default();
    println!("writes a second          {}", written / seconds.max(1));
    println!("entries waiting          median {middle}, most {most}, at the end {at_end}");
    println!("time to post the rest    {rest:.1?}");
    println!("reading a generation     p50 {:.1?}, p99 {:.1?}, {} reads", part(50), part(99), samples.len());
}
