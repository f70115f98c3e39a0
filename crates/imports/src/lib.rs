//! Imports: reading other systems' files, and turning what they say into effects.
//!
//! Two halves that meet in plain values. A *reader* turns the bytes of one format into values and a list of the rows that it could
//! not take (`playhq.rs`, `colleges.rs`); a *plan* compares such values with the records that exist and yields what is to change
//! (`league.rs`, `colleges/plan.rs`). `table.rs` reads the CSV text under both. A league format that is new gets a reader of its own
//! beside `playhq.rs` that yields a [`league::Schedule`]; nothing else changes.

pub mod colleges;
pub mod demo;
mod faults;
pub mod league;
pub mod playhq;
mod products;
mod table;
mod tally;

pub use faults::{BYTES_MOST, BadFile, BadRow, ROWS_MOST};
