//! Changesets from the proposal to the undo, without HTTP.

mod drift;
mod erased;
mod kills;
mod once;
mod properties;

use fieldhouse_commands::changesets::{
    Approve, Create, Execute, Executed, Shown, Simulate, Submit, Undo, Withdraw,
};
use fieldhouse_commands::{Authority, Command, Error, WriteContext};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::{ChangesetState, DriftPolicy, Refused, UndoOf};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::games::Game;
use fieldhouse_domain::ids::ChangesetId;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::venues::Venue;
use fieldhouse_store::{OrgScope, Principal, Store, Tx};
use fieldhouse_testing::clubs::{self, Club, NOW, Person};
use fieldhouse_testing::leagues;
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value as Json, json};

const HOLD: SignedDuration = SignedDuration::from_secs(600);

/// Random bytes that differ from call to call.
fn salt() -> [u8; 16] {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    std::array::from_fn(|at| number[at % 8])
}

fn after(hours: i64) -> Timestamp {
    NOW.saturating_add(SignedDuration::from_hours(hours)).unwrap()
}

/// Runs a command of a member at a time.
async fn at<C: Command>(
    store: &Store,
    person: &Person,
    now: Timestamp,
    command: C,
) -> Result<C::Output, Error> {
    with(store, person.scope(store).await, now, command).await
}

/// Runs a command with a permission to read of its caller, at a time.
async fn with<C: Command>(
    store: &Store,
    scope: OrgScope,
    now: Timestamp,
    command: C,
) -> Result<C::Output, Error> {
    let requirement = C::OPERATION.row().expect("an operation of the API").requirement;
    let moment = clubs::moment_at(now);
    let run = store.write(C::OPERATION.id(), async move |tx: &mut Tx<'_>| {
        let moment = moment.again();
        let caller = Principal::Caller(&scope);
        let proof = tx.permit(caller, requirement, command.target(), moment.now()).await?;
        let cx = WriteContext::new(Authority::Organization(proof?), C::OPERATION, &moment);
        command.run(tx, &mut cx.of_request("request", None)).await
    });
    run.await
}

fn create(operations: &Json, drift_policy: DriftPolicy) -> Create {
    Create {
        title: Some(Name::stored("Winter draw".to_owned())),
        reason: None,
        operations: operations.as_array().expect("a list").clone(),
        undo: None,
        drift_policy,
        salt: salt(),
    }
}

fn undo_of(of: UndoOf) -> Create {
    Create { title: None, undo: Some(of), operations: Vec::new(), ..create(&json!([]), DriftPolicy::Strict) }
}

async fn propose(store: &Store, person: &Person, operations: &Json) -> Shown {
    at(store, person, NOW, create(operations, DriftPolicy::Strict)).await.unwrap()
}

async fn simulate(store: &Store, person: &Person, id: ChangesetId) -> Shown {
    at(store, person, NOW, Simulate(id)).await.unwrap()
}

fn problems(shown: &Shown) -> Vec<Json> {
    let simulation = shown.simulation.as_ref().expect("a simulation");
    simulation.problems.iter().chain(&simulation.conflicts).cloned().collect()
}

#[track_caller]
fn hash(shown: &Shown) -> String {
    shown.changeset.simulation_hash.clone().unwrap_or_else(|| panic!("problems: {:?}", problems(shown)))
}

/// Submits a simulated changeset and has the admin and then the owner approve it, as far as that is needed.
async fn decide(store: &Store, club: &Club, author: &Person, simulated: &Shown) -> Shown {
    let id = simulated.changeset.id;
    let mut shown = at(store, author, NOW, Submit(id)).await.unwrap();
    for role in [Role::Admin, Role::Owner] {
        if shown.changeset.state == ChangesetState::Approved {
            break;
        }
        let approve = Approve { id, hash: hash(&shown) };
        shown = at(store, club.person(role), NOW, approve).await.unwrap();
    }
    assert_eq!(shown.changeset.state, ChangesetState::Approved, "{:?}", shown.changeset.risk);
    shown
}

/// Proposes, simulates and decides a changeset of the manager.
async fn approved(store: &Store, club: &Club, operations: &Json, policy: DriftPolicy) -> Shown {
    let author = club.person(Role::Manager);
    let draft = at(store, author, NOW, create(operations, policy)).await.unwrap();
    let simulated = simulate(store, author, draft.changeset.id).await;
    decide(store, club, author, &simulated).await
}

async fn execute(store: &Store, person: &Person, shown: &Shown) -> Result<Executed, Error> {
    let command = Execute { id: shown.changeset.id, hash: hash(shown), hold: HOLD };
    at(store, person, NOW, command).await
}

#[track_caller]
fn done(executed: Result<Executed, Error>) -> (Shown, bool) {
    match executed {
        Ok(Executed::Done { shown, replayed }) => (shown, replayed),
        other => panic!("{other:?}"),
    }
}

/// What is different, if it was refused because records have changed.
#[track_caller]
fn stale(executed: Result<Executed, Error>) -> Vec<Json> {
    match executed {
        Ok(Executed::Refused(Refusal::Changeset(refused))) => match *refused {
            Refused::Stale { drifted } => drifted,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

/// Two teams and a venue with one field.
struct League {
    club: Club,
    season: fieldhouse_domain::seasons::Season,
    division: fieldhouse_domain::divisions::Division,
    home: fieldhouse_domain::teams::Team,
    away: fieldhouse_domain::teams::Team,
    venue: Venue,
    game: Game,
}

impl League {
    async fn found(store: &Store, name: &str) -> Self {
        let club = Club::found(store, name).await;
        let season = leagues::season("Winter");
        let division = leagues::division(&season, "U12");
        let [home, away] = ["Eagles", "Hawks"].map(|name| leagues::team(&division, name));
        let venue = leagues::venue("Oval");
        let game = Game {
            venue_id: Some(venue.id),
            ends_at: Some(after(201)),
            ..leagues::game(&division, home.id, away.id, after(200))
        };
        let all: Vec<AnyRecord> = vec![
            season.clone().into(),
            division.clone().into(),
            home.clone().into(),
            away.clone().into(),
            venue.clone().into(),
            game.clone().into(),
        ];
        club.create(store, all).await;
        Self { club, season, division, home, away, venue, game }
    }

    fn author(&self) -> &Person {
        self.club.person(Role::Manager)
    }
}

async fn withdraw(store: &Store, person: &Person, id: ChangesetId) {
    at(store, person, NOW, Withdraw { id, reason: None }).await.unwrap();
}
