//! Records that are rendered as JSON when they are written, so that a read copies text.
//!
//! The text is stored after the number of its shape. Text of another shape, which another version of Fieldhouse has written, is not shown:
//! the record is read and rendered again.

use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memchr::memchr_iter;
use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde::{Serialize, de};
use serde_json::value::RawValue;

/// A record as JSON.
pub trait Rendered {
    /// What the JSON is.
    type Shown: Serialize;

    /// The JSON.
    fn json(&self) -> &str;
}

/// JSON as it is stored: after the number of its shape.
pub fn stored(shape: char, json: &str) -> String {
    let mut text = String::with_capacity(json.len() + 1);
    text.push(shape);
    text.push_str(json);
    text
}

/// The JSON of a stored text. `None` if it has another shape.
pub fn shown(shape: char, text: &str) -> Option<&str> {
    text.strip_prefix(shape)
}

/// Phrases that are frequent in the JSON of one kind of record. Shortened JSON has a control character instead of each, which JSON itself has
/// only as an escape (RFC 8259, section 7).
pub struct Phrases<const COUNT: usize> {
    all: &'static [&'static str; COUNT],
    finder: OnceLock<Option<AhoCorasick>>,
}

impl<const COUNT: usize> Phrases<COUNT> {
    /// At most 31 phrases: of the 32 control characters, PostgreSQL stores all but U+0000.
    pub const fn new(all: &'static [&'static str; COUNT]) -> Self {
        const { assert!(COUNT < 32, "there are not enough control characters") };
        Self { all, finder: OnceLock::new() }
    }

    /// JSON without spaces, shortened.
    pub fn shorten(&self, json: &str) -> String {
        // Only larger phrases than these cannot be searched for; JSON with none of them replaced can be read as well.
        let finder = self.finder.get_or_init(|| {
            // The table of a DFA is fourteen times as large, and is seldom in the processor's cache. A prefilter looks for rare bytes, and
            // those that begin phrases are frequent.
            let builder = &mut AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostLongest).prefilter(false);
            builder.kind(Some(AhoCorasickKind::ContiguousNFA)).build(self.all).ok()
        });
        let Some(finder) = finder else { return json.to_owned() };
        let mut text = String::with_capacity(json.len() / 2);
        finder.replace_all_with(json, &mut text, |found, _, text| {
            text.extend(character(found.pattern().as_usize()));
            true
        });
        text
    }

    /// Adds the JSON of a shortened text. `None` if it has a character of no phrase.
    pub fn push(&self, json: &mut String, shortened: &str) -> Option<()> {
        let mut start = 0;
        for (at, byte) in shortened.bytes().enumerate() {
            if byte < b' ' {
                json.push_str(shortened.get(start..at)?);
                json.push_str(self.all.get(usize::from(byte.checked_sub(1)?))?);
                start = at + 1;
            }
        }
        json.push_str(shortened.get(start..)?);
        Some(())
    }
}

/// The character of a phrase.
fn character(phrase: usize) -> Option<char> {
    u8::try_from(phrase + 1).ok().map(char::from)
}

/// The JSON of a value.
pub fn json(value: &impl Serialize) -> String {
    // Writing to a string cannot fail, and no map of ours has keys that are not text.
    serde_json::to_string(value).unwrap_or_default()
}

/// The values of a JSON object without their names, one in a line. JSON without spaces has no end of line within a value.
pub fn lines(object: &str) -> String {
    struct Values(String);

    impl<'de> Visitor<'de> for Values {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<String, A::Error> {
            while let Some((_, value)) = members.next_entry::<de::IgnoredAny, &RawValue>()? {
                if !self.0.is_empty() {
                    self.0.push('\n');
                }
                self.0.push_str(value.get());
            }
            Ok(self.0)
        }
    }

    let values = Values(String::with_capacity(object.len()));
    serde_json::Deserializer::from_str(object).deserialize_map(values).unwrap_or_default()
}

/// The values that [`lines`] has written. `None` if there are not `N`.
pub fn values<const N: usize>(lines: &str) -> Option<[&str; N]> {
    let mut values = [""; N];
    let (mut at, mut start) = (0, 0);
    for end in memchr_iter(b'\n', lines.as_bytes()) {
        *values.get_mut(at)? = lines.get(start..end)?;
        (at, start) = (at + 1, end + 1);
    }
    *values.get_mut(at)? = lines.get(start..)?;
    (at + 1 == N).then_some(values)
}

/// Adds the JSON of a string. Most strings need no escapes and are copied.
pub fn push_text(json: &mut String, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        json.push('"');
        json.push_str(text);
        json.push('"');
    } else {
        json.push_str(&self::json(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_lines_are_those_that_were_written() {
        let written = lines(r#"{"id":"é","empty":"","none":null,"list":[1,"\n"]}"#);
        assert_eq!(values(&written), Some(["\"é\"", "\"\"", "null", "[1,\"\\n\"]"]));
        assert_eq!(values::<3>(&written), None);
        assert_eq!(values::<5>(&written), None);
        assert_eq!(values("7"), Some(["7"]));
    }

    #[test]
    fn shortened_json_is_read_as_it_was() {
        static PHRASES: Phrases<4> = Phrases::new(&["{\"name\":\"", "{\"name\":\"a\",\"age\":", "null", "é"]);
        for (json, shortened) in [
            (r#"{"name":"b"}"#, "\u{1}b\"}"),
            (r#"[{"name":"a","age":null},{"name":"é"}]"#, "[\u{2}\u{3}},\u{1}\u{4}\"}]"),
            (r#""\u0001{\"name\":\"""#, r#""\u0001{\"name\":\"""#),
            ("", ""),
        ] {
            assert_eq!(PHRASES.shorten(json), shortened);
            let mut read = "[".to_owned();
            assert_eq!(PHRASES.push(&mut read, shortened), Some(()));
            assert_eq!(read, format!("[{json}"));
        }
        for unknown in ["\u{5}", "a\u{0}", "\u{1f}{}"] {
            assert_eq!(PHRASES.push(&mut String::new(), unknown), None, "{unknown:?}");
        }
    }

    #[test]
    fn a_string_is_added_as_a_serializer_writes_it() {
        for text in ["", "Kim K.", "Ärzte 🏑", "\u{7f}", "\"", "a\\b", "\n", "\u{0}", "\u{1f}x"] {
            let mut added = String::new();
            push_text(&mut added, text);
            assert_eq!(added, json(&text), "{text:?}");
        }
    }
}
