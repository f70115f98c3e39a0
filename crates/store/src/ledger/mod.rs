//! The ledger: one history for each organization. Every transaction that changes an organization is one entry: who, when, through which
//! operation, why, and every record before and after.
//!
//! - [`entries`]: what a transaction collects, and the entry that it becomes.
//! - [`journal`] (PostgreSQL): where entries wait. SQLite has one writer and writes to the ledger directly.
//! - [`posting`]: how entries get their number, and who posts. [`heads`]: how far an organization's ledger is.
//! - [`chain`]: the digests that tie entries together.
//! - [`reading`]: the audit log, the history of a record, and what changed since.
//! - [`clearing`]: erasing and the retention. [`verifying`]: whether everything is as it was written.

pub(crate) mod chain;
pub(crate) mod clearing;
pub(crate) mod entries;
pub(crate) mod heads;
pub(crate) mod journal;
pub(crate) mod posting;
pub(crate) mod reading;
pub(crate) mod verifying;

pub use heads::{Generation, Head};
pub use reading::{
    Changed, Entry, EntryEffect, Filter, Following, Point, entries, following, head, history, latest,
    posted_after,
};
pub use verifying::{Verdict, verify, verify_for_operator};

use crate::query::Query;

/// The queries that only PostgreSQL has.
pub(crate) const POSTGRES_QUERIES: &[&[&Query]] = &[journal::QUERIES, heads::POSTGRES_QUERIES];
