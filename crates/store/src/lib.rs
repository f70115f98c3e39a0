//! The store: records on embedded SQLite and on PostgreSQL, with one API. The only crate that uses database drivers.
//!
//! - A query is one SQL text with a name ([`query`]), a row has one mapper ([`row`]), a transaction has one body ([`Store::write`]). Only
//!   `sqlite/` and `postgres/` differ.
//! - Access to a tenant's data needs a proof: [`OrgScope`] for reading, [`OrgWrite`] for writing. Only [`access`] creates them.
//! - Records change only through [`Tx::apply`], which takes the effects of a command. Before the transaction commits, they become one entry
//!   of the organization's ledger ([`ledger`]).
//! - Data of children is stored sealed (`sealing.rs`). A store without a [`Sealer`] can neither read nor write it.
//!
//! A new noun gets a file with its queries and row mapper, a line in [`query::all`], a line in `records.rs`, and a file in
//! `tests/conformance`, where every query must run on both engines.

pub mod access;
pub mod access_log;
pub mod api_keys;
mod apply;
pub mod break_glass;
pub mod cases;
pub mod changesets;
pub mod children;
pub mod colleges;
pub mod consents;
mod consequences;
mod deadline;
mod departures;
pub mod divisions;
pub mod duties;
mod engine;
mod erasures;
pub mod error;
pub mod exports;
pub mod families;
pub mod favorites;
mod folder;
pub mod games;
pub mod guardian_invitations;
pub mod guests;
pub mod idempotency;
pub mod impact;
pub mod invitations;
pub mod key_ring;
pub mod ledger;
pub mod mail;
pub mod members;
pub mod migrations;
pub mod organizations;
pub mod places;
mod postgres;
pub mod privacy_requests;
pub mod query;
pub mod records;
pub mod registrations;
pub mod relations;
mod rendered;
pub mod restrictions;
mod retention;
pub mod rosters;
mod row;
mod sealing;
mod search;
pub mod seasons;
pub mod sessions;
pub mod sign_ins;
mod sqlite;
pub mod staff;
pub mod teams;
pub mod users;
mod value;
pub mod venues;
mod visits;

pub use access::{Actor, Caller, GuestWrite, OrgScope, OrgWrite, Principal, Proof, RawCredential, UserWrite};
pub use apply::{Authority, Change};
pub use engine::{Engine, Options, ReadTx, Reader, Rows, Savepoint, Source, Store, Tx, Watched};
pub use error::{Error, Result, Taken};
pub use folder::{FolderLock, sync_folder};
pub use ledger::Attribution;
pub use sealing::{SealError, Sealer};
pub use sqlite::{LocalGeneration, back_up, is_writing};
