//! How arguments that several commands take are read.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A parser of an enumeration's names, which help and completions list.
macro_rules! one_of {
    ($enumeration:ty) => {
        clap::builder::TypedValueParser::try_map(
            clap::builder::PossibleValuesParser::new(<$enumeration>::ALL.iter().map(|member| member.name())),
            |name: String| name.parse::<$enumeration>(),
        )
    };
}
pub(crate) use one_of;

/// Reads a time (RFC 3339), or a date, which is midnight on this computer's clock.
pub(crate) fn instant(text: &str) -> Result<Timestamp, String> {
    let midnight = || text.parse::<Date>().and_then(|date| date.to_zoned(TimeZone::system()));
    text.parse()
        .or_else(|_| midnight().map(|zoned| zoned.timestamp()))
        .map_err(|_| "write a date such as 2026-05-01, or a time such as 2026-05-01T09:15:00Z".to_owned())
}

/// Reads a word of the contract whose list stands there only.
pub(crate) fn word<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(Value::String(text.to_owned())).map_err(|error| error.to_string())
}

/// Reads `name=value`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Reads `Name: value`.
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write it as 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_time_and_a_date_is_midnight_here() {
        assert_eq!(
            instant("2026-05-01T09:15:00+10:00").map(|it| it.to_string()),
            Ok("2026-04-30T23:15:00Z".into())
        );
        let midnight = instant("2026-05-01").expect("a date").to_zoned(TimeZone::system());
        assert_eq!(midnight.strftime("%F %T").to_string(), "2026-05-01 00:00:00");
        assert!(instant("tomorrow").is_err());
    }

    #[test]
    fn pairs_and_headers_split_at_the_first_sign() {
        assert_eq!(pair("q=a=b"), Ok(("q".into(), "a=b".into())));
        assert_eq!(header("If-Match: \"1:2\""), Ok(("If-Match".into(), "\"1:2\"".into())));
        assert!(pair("q").is_err() && header("q").is_err());
    }
}
