//! Texts that people type: names, notes, e-mail addresses, and the folded form in which they are compared.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use unicode_normalization::UnicodeNormalization;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::record::{At, Cell, CellKind, Column, Field, Input};

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NotText {
    /// A short stable word.
    pub code: &'static str,
    /// What is wrong, for a person.
    pub message: String,
    /// What would be right.
    pub fix: Option<String>,
}

impl NotText {
    /// What is wrong, and what would be right (empty: nothing to add).
    pub fn new(code: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let fix = fix.into();
        Self { code, message: message.into(), fix: (!fix.is_empty()).then_some(fix) }
    }
}

/// A text that is none of the names of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotOneOf(pub &'static [&'static str]);

impl fmt::Display for NotOneOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "use one of {}", self.0.join(", "))
    }
}
impl std::error::Error for NotOneOf {}

/// Folds a text for comparison and search: decomposed, without accents, lower case, Turkish dotless i as i, `&` as "and", every
/// run of anything but letters and digits as one space.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut gap = false;
    for letter in text.nfkd().flat_map(char::to_lowercase) {
        let letter = if letter == 'ı' { 'i' } else { letter };
        if letter == '&' {
            push_word(&mut folded, &mut gap, "and");
            gap = true;
        } else if letter.is_alphanumeric() {
            push_word(&mut folded, &mut gap, letter.encode_utf8(&mut [0; 4]));
        } else if !unicode_normalization::char::is_combining_mark(letter)
            && !matches!(letter, '\'' | '’' | '.')
        {
            gap = true;
        }
    }
    folded
}

fn push_word(folded: &mut String, gap: &mut bool, letters: &str) {
    if (std::mem::take(gap) || letters == "and") && !folded.is_empty() && !folded.ends_with(' ') {
        folded.push(' ');
    }
    folded.push_str(letters);
}

/// Checks a line of text: trimmed, runs of white space as one space, no control characters, 1 to `most` characters.
pub fn line(text: &str, most: usize) -> Result<String, NotText> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err(NotText::new("required", "must not be empty", format!("write 1 to {most} characters")));
    }
    bounded(text, most, char::is_control)
}

/// Checks a text of several lines: at most `most` bytes, no control characters but line feed and tab. May be empty.
pub fn block(text: &str, most: usize) -> Result<String, NotText> {
    if text.len() > most {
        return Err(NotText::new(
            "too_long",
            format!("has {} bytes", text.len()),
            format!("at most {most} bytes"),
        ));
    }
    bounded(text.to_owned(), most, |letter| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
}

fn bounded(text: String, most: usize, refused: impl Fn(char) -> bool) -> Result<String, NotText> {
    let length = text.chars().count();
    if length > most {
        return Err(NotText::new("too_long", format!("has {length} characters"), format!("at most {most}")));
    }
    match text.chars().find(|letter| refused(*letter)) {
        Some(letter) => Err(NotText::new(
            "control_character",
            format!("holds the control character U+{:04X}", letter as u32),
            "leave it out",
        )),
        None => Ok(text),
    }
}

/// What a type of text has in common with every other: one column, one JSON string, one way to be read.
macro_rules! texts {
    ($($name:ident: $stored:expr, $schema:expr;)+) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.pad(self.as_str()) }
        }
        impl FromStr for $name {
            type Err = $crate::text::NotText;
            fn from_str(text: &str) -> Result<Self, Self::Err> { Self::parse(text) }
        }
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(de::Error::custom)
            }
        }
        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> { $schema.schema_type(Type::String).into() }
        }
        impl ToSchema for $name {}
        impl Column for $name {
            const KIND: CellKind = CellKind::Text;
            fn cell(&self) -> Cell<'_> { Cell::from(self.as_str()) }
            fn from_cell(cell: Cell<'_>) -> Result<Self, String> { String::from_cell(cell).map($stored) }
        }
        impl Field for $name {
            fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
                let text = at.text(input)?;
                at.parsed(Self::parse(text))
            }
            fn schema() -> RefOr<Schema> { <Self as PartialSchema>::schema() }
        }
    )+ };
}
pub(crate) use texts;

macro_rules! lines {
    ($($(#[$doc:meta])* $name:ident up to $most:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);
        impl $name {
            /// The longest that it may be, in characters.
            pub const MOST: usize = $most;
            /// Parses a line of text: trimmed, white space folded, no control characters.
            pub fn parse(text: &str) -> Result<Self, NotText> { line(text, $most).map(Self) }
            /// A text that was parsed before it was stored.
            pub fn stored(text: String) -> Self { Self(text) }
            /// The text.
            pub fn as_str(&self) -> &str { &self.0 }
            /// The form in which it is compared. Where nothing is left of it, as of a picture, the text itself.
            pub fn folded(&self) -> String {
                let folded = fold(&self.0);
                if folded.is_empty() { self.0.to_lowercase() } else { folded }
            }
        }
        texts! { $name: Self, ObjectBuilder::new().min_length(Some(1)).max_length(Some($most)); }
        impl From<$name> for String { fn from(text: $name) -> Self { text.0 } }
    )* };
}

lines! {
    /// The name of a record, as people write it.
    Name up to 200;
    /// The id that another system gave a record.
    ExternalId up to 200;
    /// A short word that a person sticks to a record.
    Tag up to 40;
    /// A postal address.
    Address up to 300;
    /// A US state, or a region of another country.
    State up to 60;
}

/// An e-mail address, as written; compared in its folded form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Parses an address: one `@`, something on both sides, a dot-separated host, no white space, at most 254 characters
    /// (RFC 5321). Whether it exists is for a letter to find out.
    pub fn parse(text: &str) -> Result<Self, NotText> {
        let wrong =
            || NotText::new("not_an_email", "is not an e-mail address", "write it like name@example.org");
        let text = text.trim();
        let (local, host) = text.rsplit_once('@').ok_or_else(wrong)?;
        let host_is_right = host.split('.').all(|label| {
            !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
        });
        let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '@';
        if local.is_empty() || local.contains(odd) || !host_is_right || text.len() > 254 {
            return Err(wrong());
        }
        Ok(Self(text.to_owned()))
    }

    /// An address that was parsed before it was stored.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The address as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form in which addresses are compared: lower case.
    pub fn folded(&self) -> String {
        self.0.to_lowercase()
    }
}

texts! { Email: Self, ObjectBuilder::new().max_length(Some(254)); }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folding_brings_spellings_together() {
        for (one, other) in [
            ("Alabama A & M University", "alabama a&m university"),
            ("Beşiktaş", "besiktas"),
            ("İstanbul Başakşehir", "istanbul basaksehir"),
            ("Kasımpaşa", "KASIMPASA"),
            ("Saint  Mary's", "saint marys"),
            ("St. John’s", "St Johns"),
            ("Montréal", "montreal"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} and {other}");
        }
        assert_eq!(fold(" - "), "");
    }

    #[test]
    fn lines_are_trimmed_and_bounded() {
        assert_eq!(Name::parse("  Winter \t 2022 ").map(String::from), Ok("Winter 2022".to_owned()));
        assert_eq!(Name::parse(" ").map_err(|e| e.code), Err("required"));
        assert_eq!(Name::parse("a\0b").map_err(|e| e.code), Err("control_character"));
        assert_eq!(Name::parse(&"ä".repeat(201)).map_err(|e| e.code), Err("too_long"));
        assert!(Name::parse(&"ä".repeat(200)).is_ok());
    }

    #[test]
    fn addresses() {
        for right in ["a@b.org", "first.last+tag@sub.example.org", "admin@localhost"] {
            assert!(Email::parse(right).is_ok(), "{right}");
        }
        for wrong in ["", "a", "@b.org", "a@", "a b@c.org", "a@b..org", "a@b@c.org", "a@b.org\0"] {
            assert!(Email::parse(wrong).is_err(), "{wrong}");
        }
    }
}
