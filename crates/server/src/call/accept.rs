//! The media type of the response: the parameter `format`, or the preferred one (RFC 9110, section 12.5.1).

use axum::http::{HeaderMap, header};
use fieldhouse_api::Code;
use fieldhouse_api::envelope::JSON;
use fieldhouse_api::spreadsheet::{CSV, ListFormat};

use super::Head;
use crate::failure::Failure;

/// The media type of the response: that of the parameter `format`, or else the preferred one.
pub(crate) fn choose(head: Head<'_>, offered: &'static [&'static str]) -> Result<&'static str, Failure> {
    // Most queries do not name it, however its letters may be encoded, so that they need not be parsed.
    let may_name = offered.len() > 1 && (head.query.contains("format") || head.query.contains('%'));
    let format = if may_name { named(head.query) } else { None };
    match format.and_then(|named| offered.iter().find(|offered| **offered == named)) {
        Some(named) => Ok(named),
        None => negotiate(head.headers, offered),
    }
}

/// The media type that the parameter `format` names. An invalid one is refused with the other parameters.
fn named(query: &str) -> Option<&'static str> {
    let (_, format) = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "format")?;
    Some(match format.parse().ok()? {
        ListFormat::Json => JSON,
        ListFormat::Csv => CSV,
    })
}

/// The offered media type that `Accept` gives the highest weight, the first of equal ones. Without the header, the first.
fn negotiate(headers: &HeaderMap, offered: &'static [&'static str]) -> Result<&'static str, Failure> {
    let first = offered.first().copied().unwrap_or("*/*");
    let named = headers.get_all(header::ACCEPT).iter().map(|value| value.to_str().unwrap_or_default());
    let ranges: Vec<Range<'_>> = named.flat_map(|value| value.split(',')).map(Range::read).collect();
    if ranges.is_empty() {
        return Ok(first);
    }
    let weighted = offered.iter().map(|offered| (*offered, weight(&ranges, offered)));
    let best = weighted
        .filter(|(_, weight)| *weight > 0.0)
        .reduce(|best, other| if other.1 > best.1 { other } else { best });
    best.map(|(offered, _)| offered).ok_or_else(|| {
        let types = offered.join(" or ");
        Failure::new(Code::NotAcceptable, format!("The response is available as {types} only."))
    })
}

/// One media range of `Accept` with its weight.
struct Range<'a> {
    kind: &'a str,
    sub: &'a str,
    weight: f32,
}

impl<'a> Range<'a> {
    fn read(text: &'a str) -> Self {
        let mut parts = text.split(';').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let (kind, sub) = name.split_once('/').unwrap_or((name, "*"));
        let weight = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        Self { kind, sub, weight: weight.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)) }
    }

    /// How precisely the range matches a media type: 0 for `*/*`. `None` if it does not match.
    fn precision(&self, offered: &str) -> Option<u8> {
        let (kind, sub) = offered.split_once('/').unwrap_or((offered, "*"));
        let part = |range: &str, offered: &str| match range {
            "*" => Some(0),
            _ if offered == "*" || range.eq_ignore_ascii_case(offered) => Some(1),
            _ => None,
        };
        Some(part(self.kind, kind)? + part(self.sub, sub)?)
    }
}

/// The weight of a media type: that of the range that matches it most precisely.
fn weight(ranges: &[Range<'_>], offered: &str) -> f32 {
    let covering = ranges.iter().filter_map(|range| Some((range.precision(offered)?, range.weight)));
    covering
        .reduce(|best, other| if other.0 > best.0 { other } else { best })
        .map_or(0.0, |(_, weight)| weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &[&str] = &["application/json", "text/csv"];

    fn negotiated(accept: &[&str], offered: &'static [&'static str]) -> Option<&'static str> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(header::ACCEPT, value.parse().expect("a header"));
        }
        negotiate(&headers, offered).ok()
    }

    #[test]
    fn the_caller_chooses_one_of_several_media_types() {
        let (json, csv) = (Some("application/json"), Some("text/csv"));
        for (accept, chosen) in [
            (&[][..], json),
            (&["*/*"], json),
            (&["text/csv"], csv),
            (&["TEXT/*"], csv),
            (&["application/json;q=0.5, text/csv"], csv),
            (&["application/json;q=0.5", "text/csv;q=0.4"], json),
            (&["*/*;q=0.1, text/csv;q=0"], json),
            (&["application/json;q=0, */*"], csv),
            (&["text/csv; charset=utf-8; q=0.9, */*;q=0.8"], csv),
            (&["text/html"], None),
            (&["application/json;q=0"], None),
            (&["application/json;q=high"], None),
            (&[""], None),
        ] {
            assert_eq!(negotiated(accept, BOTH), chosen, "{accept:?}");
        }
    }

    #[test]
    fn a_media_type_that_is_not_offered_is_refused() {
        assert_eq!(negotiated(&["text/csv"], &["application/json"]), None);
        assert_eq!(negotiated(&["text/css"], &["*/*"]), Some("*/*"));
    }
}
