//! The store below its queries: its schema and plans on both engines, and what each engine's seam promises.
//!
//! What the queries do is told in `tests/conformance`; what needs the seam's insides is told beside it, in `src`.

mod folder;
mod migrations;
mod plans;
mod postgres;
mod raw;
mod rows;
mod schema;
mod writes;
