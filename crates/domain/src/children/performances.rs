//! Notes and measurements of coaches.

use jiff::Timestamp;

use super::sealed_class;
use crate::ids::{ChildId, ChildPerformanceId, Id as _};
use crate::record::Record;
use crate::text::{Details, Name};

/// How a child plays, in the words of its coaches.
#[derive(Clone, PartialEq, Record)]
#[record(table = "child_performances", alias = "cp")]
pub struct ChildPerformance {
    /// The id: the child's UUID.
    #[field(server)]
    pub id: ChildPerformanceId,
    /// The usual position.
    #[field(client, sealed)]
    pub position: Option<Name>,
    /// Notes.
    #[field(client, sealed)]
    pub notes: Option<Details>,
    /// Measurements, such as `20 m: 3.4 s`, at most 50.
    #[field(client, sealed, max = 50)]
    pub metrics: Vec<Name>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

sealed_class! { ChildPerformance ChildPerformanceId { position, notes, metrics } }
