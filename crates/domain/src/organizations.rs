//! Organizations: the tenants.

use jiff::Timestamp;

use crate::ids::OrganizationId;
use crate::record::Record;
use crate::text::{self, Name};
use crate::time::TimeZoneName;

/// An organization.
#[derive(Clone, PartialEq, Record)]
#[record(table = "orgs", alias = "o", shared)]
pub struct Organization {
    /// The id.
    #[field(server)]
    pub id: OrganizationId,
    /// Its name.
    #[field(server)]
    pub name: Name,
    /// Its name in addresses: letters, digits and hyphens; unique.
    #[field(server)]
    pub slug: String,
    /// ISO 3166-1 alpha-2 code of its country.
    #[field(server)]
    pub country: Option<String>,
    /// The time zone in which it plays unless a season or venue has its own.
    #[field(server)]
    pub time_zone: TimeZoneName,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The name of an organization as it stands in addresses: folded, words joined by hyphens, at most 60 characters.
pub fn slug(name: &Name) -> String {
    let slug: String = text::fold(name.as_str()).replace(' ', "-").chars().take(60).collect();
    slug.trim_matches('-').to_owned()
}
