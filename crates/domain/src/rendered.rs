//! Records that are rendered as JSON when they are written, so that a read copies text.
//!
//! The text is stored after the number of its shape. Text of another shape, which another version of Fieldhouse has written, is not shown:
//! the record is read and rendered again.

use std::fmt;

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
    fn a_string_is_added_as_a_serializer_writes_it() {
        for text in ["", "Kim K.", "Ärzte 🏑", "\u{7f}", "\"", "a\\b", "\n", "\u{0}", "\u{1f}x"] {
            let mut added = String::new();
            push_text(&mut added, text);
            assert_eq!(added, json(&text), "{text:?}");
        }
    }
}
