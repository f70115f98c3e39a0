//! Imports: reading files of other products, and planning effects from them.
//!
//! A *reader* parses one format into values and bad rows (`playhq.rs`, `colleges.rs`). A *plan* compares these values with existing records
//! and returns the changes (`league.rs`, `colleges/plan.rs`). Both are independent and share `table.rs`, which reads CSV. A new league
//! format gets a reader beside `playhq.rs` that returns a [`league::Schedule`]; nothing else changes.

pub mod colleges;
pub mod demo;
mod faults;
pub mod league;
pub mod playhq;
mod products;
mod table;
mod tally;

pub use faults::{BadFile, BadRow, MAX_BYTES, MAX_ROWS};
