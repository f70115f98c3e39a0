//! The caller's organization on the wire.

use fieldhouse_domain::ids::OrganizationId;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Organization {
    /// The id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Its name in addresses.
    pub slug: String,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<String>,
    /// The IANA zone in which it plays unless a season or venue says otherwise.
    pub time_zone: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// An organization, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OrganizationRef {
    /// The id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Its name in addresses.
    pub slug: String,
}
