//! The rounds: in each, every workload runs on every server once, with the limit beside it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use crate::by_hand;
use crate::capture::{Captured, Log};
use crate::checks;
use crate::field::Field;
use crate::figures::{BY_HAND, FIELDHOUSE, Figures, LIMIT, Measured};
use crate::http;
use crate::limit::Fixed;
use crate::load::{self, CONNECTIONS, Shape};
use crate::options::{Engine, Options};
use crate::postgres::Postgres;
use crate::profile;
use crate::requests::Requests;
use crate::servers::Server;
use crate::site::Site;
use crate::workload::{Against, By, On, Who, Workload};

/// The number of responses that are checked before the rounds, and after each run.
const BEFORE: usize = 40;
const AFTER: usize = 8;
/// How far apart the numbers in bodies of two runs start.
const APART: u64 = 10_000_000;

/// Another server that takes part.
pub(crate) struct Peer {
    name: String,
    url: String,
}

impl Peer {
    /// Reads `NAME=URL`.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let (name, url) = text.split_once('=').with_context(|| format!("{text} is not NAME=URL"))?;
        http::authority(url)?;
        Ok(Self { name: name.to_owned(), url: url.trim_end_matches('/').to_owned() })
    }
}

/// The rounds on one engine.
pub(crate) struct Rounds<'a> {
    field: &'a Field,
    options: &'a Options,
    workloads: &'a [&'static Workload],
    peers: Vec<Peer>,
    limit: Server,
    /// The statements of workloads, for PostgreSQL.
    by_hand: HashMap<&'static str, Vec<Captured>>,
    measured: Vec<Measured>,
    /// The number of runs so far.
    runs: u64,
}

impl<'a> Rounds<'a> {
    /// Checks responses of every workload, and starts the limit with them.
    pub(crate) async fn prepare(
        field: &'a Field,
        options: &'a Options,
        workloads: &'a [&'static Workload],
    ) -> Result<Self> {
        let postgres = options.common.postgres.clone().map(Postgres);
        let mut fixed: Vec<Fixed> = Vec::new();
        let mut runs = 0;
        for workload in workloads {
            let site = field.site(workload.on)?;
            let requests = site.requests(workload)?;
            let count = match workload.who {
                // All of them, so that their responses are in memory before the first round, however short it is.
                Who::Kept => requests.0.len(),
                _ if workload.writes() => 2,
                _ => BEFORE,
            };
            runs += 1;
            let response = checks::check(&site.server.url, workload, &requests, count, runs * APART)?;
            let path = format!("/{}", workload.limit);
            if fixed.iter().all(|known| known.path != path) {
                let content_type = response.header("content-type").map(str::to_owned);
                fixed.push(Fixed { path, status: response.status, content_type, body: response.body });
            }
        }
        let limit = Server::limit(field.folder.path(), &fixed)?;
        let peers = options.peer.iter().map(|text| Peer::parse(text)).collect::<Result<_>>()?;
        let mut by_hand = HashMap::new();
        if let Some(log) = log(field.engine, options, postgres.as_ref()) {
            for workload in workloads.iter().filter(|workload| workload.against == Against::Limit) {
                let site = field.site(workload.on)?;
                runs += 1;
                let requests = site.requests(workload)?;
                let captured = log.capture(&site.server.url, &requests, runs * APART).await;
                by_hand.insert(workload.name, captured.with_context(|| workload.name)?);
            }
        }
        Ok(Self { field, options, workloads, peers, limit, by_hand, measured: Vec::new(), runs })
    }

    /// Runs all rounds.
    pub(crate) fn run(mut self) -> Result<Vec<Measured>> {
        let rounds = self.options.common.rounds();
        let progress = ProgressBar::new(u64::from(rounds) * self.workloads.len() as u64);
        progress.set_style(ProgressStyle::with_template("{bar:40} {pos}/{len} {msg} ({elapsed})")?);
        for round in 0..rounds {
            let mut limits: Vec<&str> = Vec::new();
            for workload in self.workloads {
                progress.set_message(format!("{}: {}", self.field.engine.name(), workload.name));
                if !limits.contains(&workload.limit) {
                    limits.push(workload.limit);
                    self.measure_limit(workload, round)?;
                }
                self.measure(workload, round)?;
                self.measure_by_hand(workload, round)?;
                if self.options.profile && round == 0 {
                    self.record(workload)?;
                }
                if workload.name == "list" {
                    self.measure_peers(workload, round)?;
                }
                progress.inc(1);
            }
        }
        progress.finish_and_clear();
        Ok(self.measured)
    }

    fn measure(&mut self, workload: &'static Workload, round: u32) -> Result<()> {
        let site = self.field.site(workload.on)?;
        let requests = site.requests(workload)?;
        let shape = self.shape(workload, round);
        let figures = self.load(workload, site, &requests, shape)?;
        let count = if workload.writes() { 1 } else { AFTER };
        let again = if workload.by == By::Condition { site.requests(workload)? } else { requests };
        checks::check(&site.server.url, workload, &again, count, shape.first + APART - 10)?;
        self.note(workload.name, FIELDHOUSE, figures);
        Ok(())
    }

    /// One run of a workload. Beside those whose responses are kept, other organizations write.
    fn load(&self, workload: &Workload, site: &Site, requests: &Requests, shape: Shape) -> Result<Figures> {
        let is_kept = workload.on == On::Default && workload.who == Who::Kept && workload.by == By::Key;
        let stop = AtomicBool::new(false);
        let figures = thread::scope(|scope| {
            let writing = is_kept.then(|| scope.spawn(|| write_beside(site, &stop, shape.first)));
            let figures = run(self.field, &site.server, &site.server.url, requests, shape);
            stop.store(true, Ordering::Relaxed);
            if let Some(writing) = writing {
                writing.join().ok().context("a thread panicked")??;
            }
            figures
        });
        figures.with_context(|| workload.name.to_owned())
    }

    /// A run that is recorded and not counted, because recording slows the server.
    fn record(&mut self, workload: &'static Workload) -> Result<()> {
        let site = self.field.site(workload.on)?;
        let requests = site.requests(workload)?;
        let shape = self.shape(workload, 0);
        let recorder = profile::Recorder::start(site.server.id(), workload.name, shape.seconds)?;
        self.load(workload, site, &requests, shape)?;
        recorder.finish()
    }

    fn measure_limit(&mut self, workload: &'static Workload, round: u32) -> Result<()> {
        let requests = self.field.site(workload.on)?.requests(workload)?.at(&format!("/{}", workload.limit));
        let shape = self.shape(workload, round);
        let figures = run(self.field, &self.limit, &self.limit.url, &requests, shape)
            .with_context(|| format!("the limit of {}", workload.limit))?;
        self.note(workload.limit, LIMIT, figures);
        Ok(())
    }

    fn measure_by_hand(&mut self, workload: &'static Workload, round: u32) -> Result<()> {
        let field = self.field;
        let Some(url) = &field.site(workload.on)?.database else { return Ok(()) };
        let shape = self.shape(workload, round);
        let Some(captured) = self.by_hand.get(workload.name) else { return Ok(()) };
        let figures = by_hand::measure(self.field.folder.path(), url, captured, shape)
            .with_context(|| format!("{} by hand", workload.name))?;
        self.note(workload.name, BY_HAND, figures);
        Ok(())
    }

    fn measure_peers(&mut self, workload: &'static Workload, round: u32) -> Result<()> {
        for at in 0..self.peers.len() {
            let requests = self.field.site(workload.on)?.requests(workload)?;
            let requests = requests.with_headers(&self.options.peer_header);
            let shape = self.shape(workload, round);
            let Peer { name, url } = &self.peers[at];
            let (_, request) = requests.sample(1).next().context("a request")?;
            let status = http::send(url, request)?.status;
            ensure!(status == 200, "{name} responds with status {status}");
            let loaded = load::run(self.field.folder.path(), url, &requests, shape)?;
            let (rate, p50, p99) = (loaded.rate(), loaded.p50, loaded.p99);
            let name = name.clone();
            self.note(workload.name, &name, Figures { rate, processor: 0.0, p50, p99, memory: 0.0 });
        }
        Ok(())
    }

    /// The next run. All runs of a round get the same order of requests.
    fn shape(&mut self, workload: &Workload, round: u32) -> Shape {
        self.runs += 1;
        Shape {
            seconds: self.options.common.seconds(),
            connections: CONNECTIONS,
            seed: u64::from(round) + 1,
            first: self.runs * APART,
            refused: workload.is_refused(),
        }
    }

    fn note(&mut self, workload: &str, subject: &str, figures: Figures) {
        let engine: Engine = self.field.engine;
        let is = |one: &&mut Measured| one.workload == workload && one.subject == subject;
        if let Some(known) = self.measured.iter_mut().find(is) {
            known.rounds.push(figures);
            return;
        }
        let (workload, subject) = (workload.to_owned(), subject.to_owned());
        self.measured.push(Measured { engine, workload, subject, rounds: vec![figures] });
    }
}

/// PostgreSQL's log, if it is measured and its log is known.
fn log<'a>(engine: Engine, options: &Options, postgres: Option<&'a Postgres>) -> Option<Log<'a>> {
    let file = options.common.postgres_log.clone().filter(|_| engine == Engine::Postgres)?;
    Some(Log { postgres: postgres?, file })
}

/// One run against a server.
pub(crate) fn run(
    field: &Field,
    server: &Server,
    url: &str,
    requests: &Requests,
    shape: Shape,
) -> Result<Figures> {
    let before = server.processor_time()?;
    let loaded = load::run(field.folder.path(), url, requests, shape)?;
    let processor = (server.processor_time()? - before) / loaded.requests;
    let memory = server.resident_megabytes()?;
    Ok(Figures { rate: loaded.rate(), processor, p50: loaded.p50, p99: loaded.p99, memory })
}

/// Writes once a second until `stop`.
fn write_beside(site: &Site, stop: &AtomicBool, first: u64) -> Result<()> {
    for number in first.. {
        let response = http::send(&site.server.url, &site.unrelated_write(number))?;
        ensure!(response.status == 201, "a write beside the load had status {}", response.status);
        for _ in 0..100 {
            if stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
    Ok(())
}
