//! Sports, each with one normalized name.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::record::{At, Cell, CellKind, Column, Field, Input};
use crate::text::{self, InvalidValue, texts};

/// A sport in `snake_case`: `basketball`, `track_and_field_outdoor`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sport(String);

/// The sports that organizations can play in leagues. Records of the catalogue may name any sport, because colleges offer more.
pub const LEAGUE_SPORTS: [&str; 31] = [
    "australian_football",
    "badminton",
    "baseball",
    "basketball",
    "beach_volleyball",
    "cricket",
    "field_hockey",
    "flag_football",
    "floorball",
    "football",
    "futsal",
    "gymnastics",
    "handball",
    "hockey",
    "ice_hockey",
    "lacrosse",
    "netball",
    "rugby",
    "rugby_league",
    "rugby_union",
    "soccer",
    "softball",
    "swimming",
    "table_tennis",
    "tennis",
    "touch_football",
    "track_and_field",
    "ultimate",
    "volleyball",
    "water_polo",
    "wrestling",
];

impl Sport {
    /// Parses one of [`LEAGUE_SPORTS`], in any spelling that [`Sport::parse`] accepts.
    pub fn of_league(text: &str) -> Result<Self, InvalidValue> {
        let sport = Self::parse(text)?;
        if LEAGUE_SPORTS.contains(&sport.as_str()) {
            return Ok(sport);
        }
        let fix = format!("Send one of: {}.", LEAGUE_SPORTS.join(", "));
        Err(InvalidValue::new("unknown_sport", "is not a known sport", fix))
    }

    /// Parses a sport in any spelling: folded, words joined by underscores, at most 60 characters.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let folded = text::fold(text);
        match folded.chars().count() {
            0 => Err(InvalidValue::new("required", "must name a sport", "Send a sport such as basketball.")),
            1..=60 => Ok(Self(folded.replace(' ', "_"))),
            length => {
                Err(InvalidValue::new("too_long", format!("has {length} characters"), "Send at most 60."))
            }
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
}

impl From<Sport> for String {
    fn from(name: Sport) -> Self {
        name.0
    }
}

/// A sport that can be played in leagues: one of [`LEAGUE_SPORTS`], so that a typo does not become a sport.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeagueSport(pub Sport);

impl LeagueSport {
    /// Parses a sport of the list, in any spelling.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        Sport::of_league(text).map(Self)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }
}

texts! { LeagueSport: |text| Self(Sport(text)), ObjectBuilder::new().enum_values(Some(LEAGUE_SPORTS)); }
texts! { Sport: Self, ObjectBuilder::new().max_length(Some(60)); }
