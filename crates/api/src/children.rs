//! Children in requests and responses. Each class of data has a type of its own, and no type has two.

use fieldhouse_domain::children::classes::{Capacity, DataClass};
use fieldhouse_domain::children::contacts::EmergencyContact;
use fieldhouse_domain::ids::{AccessEventId, ApiKeyId, ChildId, UserId};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::children::contacts::ChangeChildContact;
pub use fieldhouse_domain::children::emergencies::ChangeChildEmergency;
pub use fieldhouse_domain::children::identities::ChangeChildIdentity;
pub use fieldhouse_domain::children::medical::ChangeChildMedical;
pub use fieldhouse_domain::children::performances::ChangeChildPerformance;
pub use fieldhouse_domain::children::shown::{Child, ChildTeam};
pub use fieldhouse_domain::children::{AgeBand, ChangeChild, NewPerson};

/// The profile of a child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildProfile {
    /// The child.
    pub child_id: ChildId,
    /// The name by which the child is known in its teams.
    pub display_name: String,
    /// The year of birth.
    pub birth_year: i64,
    /// How old the child is, by its year of birth.
    pub age_band: AgeBand,
    /// The address of a photo.
    pub photo_url: Option<String>,
    /// The pronouns.
    pub pronouns: Option<String>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The identity of a child.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildIdentity {
    /// The child.
    pub child_id: ChildId,
    /// The first name in documents.
    pub legal_first_name: Option<String>,
    /// The last name in documents.
    pub legal_last_name: Option<String>,
    /// The date of birth.
    pub birth_date: Option<Date>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// How to reach a child's family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ChildContact {
    /// The child.
    pub child_id: ChildId,
    /// E-mail addresses of the family.
    pub emails: Vec<String>,
    /// Telephone numbers of the family.
    pub phones: Vec<String>,
    /// The postal address.
    pub address: Option<String>,
    /// The people to call in an emergency, in this order.
    pub emergency_contacts: Vec<EmergencyContact>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// What someone must know about a child in an emergency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildEmergency {
    /// The child.
    pub child_id: ChildId,
    /// Allergies.
    pub allergies: Option<String>,
    /// Conditions that matter in an emergency, such as asthma.
    pub conditions: Option<String>,
    /// Medicines that the child takes or carries.
    pub medications: Option<String>,
    /// What to do.
    pub instructions: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// What is known about a child's health.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildMedical {
    /// The child.
    pub child_id: ChildId,
    /// Conditions and injuries.
    pub conditions: Option<String>,
    /// Medicines.
    pub medications: Option<String>,
    /// The insurance.
    pub insurance: Option<String>,
    /// The physician.
    pub physician: Option<String>,
    /// Notes of medical staff.
    pub notes: Option<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// How a child plays, in the words of its coaches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChildPerformance {
    /// The child.
    pub child_id: ChildId,
    /// The usual position.
    pub position: Option<String>,
    /// Notes.
    pub notes: Option<String>,
    /// Measurements, such as `20 m: 3.4 s`.
    pub metrics: Vec<String>,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// A read of a child's data by someone else than the child and its guardians.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessEvent {
    /// The id. Children whose data was read together have the same.
    pub id: AccessEventId,
    /// When.
    pub at: Timestamp,
    /// The child.
    pub child_id: ChildId,
    /// Who.
    pub user: AccessUser,
    /// The API key that they used.
    pub key_id: Option<ApiKeyId>,
    /// In what capacity.
    pub capacity: Capacity,
    /// The class of data.
    pub class: DataClass,
    /// The operation.
    pub operation: String,
}

/// Someone who saw a child's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AccessUser {
    /// The id.
    pub id: UserId,
    /// The person's name.
    pub name: String,
}
