//! Parses JSON and reports repeated members of objects, which a plain value would not show.

use std::fmt;

use fieldhouse_domain::place::Place;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value as Json};

/// The maximum depth of nested JSON.
const MAX_DEPTH: u32 = 32;

/// Parses JSON. Returns the value and the pointers of repeated members, or why it is not JSON.
pub(super) fn read(bytes: &[u8]) -> Result<(Json, Vec<String>), String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())?;
    let mut found = Found::default();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let part = Part { depth: 0, place: Place::Root(""), found: &mut found };
    let read = part.deserialize(&mut deserializer).and_then(|json| deserializer.end().map(|()| json));
    match read {
        Ok(json) => Ok((json, found.repeated)),
        Err(_) if found.too_deep => Err(format!("it is nested more than {MAX_DEPTH} deep")),
        Err(error) if error.line() == 0 => Err("it is empty".to_owned()),
        Err(error) => Err(format!("see line {}, column {}", error.line(), error.column())),
    }
}

/// What is wrong with the JSON.
#[derive(Default)]
struct Found {
    /// The pointers of repeated members.
    repeated: Vec<String>,
    too_deep: bool,
}

/// A part of the JSON.
struct Part<'a> {
    depth: u32,
    place: Place<'a>,
    found: &'a mut Found,
}

impl Part<'_> {
    fn refuse_deep<E: serde::de::Error>(&mut self) -> Result<(), E> {
        if self.depth >= MAX_DEPTH {
            self.found.too_deep = true;
            return Err(E::custom("too deep"));
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Json;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value.into()))
    }
    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Json, E> {
        Number::from_f64(value).map(Json::Number).ok_or_else(|| E::custom("not a finite number"))
    }
    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::String(text.to_owned()))
    }
    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Json, A::Error> {
        self.refuse_deep()?;
        let mut list = Vec::new();
        loop {
            let place = Place::Item(&self.place, list.len());
            let part = Part { depth: self.depth + 1, place, found: self.found };
            let Some(item) = items.next_element_seed(part)? else { return Ok(Json::Array(list)) };
            list.push(item);
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Json, A::Error> {
        self.refuse_deep()?;
        let mut object = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let place = Place::Member(&self.place, "/", &name);
            let part = Part { depth: self.depth + 1, place, found: self.found };
            let value = members.next_value_seed(part)?;
            if object.contains_key(&name) {
                self.found.repeated.push(Place::Member(&self.place, "/", &name).pointer());
            }
            object.insert(name, value);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_members_are_found_at_any_depth() {
        let (json, repeated) = read(br#"{"a": [{"b/c": 1, "b/c": 2}], "a": 3}"#).expect("JSON");
        assert_eq!(json, serde_json::json!({"a": 3}));
        assert_eq!(repeated, ["/a/0/b~1c", "/a"]);
    }

    #[test]
    fn invalid_json_is_reported_with_line_and_column() {
        assert_eq!(read(b"{\n  \"a\": }").err().as_deref(), Some("see line 2, column 8"));
        assert_eq!(read(b"{} {}").err().as_deref(), Some("see line 1, column 4"));
        assert_eq!(read(b"\xff").err().as_deref(), Some("it is not UTF-8"));
        let deep = format!("{}{}", "[".repeat(33), "]".repeat(33));
        assert_eq!(read(deep.as_bytes()).err().as_deref(), Some("it is nested more than 32 deep"));
        assert!(read(format!("{}{}", "[".repeat(32), "]".repeat(32)).as_bytes()).is_ok());
    }
}
