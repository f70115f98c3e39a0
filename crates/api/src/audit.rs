//! The audit log on the wire: entries of the organization's ledger.

use fieldhouse_domain::effects::Kind;
use fieldhouse_domain::ids::{ApiKeyId, ChangesetId, EntryId, UserId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// What one transaction changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = LedgerEntry)]
pub struct Entry {
    /// The id.
    pub id: EntryId,
    /// Its number in the organization's ledger: without gaps, from 1.
    pub seq: i64,
    /// When the change was made.
    pub at: Timestamp,
    /// Who made it.
    pub actor: Actor,
    /// The operation.
    pub operation: String,
    /// The request.
    pub request_id: String,
    /// The changeset that was executed. Null for a direct change.
    pub changeset_id: Option<ChangesetId>,
    /// Why, in the words of the actor. Null if none was given, and if it is about a child of whom something in the entry is not shown.
    pub reason: Option<String>,
    /// What happened to records.
    pub effects: Vec<Effect>,
}

/// Who made a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Actor {
    /// The user. Null for the operator of the server and for the server itself.
    pub user_id: Option<UserId>,
    /// The user's name now.
    pub name: Option<String>,
    /// The API key of the request.
    pub key_id: Option<ApiKeyId>,
    /// The user on whose behalf the change was made.
    pub on_behalf_of: Option<UserId>,
}

/// What happened to one record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = LedgerEffect)]
pub struct Effect {
    /// The kind of record.
    pub kind: Kind,
    /// The record's id.
    pub id: String,
    /// What happened: `created`, `updated` or `deleted`. `erased`: the earlier images of the record were cleared. `cleared`: images of all
    /// records were cleared because of their age.
    pub verb: String,
    /// The record's version afterwards.
    pub version: i64,
    /// The names of the fields that changed.
    pub changed: Vec<String>,
    /// The record before. Null if it was created, if images are not stored for this kind, or if they were cleared or are redacted.
    pub before: Option<Value>,
    /// The record after. Null if it was deleted, if images are not stored for this kind, or if they were cleared or are redacted.
    pub after: Option<Value>,
    /// Whether the images were cleared.
    pub cleared: bool,
    /// Whether there are images that are not shown, because the record is about a child and no relation opens them to the caller.
    pub redacted: bool,
}

/// Filters of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct AuditLogQuery {
    /// Only changes by this user.
    pub actor: Option<UserId>,
    /// Only changes by this API key.
    pub key_id: Option<ApiKeyId>,
    /// Only changes through this operation: `seasons.change`.
    pub operation: Option<String>,
    /// Only changes of this record, of any kind with a history.
    pub record_id: Option<String>,
    /// Only changes at this time or later.
    pub since: Option<Timestamp>,
    /// Only changes before this time.
    pub until: Option<Timestamp>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}
