//! What someone must know about a child in an emergency.

use jiff::Timestamp;

use super::sealed_class;
use crate::ids::{ChildEmergencyId, ChildId, Id as _};
use crate::record::Record;
use crate::text::Details;

/// What someone must know about a child in an emergency.
#[derive(Clone, PartialEq, Record)]
#[record(table = "child_emergencies", alias = "ce")]
pub struct ChildEmergency {
    /// The id: the child's UUID.
    #[field(server)]
    pub id: ChildEmergencyId,
    /// Allergies.
    #[field(client, sealed)]
    pub allergies: Option<Details>,
    /// Conditions that matter in an emergency, such as asthma.
    #[field(client, sealed)]
    pub conditions: Option<Details>,
    /// Medicines that the child takes or carries.
    #[field(client, sealed)]
    pub medications: Option<Details>,
    /// What to do.
    #[field(client, sealed)]
    pub instructions: Option<Details>,
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

sealed_class! { ChildEmergency ChildEmergencyId { allergies, conditions, medications, instructions } }
