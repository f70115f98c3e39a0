//! Sports, in one spelling each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::record::{At, Cell, CellKind, Column, Field, Input};
use crate::text::{self, NotText, texts};

/// A sport in `snake_case`: `basketball`, `track_and_field_outdoor`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sport(String);

impl Sport {
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

texts! { Sport: Self, ObjectBuilder::new().max_length(Some(60)); }
