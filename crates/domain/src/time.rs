//! Time zones and wall-clock times.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use jiff::civil::{Date, DateTime};
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{Timestamp, Zoned};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::record::{At, Cell, CellKind, Column, Field, Input};
use crate::text::{InvalidValue, texts};

/// The bundled database: the rules do not depend on the files of a machine, whichever of jiff's features other crates enable.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// The name of an IANA time zone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeZoneName(String);

impl TimeZoneName {
    /// Parses an IANA name (`Australia/Melbourne`) against the bundled database.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        match ZONES.get(text).ok().and_then(|zone| zone.iana_name().map(str::to_owned)) {
            Some(name) => Ok(Self(name)),
            None => Err(InvalidValue::new(
                "unknown_time_zone",
                "is not an IANA time zone",
                "Send a name such as Australia/Melbourne.",
            )),
        }
    }

    /// A stored name, which was parsed before.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The instant at which clocks in this zone show `local`. A time that a clock change skips or repeats is read as in RFC 5545: a skipped
    /// one with the offset before the change, a repeated one as the first of the two.
    pub fn instant(&self, local: DateTime) -> Option<Timestamp> {
        local.to_zoned(self.zone()).ok().map(|zoned| zoned.timestamp())
    }

    /// The local time in this zone at an instant.
    pub fn local(&self, instant: Timestamp) -> DateTime {
        Zoned::new(instant, self.zone()).datetime()
    }

    /// The local date in this zone at an instant.
    pub fn date(&self, instant: Timestamp) -> Date {
        self.local(instant).date()
    }

    /// The time with its offset in this zone at an instant.
    pub fn zoned(&self, instant: Timestamp) -> Zoned {
        Zoned::new(instant, self.zone())
    }

    /// UTC.
    pub fn utc() -> Self {
        Self("UTC".to_owned())
    }

    fn zone(&self) -> TimeZone {
        ZONES.get(&self.0).unwrap_or(TimeZone::UTC)
    }
}

impl From<TimeZoneName> for String {
    fn from(name: TimeZoneName) -> Self {
        name.0
    }
}

texts! { TimeZoneName: Self, ObjectBuilder::new().description(Some("An IANA time zone.")); }

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn a_wall_clock_time_is_an_instant_across_clock_changes() {
        let melbourne = TimeZoneName::parse("Australia/Melbourne").expect("a zone");
        let at = |local: DateTime| melbourne.instant(local).expect("an instant").to_string();
        assert_eq!(at(date(2022, 4, 30).at(9, 15, 0, 0)), "2022-04-29T23:15:00Z");
        assert_eq!(at(date(2022, 10, 2).at(2, 30, 0, 0)), "2022-10-01T16:30:00Z", "skipped");
        assert_eq!(at(date(2022, 4, 3).at(2, 30, 0, 0)), "2022-04-02T15:30:00Z", "repeated");
        assert!(TimeZoneName::parse("Australia/Coburg").is_err());
    }
}
