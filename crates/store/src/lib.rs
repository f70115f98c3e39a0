//! The records of Fieldhouse, on embedded SQLite and on PostgreSQL: one API, two engines. The only crate that knows a database driver.
//!
//! - A query is one SQL text with a name ([`query`]), a row is mapped once ([`row`]), a transaction is one body ([`Store::write`]).
//!   Only `sqlite/` and `postgres/` are written twice.
//! - What opens a tenant's data is a proof: [`OrgScope`] for reading, [`OrgWrite`] for changing, minted in [`access`] alone.
//! - A record changes in one way: [`Tx::apply`] takes the effects of a domain command. Before the transaction commits,
//!   they become one entry of the organization's ledger ([`ledger`]).
//!
//! A new noun gets a file of its name with its queries and row mapper, a line in [`query::all`], an arm in `apply.rs`, and a file in
//! `tests/conformance`, where both engines have to run every query.

pub mod access;
pub mod api_keys;
mod apply;
pub mod colleges;
mod consequences;
mod deadline;
pub mod divisions;
mod engine;
pub mod error;
pub mod favorites;
mod folder;
pub mod games;
pub mod guests;
pub mod idempotency;
pub mod key_ring;
pub mod ledger;
pub mod login_failures;
pub mod members;
pub mod migrations;
pub mod organizations;
mod postgres;
pub mod query;
pub mod records;
mod row;
mod search;
pub mod seasons;
pub mod sessions;
mod sqlite;
pub mod teams;
pub mod users;
mod value;
pub mod venues;

pub use access::{Actor, Caller, GuestWrite, OrgScope, OrgWrite, Principal, Proof, Sent};
pub use apply::{Authority, Change};
pub use engine::{Engine, Options, ReadTx, Reader, Rows, Savepoint, Store, Tx};
pub use error::{Error, Result, Taken};
pub use folder::FolderLock;
