//! Organizations: the tenants.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Moment;
use crate::ids::OrganizationId;
use crate::record::{At, Cell, CellKind, Column, Field, Input, Record};
use crate::text::{self, InvalidValue, Name, texts};
use crate::time::TimeZoneName;

/// An organization.
#[derive(Clone, PartialEq, Serialize, Deserialize, Record)]
#[record(table = "orgs", alias = "o", shared, wire)]
pub struct Organization {
    /// The id.
    #[field(server, initial = moment.id())]
    pub id: OrganizationId,
    /// Its name.
    #[field(client)]
    pub name: Name,
    /// Its short name, such as `riverside-club`: lower-case letters, digits and hyphens. Unique on the server.
    #[field(client)]
    pub slug: Slug,
    /// ISO 3166-1 alpha-2 code of its country.
    #[field(client)]
    pub country: Option<Country>,
    /// Its IANA time zone. It applies to new records; games keep their own.
    #[field(client)]
    pub time_zone: TimeZoneName,
    /// When the operator of the server suspended it.
    #[field(server, initial = None)]
    pub suspended_at: Option<Timestamp>,
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

impl Organization {
    /// The organization after it was suspended or resumed.
    pub fn suspended(&self, moment: &Moment, suspended: bool) -> Self {
        let since = self.suspended_at.unwrap_or_else(|| moment.now());
        Self { suspended_at: suspended.then_some(since), ..self.clone() }
    }
}

/// The short name of an organization: lower-case letters and digits, and hyphens between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(String);

impl Slug {
    /// The maximum length, in characters.
    pub const MAX_LENGTH: usize = 60;

    /// Parses a short name.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_word = |word: &str| {
            let is_plain = |letter: char| letter.is_alphanumeric() && !letter.is_uppercase();
            !word.is_empty() && word.chars().all(is_plain)
        };
        if text.chars().count() > Self::MAX_LENGTH || !text.split('-').all(is_word) {
            let fix =
                "Send at most 60 lower-case letters, digits and single hyphens, such as riverside-club.";
            return Err(InvalidValue::new("not_a_slug", "is not a short name", fix));
        }
        Ok(Self(text.to_owned()))
    }

    /// The short name that follows from a name: folded, words joined by hyphens. `None` if the name has no letter or digit.
    pub fn of(name: &Name) -> Option<Self> {
        let words = text::fold(name.as_str()).replace(' ', "-");
        let short: String = words.chars().take(Self::MAX_LENGTH).collect();
        Self::parse(short.trim_matches('-')).ok()
    }

    /// A stored value, which was parsed before.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The short name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Slug> for String {
    fn from(slug: Slug) -> Self {
        slug.0
    }
}

texts! { Slug: Self, ObjectBuilder::new().min_length(Some(1)).max_length(Some(Slug::MAX_LENGTH)); }

/// An ISO 3166-1 alpha-2 code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Country(String);

impl Country {
    /// Parses two letters, in upper or lower case. Whether the code is assigned is not checked.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic());
        if is_code {
            return Ok(Self(text.to_ascii_uppercase()));
        }
        Err(InvalidValue::new("not_a_country", "is not a country code", "Send two letters, such as AU."))
    }

    /// The code, in upper case.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Country> for String {
    fn from(country: Country) -> Self {
        country.0
    }
}

texts! { Country: Self, ObjectBuilder::new().pattern(Some("^[A-Za-z]{2}$")); }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_name_follows_from_a_name() {
        let of = |name: &str| Slug::of(&Name::parse(name).expect("a name")).map(String::from);
        assert_eq!(of("Riverside  Club").as_deref(), Some("riverside-club"));
        assert_eq!(of("St. John's & Friends").as_deref(), Some("st-johns-and-friends"));
        assert_eq!(of("FC Zürich 1896").as_deref(), Some("fc-zurich-1896"));
        assert_eq!(of("東京クラブ").as_deref(), Some("東京クラフ"));
        assert_eq!(of("🏀"), None);
        let long = of(&"word ".repeat(30)).expect("a short name");
        assert!(long.chars().count() <= Slug::MAX_LENGTH && !long.ends_with('-'), "{long}");
    }

    #[test]
    fn short_names_and_country_codes_are_checked() {
        for right in ["a", "riverside-club", "fc-1896", "東京"] {
            assert!(Slug::parse(right).is_ok(), "{right}");
        }
        for wrong in ["", "-", "a--b", "-a", "a-", "A", "a b", "a_b", &"a".repeat(61)] {
            assert!(Slug::parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Country::parse("at").map(String::from), Ok("AT".to_owned()));
        for wrong in ["", "A", "AUS", "4U", "ö"] {
            assert!(Country::parse(wrong).is_err(), "{wrong}");
        }
    }
}
