//! The execution of changesets, exactly once; and undo.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::impact::Impact;
use fieldhouse_domain::changesets::life::{self, Person, Terms};
use fieldhouse_domain::changesets::outcome;
use fieldhouse_domain::changesets::risk::{self, Risk};
use fieldhouse_domain::changesets::{
    Changeset, ChangesetEvent, ChangesetState, DriftPolicy, QUICK_UNDO, Refused, UndoOf,
};
use fieldhouse_domain::effects::{AnyRecord, Kind};
use fieldhouse_domain::ids::{ChangesetId, Id};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::Reason;
use fieldhouse_store::changesets;
use fieldhouse_store::{Attribution, Tx, members};
use jiff::SignedDuration;
use serde_json::{Value as Json, json};
use uuid::Uuid;

use super::plan::{Planned, prepare};
use super::run::{As, carry_out, why};
use super::{Create, Shown, current, effects, facts, may_approve_planned, person, propose, shown, simulate};
use super::{target, terms, write};
use crate::repeated::again;
use crate::{Command, Error, WriteContext};

/// Executes an approved changeset.
#[derive(Clone, Debug)]
pub struct Execute {
    /// The changeset.
    pub id: ChangesetId,
    /// The hash of the approved simulation.
    pub hash: String,
    /// How long messages to families are held.
    pub hold: SignedDuration,
}

/// What an attempt to execute a changeset came to. All of it is stored.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, and it is shown at once")]
pub enum Executed {
    /// It was executed; `replayed` if that was before.
    Done {
        /// The changeset.
        shown: Shown,
        /// Whether it had been executed before.
        replayed: bool,
    },
    /// It was not, because it would do something else than what was approved. It is stale now.
    Refused(Refusal),
}

impl Command for Execute {
    const OPERATION: Operation = Operation::ChangesetExecute;
    type Output = Executed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Executed, Error> {
        let before = target(tx, cx, self.id).await?;
        let is_done = before.state == ChangesetState::Executed;
        if is_done && before.simulation_hash.as_deref() == Some(&*self.hash) {
            return Ok(Executed::Done { shown: shown(tx, cx, before).await?, replayed: true });
        }
        let person = person(cx)?;
        let now = cx.moment.now();
        life::ALL.executable(&before, Some(person), &self.hash, now, now)?;
        Box::pin(execute(tx, cx, before, Some(person), self.hold)).await
    }
}

/// Executes a changeset that is scheduled for now, as the server.
#[derive(Clone, Copy, Debug)]
pub struct RunScheduled {
    /// The changeset.
    pub id: ChangesetId,
    /// How long messages to families are held.
    pub hold: SignedDuration,
}

impl Command for RunScheduled {
    const OPERATION: Operation = Operation::ChangesetRunScheduled;
    type Output = Option<Executed>;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Option<Executed>, Error> {
        let Some(before) = cx.find::<Changeset>(tx, self.id).await? else { return Ok(None) };
        let now = cx.moment.now();
        let hash = before.simulation_hash.clone().unwrap_or_default();
        if before.schedule_at.is_none_or(|at| at > now) {
            return Ok(None);
        }
        life::ALL.executable(&before, None, &hash, now, now)?;
        Box::pin(execute(tx, cx, before, None, self.hold)).await.map(Some)
    }
}

/// Executes a changeset that may be executed by its state. Either its effects are exactly those that were approved, or nothing happens.
async fn execute<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: Changeset,
    person: Option<Person>,
    hold: SignedDuration,
) -> Result<Executed, Error> {
    if let Some(refusal) = reassessed(tx, cx, &before, None).await? {
        return refusal_stored(tx, cx, before, refusal).await;
    }
    let (who, planned) = prepare(tx, cx.organization()?, &before, cx.moment.now()).await?;
    if let Some(refusal) = authority_lost(tx, cx, &before, person, (&who, &planned)).await? {
        return Err(refusal.into());
    }
    carry(tx, cx, &before, (who, planned), person, hold).await
}

/// The approvals that it needs are computed again: a game may have come closer, and more people may be able to approve it.
async fn reassessed<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    impact: Option<&Impact>,
) -> Result<Option<Terms>, Error> {
    let now = terms(tx, cx, changeset, impact).await?;
    let approved = changeset.required_approvals.unwrap_or_default();
    let is_more = now.approvals > approved || changeset.approver_role.is_none_or(|role| now.role > role);
    Ok(is_more.then_some(now))
}

/// Puts a changeset whose risk has grown back into review.
async fn refusal_stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: Changeset,
    terms: Terms,
) -> Result<Executed, Error> {
    let after = life::ALL.reassessed(&before, terms, cx.moment.now());
    let (risk, approvals, role) = (terms.risk, terms.approvals, terms.role);
    write(tx, cx, before, after, ChangesetEvent::Submitted, None).await?;
    Ok(Executed::Refused(Refusal::State(format!(
        "it needs more approvals than before, and is in review again. Its risk is {risk}, and {approvals} people with the role {role} \
         or higher have to approve it. A game has come closer, more people are affected, its author has changed more since, or more \
         people can approve it"
    ))))
}

/// Whether an approver or the person who executes may no longer see and do all of it.
async fn authority_lost<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    person: Option<Person>,
    (author, planned): (&As<'_>, &Planned),
) -> Result<Option<Refusal>, Error> {
    let approvers = changeset.approvals.0.iter().map(|approval| approval.user_id);
    let executor = person.map(|person| person.user).filter(|user| *user != changeset.author_id);
    let least = changeset.approver_role.unwrap_or(Role::Owner);
    let mut asked = Vec::new();
    for (user, approves) in approvers.map(|user| (user, true)).chain(executor.map(|user| (user, false))) {
        if asked.contains(&user) {
            continue;
        }
        asked.push(user);
        let who = As { user, key: None, ..*author };
        let role = match super::run::permit(tx, &who, Operation::ChangesetRead, None).await {
            Ok(proof) => proof.role(),
            Err(Error::Denied(denial)) => return Ok(Some(lost(approves, &why(denial)))),
            Err(error) => return Err(error),
        };
        if approves && role < least {
            return Ok(Some(lost(true, &format!("approving it needs the role {least} or higher"))));
        }
        if let Err(refusal) = may_approve_planned(tx, cx, changeset, &who, planned).await? {
            return Ok(Some(lost(approves, &refusal.to_string())));
        }
    }
    Ok(None)
}

fn lost(approves: bool, why: &str) -> Refusal {
    let who = if approves { "an approver" } else { "the person who executes it" };
    Refused::AuthorityLost(format!("{who} may no longer do this: {why}")).into()
}

/// Runs the operations again, compares what they do with what was approved, and keeps it or nothing.
async fn carry<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: &Changeset,
    (who, mut planned): (As<'_>, Planned),
    person: Option<Person>,
    hold: SignedDuration,
) -> Result<Executed, Error> {
    let (proof, now) = (cx.organization()?, cx.moment.now());
    let Some(simulation_id) = before.simulation_id else {
        return Err(Refusal::from(Refused::NotSimulated).into());
    };
    let simulation = changesets::simulation(tx, proof.organization(), simulation_id).await?;
    let simulation = simulation.ok_or(Refusal::from(Refused::NotSimulated))?;
    if !planned.conflicts.is_empty() {
        let conflicts = planned.conflicts.iter().map(|conflict| json!(conflict)).collect();
        let refusal = Refused::UndoConflict(conflicts).into();
        return drifted(tx, cx, before, refusal).await;
    }
    if let Some((index, error)) = planned.problem.take() {
        return problem(tx, cx, before, &planned, (index, error)).await;
    }
    let tolerates = before.drift_policy == DriftPolicy::TolerateUnrelated && before.risk != Some(Risk::R3);
    let member = members::of_user(tx, proof, before.author_id).await?;
    let role = member.map_or(Role::Viewer, |member| member.role);
    let known = facts(before, &simulation, role, now)?;
    let mut has_grown = false;
    let agrees = |ran: &super::run::Ran| {
        // Children may have joined a team since, which no effect shows.
        has_grown = risk::risk(&known.counting(&ran.impact, now)) > risk::risk(&known);
        !has_grown
            && outcome::effect_digest(&who.salt, &ran.nets) == simulation.effect_digest
            && (ran.pins == simulation.pins || tolerates)
    };
    let (ran, is_agreed) = match carry_out(tx, &who, &planned.work, agrees).await? {
        Ok(ran) => ran,
        Err(refused) => return problem(tx, cx, before, &planned, refused).await,
    };
    if has_grown && let Some(terms) = reassessed(tx, cx, before, Some(&ran.impact)).await? {
        return refusal_stored(tx, cx, before.clone(), terms).await;
    }
    if !is_agreed {
        let mut different = different(tx, cx, before, &who.salt, &ran).await?;
        different.extend(outcome::moved(&simulation.pins, &ran.pins));
        if has_grown {
            different.push(json!({"of": "risk", "id": before.id}));
        }
        return drifted(tx, cx, before, Refused::Stale { drifted: different }.into()).await;
    }
    let attribution = Attribution {
        operation: Operation::ChangesetExecute.id(),
        user: person.map(|person| person.user),
        on_behalf_of: before.author_id,
        changeset: before.id,
        reason: before.reason.as_ref().map(|reason| reason.as_str()),
    };
    let entry = tx.attribute(proof, &attribution);
    let entry =
        entry.ok_or_else(|| fieldhouse_store::Error::Internal("an execution without effects".to_owned()))?;
    let by = person.map(|person| person.user);
    let after = life::ALL.executed(before, by, entry, now);
    let (id, undoes) = (before.id, before.undo_of);
    let done = write(tx, cx, before.clone(), after, ChangesetEvent::Executed, None).await?;
    let mut never_told = Vec::new();
    if let Some(undone) = undoes
        && let Some(original) = cx.find::<Changeset>(tx, undone).await?
    {
        // The families of games that stay as they are still have to hear of them.
        if takes_back_all_games(tx, cx, &original, &ran).await? {
            never_told = tx.void_held(proof, undone.uuid(), now).await?;
        }
        let mut after = original.clone();
        after.undone_by = Some(id);
        write(tx, cx, original, after, ChangesetEvent::Undone, None).await?;
    }
    let of = (id.uuid(), done.version);
    tx.queue_games_changed(proof, cx.moment, of, &effects(&ran), hold, &never_told).await?;
    Ok(Executed::Done { shown: shown(tx, cx, done).await?, replayed: false })
}

/// Whether an undo changes every game that a changeset changed.
async fn takes_back_all_games<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    undone: &Changeset,
    ran: &super::run::Ran,
) -> Result<bool, Error> {
    let Some(simulation) = undone.simulation_id else { return Ok(false) };
    let changed: Vec<_> =
        ran.nets.iter().filter_map(|net| net.effect.record()).map(AnyRecord::uuid).collect();
    let done = tx.simulated_records(cx.organization()?, simulation).await?;
    Ok(done.iter().filter(|(kind, ..)| *kind == Kind::Game).all(|(_, id, ..)| changed.contains(id)))
}

/// The records with other effects than those approved.
async fn different<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    changeset: &Changeset,
    salt: &[u8; 16],
    ran: &super::run::Ran,
) -> Result<Vec<Json>, Error> {
    let Some(simulation) = changeset.simulation_id else { return Ok(Vec::new()) };
    let approved = tx.simulated_records(cx.organization()?, simulation).await?;
    let now: Vec<_> = ran
        .nets
        .iter()
        .filter_map(|net| {
            let record = net.effect.record()?;
            let digest = outcome::effect_digest(salt, std::slice::from_ref(net));
            Some((record.kind(), record.uuid(), digest))
        })
        .collect();
    let mut records: Vec<Json> = Vec::new();
    let mut add = |kind: fieldhouse_domain::effects::Kind, id: Uuid| {
        let record = json!({"of": kind.name(), "id": kind.written_id(id)});
        if !records.contains(&record) {
            records.push(record);
        }
    };
    for (kind, id, _, digest) in &approved {
        if !now.contains(&(*kind, *id, digest.clone())) {
            add(*kind, *id);
        }
    }
    for (kind, id, digest) in &now {
        if !approved.iter().any(|(k, i, _, d)| (k, i, d) == (kind, id, digest)) {
            add(*kind, *id);
        }
    }
    Ok(records)
}

/// An operation is refused now. If its author lost their permission, nothing is stored.
async fn problem<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: &Changeset,
    planned: &Planned,
    (index, error): (usize, Error),
) -> Result<Executed, Error> {
    if let Error::Denied(denial) = &error
        && !matches!(denial, Denial::ChildHidden)
    {
        let lost = format!("the author may no longer do operation {index}: {}", why(*denial));
        return Err(Refusal::from(Refused::AuthorityLost(lost)).into());
    }
    let drift = Refused::Stale { drifted: vec![planned.shown(index, &error)] };
    drifted(tx, cx, before, drift.into()).await
}

async fn drifted<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: &Changeset,
    refusal: Refusal,
) -> Result<Executed, Error> {
    let after = life::ALL.drifted(before);
    write(tx, cx, before.clone(), after, ChangesetEvent::Drifted, None).await?;
    Ok(Executed::Refused(refusal))
}

/// Undoes an executed changeset: proposes a changeset that does, and executes it at once if that is asked for and possible.
#[derive(Clone, Debug)]
pub struct Undo {
    /// The executed changeset.
    pub id: ChangesetId,
    /// Why.
    pub reason: Option<Reason>,
    /// Whether to execute the undo at once.
    pub quick: bool,
    /// Random bytes for its ids and hashes.
    pub salt: [u8; 16],
    /// How long messages to families are held.
    pub hold: SignedDuration,
}

impl Command for Undo {
    const OPERATION: Operation = Operation::ChangesetUndo;
    type Output = Executed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Executed, Error> {
        let undone = target(tx, cx, self.id).await?;
        let person = person(cx)?;
        if self.quick {
            refuse_quick(&undone, person, cx)?;
        }
        let new = Create {
            title: None,
            reason: self.reason.clone(),
            operations: Vec::new(),
            undo: Some(UndoOf::Changeset { changeset_id: self.id }),
            drift_policy: DriftPolicy::Strict,
            salt: self.salt,
        };
        let draft = propose(tx, cx, &new).await?;
        let simulated = Box::pin(simulate(tx, cx, draft)).await?;
        let changeset = simulated.changeset;
        if !self.quick {
            return Ok(Executed::Done { shown: shown(tx, cx, changeset).await?, replayed: false });
        }
        if !simulated.planned.conflicts.is_empty() {
            let conflicts = simulated.planned.conflicts.iter().map(|conflict| json!(conflict)).collect();
            return Err(Refusal::from(Refused::UndoConflict(conflicts)).into());
        }
        if simulated.ran.is_none() {
            let why = "it cannot be undone at once. Propose the undo, and read its problems";
            return Err(Refusal::State(why.to_owned()).into());
        }
        let terms = terms(tx, cx, &changeset, None).await?;
        if terms.risk == Risk::R3 {
            let why = "an undo of the risk R3 cannot be executed at once. Propose it, and have it approved";
            return Err(Refusal::State(why.to_owned()).into());
        }
        let none = Terms { approvals: 0, reduced: false, ..terms };
        let after = life::ALL.submitted(&changeset, person, none, cx.moment.now())?;
        let approved = write(tx, cx, changeset, after, ChangesetEvent::Submitted, None).await?;
        let prepared = prepare(tx, cx.organization()?, &approved, cx.moment.now()).await?;
        match Box::pin(carry(tx, cx, &approved, prepared, Some(person), self.hold)).await? {
            Executed::Refused(refusal) => Err(refusal.into()),
            done @ Executed::Done { .. } => Ok(done),
        }
    }

    again! { |self, tx, cx, id| again(tx, cx, id) }
}

async fn again<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: ChangesetId,
) -> Result<Executed, Error> {
    Ok(Executed::Done { shown: current(tx, cx, id).await?, replayed: false })
}

/// Refuses to undo at once: too late, not by this person, or not with a key.
fn refuse_quick(undone: &Changeset, person: Person, cx: &WriteContext<'_, '_>) -> Result<(), Error> {
    if person.by_key {
        let why = "undoing at once needs a session. With a key, propose the undo";
        return Err(Refusal::Forbidden(why.to_owned()).into());
    }
    let Some(at) = undone.executed_at else {
        return Err(Refusal::State("only an executed changeset can be undone".to_owned()).into());
    };
    if cx.moment.now().duration_since(at) > QUICK_UNDO {
        let why = "it was executed more than 30 minutes ago. Propose the undo, and have it approved";
        return Err(Refusal::State(why.to_owned()).into());
    }
    let is_admin = person.role >= Role::Admin;
    let approved = undone.approvals.has(person.user);
    let took_part = person.user == undone.author_id || undone.executed_by == Some(person.user);
    // What other people approved is not taken back by its author alone.
    let is_of_others = !undone.approvals.0.is_empty();
    if is_admin || approved || took_part && !is_of_others {
        return Ok(());
    }
    let why = if is_of_others {
        "other people approved it: one of them or an admin can undo it at once. Or propose the undo"
    } else {
        "its author, its executor or an admin can undo it at once. Or propose the undo"
    };
    Err(Refusal::Forbidden(why.to_owned()).into())
}
