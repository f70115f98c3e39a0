//! The numbers of an import.

/// The numbers of created, changed and unchanged records, and of rows. Records that the file does not mention are not counted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct Counts {
    /// Created seasons.
    pub seasons_created: u64,
    /// Changed seasons.
    pub seasons_updated: u64,
    /// Unchanged seasons.
    pub seasons_unchanged: u64,
    /// Created divisions.
    pub divisions_created: u64,
    /// Changed divisions.
    pub divisions_updated: u64,
    /// Unchanged divisions.
    pub divisions_unchanged: u64,
    /// Created teams.
    pub teams_created: u64,
    /// Changed teams.
    pub teams_updated: u64,
    /// Unchanged teams.
    pub teams_unchanged: u64,
    /// Created venues.
    pub venues_created: u64,
    /// Changed venues.
    pub venues_updated: u64,
    /// Unchanged venues.
    pub venues_unchanged: u64,
    /// Created games and byes.
    pub games_created: u64,
    /// Changed games and byes.
    pub games_updated: u64,
    /// Unchanged games and byes.
    pub games_unchanged: u64,
    /// Byes among these games.
    pub byes: u64,
    /// Rows of the file, without the header and blank rows.
    pub rows: u64,
    /// Bad rows.
    pub bad_rows: u64,
    /// Rows that are not games, such as practices.
    pub skipped_rows: u64,
}
