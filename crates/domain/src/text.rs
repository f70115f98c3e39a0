//! Strings that people enter: names, notes, e-mail addresses; and the folded form in which they are compared.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use unicode_normalization::UnicodeNormalization;
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::record::{At, Cell, CellKind, Column, Field, Input};

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidValue {
    /// A short, stable code.
    pub code: &'static str,
    /// What is wrong, for a person.
    pub message: String,
    /// What to send instead.
    pub fix: Option<String>,
}

impl InvalidValue {
    /// Creates an error; `fix` may be empty.
    pub fn new(code: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        let fix = fix.into();
        Self { code, message: message.into(), fix: (!fix.is_empty()).then_some(fix) }
    }
}

/// A string that is not the name of a member of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownName(pub &'static [&'static str]);

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "use one of {}", self.0.join(", "))
    }
}
impl std::error::Error for UnknownName {}

/// Folds a string for comparison and search: decomposed, without accents, lower case, Turkish dotless i as i, `&` as "and", every other run
/// of characters that are not letters or digits as one space.
pub fn fold(text: &str) -> String {
    let mut folding = Folding { folded: String::with_capacity(text.len()), gap: false };
    if text.is_ascii() {
        // Nothing to decompose, as in most names.
        text.chars().for_each(|letter| folding.add(letter.to_ascii_lowercase()));
    } else {
        text.nfkd().flat_map(char::to_lowercase).for_each(|letter| folding.add(letter));
    }
    folding.folded
}

/// A string that is being folded.
struct Folding {
    folded: String,
    /// Whether a space belongs before the next letter.
    gap: bool,
}

impl Folding {
    /// Adds a letter in lower case.
    fn add(&mut self, letter: char) {
        let letter = if letter == 'ı' { 'i' } else { letter };
        if letter == '&' {
            self.gap = true;
            self.push("and");
            self.gap = true;
        } else if letter.is_alphanumeric() {
            self.push(letter.encode_utf8(&mut [0; 4]));
        } else if !unicode_normalization::char::is_combining_mark(letter)
            && !matches!(letter, '\'' | '’' | '.')
        {
            self.gap = true;
        }
    }

    fn push(&mut self, letters: &str) {
        if std::mem::take(&mut self.gap) && !self.folded.is_empty() {
            self.folded.push(' ');
        }
        self.folded.push_str(letters);
    }
}

/// Checks one line of text: trimmed, runs of white space as one space, no control characters, 1 to `max` characters.
pub fn line(text: &str, max: usize) -> Result<String, InvalidValue> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err(InvalidValue::new(
            "required",
            "must not be empty",
            format!("Send 1 to {max} characters."),
        ));
    }
    bounded(text, max, char::is_control)
}

/// Checks text of several lines: at most `max` bytes, no control characters except line feed and tab. It may be empty.
pub fn block(text: &str, max: usize) -> Result<String, InvalidValue> {
    if text.len() > max {
        return Err(InvalidValue::new(
            "too_long",
            format!("has {} bytes", text.len()),
            format!("Send at most {max} bytes."),
        ));
    }
    bounded(text.to_owned(), max, |letter| letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'))
}

fn bounded(text: String, max: usize, refused: impl Fn(char) -> bool) -> Result<String, InvalidValue> {
    let length = text.chars().count();
    if length > max {
        return Err(InvalidValue::new(
            "too_long",
            format!("has {length} characters"),
            format!("Send at most {max}."),
        ));
    }
    match text.chars().find(|letter| refused(*letter)) {
        Some(letter) => Err(InvalidValue::new(
            "control_character",
            format!("contains the control character U+{:04X}", letter as u32),
            "Leave it out.",
        )),
        None => Ok(text),
    }
}

/// Implements what all types of text have in common: one column, one JSON string, one way to be read.
macro_rules! texts {
    ($($name:ident: $stored:expr, $schema:expr;)+) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result { f.pad(self.as_str()) }
        }
        impl FromStr for $name {
            type Err = $crate::text::InvalidValue;
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
    ($($(#[$doc:meta])* $name:ident up to $max:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);
        impl $name {
            /// The maximum length, in characters.
            pub const MAX_LENGTH: usize = $max;
            /// Parses a line of text: trimmed, white space folded, no control characters.
            pub fn parse(text: &str) -> Result<Self, InvalidValue> { line(text, $max).map(Self) }
            /// A stored value, which was parsed before.
            pub fn stored(text: String) -> Self { Self(text) }
            /// The string.
            pub fn as_str(&self) -> &str { &self.0 }
            /// The form in which it is compared. If folding leaves nothing, as for an emoji, the string itself.
            pub fn folded(&self) -> String {
                let folded = fold(&self.0);
                if folded.is_empty() { self.0.to_lowercase() } else { folded }
            }
        }
        texts! { $name: Self, ObjectBuilder::new().min_length(Some(1)).max_length(Some($max)); }
        impl From<$name> for String { fn from(text: $name) -> Self { text.0 } }
    )* };
}

lines! {
    /// The name of a record.
    Name up to 200;
    /// The id that another system gave a record.
    ExternalId up to 200;
    /// A tag that a user gives to a record.
    Tag up to 40;
    /// The reason for a change, in the words of the one who makes it.
    Reason up to 300;
    /// A postal address.
    Address up to 300;
    /// A US state, or a region of another country.
    State up to 60;
    /// A telephone number, as people write it.
    Phone up to 40;
    /// Pronouns, as a person writes them.
    Pronouns up to 40;
}

/// The maximum length of [`Details`], in bytes.
const DETAILS_MAX: usize = 4_000;

/// Text of several lines: up to 4,000 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details(String);

impl Details {
    /// Parses text. It may be empty.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        block(text, DETAILS_MAX).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The address of a page or a picture: `https://` and at most 500 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(String);

impl WebAddress {
    /// Parses an address.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = line(text, 500)?;
        let host = text.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
        if host.is_some_and(|host| host.contains('.')) && !text.contains(' ') {
            return Ok(Self(text));
        }
        let fix = "Send an address such as https://example.org/photo.jpg.";
        Err(InvalidValue::new("not_a_web_address", "is not an address that starts with https://", fix))
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

texts! {
    Details: Self, ObjectBuilder::new().max_length(Some(DETAILS_MAX));
    WebAddress: Self, ObjectBuilder::new().max_length(Some(500)).pattern(Some("^https://"));
}

/// A language tag (BCP 47), such as `en` or `en-AU`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locale(String);

impl Locale {
    /// Parses the form of a tag: parts of 1 to 8 letters and digits, joined by hyphens; the first has 2 to 8 letters. Whether the language
    /// is registered is not checked.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let is_part = |part: &str| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        let language = text.split('-').next().unwrap_or_default();
        let is_language = language.len() >= 2 && language.bytes().all(|byte| byte.is_ascii_alphabetic());
        if text.len() > 35 || !is_language || !text.split('-').all(is_part) {
            let fix = "Send a BCP 47 tag such as en or en-AU.";
            return Err(InvalidValue::new("not_a_language_tag", "is not a language tag", fix));
        }
        Ok(Self(text.to_owned()))
    }

    /// The tag.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Locale> for String {
    fn from(locale: Locale) -> Self {
        locale.0
    }
}

texts! { Locale: Self, ObjectBuilder::new().pattern(Some("^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$")).max_length(Some(35)); }

/// An e-mail address as it was entered; compared in its folded form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Email(String);

impl Email {
    /// Parses an address: one `@`, text on both sides, a dot-separated host, no white space, at most 254 characters (RFC 5321). Whether the
    /// mailbox exists is not checked.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let wrong = || {
            InvalidValue::new(
                "not_an_email",
                "is not an e-mail address",
                "Send an address such as name@example.org.",
            )
        };
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

    /// A stored address, which was parsed before.
    pub fn stored(text: String) -> Self {
        Self(text)
    }

    /// The address as it was entered.
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
    fn different_spellings_fold_to_the_same_string() {
        for (one, other) in [
            ("Alabama A & M University", "alabama a&m university"),
            ("Beşiktaş", "besiktas"),
            ("İstanbul Başakşehir", "istanbul basaksehir"),
            ("Kasımpaşa", "KASIMPASA"),
            ("Saint  Mary's", "saint marys"),
            ("St. John’s", "St Johns"),
            ("Montréal", "montreal"),
            ("R&D - É.", "r and d e"),
            ("&x&", " AND X AND"),
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
    fn valid_and_invalid_language_tags() {
        for right in ["en", "en-AU", "zh-Hant-TW", "de-1996"] {
            assert!(Locale::parse(right).is_ok(), "{right}");
        }
        for wrong in ["", "e", "en_AU", "en-", "1n", "english-is-toolongpart", "en-AU\n"] {
            assert!(Locale::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn valid_and_invalid_addresses() {
        for right in ["a@b.org", "first.last+tag@sub.example.org", "admin@localhost"] {
            assert!(Email::parse(right).is_ok(), "{right}");
        }
        for wrong in ["", "a", "@b.org", "a@", "a b@c.org", "a@b..org", "a@b@c.org", "a@b.org\0"] {
            assert!(Email::parse(wrong).is_err(), "{wrong}");
        }
    }
}
