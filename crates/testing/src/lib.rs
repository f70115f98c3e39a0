//! What the tests of several crates share. A dev-dependency only: no program is built with it.
//!
//! - [`databases`]: an empty, migrated database for each test, on both engines.

pub mod databases;
mod postgres;
mod sqlite;
