//! The caller's organization in requests and responses.

use fieldhouse_domain::ids::OrganizationId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::organizations::{ChangeOrganization, Organization};

/// An organization, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrganizationRef {
    /// The id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Its short name, such as `riverside-club`.
    pub slug: String,
}
