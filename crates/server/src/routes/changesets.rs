//! Changesets.

use fieldhouse_api::changesets::{
    Changeset, ChangesetAuthor, ChangesetDiff, ChangesetEffect, DiffAnswer, DriftPolicy, Event, Executed,
    Execution, ShownOperation, ShownUndoOf, Simulation, SimulationRead, TEXT, text,
};
use fieldhouse_api::{Data, Op, Page, op};
use fieldhouse_commands::changesets::{self as commands, Shown};
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::undo::Resolved;
use fieldhouse_domain::changesets::{self as rules, Refused, SIMULATION_LIFE, UndoOf, outcome};
use fieldhouse_domain::ids::{ChangesetId, Id as _, SimulationId};
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_store::changesets::{self, StoredEffect};
use fieldhouse_store::ledger;
use fieldhouse_store::{OrgScope, ReadTx};
use jiff::Timestamp;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::answer::Answered;
use crate::call::{Bounds, Call};
use crate::failure::Failure;

/// A changeset without its operations and its simulation, as in lists.
fn view(changeset: &rules::Changeset) -> Changeset {
    Changeset {
        id: changeset.id,
        kind: changeset.kind,
        title: changeset.title.to_string(),
        reason: changeset.reason.as_ref().map(ToString::to_string),
        state: changeset.state,
        author: ChangesetAuthor {
            user_id: changeset.author_id,
            key_id: changeset.author_key_id,
            is_agent: changeset.by_agent,
        },
        operation_count: changeset.operation_count,
        operations: Vec::new(),
        drift_policy: changeset.drift_policy,
        simulation: None,
        risk: changeset.risk,
        approvals: changeset.approvals.0.clone(),
        required_approvals: changeset.required_approvals,
        approver_role: changeset.approver_role,
        reduced_approval: changeset.reduced_approval,
        not_before: changeset.not_before,
        submitted_at: changeset.submitted_at,
        schedule_at: changeset.schedule_at,
        expires_at: changeset.expires_at,
        executed: changeset.executed_at.map(|at| Execution {
            at,
            by: changeset.executed_by,
            entry: changeset.entry_id,
        }),
        undo_of: changeset.undo_of.map(|id| undo_view(UndoOf::Changeset { changeset_id: id })),
        undone_by: changeset.undone_by,
        created_at: changeset.created_at,
        updated_at: changeset.updated_at,
        version: changeset.version,
    }
}

fn undo_view(of: UndoOf) -> ShownUndoOf {
    let mut shown = ShownUndoOf { changeset_id: None, entry: None, key_id: None, since: None };
    match of {
        UndoOf::Changeset { changeset_id } => shown.changeset_id = Some(changeset_id),
        UndoOf::Entry { entry } => shown.entry = Some(entry),
        UndoOf::Key { key_id, since } => (shown.key_id, shown.since) = (Some(key_id), Some(since)),
    }
    shown
}

fn simulation_view(simulation: changesets::Simulation) -> Simulation {
    Simulation {
        id: simulation.id,
        hash: simulation.hash,
        effect_digest: simulation.effect_digest,
        at: simulation.at,
        expires_at: simulation.at.saturating_add(SIMULATION_LIFE).unwrap_or(Timestamp::MAX),
        impact: simulation.impact,
        conflicts: simulation.conflicts,
        warnings: simulation.warnings,
        problems: simulation.problems,
    }
}

pub(super) fn whole(shown: Shown) -> Changeset {
    let operation = |operation: Option<Value>| ShownOperation { redacted: operation.is_none(), operation };
    Changeset {
        operations: shown.operations.into_iter().map(operation).collect(),
        simulation: shown.simulation.map(simulation_view),
        undo_of: shown.undo_of.map(undo_view),
        ..view(&shown.changeset)
    }
}

fn one<O: Op<Answer = Data<Changeset>>>(shown: Shown) -> Result<Answered<O>, Failure> {
    let (id, version) = (shown.changeset.id, shown.changeset.version);
    let answered = Answered::json(&Data { data: whole(shown) })?.version(version);
    Ok(if O::ROW.status() == 201 { answered.created(id) } else { answered })
}

pub(crate) async fn list(call: Call<op::ChangesetList>) -> Result<Answered<op::ChangesetList>, Failure> {
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<(Timestamp, Uuid)>(limit, cursor, Bounds::USUAL)?;
    let filter = (call.query.state, call.query.author);
    let store = &mut call.store();
    let mut found = changesets::list(store, call.scope()?, filter, part.after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |it| (it.created_at, it.id.uuid()))?;
    call.page(Page { data: found.iter().map(view).collect(), deleted: None, page })
}

/// The one of several things that an undo names.
fn undo_of(sent: &fieldhouse_api::changesets::UndoOf) -> Result<UndoOf, Failure> {
    match (sent.changeset_id, sent.entry, sent.key_id, sent.since) {
        (Some(changeset_id), None, None, None) => Ok(UndoOf::Changeset { changeset_id }),
        (None, Some(entry), None, None) => Ok(UndoOf::Entry { entry }),
        (None, None, Some(key_id), Some(since)) => Ok(UndoOf::Key { key_id, since }),
        _ => {
            let fix = "Send changeset_id, or entry, or key_id with since.";
            let wrong = InvalidValue::new("invalid", "does not name one thing to undo", fix);
            Err(Refusal::field("/undo", wrong).into())
        }
    }
}

/// On PostgreSQL, an undo reads entries that may still wait.
async fn post_entries<O: Op>(call: &Call<O>) -> Result<(), Failure> {
    ledger::latest(&call.store(), call.scope()?).await?;
    Ok(())
}

pub(crate) async fn create(
    call: Call<op::ChangesetCreate>,
) -> Result<Answered<op::ChangesetCreate>, Failure> {
    let body = &call.body;
    let undo = body.undo.as_ref().map(undo_of).transpose()?;
    if undo.is_some() == body.operations.is_some() {
        let fix = "Send either operations or undo.";
        let wrong = InvalidValue::new("required", "or undo is required, and not both", fix);
        return Err(Refusal::field("/operations", wrong).into());
    }
    if undo.is_some() {
        post_entries(&call).await?;
    }
    let operations = body.operations.iter().flatten().map(|operation| operation.0.clone()).collect();
    let command = commands::Create {
        title: body.title.clone(),
        reason: body.reason.clone(),
        operations,
        undo,
        drift_policy: body.drift_policy.unwrap_or(DriftPolicy::Strict),
        salt: call.app.clock.random(),
    };
    call.run(command, |_, shown| one(shown)).await
}

/// A changeset that the caller may see.
async fn found(tx: &ReadTx<'_>, scope: &OrgScope, id: ChangesetId) -> Result<rules::Changeset, Failure> {
    let mut reader = tx;
    changesets::read(&mut reader, scope, id).await?.ok_or_else(Failure::not_found)
}

pub(crate) async fn read(call: Call<op::ChangesetRead>) -> Result<Answered<op::ChangesetRead>, Failure> {
    let id = *call.path()?;
    let store = call.app.store.clone();
    let read = store.read(op::ChangesetRead::OPERATION.id(), async move |tx| {
        let (tx, scope) = (&*tx, call.scope()?);
        let changeset = found(tx, scope, id).await?;
        let mut reader = tx;
        one(commands::read(&mut reader, scope.organization(), changeset).await?)
    });
    read.await
}

pub(crate) async fn change(
    call: Call<op::ChangesetChange>,
) -> Result<Answered<op::ChangesetChange>, Failure> {
    let body = &call.body;
    let operations =
        body.operations.as_ref().map(|all| all.iter().map(|operation| operation.0.clone()).collect());
    let command = commands::Change {
        id: *call.path()?,
        title: body.title.clone(),
        reason: body.reason.clone(),
        operations,
        drift_policy: body.drift_policy,
    };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn simulate(
    call: Call<op::ChangesetSimulate>,
) -> Result<Answered<op::ChangesetSimulate>, Failure> {
    post_entries(&call).await?;
    let command = commands::Simulate(*call.path()?);
    too_long(call.run(command, |_, shown| one(shown)).await)
}

pub(crate) async fn resolve(
    call: Call<op::ChangesetResolve>,
) -> Result<Answered<op::ChangesetResolve>, Failure> {
    post_entries(&call).await?;
    let resolutions = call.body.resolutions.iter().map(|sent| Resolved {
        record: sent.record.clone(),
        field: sent.field.clone(),
        resolution: sent.resolution,
    });
    let command = commands::Resolve { id: *call.path()?, resolutions: resolutions.collect() };
    too_long(call.run(command, |_, shown| one(shown)).await)
}

/// A simulation that took too long is too large, because the same would happen again.
pub(super) fn too_long<T>(answered: Result<T, Failure>) -> Result<T, Failure> {
    answered.map_err(|failure| {
        if failure.is_late() {
            let large = "it took longer than a simulation may take".to_owned();
            Refusal::from(Refused::TooLarge(large)).into()
        } else {
            failure
        }
    })
}

/// The effects of a simulation, opened as far as a relation of the caller opens them, which is noted in the access log.
async fn effects<O: Op>(
    call: &Call<O>,
    tx: &ReadTx<'_>,
    simulation: SimulationId,
) -> Result<Vec<ChangesetEffect>, Failure> {
    let images = call.scope()?.images(call.now())?;
    let (effects, shown) = changesets::effects(tx, &images, simulation).await?;
    call.note_images(shown).await?;
    effects.into_iter().map(effect).collect()
}

fn effect(stored: StoredEffect) -> Result<ChangesetEffect, Failure> {
    let StoredEffect { effect, cause, operation, .. } = stored;
    let image = |image: Option<String>| -> Result<Option<Map<String, Value>>, Failure> {
        let read = image.map(|image| serde_json::from_str(&image)).transpose();
        read.map_err(|error| Failure::internal(format!("an invalid image of a changeset: {error}")))
    };
    let (before, after) = (image(effect.before)?, image(effect.after)?);
    let patch = match (&before, &after) {
        (Some(before), Some(after)) => outcome::patch(&lasting(before), &lasting(after)),
        _ => Value::Null,
    };
    Ok(ChangesetEffect {
        kind: effect.kind,
        id: effect.kind.written_id(effect.record_id),
        verb: effect.verb,
        operation,
        cause,
        before: before.map(Value::Object),
        after: after.map(Value::Object),
        patch: patch.as_array().cloned().unwrap_or_default(),
        redacted: effect.sealed,
    })
}

/// An image without bookkeeping.
fn lasting(image: &Map<String, Value>) -> Map<String, Value> {
    let is_kept = |name: &str| !["created_at", "updated_at", "version", "joined_at"].contains(&name);
    image
        .iter()
        .filter(|(name, _)| is_kept(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

pub(crate) async fn simulation(
    call: Call<op::ChangesetSimulation>,
) -> Result<Answered<op::ChangesetSimulation>, Failure> {
    let (id, simulation_id) = call.path()?.0;
    let store = call.app.store.clone();
    let read = store.read(op::ChangesetSimulation::OPERATION.id(), async move |tx| {
        let (tx, scope) = (&*tx, call.scope()?);
        found(tx, scope, id).await?;
        let mut reader = tx;
        let found = changesets::simulation(&mut reader, scope.organization(), simulation_id).await?;
        let found = found.filter(|found| found.changeset == id).ok_or_else(Failure::not_found)?;
        let effects = effects(&call, tx, simulation_id).await?;
        Answered::json(&Data { data: SimulationRead { simulation: simulation_view(found), effects } })
    });
    read.await
}

/// The latest simulation of a changeset, which must have one.
async fn latest(
    tx: &ReadTx<'_>,
    scope: &OrgScope,
    id: ChangesetId,
) -> Result<changesets::Simulation, Failure> {
    let changeset = found(tx, scope, id).await?;
    let missing = || Failure::from(Refusal::from(Refused::NotSimulated));
    let simulation = changeset.simulation_id.ok_or_else(missing)?;
    let mut reader = tx;
    changesets::simulation(&mut reader, scope.organization(), simulation).await?.ok_or_else(missing)
}

pub(crate) async fn diff(call: Call<op::ChangesetDiff>) -> Result<Answered<op::ChangesetDiff>, Failure> {
    let id = *call.path()?;
    let store = call.app.store.clone();
    let read = store.read(op::ChangesetDiff::OPERATION.id(), async move |tx| {
        let tx = &*tx;
        let simulation = latest(tx, call.scope()?, id).await?;
        let effects = effects(&call, tx, simulation.id).await?;
        let redacted = effects.iter().filter(|effect| effect.redacted).count();
        let diff = ChangesetDiff {
            changeset_id: id,
            simulation_id: simulation.id,
            hash: simulation.hash.clone(),
            redacted: i64::try_from(redacted).unwrap_or(i64::MAX),
            effects,
        };
        if call.media_type == TEXT {
            return Ok(Answered::text(&text::diff(&diff, &simulation_view(simulation), call.now())));
        }
        Answered::json(&DiffAnswer(Data { data: diff }))
    });
    read.await
}

pub(crate) async fn impact(
    call: Call<op::ChangesetImpact>,
) -> Result<Answered<op::ChangesetImpact>, Failure> {
    let id = *call.path()?;
    let store = call.app.store.clone();
    let read = store.read(op::ChangesetImpact::OPERATION.id(), async move |tx| {
        let simulation = latest(&*tx, call.scope()?, id).await?;
        Answered::json(&Data { data: simulation_view(simulation) })
    });
    read.await
}

pub(crate) async fn submit(
    call: Call<op::ChangesetSubmit>,
) -> Result<Answered<op::ChangesetSubmit>, Failure> {
    let command = commands::Submit(*call.path()?);
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn approve(
    call: Call<op::ChangesetApprove>,
) -> Result<Answered<op::ChangesetApprove>, Failure> {
    post_entries(&call).await?;
    let command = commands::Approve { id: *call.path()?, hash: call.body.simulation_hash.clone() };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn unapprove(
    call: Call<op::ChangesetUnapprove>,
) -> Result<Answered<op::ChangesetUnapprove>, Failure> {
    let command = commands::Unapprove { id: *call.path()?, reason: None };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn reject(
    call: Call<op::ChangesetReject>,
) -> Result<Answered<op::ChangesetReject>, Failure> {
    let command = commands::Reject { id: *call.path()?, reason: call.body.reason.clone() };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn withdraw(
    call: Call<op::ChangesetWithdraw>,
) -> Result<Answered<op::ChangesetWithdraw>, Failure> {
    let command = commands::Withdraw { id: *call.path()?, reason: call.body.reason.clone() };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn schedule(
    call: Call<op::ChangesetSchedule>,
) -> Result<Answered<op::ChangesetSchedule>, Failure> {
    let command = commands::SetSchedule { id: *call.path()?, schedule: call.body.clone() };
    call.run(command, |_, shown| one(shown)).await
}

pub(crate) async fn execute(
    call: Call<op::ChangesetExecute>,
) -> Result<Answered<op::ChangesetExecute>, Failure> {
    post_entries(&call).await?;
    let (id, hash, hold) = (*call.path()?, call.body.simulation_hash.clone(), call.app.notify_hold);
    call.run(commands::Execute { id, hash, hold }, |_, executed| match executed {
        commands::Executed::Done { shown, replayed } => {
            let version = shown.changeset.version;
            let data = Executed { changeset: whole(shown), replayed };
            Ok(Answered::json(&Data { data })?.version(version))
        }
        commands::Executed::Refused(refusal) => Err(refusal.into()),
    })
    .await
}

pub(crate) async fn undo(call: Call<op::ChangesetUndo>) -> Result<Answered<op::ChangesetUndo>, Failure> {
    post_entries(&call).await?;
    let command = commands::Undo {
        id: *call.path()?,
        reason: call.body.reason.clone(),
        quick: call.body.quick.unwrap_or(false),
        salt: call.app.clock.random(),
        hold: call.app.notify_hold,
    };
    let ran = call.run(command, |_, executed| match executed {
        commands::Executed::Done { shown, .. } => one(shown),
        commands::Executed::Refused(refusal) => Err(refusal.into()),
    });
    too_long(ran.await)
}

pub(crate) async fn events(
    call: Call<op::ChangesetEvents>,
) -> Result<Answered<op::ChangesetEvents>, Failure> {
    let id = *call.path()?;
    let (limit, cursor) = (call.query.limit, call.query.cursor.as_deref());
    let part = call.part::<i64>(limit, cursor, Bounds::USUAL)?;
    let store = &mut call.store();
    let scope = call.scope()?;
    changesets::read(store, scope, id).await?.ok_or_else(Failure::not_found)?;
    let after = part.after.unwrap_or_default();
    let mut found = changesets::events(store, scope, id, after, part.reach()).await?;
    let page = call.page_info(&part, &mut found, |event| event.position)?;
    let data = found.into_iter().map(|event| Event {
        position: event.position,
        at: event.at,
        event: event.event,
        user_id: event.user,
        name: event.name,
        key_id: event.key,
        simulation_hash: event.hash,
        reason: event.reason,
    });
    call.page(Page { data: data.collect(), deleted: None, page })
}
