//! What an import did, in numbers.

/// How many records an import makes, changes and leaves as they are, and how many rows it read. Records on which the file says
/// nothing are not counted.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct Counts {
    /// Seasons made.
    pub seasons_created: u64,
    /// Seasons changed.
    pub seasons_updated: u64,
    /// Seasons left as they are.
    pub seasons_unchanged: u64,
    /// Divisions made.
    pub divisions_created: u64,
    /// Divisions changed.
    pub divisions_updated: u64,
    /// Divisions left as they are.
    pub divisions_unchanged: u64,
    /// Teams made.
    pub teams_created: u64,
    /// Teams changed.
    pub teams_updated: u64,
    /// Teams left as they are.
    pub teams_unchanged: u64,
    /// Venues made.
    pub venues_created: u64,
    /// Venues changed.
    pub venues_updated: u64,
    /// Venues left as they are.
    pub venues_unchanged: u64,
    /// Games and byes made.
    pub games_created: u64,
    /// Games and byes changed.
    pub games_updated: u64,
    /// Games and byes left as they are.
    pub games_unchanged: u64,
    /// How many of the games are byes.
    pub byes: u64,
    /// Rows of the file, the header and blank rows not counted.
    pub rows: u64,
    /// Rows that could not be taken.
    pub bad_rows: u64,
}
