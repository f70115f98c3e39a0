//! Imports: reading files of other products, and planning effects from them.
//!
//! A *reader* parses one format into values and bad rows (`playhq.rs`, `ics.rs`, `colleges.rs`). A *plan* compares these values with
//! existing records and returns the changes (`league.rs`, `colleges/plan.rs`). Both are independent. The readers of tables share `table.rs`,
//! which reads CSV, and `rows.rs`; `formats.rs` lists the formats of leagues and recognizes files. `archive.rs` writes and reads
//! the archive of a whole organization.

pub mod archive;
mod clock;
pub mod colleges;
pub mod demo;
mod dialect;
mod encoding;
mod faults;
pub mod formats;
mod ics;
pub mod league;
mod openfootball;
pub mod playhq;
mod products;
mod rows;
mod sportsengine;
mod table;
mod tally;
mod teamapp;
mod teamsnap;
mod titles;

pub use dialect::{DateOrder, Delimiter};
pub use encoding::utf8;
pub use faults::{BadFile, BadRow, MAX_BYTES, MAX_ROWS, SkippedRow};
