//! `fieldhouse changesets`: changes that are proposed, simulated, approved, executed and undone.

mod diff;
mod new;
mod rows;
mod typed;
mod watch;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use fieldhouse_client::Client;
use fieldhouse_client::api::Code;
use fieldhouse_client::api::changesets::text::people;
use fieldhouse_client::api::changesets::{
    Changeset, ChangesetListQuery, ChangesetState, ConflictResolution, Event, NewUndo, Rejection, Resolution,
    Resolve, Schedule, Simulation, SimulationHash,
};
use fieldhouse_client::api::request::ListQuery;
use fieldhouse_domain::ids::{ChangesetId, UserId};
use fieldhouse_domain::text::Reason;

use super::audit::HistoryOptions;
use crate::arguments::{Target, When, instants, one_of, value};
use crate::clock;
use crate::confirm;
use crate::context::Context;
use crate::failure::Failure;
use crate::listing::Paging;
use crate::output::{Column, Width, note, or_dash};

/// Changesets.
#[derive(Subcommand)]
pub(crate) enum Options {
    /// List changesets, newest first
    List(ListOptions),
    /// Show a changeset
    Show(Target<ChangesetId>),
    /// Propose a changeset: a draft, which does nothing yet
    New(Box<new::Options>),
    /// Simulate a changeset: find out what it would do, and what is wrong with it
    Simulate(Target<ChangesetId>),
    /// Show what a changeset does to each record, as simulated last
    Diff(Target<ChangesetId>),
    /// Show what a changeset means for people, as simulated last
    Impact(Target<ChangesetId>),
    /// Submit your simulated changeset for review
    Submit(Target<ChangesetId>),
    /// Approve a changeset of someone else
    Approve(HashOptions),
    /// Withdraw your approval
    Unapprove(Target<ChangesetId>),
    /// Reject a submitted changeset of someone else, for good
    Reject(EndOptions),
    /// Withdraw your changeset, for good; admins can withdraw any
    Withdraw(EndOptions),
    /// Schedule an approved changeset, for the server to execute
    Schedule(ScheduleOptions),
    /// Execute an approved changeset
    Execute(HashOptions),
    /// Undo an executed changeset: at once if that is possible, or else propose it
    Undo(UndoOptions),
    /// Resolve conflicts between an undo and later changes
    Resolve(ResolveOptions),
    /// List what happened to a changeset, earliest first
    Events(HistoryOptions<ChangesetId>),
    /// Wait until the state of a changeset changes
    Watch(watch::Options),
}

#[derive(Args)]
pub(crate) struct ListOptions {
    /// Only changesets in this state
    #[arg(long, value_parser = one_of!(ChangesetState))]
    state: Option<ChangesetState>,
    /// Only changesets of this user
    #[arg(long, value_name = "ID")]
    author: Option<UserId>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(Args)]
pub(crate) struct HashOptions {
    /// The changeset's id
    id: ChangesetId,
    /// The hash of the simulation that you have reviewed [default: that of the current one, after a question]
    #[arg(long)]
    hash: Option<String>,
    /// Do not ask for confirmation
    #[arg(long, short)]
    yes: bool,
}

#[derive(Args)]
pub(crate) struct EndOptions {
    /// The changeset's id
    id: ChangesetId,
    /// Why
    #[arg(long, value_parser = value::<Reason>)]
    reason: Option<Reason>,
}

#[derive(Args)]
pub(crate) struct ScheduleOptions {
    /// The changeset's id
    id: ChangesetId,
    /// When, at most 30 days from now; a local time is in the organization's time zone
    #[arg(long, value_name = "TIME")]
    at: When,
    /// The hash of the simulation [default: that of the current one]
    #[arg(long)]
    hash: Option<String>,
}

#[derive(Args)]
pub(crate) struct UndoOptions {
    /// The changeset's id
    id: ChangesetId,
    /// Only propose the undo
    #[arg(long)]
    propose: bool,
    /// Why
    #[arg(long, value_parser = value::<Reason>)]
    reason: Option<Reason>,
}

#[derive(Args)]
pub(crate) struct ResolveOptions {
    /// The id of the undo
    id: ChangesetId,
    /// What to do
    #[arg(long = "as", value_name = "RESOLUTION", value_parser = one_of!(ConflictResolution))]
    resolution: ConflictResolution,
    /// Only the conflicts of this record [default: all conflicts]
    #[arg(long, value_name = "ID")]
    record: Option<String>,
    /// Only the conflict of this field of the record
    #[arg(long, requires = "record")]
    field: Option<String>,
}

const COLUMNS: &[Column<Changeset>] = &[
    ("TITLE", Width::Least(16), |it| it.title.clone()),
    ("STATE", Width::Whole, |it| it.state.to_string()),
    ("RISK", Width::Whole, |it| or_dash(it.risk)),
    ("APPROVALS", Width::Whole, approvals),
    ("BY", Width::Whole, by),
    ("CREATED", Width::Whole, |it| it.created_at.to_string()),
    ("AUTHOR", Width::Whole, |it| it.author.user_id.to_string()),
    ("ID", Width::Whole, |it| it.id.to_string()),
];

const EVENTS: &[Column<Event>] = &[
    ("AT", Width::Whole, |it| it.at.to_string()),
    ("EVENT", Width::Whole, |it| it.event.to_string()),
    ("WHO", Width::Least(12), |it| or_dash(it.name.as_ref())),
    ("REASON", Width::Least(8), |it| or_dash(it.reason.as_ref())),
    ("KEY", Width::Whole, |it| or_dash(it.key_id)),
];

/// Such as `1 of 2`.
fn approvals(changeset: &Changeset) -> String {
    let needed = changeset.required_approvals;
    or_dash(needed.map(|needed| format!("{} of {needed}", changeset.approvals.len())))
}

fn by(changeset: &Changeset) -> String {
    let what = match (changeset.author.is_agent, changeset.author.key_id) {
        (true, _) => "an agent",
        (false, Some(_)) => "a key",
        (false, None) => "a person",
    };
    what.to_owned()
}

/// Lists, proposes, decides or executes changesets.
pub(crate) async fn run(context: &Context, options: Options) -> anyhow::Result<()> {
    let client = context.signed_in()?;
    let changesets = client.changesets();
    let changeset = match options {
        Options::List(ListOptions { state, author, paging }) => {
            let query = ChangesetListQuery { state, author, limit: paging.limit(), cursor: None };
            return paging.show(context, changesets.list(&query), COLUMNS).await.map(drop);
        }
        Options::Events(HistoryOptions { id, paging }) => {
            let query = ListQuery { limit: paging.limit(), cursor: None };
            return paging.show(context, changesets.events(id, &query), EVENTS).await.map(drop);
        }
        Options::Diff(Target { id }) => return diff::run(context, &client, id).await,
        Options::Impact(Target { id }) => {
            let simulation = changesets.impact(id).await?;
            let lines = people(&simulation, clock::now());
            return Ok(context.output.lines(&simulation, &lines)?);
        }
        Options::Simulate(Target { id }) => return simulate(context, &client, id).await,
        Options::Execute(options) => return execute(context, &client, options).await,
        Options::Undo(UndoOptions { id, propose, reason }) => {
            return undo(context, &client, (id, propose), reason).await;
        }
        Options::Watch(options) => watch::run(&client, options).await?,
        Options::New(options) => new::run(context, &client, *options).await?,
        Options::Show(Target { id }) => changesets.read(id).await?,
        Options::Submit(Target { id }) => changesets.submit(id).await?,
        Options::Approve(options) => {
            let hash = reviewed(&client, &options, "Approve").await?;
            changesets.approve(options.id, &hash).await?
        }
        Options::Unapprove(Target { id }) => changesets.unapprove(id).await?,
        Options::Reject(EndOptions { id, reason }) => changesets.reject(id, &Rejection { reason }).await?,
        Options::Withdraw(EndOptions { id, reason }) => {
            changesets.withdraw(id, &Rejection { reason }).await?
        }
        Options::Schedule(ScheduleOptions { id, at, hash }) => {
            let [at] = instants(&client, [Some(at)]).await?;
            let at = at.context("the time does not exist in the organization's time zone")?;
            let simulation_hash = match hash {
                Some(hash) => hash,
                None => current(&client, id).await?.1,
            };
            changesets.schedule(id, &Schedule { simulation_hash, at }).await?
        }
        Options::Resolve(options) => resolve(&client, options).await?,
    };
    show(context, &changeset)
}

/// Prints a changeset, and what to do next.
fn show(context: &Context, changeset: &Changeset) -> anyhow::Result<()> {
    let executed = changeset.executed.as_ref();
    let mut rows = vec![
        ("TITLE", changeset.title.clone()),
        ("REASON", or_dash(changeset.reason.as_ref())),
        ("STATE", changeset.state.to_string()),
        ("KIND", changeset.kind.to_string()),
        ("OPERATIONS", changeset.operation_count.to_string()),
        ("RISK", or_dash(changeset.risk)),
        ("APPROVALS", approvals(changeset)),
        ("BY", by(changeset)),
    ];
    let optional = [
        ("APPROVER", changeset.approver_role.map(|role| format!("{role} or higher"))),
        ("NOT BEFORE", changeset.not_before.map(|time| time.to_string())),
        ("SCHEDULED", changeset.schedule_at.map(|time| time.to_string())),
        ("EXPIRES", changeset.expires_at.map(|time| time.to_string())),
        ("EXECUTED", executed.map(|executed| executed.at.to_string())),
        ("ENTRY", executed.and_then(|executed| executed.entry).map(|entry| entry.to_string())),
        ("UNDONE BY", changeset.undone_by.map(|id| id.to_string())),
        ("HASH", changeset.simulation.as_ref().and_then(|simulation| simulation.hash.clone())),
    ];
    rows.extend(optional.into_iter().filter_map(|(name, value)| Some((name, value?))));
    rows.push(("ID", changeset.id.to_string()));
    context.output.record(changeset, &rows)?;
    if let Some(next) = next(changeset) {
        note(&next);
    }
    Ok(())
}

/// What to do next with a changeset.
fn next(changeset: &Changeset) -> Option<String> {
    let id = changeset.id;
    let found = changeset.simulation.as_ref().filter(|_| changeset.state.is_open());
    if found.is_some_and(|found| !found.problems.is_empty()) {
        return Some(
            "It cannot be done as it is: correct the operations, and propose them again.".to_owned(),
        );
    }
    if found.is_some_and(|found| !found.conflicts.is_empty()) {
        return Some(format!(
            "Decide about the conflicts: `fieldhouse changesets resolve {id} --as keep_current`."
        ));
    }
    Some(match changeset.state {
        ChangesetState::Draft | ChangesetState::Stale => {
            format!("Next: `fieldhouse changesets simulate {id}`.")
        }
        ChangesetState::Simulated => format!("Next: `fieldhouse changesets submit {id}`."),
        ChangesetState::InReview => {
            let role = changeset.approver_role.map(|role| format!(" with the role {role} or higher"));
            let role = role.unwrap_or_default();
            format!("Someone else{role} has to approve it with `fieldhouse changesets approve {id}`.")
        }
        ChangesetState::Approved => format!("Next: `fieldhouse changesets execute {id}`."),
        ChangesetState::Executed if changeset.undone_by.is_none() => {
            format!("To undo it: `fieldhouse undo {id}`.")
        }
        _ => return None,
    })
}

async fn simulate(context: &Context, client: &Client, id: ChangesetId) -> anyhow::Result<()> {
    let changeset = client.changesets().simulate(id).await?;
    let simulation = changeset.simulation.as_ref().context("the server sent no simulation")?;
    context.output.lines(&changeset, &people(simulation, clock::now()))?;
    let problem = |what: &str, next: String| Err(Failure::new(what).next(next).into());
    if !simulation.problems.is_empty() {
        let next = "correct the operations, and propose them again";
        return problem("it cannot be submitted", next.to_owned());
    }
    if !simulation.conflicts.is_empty() {
        let next =
            format!("decide about the conflicts: fieldhouse changesets resolve {id} --as keep_current");
        return problem("later changes are in the way", next);
    }
    note(&format!("What it does to each record: `fieldhouse changesets diff {id}`."));
    if let Some(next) = next(&changeset) {
        note(&next);
    }
    Ok(())
}

/// The current simulation of a changeset, and its hash.
async fn current(client: &Client, id: ChangesetId) -> anyhow::Result<(Changeset, String)> {
    let changeset = client.changesets().read(id).await?;
    let hash = changeset.simulation.as_ref().and_then(|simulation| simulation.hash.clone());
    match hash {
        Some(hash) => Ok((changeset, hash)),
        None => Err(Failure::new("it has no simulation without problems")
            .next(format!("simulate it: fieldhouse changesets simulate {id}"))
            .into()),
    }
}

/// The hash that the user names; or that of the current simulation, which they confirm.
async fn reviewed(client: &Client, options: &HashOptions, verb: &str) -> anyhow::Result<SimulationHash> {
    if let Some(hash) = &options.hash {
        return Ok(SimulationHash { simulation_hash: hash.clone() });
    }
    let (changeset, simulation_hash) = current(client, options.id).await?;
    let summary = changeset.simulation.as_ref().map(first_line).unwrap_or_default();
    let title = &changeset.title;
    if options.yes {
        note(&format!("{title}: {summary}."));
    } else {
        confirm::agree(&format!("{title}: {summary}. {verb} it?"))?;
    }
    Ok(SimulationHash { simulation_hash })
}

fn first_line(simulation: &Simulation) -> String {
    people(simulation, clock::now()).first().map(ToString::to_string).unwrap_or_default()
}

async fn execute(context: &Context, client: &Client, options: HashOptions) -> anyhow::Result<()> {
    let hash = reviewed(client, &options, "Execute").await?;
    let executed = client.changesets().execute(options.id, &hash).await?;
    let id = options.id;
    let sentence =
        if executed.replayed { format!("{id} had been executed before.") } else { format!("Executed {id}.") };
    context.output.sentence(&executed, &sentence)?;
    if let Some(next) = next(&executed.changeset) {
        note(&next);
    }
    Ok(())
}

/// Undoes a changeset at once, or proposes that if it is not possible.
pub(super) async fn undo(
    context: &Context,
    client: &Client,
    (id, propose): (ChangesetId, bool),
    reason: Option<Reason>,
) -> anyhow::Result<()> {
    let changesets = client.changesets();
    let at_once = NewUndo { reason: reason.clone(), quick: Some(true) };
    let quick = if propose { None } else { Some(changesets.undo(id, &at_once).await) };
    match quick {
        Some(Ok(done)) => {
            let sentence = format!("Undid {id}, by {}.", done.id);
            Ok(context.output.sentence(&done, &sentence)?)
        }
        Some(Err(error)) => {
            let may_be_proposed = [Code::State, Code::OperationForbidden, Code::UndoConflict];
            if !error.code().is_some_and(|code| may_be_proposed.contains(&code)) {
                return Err(error.into());
            }
            // If the undo is not possible at all, proposing it fails with the reason.
            let why = Failure::from(&error).what;
            let proposed = changesets.undo(id, &NewUndo { reason, quick: None }).await?;
            note(&format!(
                "Not undone at once: {}. The undo is proposed instead.",
                why.trim_end_matches('.')
            ));
            show_proposed(context, &proposed)
        }
        None => show_proposed(context, &changesets.undo(id, &NewUndo { reason, quick: None }).await?),
    }
}

/// Prints a proposed undo with what it means.
pub(super) fn show_proposed(context: &Context, proposed: &Changeset) -> anyhow::Result<()> {
    if !context.output.is_json() {
        let lines = proposed.simulation.as_ref().map(|simulation| people(simulation, clock::now()));
        lines.into_iter().flatten().for_each(|line| note(&line.to_string()));
    }
    show(context, proposed)
}

async fn resolve(client: &Client, options: ResolveOptions) -> anyhow::Result<Changeset> {
    let ResolveOptions { id, resolution, record, field } = options;
    let resolutions = match record {
        Some(record) if field.is_some() => vec![Resolution { record, field, resolution }],
        record => {
            let read = client.changesets().read(id).await?;
            let conflicts = read.simulation.map(|simulation| simulation.conflicts).unwrap_or_default();
            let named = conflicts.iter().filter_map(|conflict| {
                let found = conflict["record"]
                    .as_str()
                    .filter(|found| record.as_deref().is_none_or(|it| it == *found));
                let field = conflict["field"].as_str().map(str::to_owned);
                Some(Resolution { record: found?.to_owned(), field, resolution })
            });
            named.collect()
        }
    };
    if resolutions.is_empty() {
        let next = format!("read it: fieldhouse changesets show {id} --json simulation");
        return Err(Failure::new("it has no such conflict").next(next).into());
    }
    Ok(client.changesets().resolve(id, &Resolve { resolutions }).await?)
}
