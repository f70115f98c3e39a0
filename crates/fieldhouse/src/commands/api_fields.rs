//! The fields of `fieldhouse api`: strings with -f, typed values with -F, and names with brackets for what is nested.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use serde_json::{Map, Value};

use crate::arguments::{pair, read_file};
use crate::failure::Failure;

/// The fields of the query or the body.
#[derive(Args)]
pub(crate) struct Fields {
    /// A string field of the query (GET and DELETE) or of the JSON body; can be repeated. Names such as scoring[win] and
    /// tiebreakers[] set nested fields and items of lists
    #[arg(short = 'f', long = "raw-field", value_name = "NAME=TEXT", value_parser = pair)]
    texts: Vec<(String, String)>,
    /// A typed field: true, false, null and numbers keep their type, and @FILE is the content of a file (@- is standard input)
    #[arg(short = 'F', long = "field", value_name = "NAME=VALUE", value_parser = pair)]
    typed: Vec<(String, String)>,
}

impl Fields {
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.typed.is_empty()
    }

    /// As parameters of a query, where everything is a string.
    pub(crate) fn query(&self) -> anyhow::Result<Vec<(String, String)>> {
        let mut pairs = self.texts.clone();
        for (name, text) in &self.typed {
            let value = match typed(text)? {
                Value::String(text) => text,
                other => other.to_string(),
            };
            pairs.push((name.clone(), value));
        }
        Ok(pairs)
    }

    /// As a JSON object.
    pub(crate) fn body(&self) -> anyhow::Result<Value> {
        let mut body = Value::Object(Map::new());
        for (name, text) in &self.texts {
            set(&mut body, name, Value::from(text.as_str()))?;
        }
        for (name, text) in &self.typed {
            set(&mut body, name, typed(text)?)?;
        }
        Ok(body)
    }
}

/// The value of a string: a number, true, false or null, the content of a file, or the string itself.
fn typed(text: &str) -> anyhow::Result<Value> {
    if let Some(file) = text.strip_prefix('@') {
        let bytes = read_file(Path::new(file)).with_context(|| format!("{file} cannot be read"))?;
        let content = String::from_utf8(bytes).map_err(|_| Failure::new(format!("{file} is not UTF-8")))?;
        return Ok(Value::from(content));
    }
    Ok(match serde_json::from_str(text) {
        Ok(value @ (Value::Null | Value::Bool(_) | Value::Number(_))) => value,
        _ => Value::from(text),
    })
}

/// Sets the field with this name, such as `name`, `scoring[win]` or `fields[]`.
fn set(body: &mut Value, name: &str, value: Value) -> anyhow::Result<()> {
    let wrong =
        || Failure::usage(format!("{name} is not the name of a field")).next("write it as a, a[b] or a[]");
    let (first, nested) = match name.split_once('[') {
        None => (name, None),
        Some((first, rest)) => (first, Some(rest.strip_suffix(']').ok_or_else(wrong)?)),
    };
    let mut place = member(body, first).ok_or_else(wrong)?;
    for part in nested.into_iter().flat_map(|parts| parts.split("][")) {
        place = if part.is_empty() { item(place) } else { member(place, part) }.ok_or_else(wrong)?;
    }
    *place = value;
    Ok(())
}

/// A member of an object, which is created if there is nothing.
fn member<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Value> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    Some(value.as_object_mut()?.entry(name).or_insert(Value::Null))
}

/// A new item of a list, which is created if there is nothing.
fn item(value: &mut Value) -> Option<&mut Value> {
    if value.is_null() {
        *value = Value::Array(Vec::new());
    }
    let items = value.as_array_mut()?;
    items.push(Value::Null);
    items.last_mut()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_get_their_json_type() {
        for (text, value) in [
            ("true", json!(true)),
            ("null", Value::Null),
            ("7", json!(7)),
            ("-1.5", json!(-1.5)),
            ("007", json!("007")),
            ("yes", json!("yes")),
            ("", json!("")),
            ("[1]", json!("[1]")),
            ("\"x\"", json!("\"x\"")),
        ] {
            assert_eq!(typed(text).expect("a value"), value, "{text}");
        }
        assert!(typed("@/nowhere").is_err());
        assert_eq!(typed("@Cargo.toml").expect("a file").as_str().map(|text| &text[..9]), Some("[package]"));
    }

    #[test]
    fn brackets_nest() {
        let mut body = Value::Null;
        for (name, value) in [("a", 1), ("b[c]", 2), ("b[d][e]", 3), ("f[]", 4), ("f[]", 5), ("g[][h]", 6)] {
            set(&mut body, name, json!(value)).expect("set");
        }
        assert_eq!(body, json!({"a": 1, "b": {"c": 2, "d": {"e": 3}}, "f": [4, 5], "g": [{"h": 6}]}));
        for name in ["a[b]", "b[c", "a[]", "f[x]"] {
            assert!(set(&mut body, name, Value::Null).is_err(), "{name}");
        }
    }
}
