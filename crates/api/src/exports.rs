//! Exports of an organization in requests and responses.

use fieldhouse_domain::ids::{ChildId, ExportId, UserId};
use fieldhouse_domain::record::Body;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::children::{
    AccessEvent, ChildContact, ChildEmergency, ChildIdentity, ChildMedical, ChildPerformance, ChildProfile,
};
use crate::consents::Consent;
use crate::favorites::Favorite;
use crate::guardian_invitations::GuardianInvitation;
use crate::registrations::Registration;
use crate::relations::Relation;
use crate::rosters::RosterEntry;

pub use fieldhouse_domain::exports::{ExportKind, ExportStatus, NewExport};
pub use fieldhouse_imports::archive::ArchiveCounts;

/// An export of the organization's or a child's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Export {
    /// The id.
    pub id: ExportId,
    /// What it contains.
    pub kind: ExportKind,
    /// Its status now.
    pub status: ExportStatus,
    /// The child, if it contains the data of one.
    pub child_id: Option<ChildId>,
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
    /// The token of the link, for the path of the content. It is shown once, works once and needs no credential: keep it secret.
    pub token: String,
    /// The link: the URL of the content, with the token.
    pub content_url: String,
}

/// The token of a link.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ExportLink {
    /// The token.
    pub token: String,
}

/// A copy of everything that a club stores about a child, as far as the person who requested it may see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChildCopy {
    /// The child.
    pub child_id: ChildId,
    /// When it was written.
    pub exported_at: Timestamp,
    /// Year of birth, photo and pronouns.
    pub profile: Option<ChildProfile>,
    /// Legal names and date of birth.
    pub identity: Option<ChildIdentity>,
    /// How to reach the family.
    pub contact: Option<ChildContact>,
    /// What someone must know in an emergency.
    pub emergency: Option<ChildEmergency>,
    /// What is known about the child's health.
    pub medical: Option<ChildMedical>,
    /// Notes and measurements of coaches.
    pub performance: Option<ChildPerformance>,
    /// Everyone who has or had a recorded relation to the child, earliest first.
    pub relations: Vec<Relation>,
    /// The invitations to be a guardian of the child, earliest first.
    pub guardian_invitations: Vec<GuardianInvitation>,
    /// The consents, earliest first.
    pub consents: Vec<Consent>,
    /// The registrations for seasons, earliest first.
    pub registrations: Vec<Registration>,
    /// The places on rosters of teams, earliest first.
    pub roster: Vec<RosterEntry>,
    /// The saved college programs, in order.
    pub favorites: Vec<Favorite>,
    /// Who saw the child's data, earliest first.
    pub access_log: Vec<AccessEvent>,
}
