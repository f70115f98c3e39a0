//! Changesets: changes that are simulated, reviewed, approved, executed exactly once, and undone. The record of one, and what its parts are;
//! its life is in [`life`], its operations are in [`operations`], and what they do is in [`outcome`].

pub mod impact;
pub mod life;
pub mod operations;
pub mod outcome;
pub mod risk;
pub mod undo;

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use utoipa::ToSchema;
use utoipa::openapi::{RefOr, Schema};

use crate::Moment;
pub use crate::changesets::risk::REDUCED_WAIT;
use crate::changesets::risk::Risk;
use crate::effects::Kind;
use crate::ids::{ApiKeyId, ChangesetId, EntryId, SimulationId, UserId};
use crate::record::{At, Body, Cell, CellKind, Column, Field, Input, Record, enumeration};
use crate::roles::Role;
use crate::text::{Name, Reason};

/// How long a simulation may be submitted and approved.
pub const SIMULATION_LIFE: SignedDuration = SignedDuration::from_hours(24);
/// How long a changeset may be in review.
pub const REVIEW_LIFE: SignedDuration = SignedDuration::from_hours(14 * 24);
/// How long an approved changeset may be executed, unless it is scheduled.
pub const APPROVED_LIFE: SignedDuration = SignedDuration::from_hours(72);
/// How long after its time a scheduled changeset is still executed.
pub const SCHEDULE_GRACE: SignedDuration = SignedDuration::from_hours(1);
/// How far ahead an execution can be scheduled.
pub const SCHEDULE_MAX: SignedDuration = SignedDuration::from_hours(30 * 24);
/// How long after its execution an undo may be executed at once.
pub const QUICK_UNDO: SignedDuration = SignedDuration::from_mins(30);
/// The maximum number of operations.
pub const MAX_OPERATIONS: usize = 500;
/// The maximum number of effects.
pub const MAX_EFFECTS: usize = 2000;
/// The maximum number of open changesets of an author.
pub const OPEN_PER_AUTHOR: i64 = 20;
/// The maximum number of open changesets of an agent's key.
pub const OPEN_PER_AGENT: i64 = 10;
/// The number of simulations of a changeset that are kept.
pub const KEPT_SIMULATIONS: u32 = 20;

enumeration! {
    /// Where the operations of a changeset come from.
    ChangesetKind {
        /// Its author lists them.
        Change "change",
        /// They are planned from a file.
        Import "import",
        /// They are planned from the ledger.
        Undo "undo",
    }
}

enumeration! {
    /// The state of a changeset.
    ChangesetState {
        /// It has to be simulated.
        Draft "draft",
        /// Its effects are known. It can be submitted.
        Simulated "simulated",
        /// It waits for approvals.
        InReview "in_review",
        /// It can be executed.
        Approved "approved",
        /// A person rejected it.
        Rejected "rejected",
        /// Its author or an admin withdrew it.
        Withdrawn "withdrawn",
        /// It was not decided or executed in time.
        Expired "expired",
        /// It was executed.
        Executed "executed",
        /// Records changed after it was approved. It has to be simulated again.
        Stale "stale",
    }
}

impl ChangesetState {
    /// Whether it can still be executed one day.
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Draft | Self::Simulated | Self::InReview | Self::Approved | Self::Stale)
    }
}

enumeration! {
    /// What the execution of a changeset does if records have changed since its simulation, and the effects are still the same.
    DriftPolicy {
        /// It is refused.
        Strict "strict",
        /// It is executed. Not at risk R3.
        TolerateUnrelated "tolerate_unrelated",
    }
}

enumeration! {
    /// What happened to a changeset.
    ChangesetEvent {
        /// It was created.
        Created "created",
        /// Its author changed it. Approvals became void.
        Edited "edited",
        /// It was simulated.
        Simulated "simulated",
        /// It was submitted for review.
        Submitted "submitted",
        /// A person approved it.
        Approved "approved",
        /// An approver withdrew their approval.
        Unapproved "unapproved",
        /// A person rejected it.
        Rejected "rejected",
        /// It was withdrawn.
        Withdrawn "withdrawn",
        /// It was not decided or executed in time.
        Expired "expired",
        /// Its execution was scheduled.
        Scheduled "scheduled",
        /// It was executed.
        Executed "executed",
        /// Its execution found other effects than those approved, and changed nothing.
        Drifted "drifted",
        /// Conflicts of an undo were resolved.
        Resolved "resolved",
        /// It was undone.
        Undone "undone",
    }
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Who approved.
    pub user_id: UserId,
    /// When.
    pub at: Timestamp,
    /// The hash of the simulation that they approved.
    pub hash: String,
}

/// The approvals of a changeset, earliest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Approvals(pub Vec<Approval>);

/// Stored as JSON.
impl Column for Approvals {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::rendered::json(self)))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        serde_json::from_str(cell.text()?).map_err(|error| error.to_string())
    }
}

/// Read from images only; no body contains it.
impl Field for Approvals {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match input {
            Input::Json(json) => Self::deserialize(json).ok().or_else(|| at.expected("a list of approvals")),
            Input::Text(_) => at.expected("a list of approvals"),
        }
    }
    fn schema() -> RefOr<Schema> {
        crate::record::Properties::reference::<Self>()
    }
}

impl Approvals {
    /// Whether a person is among the approvers.
    pub fn has(&self, user: UserId) -> bool {
        self.0.iter().any(|approval| approval.user_id == user)
    }
}

/// A changeset, without its operations and their effects.
#[derive(Clone, PartialEq, Record)]
#[record(table = "changesets", alias = "cs")]
pub struct Changeset {
    /// The id.
    #[field(server)]
    pub id: ChangesetId,
    /// Where its operations come from.
    #[field(server)]
    pub kind: ChangesetKind,
    /// What it is, in a few words.
    #[field(server)]
    pub title: Name,
    /// Why, for reviewers, the ledger and families with changed games.
    #[field(server)]
    pub reason: Option<Reason>,
    /// The state.
    #[field(server)]
    pub state: ChangesetState,
    /// Who wrote it. All sessions and keys of a user count as one author.
    #[field(server)]
    pub author_id: UserId,
    /// The API key with which it was written.
    #[field(server)]
    pub author_key_id: Option<ApiKeyId>,
    /// Whether an agent wrote it.
    #[field(server)]
    pub by_agent: bool,
    /// How many operations it has. For an import or an undo, as planned last.
    #[field(server)]
    pub operation_count: i64,
    /// What its execution does if records have changed and its effects have not.
    #[field(server)]
    pub drift_policy: DriftPolicy,
    /// The latest simulation.
    #[field(server)]
    pub simulation_id: Option<SimulationId>,
    /// The hash of the latest simulation. `None` if it found problems.
    #[field(server)]
    pub simulation_hash: Option<String>,
    /// When it was simulated last.
    #[field(server)]
    pub simulated_at: Option<Timestamp>,
    /// Its risk, as of the submission.
    #[field(server)]
    pub risk: Option<Risk>,
    /// The approvals of the current simulation.
    #[field(server)]
    pub approvals: Approvals,
    /// How many approvals it needs.
    #[field(server)]
    pub required_approvals: Option<i64>,
    /// The minimum role of approvers.
    #[field(server)]
    pub approver_role: Option<Role>,
    /// Whether fewer people approve it than its risk asks for, because the organization has no more.
    #[field(server)]
    pub reduced_approval: bool,
    /// When it may be executed at the earliest.
    #[field(server)]
    pub not_before: Option<Timestamp>,
    /// When it was submitted.
    #[field(server)]
    pub submitted_at: Option<Timestamp>,
    /// When the server executes it.
    #[field(server)]
    pub schedule_at: Option<Timestamp>,
    /// When it expires in its present state.
    #[field(server)]
    pub expires_at: Option<Timestamp>,
    /// When it was executed.
    #[field(server)]
    pub executed_at: Option<Timestamp>,
    /// Who executed it. `None` for the server at the scheduled time.
    #[field(server)]
    pub executed_by: Option<UserId>,
    /// Its entry in the audit log.
    #[field(server)]
    pub entry_id: Option<EntryId>,
    /// The changeset that it undoes.
    #[field(server)]
    pub undo_of: Option<ChangesetId>,
    /// The changeset that undid it.
    #[field(server)]
    pub undone_by: Option<ChangesetId>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// Who writes a changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Author {
    /// The user.
    pub user: UserId,
    /// The API key.
    pub key: Option<ApiKeyId>,
    /// Whether the key is an agent's.
    pub is_agent: bool,
}

impl Changeset {
    /// A new draft.
    pub fn new(
        moment: &Moment,
        kind: ChangesetKind,
        author: Author,
        title: Name,
        reason: Option<Reason>,
    ) -> Self {
        Self {
            id: moment.id(),
            kind,
            title,
            reason,
            state: ChangesetState::Draft,
            author_id: author.user,
            author_key_id: author.key,
            by_agent: author.is_agent,
            operation_count: 0,
            drift_policy: DriftPolicy::Strict,
            simulation_id: None,
            simulation_hash: None,
            simulated_at: None,
            risk: None,
            approvals: Approvals::default(),
            required_approvals: None,
            approver_role: None,
            reduced_approval: false,
            not_before: None,
            submitted_at: None,
            schedule_at: None,
            expires_at: None,
            executed_at: None,
            executed_by: None,
            entry_id: None,
            undo_of: None,
            undone_by: None,
            created_at: moment.now(),
            updated_at: moment.now(),
            version: 1,
        }
    }

    /// Whether a change of a changeset is only a new simulation, which the ledger does not record unless it makes approvals void.
    pub fn is_only_simulated(before: &Self, after: &Self) -> bool {
        before.simulated_at != after.simulated_at
            && before.approvals == after.approvals
            && before.executed_at == after.executed_at
    }
}

/// The kinds of record that a changeset can change.
pub const CHANGEABLE: [Kind; 8] = [
    Kind::Season,
    Kind::Division,
    Kind::Team,
    Kind::Venue,
    Kind::Game,
    Kind::RosterEntry,
    Kind::Staff,
    Kind::Member,
];

/// Why something cannot be done with a changeset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// An operation is not what it has to be.
    #[error("operation {index} is invalid at {pointer}: it {message}")]
    Invalid {
        /// Which operation, from 0.
        index: usize,
        /// Where in it, as a JSON pointer (RFC 6901).
        pointer: String,
        /// What is wrong.
        message: String,
        /// What to send instead.
        fix: Option<String>,
    },
    /// A changeset cannot change such records.
    #[error("a changeset cannot change this: {}", .0.join(", "))]
    NotChangeable(Vec<String>),
    /// The caller may not do one of the operations.
    #[error("you are not permitted to do operation {index}: {why}")]
    Forbidden {
        /// Which operation, from 0.
        index: usize,
        /// Why not.
        why: String,
    },
    /// It has to be simulated first.
    #[error("simulate it first")]
    NotSimulated,
    /// The simulation is not the one that the caller saw.
    #[error("the simulation has changed. Read the current one, and send its hash")]
    SimulationChanged {
        /// The hash of the current simulation.
        hash: Option<String>,
    },
    /// The simulation is too old.
    #[error("the simulation is older than 24 hours. Simulate it again")]
    SimulationExpired,
    /// Its author cannot decide about it.
    #[error("its author cannot decide about it. Ask another person with the required role")]
    Own,
    /// The approver received their role from the author a short time ago.
    #[error("its author gave you your role less than 7 days ago. Ask someone else to approve it")]
    ApproverTooNew,
    /// It has effects that the approver may not see.
    #[error("it has effects that you may not see, so you can neither approve nor undo them")]
    ContentNotVisible,
    /// The author or an approver may no longer do this.
    #[error("{0}")]
    AuthorityLost(String),
    /// Records changed since the simulation.
    #[error(
        "records have changed since it was simulated, and nothing was done. Simulate it again and have it approved again"
    )]
    Stale {
        /// What is different.
        drifted: Vec<Json>,
    },
    /// Later changes are in the way of an undo.
    #[error("later changes are in the way. Resolve each of these conflicts, and simulate it again")]
    UndoConflict(Vec<Json>),
    /// It is too late to undo it.
    #[error("it is older than 90 days and cannot be undone any more")]
    UndoExpired,
    /// The author has too many open changesets.
    #[error("{limit} open changesets are the maximum. Withdraw or finish some of yours first")]
    TooManyOpen {
        /// The maximum.
        limit: i64,
    },
    /// It does too much to be simulated.
    #[error("{0}. Split it into several")]
    TooLarge(String),
    /// It waits, because fewer people approve it than its risk asks for.
    #[error(
        "it cannot be executed before {until}, because fewer people can approve it than its risk requires"
    )]
    Waiting {
        /// Until when.
        until: Timestamp,
    },
    /// A direct change is refused, because it has to be a changeset.
    #[error("{why}. Propose it as a changeset, as `template` says")]
    Required {
        /// Why.
        why: String,
        /// The body of the changeset, or the query with which the same request proposes one.
        template: Json,
    },
}

/// What identifies an undone change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", untagged)]
pub enum UndoOf {
    /// An executed changeset.
    Changeset {
        /// The changeset.
        changeset_id: ChangesetId,
    },
    /// One entry of the audit log: a direct change or an import.
    Entry {
        /// The entry.
        entry: EntryId,
    },
    /// Everything that an API key did since a time.
    Key {
        /// The key.
        key_id: ApiKeyId,
        /// The time.
        since: Timestamp,
    },
}

/// The hash of the simulation that the caller saw.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "ChangesetHash")]
pub struct SimulationHash {
    /// The hash of the simulation.
    pub simulation_hash: String,
}

/// Why a changeset is rejected or withdrawn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
#[body(title = "ChangesetReject")]
pub struct Rejection {
    /// Why, for its author.
    #[body(default = None)]
    pub reason: Option<Reason>,
}

/// When the server executes a changeset.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "ChangesetSchedule")]
pub struct Schedule {
    /// The hash of the simulation.
    pub simulation_hash: String,
    /// When, at most 30 days from now.
    pub at: Timestamp,
}
