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
    /// Its header is not text.
    #[error("the file is not UTF-8: save it as CSV UTF-8")]
    InvalidValue,
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

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o']) { "an" } else { "a" }
}
