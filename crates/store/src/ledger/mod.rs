//! The ledger: the history of each organization. Every transaction that changes an organization is one entry: who, when, through which
//! operation, why, and every record before and after.
//!
//! - [`entries`]: the effects of a transaction, and the entry that they become.
//! - [`journal`] (PostgreSQL): where entries wait to be posted. SQLite has one writer, which writes to the ledger directly.
//! - [`posting`]: how entries get their number, and who posts. [`heads`]: the newest entry of each ledger.
//! - [`chain`]: the digests that link entries.
//! - [`reading`]: the audit log, the history of a record, and changes since a position.
//! - [`opening`]: what it says about children, which is sealed.
//! - [`undoing`]: what is to be undone.
//! - [`clearing`]: erasure and retention. [`verifying`]: whether entries were altered.

pub(crate) mod chain;
pub(crate) mod clearing;
pub(crate) mod entries;
pub(crate) mod heads;
pub(crate) mod journal;
pub(crate) mod opening;
pub(crate) mod posting;
pub(crate) mod reading;
pub(crate) mod undoing;
pub(crate) mod verifying;

pub use entries::Attribution;
pub use heads::{Generation, Head};
pub use opening::{Shown, history_of_child, open_images};
pub use reading::{
    Changed, Entry, EntryEffect, Filter, Following, Listing, Point, Position, entries, following, head,
    history, latest, posted_until,
};
pub use undoing::{Content, MOST_UNDONE, Reading, Undone, UndoneEffect, UndoneEntry, entries_of};
pub use verifying::{Verdict, verify, verify_for_operator};
