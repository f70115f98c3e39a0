//! Exports of an organization in requests and responses.

use fieldhouse_domain::ids::{ExportId, UserId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::exports::{ExportKind, ExportStatus, NewExport};
pub use fieldhouse_imports::archive::ArchiveCounts;

/// An export of the organization's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Export {
    /// The id.
    pub id: ExportId,
    /// What it contains.
    pub kind: ExportKind,
    /// Its status now.
    pub status: ExportStatus,
    /// The user who requested it.
    pub requested_by: UserId,
    /// When the link expires.
    pub expires_at: Timestamp,
    /// When the link was opened.
    pub opened_at: Option<Timestamp>,
    /// When it was requested.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// A new export, with its link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RequestedExport {
    /// The export.
    #[serde(flatten)]
    pub export: Export,
    /// The token of the link, for `GET /exports/{id}/content`. It is shown once, works once and needs no credential: keep it secret.
    pub token: String,
    /// The link: the URL of the archive, with the token.
    pub content_url: String,
}

/// The token of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ExportLink {
    /// The token.
    pub token: String,
}
