//! Imports of whole leagues on the wire.

use fieldhouse_domain::text::NotOneOf;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A league file, as JSON or as `multipart/form-data` with the file in the part `content`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LeagueImport {
    /// What wrote the file.
    pub format: LeagueFormat,
    /// The sport, for files that do not say.
    pub sport: String,
    /// The IANA zone of the file's wall-clock times.
    pub time_zone: String,
    /// The file's text, UTF-8 with or without a byte order mark.
    pub content: String,
    /// With `true`, everything is checked and counted, and nothing is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
    /// With `true`, bad rows are left out and reported; otherwise one bad row refuses the whole file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_bad: Option<bool>,
}

/// A format of league files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeagueFormat {
    /// PlayHQ's fixture export (CSV).
    Playhq,
}

impl LeagueFormat {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Playhq];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Playhq => "playhq",
        }
    }
}

impl std::str::FromStr for LeagueFormat {
    type Err = NotOneOf;
    fn from_str(text: &str) -> Result<Self, NotOneOf> {
        const NAMES: &[&str] = &[LeagueFormat::Playhq.name()];
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(NotOneOf(NAMES))
    }
}

/// What came of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeagueReport {
    /// Whether nothing was kept.
    pub dry_run: bool,
    /// What was made, changed and found unchanged.
    pub counts: LeagueCounts,
    /// The rows that were left out.
    pub bad_rows: Vec<BadRow>,
}

pub use fieldhouse_domain::imports::BadRow;
pub use fieldhouse_domain::imports::league::Counts as LeagueCounts;
