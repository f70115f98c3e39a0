//! A process is killed before and after each statement of an execution. Then the changeset was executed once or not at all.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command as Program, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use fieldhouse_store::query::runs::{self, Stage};
use fieldhouse_store::{Engine, Options, RawCredential};
use fieldhouse_testing::databases::{self, Database, Dump};

use super::*;

/// What the process that is killed has to know, in this order: the database, the session, the changeset, its hash, and where it stops.
const TASK: &str = "FIELDHOUSE_TEST_KILL";
/// What it prints for each statement, and where it stops.
const STATEMENT: &str = "statement:";
const STOPPED: &str = "stopped";
/// The statement that stores everything, on both engines.
const COMMIT: &str = "COMMIT";

/// In the long setting, all of them: it takes more than ten seconds.
fn step() -> usize {
    if std::env::var_os("FIELDHOUSE_LONG_TESTS").is_some() { 1 } else { 24 }
}

/// An approved changeset in a database that no one uses.
struct Prepared {
    database: Database,
    league: League,
    changeset: Shown,
}

impl Prepared {
    async fn new(database: Database) -> Self {
        let store = database.open().await;
        let league = League::found(&store, "Killed").await;
        let operations = json!([
            {"op": "create", "ref": "v", "resource": "venues", "data": {"name": "New", "time_zone": "UTC"}},
            {"op": "update", "resource": "games", "id": league.game.id,
                "set": {"venue_id": {"$ref": "v"}, "starts_at": after(300), "ends_at": after(301)}},
            {"op": "delete", "resource": "venues", "id": league.venue.id},
        ]);
        let changeset = approved(&store, &league.club, &operations, DriftPolicy::Strict).await;
        // A query that sees all entries posts those that wait.
        fieldhouse_store::ledger::latest(&store, &league.club.owner().scope(&store).await).await.unwrap();
        drop(store);
        Self { database, league, changeset }
    }

    /// Starts a process that executes the changeset in a copy of the database, until it stops before or after a statement. There it is killed.
    /// Returns the statements that it ran, each before and after it.
    fn kill_at(&self, database: &Database, stop: usize) -> Vec<String> {
        let place = match database.options() {
            Options::Sqlite { folder } => folder.to_str().expect("a path").to_owned(),
            Options::Postgres { url, .. } => url,
        };
        let owner = self.league.club.owner();
        let session = &owner.session;
        let task = json!([
            place,
            owner.organization,
            session.id,
            session.expires_at,
            self.changeset.changeset.id,
            hash(&self.changeset),
            stop
        ]);
        let mut process = Program::new(std::env::current_exe().expect("this program"))
            .args(["--exact", "changesets::kills::the_process_that_is_killed", "--ignored", "--nocapture"])
            .env(TASK, task.to_string())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the process starts");
        let mut statements = Vec::new();
        let mut is_stopped = false;
        for line in BufReader::new(process.stdout.take().expect("a pipe")).lines() {
            let line = line.expect("a line");
            statements.extend(line.strip_prefix(STATEMENT).map(str::to_owned));
            if line == STOPPED {
                is_stopped = true;
                break;
            }
        }
        let _ = process.kill();
        let status = process.wait().expect("the process ends");
        assert_eq!(is_stopped, !status.success(), "it ran to its end, or stopped and was killed");
        assert_eq!(
            is_stopped,
            statements.len() == stop + 1,
            "the driver counts the statements: {statements:?}"
        );
        statements
    }

    /// Restarts, and checks that the changeset was executed once or not at all. Then it is executed again. Returns whether it was executed.
    async fn check(&self, database: &Database, untouched: &Dump, executed: &Dump) -> bool {
        let after_kill = database.dump();
        let store = &database.open().await;
        let scope = self.league.club.owner().scope(store).await;
        let id = self.changeset.changeset.id;
        let now = fieldhouse_store::changesets::read(&mut &*store, &scope, id).await.unwrap().unwrap();
        let is_executed = now.state == ChangesetState::Executed;
        if is_executed {
            assert_eq!(lasting(after_kill), lasting(executed.clone()));
        } else {
            assert_eq!(now.state, ChangesetState::Approved);
            assert_eq!(after_kill, *untouched, "nothing happened");
        }
        let command = Execute { id, hash: hash(&self.changeset), hold: HOLD };
        let (shown, replayed) = done(at(store, self.league.club.owner(), after(2), command.clone()).await);
        assert_eq!(replayed, is_executed);
        let entry = shown.changeset.entry_id.unwrap();
        if is_executed {
            assert_eq!(Some(entry), now.entry_id, "the stored result");
        }
        let (shown, replayed) = done(at(store, self.league.club.owner(), after(3), command).await);
        assert_eq!((shown.changeset.entry_id, replayed), (Some(entry), true));
        assert!(fieldhouse_store::ledger::latest(store, &scope).await.unwrap());
        let dump = database.dump();
        let of_changeset = |row: &&fieldhouse_testing::databases::TextRow| {
            row["operation"] == "changesets.execute" && !row["changeset_id"].is_empty()
        };
        assert_eq!(dump["ledger_entries"].iter().filter(of_changeset).count(), 1, "one entry");
        assert_eq!(crate::venues(store, &self.league.club).await, ["New"]);
        is_executed
    }
}

/// Everything but what the posting writes, which may come later.
fn lasting(mut dump: Dump) -> Dump {
    dump.retain(|table, _| !table.starts_with("ledger_") && !table.starts_with("journal"));
    for rows in dump.values_mut() {
        rows.sort();
    }
    dump
}

async fn killed_on(database: Database) {
    let engine = database.engine();
    let prepared = Prepared::new(database).await;
    let whole = prepared.database.copied();
    let untouched = whole.dump();
    let statements = prepared.kill_at(&whole, usize::MAX - 1);
    let executed = whole.dump();
    assert!(prepared.check(&whole, &untouched, &executed).await);
    let commit = statements.iter().position(|name| name == &format!("{COMMIT} Before")).expect("a COMMIT");
    assert_eq!(statements[commit + 1], format!("{COMMIT} After"));
    let begin = statements.iter().position(|name| name.starts_with("BEGIN")).expect("a BEGIN");
    assert!(commit - begin > 60, "{statements:?}");
    let is_near = |at: usize| at.abs_diff(commit) < 3 || at + 1 == statements.len();
    let stops = (0..statements.len()).filter(|at| at % step() == 0 || is_near(*at));
    let (mut killed, mut late) = (0, 0);
    for stop in stops {
        let copy = prepared.database.copied();
        let ran = prepared.kill_at(&copy, stop);
        assert_eq!(ran[..], statements[..=stop], "every run has the same statements");
        let is_executed = prepared.check(&copy, &untouched, &executed).await;
        assert_eq!(is_executed, stop > commit, "killed at {} on {engine:?}", statements[stop]);
        killed += 1;
        late += usize::from(is_executed);
    }
    assert!(late > 0, "one is killed after the COMMIT");
    assert!(step() > 1 || killed == statements.len());
}

#[tokio::test]
async fn of_an_execution_that_is_killed_everything_or_nothing_is_done_on_sqlite() {
    killed_on(databases::sqlite()).await;
}

#[tokio::test]
async fn of_an_execution_that_is_killed_everything_or_nothing_is_done_on_postgresql() {
    killed_on(databases::postgres()).await;
}

/// Executes the changeset of its task. At the statement at which it stops, it says so and waits to be killed.
#[tokio::test]
#[ignore = "the tests of this module start it as a process of its own"]
async fn the_process_that_is_killed() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let Ok(task) = std::env::var(TASK) else { return };
    let task: Json = serde_json::from_str(&task).unwrap();
    let text = |at: usize| task[at].as_str().expect("a string").to_owned();
    let stop = task[6].as_u64().expect("a number");
    let place = text(0);
    let options = if place.starts_with("postgres") {
        Options::Postgres { url: place, root_certificates: None, connections: 1 }
    } else {
        Options::Sqlite { folder: place.into() }
    };
    let store = databases::open(&options).await;
    assert!(store.engine() == Engine::Sqlite || text(0).contains("fieldhouse_test"));
    let session = RawCredential::Session {
        organization: text(1).parse().unwrap(),
        id: text(2).parse().unwrap(),
        expires_at: text(3).parse().unwrap(),
    };
    let scope = clubs::permitted_scope(&store, &session).await;
    runs::observe(move |name, stage: Stage| {
        let at = COUNT.fetch_add(1, Ordering::SeqCst) as u64;
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{STATEMENT}{name} {stage:?}");
        if at == stop {
            let _ = writeln!(out, "{STOPPED}");
            let _ = out.flush();
            loop {
                std::thread::park();
            }
        }
    });
    let command = Execute { id: text(4).parse().unwrap(), hash: text(5), hold: HOLD };
    // An hour later, so that ids do not repeat those of the process that prepared the changeset.
    assert!(!done(with(&store, scope, after(1), command).await).1);
}
