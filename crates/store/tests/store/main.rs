//! The store below its queries: its schema and plans on both engines, and what each engine's seam promises.
//!
//! What the queries do is told in `tests/conformance`; what needs the seam's insides is told beside it, in `src`.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot go on says so by panicking, also in a function of its own"
)]

mod folder;
mod journal;
mod ledger;
mod migrations;
mod plans;
mod postgres;
mod raw;
mod rows;
mod schema;
mod writes;
