//! Organizations: the tenants.

use jiff::Timestamp;

use crate::ids::OrganizationId;
use crate::record::record;
use crate::text::{self, Name};
use crate::time::TimeZoneName;

record! {
    /// An organization.
    Organization {
        /// Its id.
        id: OrganizationId,
        /// Its name.
        name: Name,
        /// Its name in addresses: letters, digits and hyphens; unique.
        slug: String,
        /// ISO 3166-1 alpha-2 code of its country.
        country: Option<String>,
        /// The time zone in which it plays unless a season or venue says otherwise.
        time_zone: TimeZoneName,
        /// When it was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// The name of an organization as it stands in addresses: folded, words joined by hyphens, at most 60 characters.
pub fn slug(name: &Name) -> String {
    let slug: String = text::fold(name.as_str()).replace(' ', "-").chars().take(60).collect();
    slug.trim_matches('-').to_owned()
}
