//! What the operator of the server sends and receives: someone who can read the data folder, through the command-line tool.

use fieldhouse_domain::ids::{MailId, OrganizationId};
use fieldhouse_domain::mail::{MailKind, MailStatus};
use fieldhouse_domain::organizations::{Country, Organization, Slug};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::text::{Email, Name};
use fieldhouse_domain::time::TimeZoneName;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_imports::archive::ArchiveCounts;
pub use fieldhouse_imports::colleges::CollegeCounts;

use crate::imports::BadRow;

/// The query parameters of the list of organizations.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct OrganizationListQuery {
    /// Only the organization with this short name.
    pub slug: Option<Slug>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// An organization to found, with its owner.
#[derive(Clone, Debug, PartialEq, Body)]
#[body(title = "OrganizationFounding")]
pub struct FoundOrganization {
    /// Its name.
    pub name: Name,
    /// Its short name. By default, it follows from the name.
    pub slug: Option<Slug>,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<Country>,
    /// Its IANA time zone.
    pub time_zone: TimeZoneName,
    /// The e-mail address of its owner. Someone who has an account keeps it, with its name and password.
    pub owner: Email,
    /// The name of an owner without an account. By default, the e-mail address.
    pub owner_name: Option<Name>,
}

/// A founded organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FoundedOrganization {
    /// The organization.
    pub organization: Organization,
    /// The e-mail address of its owner.
    pub owner: String,
    /// The link with which the owner sets a password, once. Null if they have a password already.
    pub link: Option<String>,
    /// When the link expires.
    pub link_expires_at: Option<Timestamp>,
}

/// What the operator changes in an organization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Body)]
#[body(title = "OrganizationSuspension")]
pub struct SuspendOrganization {
    /// Whether the organization is suspended: every request of its members and keys is refused.
    pub suspended: Option<bool>,
}

/// A file of the college catalogue, as JSON or as `multipart/form-data` with the file in the part `content`.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
pub struct CatalogueImport {
    /// The content of the file: UTF-8, with or without a byte order mark.
    pub content: String,
    /// The academic year of a Schools table, which does not include it, such as 2024-25.
    pub year: Option<String>,
    /// With `true`, the file is checked and compared, and nothing is stored.
    pub dry_run: Option<bool>,
    /// With `true`, bad rows are skipped and reported. Otherwise one bad row rejects the whole file.
    pub skip_bad: Option<bool>,
}

/// The result of an import of the college catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CatalogueReport {
    /// Whether it was a dry run, which stores nothing.
    pub dry_run: bool,
    /// The numbers of created, changed and unchanged records, and of rows.
    pub counts: CollegeCounts,
    /// The bad rows that were skipped, at most 1,000.
    pub bad_rows: Vec<BadRow>,
}

/// The archive of an organization, which is imported into one that has only members.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
pub struct ArchiveImport {
    /// The organization to import into. It may have members, but no seasons, venues or invitations.
    pub organization_id: OrganizationId,
    /// The file that the export of an organization wrote, in base64 (RFC 4648, section 4).
    pub archive: String,
    /// With `true`, everything is checked and nothing is stored.
    pub dry_run: Option<bool>,
}

/// The result of an import of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArchiveReport {
    /// Whether it was a dry run, which stores nothing.
    pub dry_run: bool,
    /// The numbers of records in the archive.
    pub counts: ArchiveCounts,
}

/// A user whose password is forgotten.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "PasswordLinkRequest")]
pub struct PasswordLinkRequest {
    /// The e-mail address of the user.
    pub email: Email,
}

/// A link with which a user sets a new password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PasswordLink {
    /// The e-mail address of the user.
    pub email: String,
    /// The link. It works once, and replaces all earlier ones.
    pub link: String,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
}

/// The query parameters of the list of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct MailListQuery {
    /// Only messages with this status.
    pub status: Option<MailStatus>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// A message of the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Mail {
    /// The id.
    pub id: MailId,
    /// The organization that it is about.
    pub organization_id: Option<OrganizationId>,
    /// Its kind.
    pub kind: MailKind,
    /// The address that it goes to.
    pub recipient: String,
    /// Its status.
    pub status: MailStatus,
    /// The number of attempts to send it.
    pub attempts: i64,
    /// Why the last attempt failed.
    pub error: Option<String>,
    /// When it was caused.
    pub created_at: Timestamp,
    /// When it is sent next.
    pub due_at: Option<Timestamp>,
    /// When it was sent or given up.
    pub ended_at: Option<Timestamp>,
}

/// A message with its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MailText {
    /// The message.
    pub mail: Mail,
    /// The name of the sender. Null if the message no longer applies.
    pub from: Option<String>,
    /// The subject. Null if the message no longer applies.
    pub subject: Option<String>,
    /// The text as it would be sent now, with its link. Null if the message no longer applies.
    pub text: Option<String>,
}
