//! Changesets in requests and responses.

pub mod text;

use fieldhouse_domain::changesets::operations::{Changeable, OperationVerb};
use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ApiKeyId, ChangesetId, EntryId, SimulationId, UserId};
use fieldhouse_domain::record::{At, Body, Field, Input, Properties, Schemas};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::text::{Name, Reason};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::envelope::{self, Data, JSON};

pub use fieldhouse_domain::changesets::outcome::EffectCause;
pub use fieldhouse_domain::changesets::risk::Risk;
pub use fieldhouse_domain::changesets::undo::Resolution as ConflictResolution;
pub use fieldhouse_domain::changesets::{
    Approval, ChangesetEvent, ChangesetKind, ChangesetState, DriftPolicy, Rejection, Schedule, SimulationHash,
};

/// One operation of a changeset. Operations are carried out in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
pub struct Operation(pub Value);

/// An operation of a changeset. Its other members depend on `op`.
#[derive(Serialize, ToSchema)]
#[schema(as = ChangesetOperation)]
struct OperationShape {
    /// What it does.
    op: OperationVerb,
    /// What it changes.
    resource: Changeable,
    /// For `create`: a name by which later operations refer to the new record, as `{"$ref": "name"}` in place of its id.
    #[schema(required = false)]
    r#ref: Option<String>,
    /// For `create`: the body of a request that creates the record. For staff and roster entries it has the `team_id`, too.
    #[schema(required = false, value_type = Option<Object>)]
    data: Option<Value>,
    /// For all but `create`: the id of the record.
    #[schema(required = false)]
    id: Option<String>,
    /// For `update` and `delete`: the version that the record must have.
    #[schema(required = false)]
    if_version: Option<i64>,
    /// For `update`: the body of a request that changes the record. Either `set` or `patch` is required.
    #[schema(required = false, value_type = Option<Object>)]
    set: Option<Value>,
    /// For `update`: a JSON patch (RFC 6902) of the record's flat fields.
    #[schema(required = false, value_type = Option<Vec<Object>>)]
    patch: Option<Value>,
    /// For `delete`: `restrict` (the default) refuses if other records refer to the record. `list` deletes the records in `ids` before it.
    #[schema(required = false)]
    dependents: Option<String>,
    /// For `delete` with `dependents: list`: the ids of all records that refer to the record.
    #[schema(required = false)]
    ids: Option<Vec<String>>,
    /// For `assert`: a JSON patch with tests only.
    #[schema(required = false, value_type = Option<Vec<Object>>)]
    test: Option<Value>,
    /// For games: whether the game may overlap with others.
    #[schema(required = false)]
    allow_overlap: Option<bool>,
}

impl Field for Operation {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match input {
            Input::Json(json @ Value::Object(_)) => Some(Self(json.clone())),
            _ => at.refuse("not_an_object", "is not an object", "Send a JSON object."),
        }
    }
    fn schema() -> RefOr<Schema> {
        Properties::reference::<OperationShape>()
    }
    fn schemas(schemas: &mut Schemas) {
        schemas.push((OperationShape::name().into_owned(), OperationShape::schema()));
        OperationShape::schemas(schemas);
    }
}

/// What an undo undoes: an executed changeset, one entry of the audit log, or everything that a key did since a time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Body)]
#[body(title = "ChangesetUndoOf")]
pub struct UndoOf {
    /// An executed changeset.
    pub changeset_id: Option<ChangesetId>,
    /// An entry of the audit log: a direct change or an import.
    pub entry: Option<EntryId>,
    /// An API key, whose changes since a time are undone.
    pub key_id: Option<ApiKeyId>,
    /// The time, for `key_id`.
    pub since: Option<Timestamp>,
}

/// A new changeset: a list of operations, or what it undoes.
#[derive(Clone, Debug, PartialEq, Body)]
#[body(title = "ChangesetCreate")]
pub struct NewChangeset {
    /// What it is, in a few words. Required, except for an undo.
    pub title: Option<Name>,
    /// Why, for reviewers, the audit log and families with changed games. Do not name children.
    pub reason: Option<Reason>,
    /// The operations, at most 500. Required, unless it undoes something.
    pub operations: Option<Vec<Operation>>,
    /// What it undoes.
    pub undo: Option<UndoOf>,
    /// What its execution does if records have changed and its effects have not; default `strict`.
    pub drift_policy: Option<DriftPolicy>,
}

/// A change of a changeset. All approvals become void, and it has to be simulated again.
#[derive(Clone, Debug, Default, PartialEq, Body)]
#[body(title = "ChangesetChange")]
pub struct ChangeChangeset {
    /// What it is, in a few words.
    pub title: Option<Name>,
    /// Why, for reviewers, the audit log and families with changed games. Do not name children.
    pub reason: Option<Option<Reason>>,
    /// The operations, which replace the earlier ones.
    pub operations: Option<Vec<Operation>>,
    /// What its execution does if records have changed and its effects have not.
    pub drift_policy: Option<DriftPolicy>,
}

/// How the caller undoes a changeset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
#[body(title = "ChangesetUndo")]
pub struct NewUndo {
    /// Why, for reviewers, the audit log and families with changed games. Do not name children.
    pub reason: Option<Reason>,
    /// With `true`, the undo is executed at once. Possible within 30 minutes of the execution, at risk R0 to R2, without conflicts and in a
    /// session: for an approver or an admin or, if no one else approved it, its author or executor. By default, it is only
    /// proposed.
    pub quick: Option<bool>,
}

/// How conflicts of an undo are resolved.
#[derive(Clone, Debug, Default, PartialEq, Body)]
#[body(title = "ChangesetResolve")]
pub struct Resolve {
    /// The resolutions. One replaces an earlier one of the same conflict.
    #[body(min = 1, max = 500)]
    pub resolutions: Vec<Resolution>,
}

/// How one conflict is resolved.
#[derive(Clone, Debug, PartialEq, Body)]
#[body(title = "ChangesetResolution")]
pub struct Resolution {
    /// The id of the record, as the conflict names it.
    pub record: String,
    /// The field, if the conflict names one.
    pub field: Option<String>,
    /// What to do.
    pub resolution: ConflictResolution,
}

/// A changeset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Changeset {
    /// The id.
    pub id: ChangesetId,
    /// Where its operations come from.
    pub kind: ChangesetKind,
    /// What it is, in a few words.
    pub title: String,
    /// Why.
    pub reason: Option<String>,
    /// The state.
    pub state: ChangesetState,
    /// Who wrote it.
    pub author: ChangesetAuthor,
    /// How many operations it has. For an undo, as planned at the latest simulation.
    pub operation_count: i64,
    /// The operations, in responses about one changeset. Empty for an undo and in lists.
    pub operations: Vec<ShownOperation>,
    /// What its execution does if records have changed and its effects have not.
    pub drift_policy: DriftPolicy,
    /// The latest simulation, in responses about one changeset.
    pub simulation: Option<Simulation>,
    /// Its risk, as of the submission.
    pub risk: Option<Risk>,
    /// The approvals of the current simulation.
    pub approvals: Vec<Approval>,
    /// How many approvals it needs.
    pub required_approvals: Option<i64>,
    /// The minimum role of approvers.
    pub approver_role: Option<Role>,
    /// Whether fewer people approve it than its risk asks for, because the organization has no more.
    pub reduced_approval: bool,
    /// When it may be executed at the earliest, if it has to wait.
    pub not_before: Option<Timestamp>,
    /// When it was submitted.
    pub submitted_at: Option<Timestamp>,
    /// When the server executes it.
    pub schedule_at: Option<Timestamp>,
    /// When it expires, if it is in review or approved.
    pub expires_at: Option<Timestamp>,
    /// Its execution.
    pub executed: Option<Execution>,
    /// What it undoes.
    pub undo_of: Option<ShownUndoOf>,
    /// The changeset that undid it.
    pub undone_by: Option<ChangesetId>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// Who wrote a changeset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChangesetAuthor {
    /// The user.
    pub user_id: UserId,
    /// The API key with which it was written.
    pub key_id: Option<ApiKeyId>,
    /// Whether the key is an agent's.
    pub is_agent: bool,
}

/// An operation as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ShownOperation {
    /// The operation. Null if it is about a child: the diff shows its effect to those to whom a relation opens it.
    #[schema(value_type = Option<Object>)]
    pub operation: Option<Value>,
    /// Whether it is not shown.
    pub redacted: bool,
}

/// What was undone, as it is shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShownUndoOf {
    /// An executed changeset.
    pub changeset_id: Option<ChangesetId>,
    /// An entry of the audit log.
    pub entry: Option<EntryId>,
    /// An API key.
    pub key_id: Option<ApiKeyId>,
    /// The time since which its changes are undone.
    pub since: Option<Timestamp>,
}

/// The execution of a changeset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Execution {
    /// When.
    pub at: Timestamp,
    /// By whom. Null for the server at the scheduled time.
    pub by: Option<UserId>,
    /// Its entry in the audit log.
    pub entry: Option<EntryId>,
}

/// A simulation of a changeset: what it would do now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ChangesetSimulation)]
pub struct Simulation {
    /// The id.
    pub id: SimulationId,
    /// The hash of all of it, which approvals and the execution name. Null if there are problems or conflicts.
    pub hash: Option<String>,
    /// A digest of its effects alone.
    pub effect_digest: String,
    /// When it was created, or last repeated with the same result.
    pub at: Timestamp,
    /// Until when it can be submitted and approved.
    pub expires_at: Timestamp,
    /// The impact.
    #[schema(value_type = Object)]
    pub impact: Value,
    /// The conflicts of an undo with later changes.
    #[schema(value_type = Vec<Object>)]
    pub conflicts: Vec<Value>,
    /// What a reviewer should know.
    #[schema(value_type = Vec<Object>)]
    pub warnings: Vec<Value>,
    /// Why it cannot be submitted: `index` of the operation, `code` and `detail`.
    #[schema(value_type = Vec<Object>)]
    pub problems: Vec<Value>,
}

/// What a changeset does to one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangesetEffect {
    /// The kind of record.
    pub kind: Kind,
    /// The record's id. For a new record, the id that it gets.
    pub id: String,
    /// `created`, `updated` or `deleted`.
    pub verb: String,
    /// The operation that it comes from, from 0.
    pub operation: i64,
    /// Why it happens.
    pub cause: EffectCause,
    /// The record before. Null if it is created or redacted.
    #[schema(value_type = Option<Object>)]
    pub before: Option<Value>,
    /// The record after. Null if it is deleted or redacted.
    #[schema(value_type = Option<Object>)]
    pub after: Option<Value>,
    /// The patch (RFC 6902) from before to after, without bookkeeping. Empty if it is created, deleted or redacted.
    #[schema(value_type = Vec<Object>)]
    pub patch: Vec<Value>,
    /// Whether it is not shown, because the record is about a child and no relation opens it to the caller.
    pub redacted: bool,
}

/// The effects of a changeset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChangesetDiff {
    /// The changeset.
    pub changeset_id: ChangesetId,
    /// The simulation.
    pub simulation_id: SimulationId,
    /// Its hash.
    pub hash: Option<String>,
    /// What happens to each record, in the order of writing.
    pub effects: Vec<ChangesetEffect>,
    /// How many of them are redacted.
    pub redacted: i64,
}

/// A diff as it is sent: as JSON, or as text for people.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct DiffAnswer(pub Data<ChangesetDiff>);

/// The media type of a diff for people.
pub const TEXT: &str = "text/plain";

impl envelope::Answer for DiffAnswer {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON, TEXT];
    fn schema() -> Option<RefOr<Schema>> {
        <Data<ChangesetDiff> as envelope::Answer>::schema()
    }
    fn schemas(schemas: &mut Schemas) {
        <Data<ChangesetDiff> as envelope::Answer>::schemas(schemas);
    }
}

/// A simulation with its effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SimulationRead {
    /// The simulation.
    #[serde(flatten)]
    pub simulation: Simulation,
    /// What happens to each record, in the order of writing.
    pub effects: Vec<ChangesetEffect>,
}

/// The result of an execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Executed {
    /// The changeset.
    pub changeset: Changeset,
    /// Whether it had been executed before, and this is the stored result.
    pub replayed: bool,
}

/// Something that happened to a changeset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ChangesetEventRead)]
pub struct Event {
    /// Its number, from 1.
    pub position: i64,
    /// When.
    pub at: Timestamp,
    /// What.
    pub event: ChangesetEvent,
    /// Who. Null for the server.
    pub user_id: Option<UserId>,
    /// Their name now.
    pub name: Option<String>,
    /// The API key.
    pub key_id: Option<ApiKeyId>,
    /// The hash of the simulation at that time.
    pub simulation_hash: Option<String>,
    /// Why.
    pub reason: Option<String>,
}

/// Filters of the list of changesets.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ChangesetListQuery {
    /// Only changesets in this state.
    pub state: Option<ChangesetState>,
    /// Only changesets of this author.
    pub author: Option<UserId>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}
