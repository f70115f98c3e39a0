//! Imports of leagues in requests and responses.

use fieldhouse_domain::record::{Body, Schemas};
use fieldhouse_domain::sports::LeagueSport;
use fieldhouse_domain::text::{Name, Reason};
use fieldhouse_domain::time::TimeZoneName;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa::openapi::schema::OneOfBuilder;
use utoipa::openapi::{RefOr, Schema};

use crate::changesets::Changeset;
use crate::envelope::{self, Data, JSON};

pub use fieldhouse_imports::formats::LeagueFormat;
pub use fieldhouse_imports::league::{Counts as LeagueCounts, Match, MatchHow, MatchKind, Suggestion};
pub use fieldhouse_imports::{BadRow, DateOrder, Delimiter, SkippedRow};

/// A league file, as JSON or as `multipart/form-data` with the file in the part `content`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct LeagueImport {
    /// The format of the file. By default, it is recognized. A file of another format is refused, and the problem's `recognised_as` says
    /// what it is.
    pub format: Option<LeagueFormat>,
    /// The sport of new seasons. Required unless the format is of one sport, as openfootball is of soccer.
    pub sport: Option<LeagueSport>,
    /// The IANA time zone of the file's local times. By default, the one that the file names, or else the organization's.
    pub time_zone: Option<TimeZoneName>,
    /// The name of the season. Required if the file does not name it; `GET /imports/formats` says which formats do.
    pub season: Option<Name>,
    /// The name of the division, if the file does not name it. By default, the name of the season.
    pub division: Option<Name>,
    /// The character between the columns of a table. By default, it is detected.
    pub delimiter: Option<Delimiter>,
    /// The order of day, month and year in the dates of a table. By default, it is detected from a day above 12.
    pub date_order: Option<DateOrder>,
    /// The content of the file: UTF-8, with or without a byte order mark.
    pub content: String,
    /// With `true`, the file is checked and compared, and nothing is stored.
    pub dry_run: Option<bool>,
    /// With `true`, bad rows are skipped and reported. Otherwise one bad row rejects the whole file.
    pub skip_bad: Option<bool>,
    /// The name of the file, which is shown with a changeset. Only with `as_changeset=true`.
    pub file_name: Option<Name>,
    /// The title of the changeset; by default it names the file. Only with `as_changeset=true`.
    pub title: Option<Name>,
    /// Why, for reviewers, the audit log and families with changed games. Do not name children. Only with `as_changeset=true`.
    pub reason: Option<Reason>,
}

/// The query parameters of an import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct LeagueImportQuery {
    /// With `true`, the import is proposed as a changeset and simulated, and nothing else is stored. The response is the changeset.
    pub as_changeset: Option<bool>,
}

/// The response to an import: its report, or with `as_changeset=true` the changeset that proposes it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum LeagueAnswer {
    /// What it changed, or would change.
    Report(Box<Data<LeagueReport>>),
    /// The changeset.
    Proposed(Box<Data<Changeset>>),
}

impl envelope::Answer for LeagueAnswer {
    const MEDIA_TYPES: &'static [&'static str] = &[JSON];
    fn schema() -> Option<RefOr<Schema>> {
        let schemas = [
            <Data<LeagueReport> as envelope::Answer>::schema(),
            <Data<Changeset> as envelope::Answer>::schema(),
        ];
        let one_of = schemas.into_iter().flatten().fold(OneOfBuilder::new(), OneOfBuilder::item);
        Some(Schema::OneOf(one_of.build()).into())
    }
    fn schemas(schemas: &mut Schemas) {
        <Data<LeagueReport> as envelope::Answer>::schemas(schemas);
        <Data<Changeset> as envelope::Answer>::schemas(schemas);
    }
}

/// The result of an import: how the file was read, and what it changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LeagueReport {
    /// Whether it was a dry run, which stores nothing.
    pub dry_run: bool,
    /// Whether the import has to be proposed with `as_changeset=true`, because it changes many existing records. Only in a dry run.
    #[serde(default)]
    pub changeset_required: bool,
    /// The format.
    pub format: LeagueFormat,
    /// What the product calls such a file.
    pub recognised_as: String,
    /// The character between the columns. Null if the file is not a table.
    pub delimiter: Option<Delimiter>,
    /// The order of day, month and year in dates. Null if the file is not a table.
    pub date_order: Option<DateOrder>,
    /// The IANA time zone of times for which the file names none.
    pub time_zone: String,
    /// What to check, such as an assumed order of dates.
    pub notes: Vec<String>,
    /// The numbers of created, changed and unchanged records.
    pub counts: LeagueCounts,
    /// Which record each name of the file is, at most 1,000; and games whose time or teams differ from before.
    pub matches: Vec<Match>,
    /// New names that look like another spelling of a record, at most 1,000. They are imported as new records all the same: if one is not
    /// new, rename it in the file or rename the record, and import again.
    pub suggestions: Vec<Suggestion>,
    /// The bad rows that were skipped, at most 1,000.
    pub bad_rows: Vec<BadRow>,
    /// The rows that are not games, at most 1,000.
    pub skipped_rows: Vec<SkippedRow>,
}

/// A format that can be imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportFormat {
    /// Its name.
    pub format: LeagueFormat,
    /// What the product calls such a file.
    pub title: String,
    /// The required columns. They may be in any order and case. Empty if it is not a table.
    pub columns: Vec<String>,
    /// The columns that are read if the file has them. Others are ignored.
    pub optional_columns: Vec<String>,
    /// The order of dates if no date reveals it. Null if it is not a table.
    pub date_order: Option<DateOrder>,
    /// The sport, if all such files have the same.
    pub sport: Option<String>,
    /// Whether files name their season. Otherwise `season` is required.
    pub names_season: bool,
    /// Whether files name their divisions. Otherwise `division` may be set.
    pub names_division: bool,
    /// How its values are read.
    pub rules: Vec<String>,
}

/// The formats that can be imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportFormats {
    /// The formats.
    pub formats: Vec<ImportFormat>,
}
