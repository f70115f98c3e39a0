//! Imports of leagues in requests and responses.

use fieldhouse_domain::record::Body;
use fieldhouse_domain::sports::LeagueSport;
use fieldhouse_domain::time::TimeZoneName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_imports::BadRow;
pub use fieldhouse_imports::league::Counts as LeagueCounts;

/// A league file, as JSON or as `multipart/form-data` with the file in the part `content`.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
pub struct LeagueImport {
    /// The product that exported the file.
    pub format: LeagueFormat,
    /// The sport, for files without one.
    pub sport: LeagueSport,
    /// The IANA time zone of the file's local times.
    pub time_zone: TimeZoneName,
    /// The content of the file: UTF-8, with or without a byte order mark.
    pub content: String,
    /// With `true`, the file is checked and counted, and nothing is stored.
    pub dry_run: Option<bool>,
    /// With `true`, bad rows are skipped and reported. Otherwise one bad row rejects the whole file.
    pub skip_bad: Option<bool>,
}

pub use fieldhouse_imports::league::LeagueFormat;

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeagueReport {
    /// Whether it was a dry run, which stores nothing.
    pub dry_run: bool,
    /// The numbers of created, changed and unchanged records.
    pub counts: LeagueCounts,
    /// The rows that were skipped.
    pub bad_rows: Vec<BadRow>,
}
