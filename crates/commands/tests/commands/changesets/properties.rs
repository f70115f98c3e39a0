//! Properties of changesets over random histories: a simulation leaves nothing but itself, an execution does what was simulated, an undo takes
//! back exactly that, and what others did meanwhile is kept.

mod ground;
mod picks;

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_domain::changesets::undo::ConflictKind;
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::Id as _;
use fieldhouse_store::Error as StoreError;
use fieldhouse_testing::databases::{self, Database};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use uuid::Uuid;

use super::*;
use ground::{Ground, Records, TABLES, different};
use picks::{Pick, picks};

/// How many histories are run on each engine in the long setting.
const LONG: u32 = 5_000;

/// How many histories are run on each engine.
fn cases() -> u32 {
    if let Ok(count) = std::env::var("FIELDHOUSE_HISTORIES") {
        return count.parse().expect("FIELDHOUSE_HISTORIES is a number");
    }
    if std::env::var_os("FIELDHOUSE_LONG_TESTS").is_some() { LONG } else { 250 }
}

/// How many histories one database holds, and one club: what is read must stay small.
const PER_DATABASE: u32 = 500;
const PER_CLUB: u32 = 20;
/// What a simulation may write.
const OF_CHANGESETS: [&str; 4] =
    ["changesets", "changeset_simulations", "changeset_effects", "changeset_events"];

/// A club in which histories happen, each a day after the one before, so that the risk of earlier ones does not count.
struct Place<'a> {
    ground: &'a Ground,
    league: League,
    second: Person,
    children: Vec<fieldhouse_domain::ids::ChildId>,
    now: Timestamp,
}

/// Why something was not undone: the kinds of the conflicts.
type Conflicts = BTreeSet<String>;

impl Place<'_> {
    fn author(&self) -> &Person {
        self.league.club.person(Role::Admin)
    }

    fn records(&self) -> Records {
        self.ground.records(self.league.club.id().uuid())
    }

    /// Runs a command, again if the machine was too busy for the time limit of a simulation.
    async fn at<C: Command + Clone>(&self, person: &Person, command: C) -> Result<C::Output, Error> {
        let mut tries = 0;
        loop {
            match at(&self.ground.store, person, self.now, command.clone()).await {
                Err(Error::Store(StoreError::Deadline(_))) if tries < 20 => tries += 1,
                done => return done,
            }
        }
    }

    /// Simulates a changeset, and checks that nothing else is written. Withdraws it if it has problems, and returns them.
    async fn simulated(&self, draft: &Shown) -> Result<Shown, Conflicts> {
        let id = draft.changeset.id;
        let mark = self.ground.mark();
        let simulated = self.at(self.author(), Simulate(id)).await.unwrap();
        let mut written = self.ground.written_since(mark);
        written.retain(|table| !OF_CHANGESETS.contains(&table.as_str()));
        assert!(written.is_empty(), "a simulation wrote to {written:?}");
        if simulated.changeset.simulation_hash.is_some() {
            return Ok(simulated);
        }
        self.at(self.author(), Withdraw { id, reason: None }).await.unwrap();
        let simulation = simulated.simulation.unwrap();
        let problems =
            simulation.problems.iter().map(|problem| format!("problem: {}", text(problem, "code")));
        Err(kinds(&simulation.conflicts).into_iter().chain(problems).collect())
    }

    /// Decides and executes a simulated changeset, and checks that it changes no other records than was simulated.
    async fn executed(&self, simulated: &Shown, before: &Records) -> Records {
        let id = simulated.changeset.id;
        let mut shown = self.at(self.author(), Submit(id)).await.unwrap();
        for approver in [self.league.club.owner(), &self.second] {
            if shown.changeset.state != ChangesetState::Approved {
                shown = self.at(approver, Approve { id, hash: hash(&shown) }).await.unwrap();
            }
        }
        done(self.at(self.author(), Execute { id, hash: hash(&shown), hold: HOLD }).await);
        let now = self.records();
        let changed: BTreeSet<Uuid> =
            before.keys().chain(now.keys()).copied().filter(|id| before.get(id) != now.get(id)).collect();
        let simulation = simulated.changeset.simulation_id.unwrap();
        let promised = self.ground.simulated(simulation.uuid());
        let unseen: Vec<_> = changed.difference(&promised).map(|id| (before.get(id), now.get(id))).collect();
        assert!(unseen.is_empty(), "changed and not simulated: {unseen:?}");
        now
    }

    async fn change(&self, picks: &[Pick], before: &Records) -> Option<(ChangesetId, Records)> {
        let operations = self.operations(picks, before);
        if operations.as_array().is_some_and(Vec::is_empty) {
            return None;
        }
        let draft = self.at(self.author(), create(&operations, DriftPolicy::Strict)).await.unwrap();
        let simulated = self.simulated(&draft).await.ok()?;
        Some((draft.changeset.id, self.executed(&simulated, before).await))
    }

    /// Undoes a changeset, at once if that is asked for and its risk permits it.
    async fn undone(
        &self,
        id: ChangesetId,
        quick: bool,
        before: &Records,
    ) -> Result<(ChangesetId, Records), Conflicts> {
        let author = self.author();
        fieldhouse_store::ledger::latest(&self.ground.store, &author.scope(&self.ground.store).await)
            .await
            .unwrap();
        if quick {
            let mark = self.ground.mark();
            let command = Undo { id, reason: None, quick, salt: salt(), hold: HOLD };
            match self.at(author, command).await {
                Ok(Executed::Done { shown, .. }) => return Ok((shown.changeset.id, self.records())),
                Err(Error::Refused(Refusal::Changeset(refused))) => {
                    let Refused::UndoConflict(conflicts) = *refused else { panic!("{refused:?}") };
                    let written = self.ground.written_since(mark);
                    assert!(written.is_empty(), "an undo in conflict wrote to {written:?}");
                    return Err(kinds(&conflicts));
                }
                // Its risk is too high, or it cannot be done at all.
                Err(Error::Refused(Refusal::State(_))) => {}
                other => panic!("{other:?}"),
            }
        }
        let of = UndoOf::Changeset { changeset_id: id };
        let draft = self.at(author, undo_of(of)).await.unwrap();
        let simulated = self.simulated(&draft).await?;
        Ok((draft.changeset.id, self.executed(&simulated, before).await))
    }

    /// Runs one history. Returns how far it came and what was in its way, for the count of what was proven.
    async fn run(&self, picks: &[Pick], later: &[Pick]) -> Vec<String> {
        let before = self.records();
        let quick = !picks[0].value.is_multiple_of(4);
        let Some((id, done)) = self.change(picks, &before).await else { return told("refused") };
        let later = if later.is_empty() { None } else { self.change(later, &done).await };
        let mut kinds: Vec<String> = different(&before, &done).into_iter().map(named).collect();
        if later.is_none() && kinds.is_empty() {
            // A role that is given twice, and is as it was: only who gave it differs, which no undo restores.
            let nothing = self.undone(id, quick, &done).await.map(drop);
            assert_eq!(nothing, Err(Conflicts::from(["problem: state".to_owned()])));
            return told("changed and changed back");
        }
        let Some((_, now)) = later else {
            let (undo, back) = match self.undone(id, quick, &done).await {
                Ok(done) => done,
                Err(why) => panic!("nothing happened since, and it cannot be undone: {why:?}"),
            };
            let differs = different(&before, &back);
            assert!(differs.is_empty(), "an undo is not exact: {differs:?}");
            let Ok((_, again)) = self.undone(undo, quick, &back).await else { panic!("it cannot be redone") };
            let differs = different(&done, &again);
            assert!(differs.is_empty(), "a redo is not exact: {differs:?}");
            kinds.extend(told("undone and redone"));
            return kinds;
        };
        let back = match self.undone(id, quick, &now).await {
            Ok((_, back)) => back,
            Err(conflicts) => {
                assert!(different(&now, &self.records()).is_empty(), "a conflict changed something");
                kinds.extend(told("in conflict").into_iter().chain(conflicts));
                return kinds;
            }
        };
        for (record, (kind, row)) in &now {
            let Some((_, was)) = done.get(record) else {
                assert_eq!(back.get(record), now.get(record), "a later {kind} is lost");
                continue;
            };
            for (field, value) in row.iter().filter(|(field, value)| was.get(*field) != Some(*value)) {
                let kept = back.get(record).and_then(|(_, row)| row.get(field));
                assert_eq!(kept, Some(value), "a later {field} of a {kind} is lost");
            }
        }
        for record in done.keys().filter(|record| !now.contains_key(*record)) {
            assert!(!back.contains_key(record), "what was deleted later comes back");
        }
        kinds.extend(told("undone below later changes"));
        kinds
    }
}

fn told(outcome: &str) -> Vec<String> {
    vec![outcome.to_owned()]
}

/// What happened to a record, in words.
fn named([before, after]: [Option<&(Kind, ground::Row)>; 2]) -> String {
    let verb = match (before, after) {
        (None, _) => "created",
        (_, None) => "deleted",
        _ => "changed",
    };
    format!("{}: {verb}", before.or(after).expect("a record").0)
}

fn text<'a>(json: &'a Json, field: &str) -> &'a str {
    json[field].as_str().expect("a string")
}

/// The kinds of conflicts.
fn kinds(conflicts: &[Json]) -> Conflicts {
    conflicts.iter().map(|conflict| text(conflict, "kind").to_owned()).collect()
}

fn histories_on(database: fn() -> Database) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut counted: BTreeMap<String, u32> = BTreeMap::new();
    for left in (0..cases()).step_by(PER_DATABASE as usize) {
        let ground = runtime.block_on(Ground::new(database()));
        let end = cases().min(left + PER_DATABASE);
        for first in (left..end).step_by(PER_CLUB as usize) {
            let place = std::cell::RefCell::new(runtime.block_on(ground.club(first)));
            let counts = std::cell::RefCell::new(&mut counted);
            let count = PER_CLUB.min(end - first);
            let config =
                Config { cases: count, max_shrink_iters: 0, failure_persistence: None, ..Config::default() };
            let histories = (picks(4), prop_oneof![1 => Just(Vec::new()), 3 => picks(2)]);
            let ran = TestRunner::new(config).run(&histories, |(picks, later)| {
                let mut place = place.borrow_mut();
                for outcome in runtime.block_on(place.run(&picks, &later)) {
                    *counts.borrow_mut().entry(outcome).or_default() += 1;
                }
                place.now = place.now.saturating_add(SignedDuration::from_hours(25)).unwrap();
                Ok(())
            });
            ran.unwrap();
        }
    }
    for outcome in ["refused", "undone and redone", "in conflict", "undone below later changes"] {
        assert!(counted.get(outcome).is_some_and(|count| *count >= cases() / 250), "{outcome}: {counted:#?}");
    }
    // Rare kinds and conflicts need many histories.
    if cases() < LONG {
        return;
    }
    for (_, kind) in TABLES {
        let is_changed = counted.keys().any(|outcome| outcome.starts_with(&format!("{kind}: ")));
        assert!(is_changed, "{kind}: {counted:#?}");
    }
    // The others are rare, and have a test each in `erased.rs`.
    let common = [
        ConflictKind::FieldChanged,
        ConflictKind::DeletedAfter,
        ConflictKind::EditedAfterCreate,
        ConflictKind::HasDependents,
    ];
    for kind in common {
        assert!(counted.contains_key(kind.name()), "{kind}: {counted:#?}");
    }
}

#[test]
fn histories_on_sqlite() {
    histories_on(databases::sqlite);
}

#[test]
fn histories_on_postgresql() {
    histories_on(databases::postgres);
}
