//! Running the operations of a changeset: the same commands as the direct routes, each with its own permission, in a part of the transaction
//! that is kept or rolled back as a whole.

mod permissions;
mod problems;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fieldhouse_api::Operation as Of;
use fieldhouse_domain::changesets::impact::Impact;
use fieldhouse_domain::changesets::operations::{Act, Operation};
use fieldhouse_domain::changesets::outcome::{self, Applied, Net, Pin};
use fieldhouse_domain::changesets::{MAX_EFFECTS, Refused};
use fieldhouse_domain::effects::{AnyRecord, Effect, Kind};
use fieldhouse_domain::games::{self as game_rules, Game};
use fieldhouse_domain::ids::{ApiKeyId, ChangesetId, Id, OrganizationId, UserId, VenueId};
use fieldhouse_domain::venues::Venue;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::{Error as StoreError, Principal, Tx, Watched, games};
use fieldhouse_store::{impact, records};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{Authority, Command, Error, WriteContext, imports};

pub(crate) use permissions::{child_of, entitled, permit, reads};
pub(crate) use problems::{shown, why};
pub(crate) use steps::{entry_now, read_ahead};

use problems::is_answer;
use steps::{Step, read_others_ahead};

/// As whom, and with which ids, operations run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct As<'a> {
    /// The organization.
    pub organization: OrganizationId,
    /// The person.
    pub user: UserId,
    /// The key that they used.
    pub key: Option<ApiKeyId>,
    /// The time of the change.
    pub now: Timestamp,
    /// The time in new ids: that of the changeset.
    pub dated: Timestamp,
    /// The random bytes from which new ids follow.
    pub salt: [u8; 16],
    /// Whether the operations undo something.
    pub undoes: bool,
    /// Why, for what follows from the operations.
    pub reason: Option<&'a str>,
}

impl As<'_> {
    fn principal(&self) -> Principal<'static> {
        Principal::Absent { organization: self.organization, user: self.user, key: self.key }
    }
}

/// Why operations cannot run.
#[derive(Debug)]
pub(crate) enum Broken {
    /// One of them is refused.
    Problem(usize, Error),
    /// The store failed.
    Store(StoreError),
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// What runs.
#[derive(Debug)]
pub(crate) enum Work {
    /// Operations, in their order.
    Operations(Vec<Operation>),
    /// The import of the file that is stored with a changeset.
    Import(ChangesetId),
}

impl Work {
    /// How many operations it has.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Operations(operations) => operations.len(),
            Self::Import(_) => 1,
        }
    }
}

/// What running it found besides its effects.
#[derive(Debug, Default)]
struct Aside {
    pins: Vec<Pin>,
    skipped: usize,
}

/// What operations did.
#[derive(Debug)]
pub(crate) struct Ran {
    /// What happens to each record in the end.
    pub nets: Vec<Net>,
    /// What was read and written.
    pub pins: BTreeSet<Pin>,
    /// What it means for people.
    pub impact: Impact,
    /// How many rows of a file are not imported, because they are invalid.
    pub skipped: usize,
}

/// Runs operations and rolls them back.
pub(crate) async fn rehearse(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    work: &Work,
) -> Result<Result<Ran, (usize, Error)>, Error> {
    let part = tx.savepoint("changesets.rehearse").await?;
    let ran = attempt(tx, who, work).await;
    let rolled: Result<(), RolledBack> = tx.end(part, Err(RolledBack::AsPlanned)).await;
    if let Err(RolledBack::Store(error)) = rolled {
        return Err(error.into());
    }
    sorted(ran)
}

/// Runs operations, and keeps what they do unless one is refused.
pub(crate) async fn carry_out(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    work: &Work,
    agrees: impl FnOnce(&Ran) -> bool,
) -> Result<Result<(Ran, bool), (usize, Error)>, Error> {
    let part = tx.savepoint("changesets.carry_out").await?;
    let ran = attempt(tx, who, work).await;
    match ran {
        Ok(ran) => {
            let is_agreed = agrees(&ran);
            let end = if is_agreed { Ok(()) } else { Err(RolledBack::AsPlanned) };
            match tx.end(part, end).await {
                Err(RolledBack::Store(error)) => Err(error.into()),
                _ => Ok(Ok((ran, is_agreed))),
            }
        }
        broken => {
            let rolled: Result<(), RolledBack> = tx.end(part, Err(RolledBack::AsPlanned)).await;
            match rolled {
                Err(RolledBack::Store(error)) => Err(error.into()),
                _ => sorted(broken).map(|ran| ran.map(|ran| (ran, false))),
            }
        }
    }
}

/// Why a part is rolled back.
enum RolledBack {
    AsPlanned,
    Store(StoreError),
}

impl From<StoreError> for RolledBack {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// Separates refusals from failures of the store.
fn sorted(ran: Result<Ran, Broken>) -> Result<Result<Ran, (usize, Error)>, Error> {
    match ran {
        Ok(ran) => Ok(Ok(ran)),
        Err(Broken::Store(error)) => Err(error.into()),
        Err(Broken::Problem(_, Error::Store(error))) if !is_answer(&error) => Err(error.into()),
        Err(Broken::Problem(index, error)) => Ok(Err((index, error))),
    }
}

/// The future is boxed, because it holds those of all commands.
fn attempt<'a, 'tx: 'a>(
    tx: &'a mut Tx<'tx>,
    who: &'a As<'_>,
    work: &'a Work,
) -> std::pin::Pin<Box<dyn Future<Output = Result<Ran, Broken>> + Send + 'a>> {
    Box::pin(watched(tx, who, work))
}

async fn watched(tx: &mut Tx<'_>, who: &As<'_>, work: &Work) -> Result<Ran, Broken> {
    tx.watch();
    let ran = match work {
        Work::Operations(operations) => run_all(tx, who, operations).await,
        Work::Import(changeset) => import(tx, who, *changeset).await,
    };
    let seen = tx.unwatch();
    let aside = ran?;
    let Watched { applied, read, .. } = seen;
    let nets = outcome::fold(applied);
    if nets.len() > MAX_EFFECTS {
        let large =
            Refused::TooLarge(format!("it has {} effects; {MAX_EFFECTS} are the maximum", nets.len()));
        return Err(Broken::Problem(work.len(), Refusal::from(large).into()));
    }
    let mut pins = outcome::pins(&read, &nets);
    pins.extend(aside.pins);
    let effects: Vec<Effect> = nets.iter().map(|net| net.effect.clone()).collect();
    let proof = permit(tx, who, Of::GameRead, None).await;
    let proof = proof.map_err(|error| Broken::Problem(work.len(), error))?;
    // What counts must not change by waiting, so it is what starts after the changeset was written.
    let impact = impact::of(tx, &proof, &effects, who.dated).await?;
    Ok(Ran { nets, pins, impact, skipped: aside.skipped })
}

/// Imports the file of a changeset, which is compared with the records as they are now. As in a direct import, games may overlap.
async fn import(tx: &mut Tx<'_>, who: &As<'_>, changeset: ChangesetId) -> Result<Aside, Broken> {
    let wrong = |error: Error| match error {
        Error::Store(error) if !is_answer(&error) => Broken::Store(error),
        error => Broken::Problem(0, error),
    };
    let file = Arc::new(imports::stored(tx, who.organization, changeset).await.map_err(wrong)?);
    let proof = permit(tx, who, Of::LeagueImport, None).await.map_err(wrong)?;
    tx.watch_operation(0);
    let pins = imports::pins(tx, &proof, &file).await.map_err(wrong)?;
    let command = imports::League { file, planned: None, dry_run: false };
    match perform(tx, who, 0, command, None).await.map_err(wrong)? {
        imports::Imported::Done(plan) => Ok(Aside { pins, skipped: plan.bad.len() }),
        imports::Imported::Refused(bad) => {
            let rows =
                format!("the file has invalid rows now: {}. Correct them, and propose it again", bad.len());
            Err(Broken::Problem(0, Refusal::State(rows).into()))
        }
        imports::Imported::Checked { .. } => Ok(Aside { pins, skipped: 0 }),
    }
}

/// Runs a command with its own permission.
async fn perform<C: Command>(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    index: usize,
    command: C,
    if_version: Option<i64>,
) -> Result<C::Output, Error> {
    let proof = permit(tx, who, C::OPERATION, command.target()).await?;
    let random = outcome::randomness(&who.salt, index);
    let moment = Moment::fixed(who.now, who.dated, random);
    let cx = WriteContext::new(Authority::Organization(proof), C::OPERATION, &moment);
    let mut cx = cx.of_operation(if_version, who.reason);
    Box::pin(command.run(tx, &mut cx)).await
}

async fn run_all(tx: &mut Tx<'_>, who: &As<'_>, operations: &[Operation]) -> Result<Aside, Broken> {
    let targets =
        operations.iter().filter_map(|operation| Some((operation.resource.kind(), operation.target()?)));
    read_ahead(tx, who, targets).await.map_err(|error| Broken::Problem(0, error))?;
    read_others_ahead(tx, who, operations).await.map_err(|error| Broken::Problem(0, error))?;
    let mut names = BTreeMap::new();
    for (index, operation) in operations.iter().enumerate() {
        let seen = tx.watch_operation(index);
        let step = Step { who, index, operation, undoes: who.undoes, names: &names };
        Box::pin(step.run(tx)).await.map_err(|error| Broken::Problem(index, error))?;
        if let Act::Create { name: Some(name), .. } = &operation.act {
            let kind = operation.resource.kind();
            let applied = tx.watched().map(|watched| &watched.applied[seen..]).unwrap_or_default();
            let created =
                applied.iter().find_map(|applied| match (&applied.effect.before, &applied.effect.after) {
                    (None, Some(record)) if record.kind() == kind => Some(record.id()),
                    _ => None,
                });
            names.extend(created.map(|id| (name.clone(), id)));
        }
    }
    Ok(Aside { pins: refuse_overlaps(tx, who, operations).await?, skipped: 0 })
}

/// Checks at the end that no game overlaps with another: only then do all games have their new places.
async fn refuse_overlaps(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    operations: &[Operation],
) -> Result<Vec<Pin>, Broken> {
    let is_of_game = |applied: &&Applied| applied.effect.record().is_some_and(|it| it.kind() == Kind::Game);
    let applied = tx.watched().into_iter().flat_map(|watched| &watched.applied);
    let nets = outcome::fold(applied.filter(is_of_game).cloned().collect());
    let mut around = Vec::new();
    let changed: BTreeSet<Uuid> =
        nets.iter().filter_map(|net| net.effect.record()).map(AnyRecord::uuid).collect();
    let moved: Vec<(&Game, usize)> = nets
        .iter()
        .filter_map(|net| match (&net.effect.before, &net.effect.after) {
            (None, Some(AnyRecord::Game(after))) => Some((&**after, net.operation)),
            (Some(AnyRecord::Game(before)), Some(AnyRecord::Game(after)))
                if game_rules::is_moved(before, after) =>
            {
                Some((&**after, net.operation))
            }
            _ => None,
        })
        .collect();
    if moved.is_empty() {
        return Ok(around);
    }
    let last = operations.len();
    let proof = permit(tx, who, Of::GameRead, None).await.map_err(|error| Broken::Problem(last, error))?;
    games::read_nearby_ahead(tx, &proof, moved.iter().map(|(game, _)| *game)).await?;
    let mut places: BTreeMap<VenueId, Option<Venue>> = BTreeMap::new();
    for (game, index) in moved {
        let venue = match game.venue_id {
            None => None,
            Some(id) => {
                if let std::collections::btree_map::Entry::Vacant(e) = places.entry(id) {
                    e.insert(records::read(tx, &proof, id).await?);
                }
                places.get(&id).and_then(Option::as_ref)
            }
        };
        let nearby = games::nearby(tx, &proof, game).await?;
        let others = nearby.iter().filter(|other| !changed.contains(&other.id.uuid()));
        let seen: Vec<String> = others.map(|other| format!("{}@{}", other.id, other.version)).collect();
        around.push(Pin {
            of: "games_nearby".to_owned(),
            id: game.id.to_string(),
            seen: (!seen.is_empty()).then(|| seen.join(" ")),
        });
        let conflicts = game_rules::conflicts(game, venue, &nearby);
        if conflicts.is_empty() {
            continue;
        }
        let allows = operations.get(index).is_some_and(|operation| {
            matches!(
                operation.act,
                Act::Create { allow_overlap: true, .. } | Act::Update { allow_overlap: true, .. }
            )
        });
        if !allows {
            return Err(Broken::Problem(index, Refusal::Overlap(conflicts).into()));
        }
    }
    Ok(around)
}
