//! Parsers of arguments that several commands take.

use std::io::{self, Read};
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use fieldhouse_client::Client;
use fieldhouse_domain::ids::InvalidId;
use fieldhouse_domain::text::InvalidValue;
use jiff::Timestamp;
use jiff::civil::DateTime;

use crate::zone;

/// A parser for an enumeration, whose names appear in help and completions.
macro_rules! one_of {
    ($enumeration:ty) => {
        clap::builder::TypedValueParser::try_map(
            clap::builder::PossibleValuesParser::new(<$enumeration>::ALL.iter().map(|member| member.name())),
            |name: String| name.parse::<$enumeration>(),
        )
    };
}
pub(crate) use one_of;

/// A time with its offset (RFC 3339), or a local time or date, which is in the organization's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    Time(Timestamp),
    Local(DateTime),
}

impl FromStr for When {
    type Err = &'static str;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse()
            .map(Self::Time)
            .or_else(|_| text.parse().map(Self::Local))
            .map_err(|_| "write a date such as 2026-05-01, or a time such as 2026-05-01T09:15")
    }
}

/// The instants of these times. The organization's time zone is requested only if one of them has no offset.
pub(crate) async fn instants<const N: usize>(
    client: &Client,
    given: [Option<When>; N],
) -> anyhow::Result<[Option<Timestamp>; N]> {
    let zone = if given.iter().flatten().any(|when| matches!(when, When::Local(_))) {
        Some(zone::of(client).await?)
    } else {
        None
    };
    Ok(given.map(|when| match when? {
        When::Time(time) => Some(time),
        When::Local(local) => zone?.instant(local),
    }))
}

/// The record that a command is about.
#[derive(Args)]
pub(crate) struct Target<I: FromStr<Err = InvalidId> + Clone + Send + Sync + 'static> {
    /// The record's id
    pub(crate) id: I,
}

/// Parses a value of the domain. The message says what to write, which its error's text leaves out.
pub(crate) fn value<T: FromStr<Err = InvalidValue>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|InvalidValue { message, fix, .. }| match fix {
        Some(fix) => format!("{message}. {fix}"),
        None => message,
    })
}

/// Parses an integer of 1 or more.
pub(crate) fn count<T: FromStr>(text: &str) -> Result<T, &'static str> {
    text.parse().map_err(|_| "write an integer of 1 or more")
}

/// Reads a file of the command line; - is standard input.
pub(crate) fn read_file(file: &Path) -> io::Result<Vec<u8>> {
    if file.as_os_str() != "-" {
        return std::fs::read(file);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Parses `name=value`.
pub(crate) fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write it as name=value")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// Parses `Name: value`.
pub(crate) fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write it as 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_dates_are_parsed() {
        let time = "2026-04-30T23:15:00Z".parse().expect("a time");
        assert_eq!("2026-05-01T09:15:00+10:00".parse(), Ok(When::Time(time)));
        assert_eq!("2026-05-01".parse(), Ok(When::Local(jiff::civil::date(2026, 5, 1).at(0, 0, 0, 0))));
        for local in ["2026-05-01T09:15", "2026-05-01 09:15"] {
            assert_eq!(local.parse(), Ok(When::Local(jiff::civil::date(2026, 5, 1).at(9, 15, 0, 0))));
        }
        assert!("tomorrow".parse::<When>().is_err());
    }

    #[test]
    fn pairs_and_headers_are_split_at_the_first_separator() {
        assert_eq!(pair("q=a=b"), Ok(("q".into(), "a=b".into())));
        assert_eq!(header("If-Match: \"1:2\""), Ok(("If-Match".into(), "\"1:2\"".into())));
        assert!(pair("q").is_err() && header("q").is_err());
    }
}
