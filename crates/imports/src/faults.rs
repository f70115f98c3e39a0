//! What can be wrong with a file, and the limits that every file keeps.

/// The most rows that a file may have, the header and blank rows not counted. The largest table known, a year of the EADA's
/// `Schools`, has about 17,900.
pub const ROWS_MOST: u64 = 20_000;
/// The most bytes that a file may have: 16 MiB.
pub const BYTES_MOST: usize = 16 << 20;

/// A row of a file that could not be taken. The other rows are.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct BadRow {
    /// The physical line of the file on which the row starts, from 1; the header is usually line 1.
    pub line: u64,
    /// The column that is wrong, where it is one.
    pub column: Option<String>,
    /// What is wrong, for a person.
    pub reason: String,
}

/// Why nothing of a file could be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    /// It has too many bytes.
    #[error("the file has {bytes} bytes; at most {} are read", BYTES_MOST)]
    TooLarge {
        /// How many it has.
        bytes: usize,
    },
    /// It has too many rows.
    #[error("the file has more than {} rows: import it in parts", ROWS_MOST)]
    TooManyRows,
    /// There is nothing in it.
    #[error("the file is empty")]
    Empty,
    /// It has a header and nothing below it.
    #[error("the file has a header and no rows")]
    NoRows,
    /// Its header is that of another product's file.
    #[error("this looks like {} {product}, not like {} {table}", article(.product), article(.table))]
    OtherProduct {
        /// The table that was expected.
        table: &'static str,
        /// What it looks like.
        product: &'static str,
    },
    /// Its first row is no text.
    #[error("the file is not UTF-8 text: save it as CSV UTF-8")]
    NotText,
    /// Two of its columns have one name.
    #[error("the file has two columns named \"{0}\"")]
    RepeatedColumn(String),
    /// Its columns are not those of the expected table.
    #[error("the file lacks columns of the {table}: {}; it has {}", .missing.join(", "), .found.join(", "))]
    MissingColumns {
        /// The table that was expected.
        table: &'static str,
        /// Which of its columns are missing.
        missing: Vec<&'static str>,
        /// Which columns the file has.
        found: Vec<String>,
    },
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o']) { "an" } else { "a" }
}
