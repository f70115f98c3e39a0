//! The three things that a field of a JSON merge patch (RFC 7396) can be.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A field of a merge patch: absent, null, or a value. Mark it `#[serde(default, skip_serializing_if = "Patch::is_absent")]` and
/// `#[schema(value_type = Option<T>)]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field stays as it is.
    #[default]
    Absent,
    /// The field becomes empty.
    Null,
    /// The field becomes this.
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the field stays as it is.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// None where the field stays, an inner none where it becomes empty.
    pub fn into_option(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }

    /// The value, looked at.
    pub fn as_ref(&self) -> Patch<&T> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(value),
        }
    }
}

impl<T: Serialize> Serialize for Patch<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Absent | Self::Null => serializer.serialize_none(),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Null, Self::Value))
    }
}

/// Reads a field of a merge patch that can be left out and cannot be emptied: null is refused rather than taken for nothing said. Mark
/// it `#[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]`.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Change {
        #[serde(default, skip_serializing_if = "Patch::is_absent")]
        name: Patch<String>,
    }

    #[derive(Deserialize)]
    struct Fixed {
        #[serde(default, deserialize_with = "present")]
        name: Option<String>,
    }

    #[test]
    fn what_cannot_be_emptied_is_absent_or_a_value() {
        let read = |json| serde_json::from_str::<Fixed>(json).map(|change| change.name).ok();
        assert_eq!(read("{}"), Some(None));
        assert_eq!(read(r#"{"name":"A"}"#), Some(Some("A".to_owned())));
        assert_eq!(read(r#"{"name":null}"#), None);
    }

    #[test]
    fn absent_null_and_value_are_three_things() {
        let read = |json| serde_json::from_str::<Change>(json).expect("a change").name;
        assert_eq!(read("{}"), Patch::Absent);
        assert_eq!(read(r#"{"name":null}"#), Patch::Null);
        assert_eq!(read(r#"{"name":"A"}"#), Patch::Value("A".to_owned()));
        for json in ["{}", r#"{"name":null}"#, r#"{"name":"A"}"#] {
            let change: Change = serde_json::from_str(json).expect("a change");
            assert_eq!(serde_json::to_string(&change).expect("JSON"), json);
        }
    }
}
