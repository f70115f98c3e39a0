//! What the tests of several crates share. A dev-dependency only: no program is built with it.
//!
//! - [`databases`]: an empty, migrated database for each test, on both engines.
//! - [`clubs`]: a club with a person of every role, and writing by the operator's leave.
//! - [`leagues`], [`catalogue`]: plain records to fill it with.

pub mod catalogue;
pub mod clubs;
pub mod databases;
pub mod leagues;
mod postgres;
mod sqlite;
