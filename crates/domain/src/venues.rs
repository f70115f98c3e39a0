//! Venues: the places where games are played.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::ids::VenueId;
use crate::record::Record;
use crate::text::{Address, Name};
use crate::time::TimeZoneName;

/// A place where games are played.
#[derive(Clone, PartialEq, Serialize, Deserialize, Record)]
#[record(table = "venues", alias = "v", wire, derived(name_folded = self.name.folded()))]
pub struct Venue {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: VenueId,
    /// Its name, unique in the organization regardless of case and accents.
    #[field(client)]
    pub name: Name,
    /// Its postal address.
    #[field(client)]
    pub address: Option<Address>,
    /// Degrees north (WGS 84).
    #[field(client, min = -90, max = 90)]
    pub latitude: Option<f64>,
    /// Degrees east (WGS 84).
    #[field(client, min = -180, max = 180)]
    pub longitude: Option<f64>,
    /// Its IANA time zone.
    #[field(client)]
    pub time_zone: TimeZoneName,
    /// Its courts, fields or rinks, by name.
    #[field(client, default = Vec::new(), max = 100)]
    pub fields: Vec<Name>,
    /// When it was created.
    #[field(server, moment, initial = moment.now())]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping, initial = moment.now())]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping, initial = 1)]
    pub version: i64,
}
