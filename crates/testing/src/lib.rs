//! Fixtures shared by the tests of several crates and by the benchmark. Elsewhere, use it as a dev-dependency only.
//!
//! - [`databases`]: an empty, migrated database for each test, on both engines.
//! - [`clubs`]: a club with a member of every role, and writing as the operator.
//! - [`leagues`], [`families`], [`catalogue`]: records with plain values. [`eada`]: a catalogue of the size of the real one.

pub mod catalogue;
pub mod clubs;
pub mod databases;
pub mod eada;
pub mod families;
pub mod leagues;
mod postgres;
mod sqlite;
