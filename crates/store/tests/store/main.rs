//! Tests of the store below its queries: schema and query plans on both engines, and the drivers.
//!
//! `tests/conformance` tests the queries; tests that need a driver's internals are next to it, in `src`.

#![expect(clippy::unwrap_used, reason = "tests may panic, in helper functions too")]

mod access_log;
mod children;
mod folder;
mod journal;
mod ledger;
mod migrations;
mod plans;
mod postgres;
mod raw;
mod rows;
mod schema;
mod sealing;
mod writes;
