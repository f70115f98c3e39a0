//! Errors of files, and the limits of every file.

/// The maximum number of rows, without the header and blank rows. The largest known table, one year of the EADA's `Schools`, has about
/// 17,900.
pub const MAX_ROWS: u64 = 20_000;
/// The maximum size of a file: 16 MiB.
pub const MAX_BYTES: usize = 16 << 20;

/// A row of a file that is invalid. The other rows are imported if bad rows are skipped.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct BadRow {
    /// The line of the file on which the row starts, from 1. The header is usually line 1.
    pub line: u64,
    /// The invalid column, if the problem is in one column only.
    pub column: Option<String>,
    /// What is wrong, for a person.
    pub reason: String,
}

/// A row of a file that is not a game, such as a practice.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct SkippedRow {
    /// The line of the file on which the row starts, from 1.
    pub line: u64,
    /// Why it is not imported, for a person.
    pub reason: String,
}

/// Why a whole file is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFile {
    /// It is too large.
    #[error("the file has {bytes} bytes; the maximum is {}", MAX_BYTES)]
    TooLarge {
        /// The size in bytes.
        bytes: usize,
    },
    /// It has too many rows.
    #[error("the file has more than {} rows: import it in parts", MAX_ROWS)]
    TooManyRows,
    /// It is empty.
    #[error("the file is empty")]
    Empty,
    /// It has a header and no rows.
    #[error("the file has a header and no rows")]
    NoRows,
    /// Its header is that of another product's file.
    #[error("this looks like {} {product}, not like {} {table}", article(.product), article(.table))]
    OtherProduct {
        /// The table that was expected.
        table: &'static str,
        /// The product.
        product: &'static str,
    },
    /// It holds people, who cannot be imported.
    #[error("this looks like {} {product}. Rosters cannot be imported: import the schedule", article(.product))]
    Roster {
        /// The product.
        product: &'static str,
    },
    /// It is a file of a known product that cannot be imported.
    #[error("this looks like {} {product}, which cannot be imported", article(.product))]
    Unsupported {
        /// The product.
        product: &'static str,
    },
    /// Its format is not known.
    #[error("the format of the file is not known; {found}")]
    Unknown {
        /// What it has instead.
        found: String,
    },
    /// Its syntax is wrong.
    #[error("the file cannot be read as {format}: {reason}")]
    Syntax {
        /// The format.
        format: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// It does not name the season, and neither does the caller.
    #[error("the file does not name the season: set its name")]
    NoSeason,
    /// It is UTF-16.
    #[error("the file is UTF-16: save it as CSV UTF-8")]
    Utf16,
    /// It is in another encoding, such as Windows-1252.
    #[error("the file is not UTF-8 (line {line} has other bytes): save it as CSV UTF-8")]
    NotUtf8 {
        /// The first line that is not UTF-8.
        line: usize,
    },
    /// Two of its columns have the same name.
    #[error("the file has two columns named \"{0}\"")]
    RepeatedColumn(String),
    /// Required columns are missing.
    #[error("the file lacks columns of the {table}: {}; its columns are {}", .missing.join(", "), .found.join(", "))]
    MissingColumns {
        /// The table that was expected.
        table: &'static str,
        /// The missing columns.
        missing: Vec<&'static str>,
        /// The columns of the file.
        found: Vec<String>,
    },
}

impl BadFile {
    /// The product that the file comes from, if it is another one than expected.
    pub fn recognised_as(&self) -> Option<&'static str> {
        match self {
            Self::OtherProduct { product, .. } | Self::Roster { product } | Self::Unsupported { product } => {
                Some(product)
            }
            _ => None,
        }
    }
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o']) { "an" } else { "a" }
}
