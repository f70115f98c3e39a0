//! Changesets: proposing, simulating and deciding. Their execution is in `changesets/execution.rs`.

mod execution;
mod plan;
mod run;

use std::collections::BTreeSet;
use std::sync::Arc;

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::api_keys::ApiKeyKind;
use fieldhouse_domain::changesets::impact::Impact;
use fieldhouse_domain::changesets::life::{self, Approver, Person, Simulated, Terms};
use fieldhouse_domain::changesets::operations;
use fieldhouse_domain::changesets::outcome::{self, Digests, Net, Pin};
use fieldhouse_domain::changesets::risk::{self, Authored, Authorship, Candidate, Facts, NotApprover};
use fieldhouse_domain::changesets::undo::Resolved;
use fieldhouse_domain::changesets::{
    Author, Changeset, ChangesetEvent, ChangesetKind, ChangesetState, DriftPolicy, OPEN_PER_AGENT,
    OPEN_PER_AUTHOR, Refused, Schedule, UndoOf,
};
use fieldhouse_domain::children::classes;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChangesetId, ChildId, Id, OrganizationId, UserId};
use fieldhouse_domain::members::Member;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_store::changesets::{self, Origin, Simulation};
use fieldhouse_store::{Reader, Tx, api_keys, members, staff};
use jiff::Timestamp;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use crate::imports::{self, FileOptions};
use crate::repeated::again;
use crate::{Command, Error, WriteContext};

pub use execution::{Execute, Executed, RunScheduled, Undo};

use plan::{Planned, prepare, sees};
use run::{As, Ran, child_of, entitled, rehearse};

/// A changeset with its parts, as it is shown.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The changeset.
    pub changeset: Changeset,
    /// The operations; `None` for one about a child.
    pub operations: Vec<Option<Json>>,
    /// The latest simulation.
    pub simulation: Option<Simulation>,
    /// What it undoes.
    pub undo_of: Option<UndoOf>,
}

/// The parts of a changeset, to show them.
async fn shown<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: Changeset,
) -> Result<Shown, Error> {
    let organization = cx.organization()?.organization();
    read(tx, organization, changeset).await
}

/// The parts of a changeset that the caller may see.
pub async fn read(
    reader: &mut impl Reader,
    organization: OrganizationId,
    changeset: Changeset,
) -> Result<Shown, Error> {
    let mut operations = changesets::shown_operations(reader, organization, changeset.id).await?;
    let simulation = match changeset.simulation_id {
        Some(id) => changesets::simulation(reader, organization, id).await?,
        None => None,
    };
    let mut undo_of = None;
    if changeset.kind != ChangesetKind::Change {
        let origin = changesets::origin(reader, organization, changeset.id).await?;
        match changeset.kind {
            ChangesetKind::Undo => undo_of = Some(plan::undo_of(&origin)?),
            _ => operations.push(imports::shown(&origin)),
        }
    }
    Ok(Shown { changeset, operations, simulation, undo_of })
}

/// The changeset in the path, if the caller may see it.
async fn target<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: ChangesetId,
) -> Result<Changeset, Error> {
    let found: Changeset = cx.target(tx, id).await?;
    if sees(&found, cx.organization()?) { Ok(found) } else { Err(Error::not_found()) }
}

/// A changeset that is not in the path, if the caller may see it.
async fn visible<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: ChangesetId,
) -> Result<Changeset, Error> {
    let found: Option<Changeset> = cx.find(tx, id).await?;
    let proof = cx.organization()?;
    found.filter(|found| sees(found, proof)).ok_or_else(Error::not_found)
}

/// The person who acts.
fn person(cx: &WriteContext<'_, '_>) -> Result<Person, Error> {
    let proof = cx.organization()?;
    Ok(Person { user: cx.user()?, role: proof.role(), by_key: proof.actor().key.is_some() })
}

/// Writes the next state of a changeset and notes what happened.
async fn write<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: Changeset,
    after: Changeset,
    event: ChangesetEvent,
    reason: Option<&str>,
) -> Result<Changeset, Error> {
    let after = cx.update(tx, before, after).await?;
    if after.kind == ChangesetKind::Import && !after.state.is_open() {
        tx.drop_file(cx.organization()?, after.id).await?;
    }
    tx.note_event(cx.organization()?, &after, event, cx.moment.now(), reason).await?;
    Ok(after)
}

/// Proposes a changeset.
#[derive(Clone, Debug)]
pub struct Create {
    /// What it is.
    pub title: Option<Name>,
    /// Why.
    pub reason: Option<Reason>,
    /// The operations, unless it undoes something.
    pub operations: Vec<Json>,
    /// What it undoes.
    pub undo: Option<UndoOf>,
    /// What its execution does if records have changed.
    pub drift_policy: DriftPolicy,
    /// Random bytes for its ids and hashes.
    pub salt: [u8; 16],
}

impl Command for Create {
    const OPERATION: Operation = Operation::ChangesetCreate;
    type Output = Shown;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let changeset = Box::pin(propose(tx, cx, self)).await?;
        shown(tx, cx, changeset).await
    }
}

/// Creates a draft, within the limits of its author.
async fn propose<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    new: &Create,
) -> Result<Changeset, Error> {
    let author = author_within_limits(tx, cx).await?;
    let kind = if new.undo.is_some() { ChangesetKind::Undo } else { ChangesetKind::Change };
    let operations = if new.undo.is_some() { Vec::new() } else { operations::read(&new.operations)? };
    let title = match (&new.title, &new.undo) {
        (Some(title), _) => title.clone(),
        (None, Some(of)) => Name::stored(undo_title(tx, cx, of).await?),
        (None, None) => {
            let fix = "Send a few words that say what it does.";
            let missing = fieldhouse_domain::text::InvalidValue::new("required", "is missing", fix);
            return Err(Refusal::field("/title", missing).into());
        }
    };
    let mut changeset = Changeset::new(cx.moment, kind, author, title, new.reason.clone());
    changeset.drift_policy = new.drift_policy;
    changeset.operation_count = i64::try_from(operations.len()).unwrap_or(i64::MAX);
    if let Some(UndoOf::Changeset { changeset_id }) = new.undo {
        changeset.undo_of = Some(changeset_id);
    }
    let undo_of = new.undo.map(|of| json!(of).to_string());
    let origin = Origin { salt: new.salt, undo_of, resolutions: "[]".to_owned(), file_options: None };
    let changeset = begin(tx, cx, changeset, &origin, None).await?;
    let (who, _) = plan::author(tx, cx.organization()?, &changeset, cx.moment.now()).await?;
    if let Some(of) = new.undo {
        refuse_undo(tx, cx, &who, of).await?;
    }
    store_operations(tx, cx, &changeset, &who, (&operations, &new.operations)).await?;
    Ok(changeset)
}

/// Stores a new draft, and where its operations come from.
async fn begin<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    new: Changeset,
    origin: &Origin,
    file: Option<&str>,
) -> Result<Changeset, Error> {
    let changeset = cx.create(tx, new).await?;
    let proof = cx.organization()?;
    tx.create_origin(proof, changeset.id, origin, file).await?;
    tx.note_event(proof, &changeset, ChangesetEvent::Created, cx.moment.now(), None).await?;
    Ok(changeset)
}

/// Proposes the import of a league file, and simulates it.
#[derive(Clone, Debug)]
pub struct Import {
    /// What it is.
    pub title: Name,
    /// Why.
    pub reason: Option<Reason>,
    /// The file.
    pub content: Arc<str>,
    /// Its name.
    pub file_name: Option<Name>,
    /// How it is read.
    pub options: FileOptions,
    /// Random bytes for its ids and hashes.
    pub salt: [u8; 16],
}

impl Command for Import {
    const OPERATION: Operation = Operation::LeagueImport;
    type Output = Shown;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let author = author_within_limits(tx, cx).await?;
        let (title, reason) = (self.title.clone(), self.reason.clone());
        let mut changeset = Changeset::new(cx.moment, ChangesetKind::Import, author, title, reason);
        changeset.operation_count = 1;
        let file_options = Some(self.options.described(self.file_name.as_ref(), &self.content).to_string());
        let origin = Origin { salt: self.salt, undo_of: None, resolutions: "[]".to_owned(), file_options };
        let changeset = begin(tx, cx, changeset, &origin, Some(&self.content)).await?;
        let simulated = Box::pin(simulate(tx, cx, changeset)).await?;
        shown(tx, cx, simulated.changeset).await
    }
}

/// The title of an undo whose author gives none.
async fn undo_title<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, of: &UndoOf) -> Result<String, Error> {
    Ok(match of {
        UndoOf::Changeset { changeset_id } => {
            let title = visible(tx, cx, *changeset_id).await?.title.to_string();
            let start: String = title.chars().take(80).collect();
            format!("Undo: {start}")
        }
        UndoOf::Entry { entry } => format!("Undo the entry {entry}"),
        UndoOf::Key { key_id, since } => format!("Undo what the key {key_id} did since {since}"),
    })
}

/// Refuses an undo that is not possible at all, and one of a changeset that was undone before.
async fn refuse_undo<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    who: &As<'_>,
    of: UndoOf,
) -> Result<(), Error> {
    if let UndoOf::Changeset { changeset_id } = of {
        let undone = visible(tx, cx, changeset_id).await?;
        if undone.executed_at.is_none() {
            return Err(Refusal::State("only an executed changeset can be undone".to_owned()).into());
        }
        if let Some(by) = undone.undone_by {
            return Err(Refusal::State(format!("{by} has undone it. Undo that one to redo it")).into());
        }
    }
    plan::undone(tx, who, of).await.map(drop)
}

/// Who writes a changeset.
async fn acting_author<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Author, Error> {
    let (user, key) = (cx.user()?, cx.organization()?.actor().key);
    let is_agent = match key {
        Some(key) => {
            let held = api_keys::read(tx, cx.organization()?, key).await?;
            held.is_none_or(|held| held.key.kind == ApiKeyKind::Agent)
        }
        None => false,
    };
    Ok(Author { user, key, is_agent })
}

/// Who writes a new changeset, unless they have too many that are open.
async fn author_within_limits<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Author, Error> {
    let author = acting_author(tx, cx).await?;
    let of = (author.user, author.key);
    let (all, with_key) = tx.open_changesets(cx.organization()?, of, cx.moment.now()).await?;
    let limit = if author.is_agent && with_key >= OPEN_PER_AGENT {
        OPEN_PER_AGENT
    } else if all >= OPEN_PER_AUTHOR {
        OPEN_PER_AUTHOR
    } else {
        return Ok(author);
    };
    Err(Refusal::from(Refused::TooManyOpen { limit }).into())
}

/// Stores operations, sealed if they are about a child.
async fn store_operations<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    who: &As<'_>,
    (operations, bodies): (&[operations::Operation], &[Json]),
) -> Result<(), Error> {
    let mut stored: Vec<(Json, Option<ChildId>)> = Vec::with_capacity(operations.len());
    for (numbered, body) in operations.iter().enumerate().zip(bodies) {
        stored.push((body.clone(), child_of(tx, who, numbered).await?));
    }
    Ok(tx.replace_operations(cx.organization()?, changeset.id, &stored).await?)
}

/// Changes a changeset, as its author.
#[derive(Clone, Debug)]
pub struct Change {
    /// The changeset.
    pub id: ChangesetId,
    /// What it is.
    pub title: Option<Name>,
    /// Why.
    pub reason: Option<Option<Reason>>,
    /// The operations, which replace the earlier ones.
    pub operations: Option<Vec<Json>>,
    /// What its execution does if records have changed.
    pub drift_policy: Option<DriftPolicy>,
}

impl Command for Change {
    const OPERATION: Operation = Operation::ChangesetChange;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.id).await?;
        let mut after = life::ALL.edited(&before, person(cx)?, cx.moment.now())?;
        if let Some(title) = &self.title {
            after.title = title.clone();
        }
        if let Some(reason) = &self.reason {
            after.reason.clone_from(reason);
        }
        after.drift_policy = self.drift_policy.unwrap_or(after.drift_policy);
        edited_by(tx, cx, &mut after, self.operations.is_some()).await?;
        if let Some(bodies) = &self.operations {
            if before.kind != ChangesetKind::Change {
                let planned = "its operations are planned, not listed. Propose another changeset instead";
                return Err(Refusal::State(planned.to_owned()).into());
            }
            let operations = operations::read(bodies)?;
            after.operation_count = i64::try_from(operations.len()).unwrap_or(i64::MAX);
            let (who, _) = plan::author(tx, cx.organization()?, &after, cx.moment.now()).await?;
            store_operations(tx, cx, &before, &who, (&operations, bodies)).await?;
        }
        let after = write(tx, cx, before, after, ChangesetEvent::Edited, None).await?;
        shown(tx, cx, after).await
    }
}

/// Notes with which key a changeset was edited: what it may not do must not be executed in the name of another. Only someone who sends all
/// operations in a session takes the place of a key.
async fn edited_by<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &mut Changeset,
    replaces: bool,
) -> Result<(), Error> {
    let author = acting_author(tx, cx).await?;
    if author.key.is_some() || replaces {
        changeset.author_key_id = author.key;
    }
    changeset.by_agent |= author.is_agent;
    Ok(())
}

/// How the conflicts of an undo are resolved.
#[derive(Clone, Debug)]
pub struct Resolve {
    /// The changeset.
    pub id: ChangesetId,
    /// The resolutions, which replace earlier ones of the same conflicts.
    pub resolutions: Vec<Resolved>,
}

impl Command for Resolve {
    const OPERATION: Operation = Operation::ChangesetResolve;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.id).await?;
        if before.kind != ChangesetKind::Undo {
            return Err(Refusal::State("only an undo has conflicts to resolve".to_owned()).into());
        }
        let mut after = life::ALL.edited(&before, person(cx)?, cx.moment.now())?;
        edited_by(tx, cx, &mut after, false).await?;
        let origin = changesets::origin(tx, cx.organization()?.organization(), before.id).await?;
        let mut all = plan::resolutions(&origin)?;
        for resolved in &self.resolutions {
            all.resolve(resolved.clone());
        }
        tx.store_resolutions(cx.organization()?, before.id, &json!(all).to_string()).await?;
        let after = write(tx, cx, before, after, ChangesetEvent::Resolved, None).await?;
        let simulated = Box::pin(simulate(tx, cx, after)).await?;
        shown(tx, cx, simulated.changeset).await
    }
}

/// Simulates a changeset.
#[derive(Clone, Copy, Debug)]
pub struct Simulate(pub ChangesetId);

impl Command for Simulate {
    const OPERATION: Operation = Operation::ChangesetSimulate;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.0).await?;
        let simulated = Box::pin(simulate(tx, cx, before)).await?;
        shown(tx, cx, simulated.changeset).await
    }
}

/// The result of a simulation.
struct Outcome {
    changeset: Changeset,
    /// What it would do, if there are no problems.
    ran: Option<Ran>,
    planned: Planned,
}

/// What a rehearsal showed, in the form in which it is hashed and stored.
struct Findings {
    digests: Digests,
    impact: Json,
    conflicts: Vec<Json>,
    warnings: Vec<Json>,
    pins: BTreeSet<Pin>,
    hash: String,
}

fn findings(changeset: &Changeset, salt: &[u8; 16], ran: &Ran, planned: &Planned) -> Findings {
    let digests = Digests::of(salt, &ran.nets);
    let impact = json!(ran.impact);
    let conflicts: Vec<Json> = planned.conflicts.iter().map(|conflict| json!(conflict)).collect();
    let warnings = warnings(ran, planned);
    let (shown_conflicts, shown_warnings) = (Json::from(conflicts.clone()), Json::from(warnings.clone()));
    // Reviewers and families read the reason, and the policy decides what an execution tolerates.
    let said = json!([changeset.kind, changeset.title, changeset.reason, changeset.drift_policy]);
    let parts = [&said, &impact, &shown_conflicts, &shown_warnings];
    let hash = outcome::simulation_hash(salt, &digests.whole, &ran.pins, &parts);
    Findings { digests, impact, conflicts, warnings, pins: ran.pins.clone(), hash }
}

/// What a reviewer should know.
fn warnings(ran: &Ran, planned: &Planned) -> Vec<Json> {
    let impact = &ran.impact;
    let mut warnings = Vec::new();
    let mut warn = |code: &str, detail: String| warnings.push(json!({"code": code, "detail": detail}));
    if impact.double_bookings.count > 0 {
        warn("double_bookings", format!("{} games overlap with others", impact.double_bookings.count));
    }
    if impact.coach_clashes.count > 0 {
        let count = impact.coach_clashes.count;
        warn("coach_clashes", format!("{count} games overlap with others of the same staff"));
    }
    if ran.skipped > 0 {
        warn("bad_rows", format!("{} rows of the file are invalid and are not imported", ran.skipped));
    }
    if planned.overrides {
        warn("restores_anyway", "it overwrites what others have changed since".to_owned());
    }
    warnings
}

/// Simulates a changeset as its author and stores what it would do.
async fn simulate<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: Changeset,
) -> Result<Outcome, Error> {
    tx.limit_simulation();
    let now = cx.moment.now();
    let (who, mut planned) = prepare(tx, cx.organization()?, &before, now).await?;
    let (ran, mut problem) = match planned.problem.take() {
        Some(problem) => (None, Some(problem)),
        None if !planned.conflicts.is_empty() => (None, None),
        None => match rehearse(tx, &who, &planned.work).await? {
            Ok(ran) => (Some(ran), None),
            Err(problem) => (None, Some(problem)),
        },
    };
    // As when it takes too long, nothing is stored: no correction of a part would help.
    if let Some((_, error)) = problem.take_if(|(_, error)| is_too_large(error)) {
        return Err(error);
    }
    if let (Some((index, error)), ChangesetKind::Undo) = (&problem, before.kind)
        && let Some(conflict) = conflict_of(&planned, *index, error)
    {
        planned.conflicts.push(conflict);
        problem = None;
    }
    let ran = ran.filter(|ran| {
        if ran.nets.is_empty() {
            let nothing = Refusal::State("it changes nothing".to_owned());
            problem = Some((0, nothing.into()));
        }
        !ran.nets.is_empty()
    });
    let facts = json!({
        "restores_anyway": planned.overrides,
        "undoes_own_creation": planned.undoes_own_creation,
        "counted": ran.as_ref().map(|ran| risk::Counted::from(&ran.impact)),
        "own_team": match &ran {
            Some(ran) => is_of_own_teams(tx, &who, ran).await?,
            None => false,
        },
    });
    let found = ran.as_ref().map(|ran| findings(&before, &who.salt, ran, &planned));
    let hash = found.as_ref().map(|found| found.hash.clone());
    let is_same = hash.is_some() && hash == before.simulation_hash;
    let simulation_id = if let Some(same) = before.simulation_id.filter(|_| is_same) {
        tx.renew_simulation(cx.organization()?, same, now, &facts).await?;
        same
    } else {
        let problems: Vec<Json> = problem.iter().map(|(index, error)| planned.shown(*index, error)).collect();
        let conflicts = planned.conflicts.iter().map(|conflict| json!(conflict)).collect();
        let simulation = match &found {
            Some(found) => Simulation {
                id: cx.moment.id(),
                changeset: before.id,
                hash: hash.clone(),
                effect_digest: found.digests.whole.clone(),
                at: now,
                impact: found.impact.clone(),
                facts,
                pins: found.pins.clone(),
                conflicts: found.conflicts.clone(),
                warnings: found.warnings.clone(),
                problems: Vec::new(),
            },
            None => Simulation {
                id: cx.moment.id(),
                changeset: before.id,
                hash: None,
                effect_digest: String::new(),
                at: now,
                impact: json!({}),
                facts,
                pins: BTreeSet::new(),
                conflicts,
                warnings: Vec::new(),
                problems,
            },
        };
        let nets = ran.iter().flat_map(|ran| &ran.nets);
        let digests = found.iter().flat_map(|found| &found.digests.each);
        let nets: Vec<(&Net, &str)> = nets.zip(digests.map(String::as_str)).collect();
        tx.store_simulation(cx.organization()?, &simulation, &nets).await?;
        simulation.id
    };
    let operations = i64::try_from(planned.work.len()).unwrap_or(i64::MAX);
    let simulated = Simulated { id: simulation_id, hash, operations };
    let after = life::ALL.simulated(&before, &simulated, now)?;
    let changeset = write(tx, cx, before, after, ChangesetEvent::Simulated, None).await?;
    Ok(Outcome { changeset, ran, planned })
}

fn is_too_large(error: &Error) -> bool {
    matches!(error, Error::Refused(Refusal::Changeset(refused)) if matches!(**refused, Refused::TooLarge(_)))
}

/// Whether a changeset only touches teams of whose staff its author is today.
async fn is_of_own_teams(tx: &mut Tx<'_>, who: &As<'_>, ran: &Ran) -> Result<bool, Error> {
    let proof = run::permit(tx, who, Operation::GameRead, None).await?;
    let teams = staff::teams(tx, &proof, who.now).await?;
    Ok(risk::is_of_teams(&effects(ran), &teams))
}

/// The conflict that a refused step of an undo means.
fn conflict_of(
    planned: &Planned,
    index: usize,
    error: &Error,
) -> Option<fieldhouse_domain::changesets::undo::Conflict> {
    use fieldhouse_domain::changesets::undo::Conflict;
    let step = planned.steps.get(index)?;
    match error {
        Error::Refused(refusal) => Some(Conflict::refused(step, refusal)),
        Error::Store(fieldhouse_store::Error::Duplicate(_)) => Some(Conflict::taken(step)),
        _ => None,
    }
}

/// The facts of a changeset from which its risk follows, at a time.
fn facts(changeset: &Changeset, simulation: &Simulation, role: Role, now: Timestamp) -> Result<Facts, Error> {
    let impact: Impact = serde_json::from_value(simulation.impact.clone()).map_err(unreadable)?;
    let flag = |name: &str| simulation.facts.get(name).and_then(Json::as_bool).unwrap_or_default();
    let authored = Authored {
        own_team: role >= Role::Manager || flag("own_team"),
        // Only what a person proposes in a session needs no approval.
        by_agent: changeset.by_agent || changeset.author_key_id.is_some(),
        undoes_own_creation: flag("undoes_own_creation"),
        restores_anyway: usize::from(flag("restores_anyway")),
    };
    Ok(Facts::of(&impact, now, authored))
}

#[expect(clippy::needless_pass_by_value, reason = "it maps an error")]
fn unreadable(error: serde_json::Error) -> fieldhouse_store::Error {
    fieldhouse_store::Error::Internal(format!("changesets.simulation: {error}"))
}

/// What a submission requires now: the risk, with what the author proposed in the last 24 hours, and who could approve it. `impact` is what
/// it means now, if that is newer than the simulation.
async fn terms<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    impact: Option<&Impact>,
) -> Result<Terms, Error> {
    let (proof, now) = (cx.organization()?, cx.moment.now());
    let id = changeset.simulation_id.ok_or(Refusal::from(Refused::NotSimulated))?;
    let simulation = changesets::simulation(tx, proof.organization(), id).await?;
    let simulation = simulation.ok_or(Refusal::from(Refused::NotSimulated))?;
    let member = members::of_user(tx, proof, changeset.author_id).await?;
    let role = member.as_ref().map_or(Role::Viewer, |member| member.role);
    let day = now.saturating_sub(risk::COUNTED).unwrap_or(Timestamp::MIN);
    // Those that wait and were submitted later have counted this one.
    let is_submitted = matches!(changeset.state, ChangesetState::InReview | ChangesetState::Approved);
    let before = changeset.submitted_at.filter(|_| is_submitted).unwrap_or(Timestamp::MAX);
    let recent = tx.recent_facts(proof, changeset, [day, before]).await?;
    let mut earlier: Vec<Facts> = Vec::with_capacity(recent.len());
    for recent in recent {
        let recent: risk::Recent = serde_json::from_value(recent).map_err(unreadable)?;
        let undoes_own_creation = recent.undoes_own_creation;
        let own_team = role >= Role::Manager || recent.own_team;
        let authored = Authored { own_team, by_agent: false, undoes_own_creation, restores_anyway: 0 };
        earlier.push(Facts::of(recent.counted, now, authored));
    }
    let facts = facts(changeset, &simulation, role, now)?;
    let facts = impact.map_or(facts, |impact| facts.counting(impact, now)).with_earlier(&earlier);
    let risk = risk::risk(&facts);
    let required = risk::required(risk, changeset.by_agent, facts.restores_anyway > 0);
    let could = eligible(
        tx,
        cx,
        authorship(changeset.author_id, member.as_ref(), risk),
        [required.role, Role::Manager],
    );
    let could = could.await?;
    let settled = risk::settle(required, could[0], could[1]);
    let (approvals, role) = (i64::from(settled.approvals), settled.role);
    Ok(Terms { risk, approvals, role, reduced: settled.reduced })
}

/// How many people could approve changesets of an author, if each of these roles sufficed.
async fn eligible<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    authorship: Authorship<'_>,
    roles: [Role; 2],
) -> Result<[u32; 2], Error> {
    let active: Vec<Member> = members::active(tx, cx.organization()?, Role::Manager).await?;
    Ok(roles.map(|role| {
        let may = |member: &&Member| {
            risk::may_approve(&Candidate::of(member), authorship, role, cx.moment.now()).is_ok()
        };
        u32::try_from(active.iter().filter(may).count()).unwrap_or(u32::MAX)
    }))
}

/// Whether an organization has enough other people to approve what the caller would propose at a risk.
pub(crate) async fn approvers_suffice<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    risk: risk::Risk,
) -> Result<bool, Error> {
    let required = risk::required(risk, false, false);
    let author = cx.user()?;
    let member = members::of_user(tx, cx.organization()?, author).await?;
    let authorship = authorship(author, member.as_ref(), risk);
    let could = eligible(tx, cx, authorship, [required.role; 2]).await?;
    Ok(could[0] >= required.approvals)
}

/// Submits a changeset for review.
#[derive(Clone, Copy, Debug)]
pub struct Submit(pub ChangesetId);

impl Command for Submit {
    const OPERATION: Operation = Operation::ChangesetSubmit;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.0).await?;
        if before.simulation_hash.is_none() {
            return Err(Refusal::from(Refused::NotSimulated).into());
        }
        let terms = terms(tx, cx, &before, None).await?;
        let after = life::ALL.submitted(&before, person(cx)?, terms, cx.moment.now())?;
        let after = write(tx, cx, before, after, ChangesetEvent::Submitted, None).await?;
        shown(tx, cx, after).await
    }
}

/// Approves a simulation.
#[derive(Clone, Debug)]
pub struct Approve {
    /// The changeset.
    pub id: ChangesetId,
    /// The hash of the simulation that the approver saw.
    pub hash: String,
}

impl Command for Approve {
    const OPERATION: Operation = Operation::ChangesetApprove;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.id).await?;
        let (person, now) = (person(cx)?, cx.moment.now());
        let member = members::of_user(tx, cx.organization()?, person.user).await?;
        let author = members::of_user(tx, cx.organization()?, before.author_id).await?;
        let is_new = member.is_some_and(|member| is_new(&before, author.as_ref(), &member, now));
        let approver = Approver { person, is_new };
        // What only the state decides is checked first: it needs no rehearsal.
        life::ALL.approved(&before, approver, Ok(()), &self.hash, now)?;
        let entitled = Box::pin(may_approve(tx, cx, &before, person.user)).await?;
        let after = life::ALL.approved(&before, approver, entitled, &self.hash, now)?;
        let after = write(tx, cx, before, after, ChangesetEvent::Approved, None).await?;
        shown(tx, cx, after).await
    }

    again! { |self, tx, cx| current(tx, cx, self.id) }
}

/// What approvers are compared with.
fn authorship(author: UserId, member: Option<&Member>, risk: risk::Risk) -> Authorship<'static> {
    let known = member.map(Candidate::of);
    let role_given = known.and_then(|author| author.role_given_by.zip(author.role_given_at));
    Authorship { author, key_owner: None, editors: &[], role_given, risk }
}

/// Whether a member got their role so that the author could do it alone.
fn is_new(changeset: &Changeset, author: Option<&Member>, member: &Member, now: Timestamp) -> bool {
    let risk = changeset.risk.unwrap_or(risk::Risk::R3);
    let authorship = authorship(changeset.author_id, author, risk);
    let least = Role::Viewer;
    let refused = risk::may_approve(&Candidate::of(member), authorship, least, now);
    matches!(refused, Err(NotApprover::TooNew(_)))
}

/// A changeset as it is now.
async fn current<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, id: ChangesetId) -> Result<Shown, Error> {
    let found = visible(tx, cx, id).await?;
    shown(tx, cx, found).await
}

/// Whether a person may see every effect and do every operation of a changeset.
async fn may_approve<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    user: UserId,
) -> Result<Result<(), Refusal>, Error> {
    let (who, planned) = prepare(tx, cx.organization()?, changeset, cx.moment.now()).await?;
    may_approve_planned(tx, cx, changeset, &As { user, key: None, ..who }, &planned).await
}

/// Whether a person may see every effect of a changeset and do everything that is planned.
async fn may_approve_planned<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    who: &As<'_>,
    planned: &Planned,
) -> Result<Result<(), Refusal>, Error> {
    let Some(simulation) = changeset.simulation_id else { return Ok(Err(Refused::NotSimulated.into())) };
    let proof = cx.organization()?;
    let records = tx.simulated_records(proof, simulation).await?;
    let mut wanted = BTreeSet::new();
    for (kind, _, child, _) in records {
        let Some(child) = child else { continue };
        match classes::of_image(kind) {
            Some(class) => wanted.insert((class, child)),
            None => return Ok(Err(Refused::ContentNotVisible.into())),
        };
    }
    if !wanted.is_empty() {
        let own = match run::permit(tx, who, Operation::ChangesetApprove, Some(changeset.id.uuid())).await {
            Ok(own) => own,
            Err(Error::Denied(denial)) => return Ok(Err(Refusal::Forbidden(run::why(denial)))),
            Err(error) => return Err(error),
        };
        if !tx.sees_images(&own, &wanted).await? {
            return Ok(Err(Refused::ContentNotVisible.into()));
        }
    }
    Ok(match entitled(tx, who, &planned.work).await? {
        Ok(()) => Ok(()),
        Err((index, why)) => Err(Refused::Forbidden { index, why }.into()),
    })
}

/// A decision that depends only on the state of a changeset and on who makes it.
macro_rules! decision {
    ($(#[$doc:meta])* $name:ident $operation:ident $event:ident |$before:ident, $person:ident, $now:ident| $after:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub struct $name {
            /// The changeset.
            pub id: ChangesetId,
            /// Why.
            pub reason: Option<Reason>,
        }

        impl Command for $name {
            const OPERATION: Operation = Operation::$operation;
            type Output = Shown;

            fn target(&self) -> Option<Uuid> {
                Some(self.id.uuid())
            }

            async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
                let $before = target(tx, cx, self.id).await?;
                let ($person, $now) = (person(cx)?, cx.moment.now());
                let after = $after?;
                let reason = self.reason.as_ref().map(|reason| reason.as_str());
                if let Some(reason) = reason {
                    cx.because(reason);
                }
                let after = write(tx, cx, $before, after, ChangesetEvent::$event, reason).await?;
                shown(tx, cx, after).await
            }
        }
    };
}

decision! {
    /// Withdraws the caller's approval.
    Unapprove ChangesetUnapprove Unapproved |before, person, now| life::ALL.unapproved(&before, person, now)
}
decision! {
    /// Rejects a submitted changeset.
    Reject ChangesetReject Rejected |before, person, now| life::ALL.rejected(&before, person, now)
}
decision! {
    /// Withdraws a changeset.
    Withdraw ChangesetWithdraw Withdrawn |before, person, now| life::ALL.withdrawn(&before, person, now)
}

/// Schedules the execution of an approved changeset.
#[derive(Clone, Debug)]
pub struct SetSchedule {
    /// The changeset.
    pub id: ChangesetId,
    /// The hash and the time.
    pub schedule: Schedule,
}

impl Command for SetSchedule {
    const OPERATION: Operation = Operation::ChangesetSchedule;
    type Output = Shown;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Shown, Error> {
        let before = target(tx, cx, self.id).await?;
        let of = (self.schedule.simulation_hash.as_str(), self.schedule.at);
        let person = person(cx)?;
        let after = life::ALL.scheduled(&before, person, of, cx.moment.now())?;
        // The server executes it in their name.
        if person.user != before.author_id {
            Box::pin(may_approve(tx, cx, &before, person.user)).await??;
        }
        let after = write(tx, cx, before, after, ChangesetEvent::Scheduled, None).await?;
        shown(tx, cx, after).await
    }
}

/// Notes that the time of a changeset is over. Returns whether it was.
#[derive(Clone, Copy, Debug)]
pub struct Expire(pub ChangesetId);

impl Command for Expire {
    const OPERATION: Operation = Operation::ChangesetExpire;
    type Output = bool;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<bool, Error> {
        let Some(before) = cx.find::<Changeset>(tx, self.0).await? else { return Ok(false) };
        let Some(after) = life::ALL.expired(&before, cx.moment.now()) else { return Ok(false) };
        write(tx, cx, before, after, ChangesetEvent::Expired, None).await?;
        Ok(true)
    }
}

/// The effects of a run.
fn effects(ran: &Ran) -> Vec<Effect> {
    ran.nets.iter().map(|net| net.effect.clone()).collect()
}
