//! The caller's organization in requests and responses.

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
    /// Its short name, such as `riverside-club`.
    pub slug: String,
    /// ISO 3166-1 alpha-2 code of its country.
    pub country: Option<String>,
    /// Its IANA time zone.
    pub time_zone: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

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
