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
    /// Its short name: letters, digits and hyphens; unique.
    #[field(server)]
    pub slug: String,
    /// ISO 3166-1 alpha-2 code of its country.
    #[field(server)]
    pub country: Option<String>,
    /// Its IANA time zone.
    #[field(server)]
    pub time_zone: TimeZoneName,
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

/// The slug of a name: folded, words joined by hyphens, at most 60 characters.
pub fn slug(name: &Name) -> String {
    let slug: String = text::fold(name.as_str()).replace(' ', "-").chars().take(60).collect();
    slug.trim_matches('-').to_owned()
}
