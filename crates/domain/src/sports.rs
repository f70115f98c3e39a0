//! Sports, in one spelling each.

use std::fmt;

use crate::text::{self, NotText};

/// A sport in `snake_case`: `basketball`, `track_and_field_outdoor`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sport(String);

/// The sports that organizations play in leagues. Other records may name any sport: colleges offer more.
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
    /// Parses one of [`LEAGUE_SPORTS`], in any spelling that [`Sport::parse`] takes.
    pub fn of_league(text: &str) -> Result<Self, NotText> {
        let sport = Self::parse(text)?;
        if LEAGUE_SPORTS.contains(&sport.as_str()) {
            return Ok(sport);
        }
        let fix = format!("use one of: {}", LEAGUE_SPORTS.join(", "));
        Err(NotText::new("unknown_sport", "is not a known sport", fix))
    }

    /// Parses a sport in any spelling: folded, words joined by underscores, at most 60 characters.
    pub fn parse(text: &str) -> Result<Self, NotText> {
        let folded = text::fold(text);
        match folded.chars().count() {
            0 => Err(NotText::new("required", "must name a sport", "write a sport such as basketball")),
            1..=60 => Ok(Self(folded.replace(' ', "_"))),
            length => Err(NotText::new("too_long", format!("has {length} characters"), "at most 60")),
        }
    }

    /// A name that was parsed before it was stored.
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

impl fmt::Display for Sport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
