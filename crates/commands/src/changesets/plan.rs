//! What a changeset is to do: its operations as they are stored, or as they are planned from the ledger for an undo.

use std::collections::{BTreeMap, BTreeSet};

use fieldhouse_api::Operation as Of;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::operations::{self, Act, Change, Changeable, Operation};
use fieldhouse_domain::changesets::undo::{self, Conflict, Resolutions, Step};
use fieldhouse_domain::changesets::{Changeset, ChangesetKind, Refused, UndoOf};
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{Id, UserId};
use fieldhouse_domain::kinds::records::{Division, Game, Member, Season, Staff, Team, Venue};
use fieldhouse_store::changesets::{Origin, origin};
use fieldhouse_store::ledger::{self, Reading, Undone, UndoneEntry};
use fieldhouse_store::records::{self, Stored};
use fieldhouse_store::{OrgWrite, Tx};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value as Json;
use uuid::Uuid;

use super::run::{As, Work, permit, reads, shown};
use crate::Error;

/// What a changeset is to do now.
#[derive(Debug)]
pub(crate) struct Planned {
    /// The operations, or the import.
    pub work: Work,
    /// For an undo: the step of each operation.
    pub steps: Vec<Step>,
    /// The conflicts of an undo with later changes.
    pub conflicts: Vec<Conflict>,
    /// Why it cannot be planned.
    pub problem: Option<(usize, Error)>,
    /// Whether an undo overwrites what others did.
    pub overrides: bool,
    /// Whether it undoes, within a day and by its author, what only created records that no one has changed since.
    pub undoes_own_creation: bool,
}

impl Planned {
    fn of(operations: Vec<Operation>) -> Self {
        Self::doing(Work::Operations(operations))
    }

    fn doing(work: Work) -> Self {
        Self {
            work,
            steps: Vec::new(),
            conflicts: Vec::new(),
            problem: None,
            overrides: false,
            undoes_own_creation: false,
        }
    }
}

/// As whom the operations of a changeset run.
pub(crate) async fn author<'tx, 'a>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    changeset: &'a Changeset,
    now: Timestamp,
) -> Result<(As<'a>, Origin), Error> {
    let origin = origin(tx, proof.organization(), changeset.id).await?;
    let who = As {
        organization: proof.organization(),
        user: changeset.author_id,
        key: changeset.author_key_id,
        now,
        dated: changeset.created_at,
        salt: origin.salt,
        undoes: changeset.kind == ChangesetKind::Undo,
        reason: changeset.reason.as_ref().map(|reason| reason.as_str()),
    };
    Ok((who, origin))
}

/// As whom the operations of a changeset run, and what they are now.
pub(crate) async fn prepare<'tx, 'a>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    changeset: &'a Changeset,
    now: Timestamp,
) -> Result<(As<'a>, Planned), Error> {
    let (who, origin) = author(tx, proof, changeset, now).await?;
    let planned = plan(tx, proof, changeset, &who, &origin).await?;
    Ok((who, planned))
}

async fn plan<'tx>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    changeset: &Changeset,
    who: &As<'_>,
    origin: &Origin,
) -> Result<Planned, Error> {
    match changeset.kind {
        ChangesetKind::Undo => plan_undo(tx, who, origin).await,
        ChangesetKind::Import => Ok(Planned::doing(Work::Import(changeset.id))),
        ChangesetKind::Change => {
            let stored = tx.operations_to_run(proof, changeset.id).await?;
            let mut bodies: Vec<Json> = Vec::with_capacity(stored.len());
            for (index, (body, _)) in stored.into_iter().enumerate() {
                let Some(body) = body else {
                    let gone = Refusal::State("the child's data was erased".to_owned());
                    let mut planned = Planned::of(Vec::new());
                    planned.problem = Some((index, gone.into()));
                    return Ok(planned);
                };
                bodies.push(body);
            }
            match operations::read(&bodies) {
                Ok(operations) => Ok(Planned::of(operations)),
                Err(refusal) => {
                    let mut planned = Planned::of(Vec::new());
                    planned.problem = Some((0, refusal.into()));
                    Ok(planned)
                }
            }
        }
    }
}

impl Planned {
    /// A problem as it is stored and shown: without details if it is about a child, because everyone who sees the changeset sees its problems.
    pub(crate) fn shown(&self, index: usize, error: &Error) -> Json {
        let Work::Operations(operations) = &self.work else { return shown(index, error, false) };
        let is_of_child = operations.get(index).is_some_and(|operation| {
            let listed = match &operation.act {
                Act::Delete { dependents, .. } => &dependents[..],
                _ => &[],
            };
            let mut all = listed.iter().map(|(resource, _)| *resource).chain([operation.resource]);
            all.any(|resource| resource == Changeable::RosterEntries)
        });
        shown(index, error, is_of_child)
    }
}

/// What an undo is about.
pub(crate) fn undo_of(origin: &Origin) -> Result<UndoOf, Error> {
    let text = origin.undo_of.as_deref().unwrap_or_default();
    serde_json::from_str(text)
        .map_err(|error| fieldhouse_store::Error::Internal(format!("changesets.source: {error}")).into())
}

/// How the conflicts of an undo are resolved.
pub(crate) fn resolutions(origin: &Origin) -> Result<Resolutions, Error> {
    serde_json::from_str(&origin.resolutions)
        .map_err(|error| fieldhouse_store::Error::Internal(format!("changesets.source: {error}")).into())
}

/// Reads from the ledger what is to be undone. Refuses what no changeset may change, and what is too old.
pub(crate) async fn undone(tx: &mut Tx<'_>, who: &As<'_>, of: UndoOf) -> Result<Vec<UndoneEntry>, Error> {
    let proof = permit(tx, who, Of::ChangesetUndo, None).await?;
    let what = match of {
        UndoOf::Changeset { changeset_id } => Undone::Changeset(changeset_id.uuid()),
        UndoOf::Entry { entry } => Undone::Entry(entry),
        UndoOf::Key { key_id, since } => Undone::Key { key: key_id, since },
    };
    let (entries, _) = match ledger::entries_of(tx, &proof, what).await? {
        Reading::Entries(entries, shown) => (entries, shown),
        Reading::TooMany => {
            let large = "it would undo more than 2,000 effects".to_owned();
            return Err(Refusal::from(Refused::TooLarge(large)).into());
        }
    };
    if entries.is_empty() {
        return Err(Error::not_found());
    }
    let kinds: Vec<Kind> = entries.iter().flat_map(UndoneEntry::kinds).collect();
    for resource in kinds.iter().filter_map(|kind| Changeable::of(*kind)).collect::<BTreeSet<_>>() {
        permit(tx, who, reads(resource), None).await?;
    }
    let foreign = undo::foreign(&kinds);
    if !foreign.is_empty() {
        let names = foreign.iter().map(ToString::to_string).collect();
        return Err(Refusal::from(Refused::NotChangeable(names)).into());
    }
    if entries.iter().any(|entry| who.now.duration_since(entry.at) > undo::UNDO_LIFE) {
        return Err(Refusal::from(Refused::UndoExpired).into());
    }
    if entries.iter().any(UndoneEntry::is_closed) {
        return Err(Refusal::from(Refused::ContentNotVisible).into());
    }
    Ok(entries)
}

async fn plan_undo(tx: &mut Tx<'_>, who: &As<'_>, origin: &Origin) -> Result<Planned, Error> {
    let entries = match undone(tx, who, undo_of(origin)?).await {
        Ok(entries) => entries,
        Err(error @ (Error::Refused(_) | Error::Denied(_))) => {
            let mut planned = Planned::of(Vec::new());
            planned.problem = Some((0, error));
            return Ok(planned);
        }
        Err(error) => return Err(error),
    };
    let done = undo::gather(entries.iter().flat_map(UndoneEntry::touches));
    super::run::read_ahead(tx, who, done.iter().map(|done| (done.kind, done.id))).await?;
    let mut current: Vec<AnyRecord> = Vec::new();
    for done in &done {
        current.extend(now(tx, who, done.kind, done.id, done.after.as_ref().or(done.before.as_ref())).await?);
    }
    let current: BTreeMap<(Kind, Uuid), AnyRecord> =
        current.into_iter().map(|record| ((record.kind(), record.uuid()), record)).collect();
    let find = |kind: Kind, id: Uuid| current.get(&(kind, id)).cloned();
    let plan = undo::plan(&done, find, &resolutions(origin)?);
    let operations: Vec<Operation> = plan.steps.iter().filter_map(operation).collect();
    let mut planned = Planned::of(operations);
    let day = SignedDuration::from_hours(24);
    let is_own =
        |entry: &UndoneEntry| entry.user_id == Some(who.user) && who.now.duration_since(entry.at) <= day;
    planned.undoes_own_creation = plan.conflicts.is_empty()
        && !plan.overrides
        && entries.iter().all(is_own)
        && done.iter().all(|done| done.before.is_none())
        && plan.steps.iter().all(|step| matches!(step, Step::Delete(_)));
    planned.overrides = plan.overrides;
    planned.conflicts = plan.conflicts;
    planned.steps = plan.steps;
    Ok(planned)
}

/// The operation of a step.
fn operation(step: &Step) -> Option<Operation> {
    let record = step.record();
    let resource = Changeable::of(record.kind())?;
    let act = match step {
        Step::Delete(record) => Act::Delete { id: record.uuid(), if_version: None, dependents: Vec::new() },
        Step::Update { record, set } => Act::Update {
            id: record.uuid(),
            if_version: None,
            change: Change::Set(set.clone()),
            // What is restored was there before.
            allow_overlap: false,
        },
        Step::Restore(record) => Act::Restore(Box::new(record.clone())),
    };
    Some(Operation { resource, act })
}

async fn of_kind<'tx, S: Stored>(
    tx: &mut Tx<'tx>,
    proof: &OrgWrite<'tx>,
    id: Uuid,
) -> Result<Option<AnyRecord>, Error> {
    let found: Option<S> = records::read(tx, proof, S::Id::from_uuid(id)).await?;
    Ok(found.map(Into::into))
}

/// A record as it is now.
async fn now(
    tx: &mut Tx<'_>,
    who: &As<'_>,
    kind: Kind,
    id: Uuid,
    known: Option<&AnyRecord>,
) -> Result<Option<AnyRecord>, Error> {
    let proof = permit(tx, who, Of::ChangesetUndo, None).await?;
    Ok(match kind {
        Kind::Season => of_kind::<Season>(tx, &proof, id).await?,
        Kind::Division => of_kind::<Division>(tx, &proof, id).await?,
        Kind::Team => of_kind::<Team>(tx, &proof, id).await?,
        Kind::Venue => of_kind::<Venue>(tx, &proof, id).await?,
        Kind::Game => of_kind::<Game>(tx, &proof, id).await?,
        Kind::Staff => of_kind::<Staff>(tx, &proof, id).await?,
        Kind::Member => of_kind::<Member>(tx, &proof, id).await?,
        Kind::RosterEntry => match known {
            Some(AnyRecord::RosterEntry(entry)) => super::run::entry_now(tx, who, entry).await?,
            _ => None,
        },
        _ => None,
    })
}

/// Whether a person is the author of a changeset or may see it as a manager.
pub(crate) fn sees(changeset: &Changeset, proof: &OrgWrite<'_>) -> bool {
    let is_author = |user: UserId| user == changeset.author_id;
    proof.role() >= fieldhouse_domain::roles::Role::Manager || proof.actor().user.is_some_and(is_author)
}
