//! A day as it is sent.

use jiff::civil::Date;
use serde::{Deserialize, Deserializer, Serialize, de};
use utoipa::ToSchema;

/// The years whose days can be sent.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;
const EXPECTED: &str = "not a day, expected one such as 2026-05-31, of the years 1900 to 2199";

/// A day as it is sent: `YYYY-MM-DD` (the full-date of RFC 3339) and nothing else. Days are kept as their text, so that one of another
/// form would stand in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Date)]
pub struct Day(pub Date);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let day: Option<Date> = text.parse().ok().filter(|day: &Date| day.to_string() == text);
        day.filter(|day| YEARS.contains(&day.year())).map(Self).ok_or_else(|| de::Error::custom(EXPECTED))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_has_one_form() {
        let day = |text: &str| serde_json::from_value::<Day>(text.into()).map(|day| day.0.to_string()).ok();
        for good in ["2026-05-31", "1900-01-01", "2199-12-31", "2024-02-29"] {
            assert_eq!(day(good).as_deref(), Some(good));
        }
        for wrong in [
            "2026-05-31T10:00",
            "2026-05-31T10:00Z",
            "20260531",
            "2026-02-30",
            "-000001-01-01",
            "+002026-05-31",
            "1899-12-31",
            "2200-01-01",
            " 2026-05-31",
            "tomorrow",
            "",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }
}
