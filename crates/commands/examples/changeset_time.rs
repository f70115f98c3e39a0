//! How long a changeset of 500 operations takes to simulate, to execute and to undo, and how long each of them holds SQLite's only writer.
//!
//! `cargo run --release -p fieldhouse-commands --example changeset_time` measures SQLite; with the argument `postgresql`, the server that
//! `cargo xtask postgres` starts. The operations move 283 games by an hour and create 217 venues. On a busy machine the processor's time is
//! the number to compare. A debug build counts statements too.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fieldhouse_commands::changesets::{Approve, Create, Execute, Executed, Shown, Simulate, Submit};
use fieldhouse_commands::{Authority, Command, WriteContext};
use fieldhouse_domain::changesets::{ChangesetState, DriftPolicy, UndoOf};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::ChangesetId;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::staff::{Staff, StaffState};
use fieldhouse_domain::text::Name;
use fieldhouse_store::{Principal, Store, Tx};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::{databases, leagues};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

const OPERATIONS: usize = 500;
const GAMES: usize = 283;
const ROUNDS: usize = if cfg!(debug_assertions) { 1 } else { 9 };
const STEPS: [&str; 4] = ["simulate", "execute", "simulate the undo", "execute the undo"];

/// How long a step took, for how long of it its transaction was open, and how much of the processor it used.
type Times = [Duration; 3];

/// The time that all threads of this process have used of the processors; zero if the system does not say.
fn processor_time() -> Duration {
    let threads = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let used = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.path().join("schedstat")).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(used.sum())
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
async fn main() {
    let on_server = std::env::args().nth(1).is_some_and(|engine| engine == "postgresql");
    let database = if on_server { databases::postgres() } else { databases::sqlite() };
    let store = &database.open().await;
    let (club, games) = league(store).await;
    #[cfg(debug_assertions)]
    statements::observe();
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        rounds.push(round(store, &club, &games).await);
    }
    println!("{:<20}{:>10}{:>14}{:>12}", "medians in ms", "took", "held writer", "processor");
    for (at, step) in STEPS.into_iter().enumerate() {
        let median = |of: usize| {
            let mut times: Vec<Duration> = rounds.iter().map(|round| round[at][of]).collect();
            times.sort();
            times[ROUNDS / 2].as_secs_f64() * 1000.0
        };
        println!("{step:<20}{:>10.1}{:>14.1}{:>12.1}", median(0), median(1), median(2));
    }
}

/// A club with a season of 10 divisions, 6 teams in each, and as many games as the changeset moves.
async fn league(store: &Store) -> (Club, Vec<Game>) {
    let club = Club::found(store, "Bench").await;
    let season = leagues::season("Winter");
    let divisions: Vec<_> = (0..10).map(|number| leagues::division(&season, &format!("U{number}"))).collect();
    let teams: Vec<_> = divisions
        .iter()
        .flat_map(|division| (0..6).map(|number| leagues::team(division, &format!("Team {number}"))))
        .collect();
    let venues: Vec<_> = (0..10).map(|number| leagues::venue(&format!("Park {number}"))).collect();
    let coach = club.person(Role::Coach).user.id;
    let staff = teams.iter().step_by(5).map(|team| Staff {
        state: StaffState::Confirmed,
        confirmed_at: Some(NOW),
        ..leagues::staff(team, coach)
    });
    let games: Vec<Game> = (0..GAMES)
        .map(|number| {
            let (division, pair, week) = (number % 10, number / 10 % 3, number / 30);
            let hours = 200 + 168 * week + 2 * pair;
            let starts_at = later(NOW, i64::try_from(hours).unwrap_or_default());
            let (home, away) = (&teams[division * 6 + pair], &teams[division * 6 + pair + 3]);
            Game {
                venue_id: Some(venues[division].id),
                ends_at: Some(later(starts_at, 1)),
                ..leagues::game(&divisions[division], home.id, away.id, starts_at)
            }
        })
        .collect();
    let mut all: Vec<AnyRecord> = vec![season.clone().into()];
    all.extend(divisions.iter().cloned().map(AnyRecord::from));
    all.extend(teams.iter().cloned().map(AnyRecord::from));
    all.extend(venues.iter().cloned().map(AnyRecord::from));
    all.extend(games.iter().cloned().map(AnyRecord::from));
    all.extend(staff.map(AnyRecord::from));
    club.create(store, all).await;
    (club, games)
}

fn later(at: Timestamp, hours: i64) -> Timestamp {
    at.saturating_add(SignedDuration::from_hours(hours)).unwrap_or(at)
}

/// Moves all games and creates venues; then undoes it, so that each round starts from the same records.
async fn round(store: &Store, club: &Club, games: &[Game]) -> [Times; 4] {
    let moved = games.iter().map(|game| {
        let set =
            json!({"starts_at": later(game.starts_at, 1), "ends_at": game.ends_at.map(|at| later(at, 1))});
        json!({"op": "update", "resource": "games", "id": game.id, "set": set, "allow_overlap": true})
    });
    let created = (games.len()..OPERATIONS).map(|number| {
        json!({"op": "create", "resource": "venues", "data": {"name": format!("Bench {number}"), "time_zone": "UTC"}})
    });
    let operations: Vec<Json> = moved.chain(created).collect();
    let (id, [simulating, executing]) = life(store, club, [STEPS[0], STEPS[1]], new(operations, None)).await;
    let undo = new(Vec::new(), Some(UndoOf::Changeset { changeset_id: id }));
    let (_, [undo_simulating, undo_executing]) = life(store, club, [STEPS[2], STEPS[3]], undo).await;
    [simulating, executing, undo_simulating, undo_executing]
}

fn new(operations: Vec<Json>, undo: Option<UndoOf>) -> Create {
    let title = Some(Name::stored("All an hour later".to_owned()));
    let salt = clubs::moment().id::<ChangesetId>();
    let salt = *fieldhouse_domain::ids::Id::uuid(salt).as_bytes();
    Create { title, reason: None, operations, undo, drift_policy: DriftPolicy::Strict, salt }
}

/// Proposes a changeset, has it approved, and executes it. Returns its id, and the times of its simulation and its execution.
async fn life(store: &Store, club: &Club, steps: [&str; 2], new: Create) -> (ChangesetId, [Times; 2]) {
    let author = club.person(Role::Manager);
    // An undo reads the ledger.
    store.post(club.id()).await.expect("the ledger is written");
    let (draft, _) = run(store, author, "propose", new).await;
    let id = draft.changeset.id;
    let (simulated, simulating) = run(store, author, steps[0], Simulate(id)).await;
    let hash = simulated.changeset.simulation_hash.clone();
    let hash = hash.unwrap_or_else(|| panic!("{}: {:?}", steps[0], simulated.simulation));
    let (mut shown, _): (Shown, _) = run(store, author, "submit", Submit(id)).await;
    for role in [Role::Admin, Role::Owner] {
        if shown.changeset.state == ChangesetState::InReview {
            let approve = Approve { id, hash: hash.clone() };
            shown = run(store, club.person(role), "approve", approve).await.0;
        }
    }
    let execute = Execute { id, hash, hold: SignedDuration::from_secs(600) };
    let (executed, executing) = run(store, author, steps[1], execute).await;
    assert!(matches!(executed, Executed::Done { replayed: false, .. }), "{executed:?}");
    (id, [simulating, executing])
}

/// Runs a command of a member, as a request does.
async fn run<C: Command>(store: &Store, person: &Person, step: &str, command: C) -> (C::Output, Times) {
    let scope = person.scope(store).await;
    let requirement = C::OPERATION.row().expect("an operation of the API").requirement;
    let moment = clubs::moment();
    let begun = Arc::new(Mutex::new(Instant::now()));
    let own = begun.clone();
    let (started, used) = (Instant::now(), processor_time());
    let written = store.write(C::OPERATION.id(), async move |tx: &mut Tx<'_>| {
        *own.lock().expect("no panic") = Instant::now();
        let moment = moment.again();
        let caller = Principal::Caller(&scope);
        let proof = tx.permit(caller, requirement, command.target(), moment.now()).await?;
        let cx = WriteContext::new(Authority::Organization(proof?), C::OPERATION, &moment);
        command.run(tx, &mut cx.of_request("request", None)).await
    });
    let output = written.await.unwrap_or_else(|error| panic!("{step}: {error:?}"));
    let used = processor_time().saturating_sub(used);
    let times = [started.elapsed(), begun.lock().expect("no panic").elapsed(), used];
    #[cfg(debug_assertions)]
    statements::report(step);
    (output, times)
}

/// The statements of each step, by their names.
#[cfg(debug_assertions)]
mod statements {
    use std::collections::BTreeMap;
    use std::sync::Mutex;

    use fieldhouse_store::query::runs::{self, Stage};

    static COUNTS: Mutex<BTreeMap<&'static str, usize>> = Mutex::new(BTreeMap::new());

    pub(super) fn observe() {
        runs::observe(|name, stage| {
            if let (Stage::Before, Ok(mut counts)) = (stage, COUNTS.lock()) {
                *counts.entry(name).or_default() += 1;
            }
        });
    }

    /// Prints the statements since the last report.
    #[expect(clippy::print_stdout, reason = "a program that prints its measurements")]
    pub(super) fn report(step: &str) {
        let counts = COUNTS.lock().map(|mut counts| std::mem::take(&mut *counts)).unwrap_or_default();
        println!("{step}: {} statements", counts.values().sum::<usize>());
        let mut often: Vec<_> = counts.into_iter().filter(|(_, count)| *count > 5).collect();
        often.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (name, count) in often {
            println!("{count:>8} {name}");
        }
    }
}
