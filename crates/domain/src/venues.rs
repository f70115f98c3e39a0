//! Venues: the places where games are played.

use jiff::Timestamp;

use crate::ids::VenueId;
use crate::record::record;
use crate::text::Name;
use crate::time::TimeZoneName;

record! {
    /// A place where games are played.
    Venue {
        /// The id.
        id: VenueId,
        /// Its name, unique in the organization by its folded form.
        name: Name,
        /// Its postal address.
        address: Option<String>,
        /// Degrees north (WGS 84).
        latitude: Option<f64>,
        /// Degrees east (WGS 84).
        longitude: Option<f64>,
        /// The zone of its clocks.
        time_zone: TimeZoneName,
        /// Its courts, fields or rinks, by name.
        fields: Vec<Name>,
        /// When it was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}
