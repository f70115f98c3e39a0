//! What is known about a child's health.

use jiff::Timestamp;

use super::sealed_class;
use crate::ids::{ChildId, ChildMedicalId, Id as _};
use crate::record::Record;
use crate::text::Details;

/// What is known about a child's health.
#[derive(Clone, PartialEq, Record)]
#[record(table = "child_medical", alias = "cm")]
pub struct ChildMedical {
    /// The id: the child's UUID.
    #[field(server)]
    pub id: ChildMedicalId,
    /// Conditions and injuries.
    #[field(client, sealed)]
    pub conditions: Option<Details>,
    /// Medicines.
    #[field(client, sealed)]
    pub medications: Option<Details>,
    /// The insurance.
    #[field(client, sealed)]
    pub insurance: Option<Details>,
    /// The physician.
    #[field(client, sealed)]
    pub physician: Option<Details>,
    /// Notes of medical staff.
    #[field(client, sealed)]
    pub notes: Option<Details>,
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

sealed_class! { ChildMedical ChildMedicalId { conditions, medications, insurance, physician, notes } }
