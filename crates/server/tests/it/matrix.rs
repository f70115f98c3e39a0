//! The matrix: every operation with every kind of caller, on both engines.
//!
//! `matrix/expectation.txt` contains the expected results; it is written by hand, independent of the operation table. `matrix/outcome.txt`
//! contains the actual results in reverse, with the details of refusals. It is a snapshot, rewritten with `FIELDHOUSE_UPDATE=1`, so that a
//! change of policy shows as a readable diff.
//!
//! A new operation gets a line in the expectation and a request in `matrix/samples.rs`. A new kind of caller gets a column, and an arm in
//! `matrix/callers.rs`.

mod callers;
mod columns;
mod expectation;
pub(crate) mod relations;
mod samples;

use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::path::Path;

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_server::Clock;
use fieldhouse_server::auth::limits::LimitOptions;
use fieldhouse_store::members;
use fieldhouse_testing::clubs;
use fieldhouse_testing::databases::both;
use serde_json::Value;

use self::callers::{CALLERS, ChangedCallers, Fixtures};
use self::expectation::Expectation;
use self::samples::{Stage, sample};
use crate::support::{Answer, Club, row};

/// The parsed expectation.
pub(crate) fn expectation() -> Expectation {
    Expectation::parse(include_str!("matrix/expectation.txt"))
}

/// The results of one operation by caller, in the order of [`CALLERS`].
struct Outcome {
    operation: Operation,
    answers: Vec<Answer>,
}

fn verdict(answer: &Answer) -> String {
    format!("{} {}", answer.status, answer.code()).trim_end().to_owned()
}

/// The verdict, with what a refusal requires.
fn full_verdict(answer: &Answer) -> String {
    let wanted = ["required_role", "required_scope"].map(|name| answer.body[name].as_str());
    let wanted: Vec<_> = wanted.into_iter().flatten().collect();
    format!("{} {}", verdict(answer), wanted.join(" ")).trim_end().to_owned()
}

async fn run(club: &Club) -> Vec<Outcome> {
    let neighbours: OrganizationId = {
        let answer = club.neighbours().await.get("/api/v1/organization").await;
        answer.id().parse().expect("an organization's id")
    };
    let (changed, stage) = (ChangedCallers::of(club).await, Stage::set(club).await);
    let keep = owners(club).await;
    let mut outcomes = Vec::new();
    for operation in Operation::ROUTES.iter().copied() {
        let mut fixtures = Fixtures::new(club, neighbours).await;
        let mut requests = Vec::new();
        for kind in CALLERS {
            let caller = fixtures.add(club, &changed, kind);
            let sample = sample(operation, club, &stage, (kind, &caller), &mut fixtures).await;
            requests.push((caller, sample));
        }
        fixtures.write().await;
        // On PostgreSQL, a reader of history waits half a second for what is not posted yet.
        club.app.store.post_everything().await.expect("the ledger");
        let mut answers = Vec::new();
        for (caller, sample) in requests {
            answers.push(sample.send(&caller).await);
        }
        outcomes.push(Outcome { operation, answers });
        demote_owners(club, &keep).await;
    }
    outcomes
}

/// The memberships of the owners of the club.
async fn owners(club: &Club) -> Vec<Member> {
    let found = clubs::write(&club.app.store, club.organization, async move |tx, proof| {
        members::active(tx, proof, Role::Owner).await
    });
    found.await.expect("the owners")
}

/// Makes owners viewers, except those to keep. Many operations tell every owner by mail, and each operation has new ones among its callers.
async fn demote_owners(club: &Club, keep: &[Member]) {
    let is_kept = |owner: &Member| keep.iter().any(|kept| kept.id == owner.id);
    let moment = clubs::moment();
    let demoted =
        |owner: Member| Effect::update(&moment, owner.clone(), Member { role: Role::Viewer, ..owner });
    let owners = owners(club).await.into_iter().filter(|owner| !is_kept(owner));
    let effects = owners.filter_map(demoted).collect();
    clubs::apply(&club.app.store, club.organization, effects).await.expect("viewers");
}

/// Results that differ from the expectation.
fn differences(expectation: &Expectation, outcomes: &[Outcome]) -> Vec<String> {
    let mut differences = Vec::new();
    for Outcome { operation, answers } in outcomes {
        let expected = &expectation.rows[operation.id()];
        for ((caller, expected), answer) in CALLERS.iter().zip(expected).zip(answers) {
            let came = verdict(answer);
            if came != *expected {
                let id = operation.id();
                let text = answer.text.chars().take(400).collect::<String>();
                differences.push(format!("{id} by {caller}: {expected} was expected, {came} came: {text}"));
            }
        }
    }
    differences
}

/// Refusals that the OpenAPI document does not declare.
fn undeclared(document: &Value, outcomes: &[Outcome]) -> Vec<String> {
    let mut found = Vec::new();
    for Outcome { operation, answers } in outcomes {
        let method = row(operation).method.name().to_lowercase();
        let responses = &document["paths"][row(operation).path][method]["responses"];
        for answer in answers.iter().filter(|answer| !answer.code().is_empty()) {
            let announced = responses[answer.status.to_string()]["description"].as_str().unwrap_or_default();
            if !announced.contains(&format!("`{}`", answer.code())) {
                found.push(format!("{}: {}", operation.id(), verdict(answer)));
            }
        }
    }
    found.dedup();
    found
}

/// The results by operation and verdict, each with all its callers.
fn listing(outcomes: &[Outcome]) -> String {
    let mut text = String::from(
        "The result of every operation with every kind of caller, on both engines. The callers are explained in expectation.txt.\n\
         Rewritten with FIELDHOUSE_UPDATE=1; review the difference.\n",
    );
    for Outcome { operation, answers } in outcomes {
        let method = row(operation).method.name();
        let mut verdicts: Vec<(String, Vec<&str>)> = Vec::new();
        for (caller, answer) in CALLERS.iter().zip(answers) {
            let verdict = full_verdict(answer);
            match verdicts.iter_mut().find(|(known, _)| *known == verdict) {
                Some((_, callers)) => callers.push(caller),
                None => verdicts.push((verdict, vec![caller])),
            }
        }
        verdicts.sort();
        // Writing to a string does not fail.
        let _ = writeln!(text, "\n{} {method} {}", operation.id(), row(operation).path);
        for (verdict, callers) in verdicts {
            let everyone = callers.len() == CALLERS.len();
            let callers = if everyone { "everyone".to_owned() } else { callers.join(" ") };
            let _ = writeln!(text, "    {verdict:<44}{callers}");
        }
    }
    text
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_with_every_kind_of_caller() {
    let expectation = expectation();
    assert_eq!(expectation.callers, CALLERS, "the callers of expectation.txt");
    let ids = Operation::ROUTES.iter().map(|operation| operation.id());
    let mut ids: Vec<_> = ids.collect();
    ids.sort_unstable();
    let rows: Vec<_> = expectation.rows.keys().map(String::as_str).collect();
    assert_eq!(rows, ids, "expectation.txt must have one line for every operation");
    let plenty = NonZeroU32::new(1_000_000).expect("not zero");
    let limits = LimitOptions {
        key: plenty,
        user: plenty,
        organization: plenty,
        address: plenty,
        sign_in: plenty,
        refresh: plenty,
        guests: plenty,
        ..LimitOptions::default()
    };
    for database in both() {
        let engine = database.engine();
        let club = Club::open(database, limits, Clock::system()).await;
        let outcomes = run(&club).await;
        let differences = differences(&expectation, &outcomes);
        assert!(differences.is_empty(), "on {engine:?}:\n{}", differences.join("\n"));
        let document = club.anonymous().get("/openapi.json").await.body;
        let undeclared = undeclared(&document, &outcomes);
        assert!(undeclared.is_empty(), "/openapi.json does not declare:\n{}", undeclared.join("\n"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/matrix/outcome.txt");
        let listing = listing(&outcomes);
        if std::env::var_os("FIELDHOUSE_UPDATE").is_some() {
            std::fs::write(&path, &listing).expect("the outcome can be written");
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == listing, "on {engine:?} outcome.txt would be:\n{listing}");
    }
}
