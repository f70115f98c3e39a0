//! Unescaped plus signs in a query, where they mean spaces. Times with an offset are often copied into queries without escaping.

use fieldhouse_api::Code;
use jiff::Timestamp;

use crate::failure::Failure;

/// Refuses a time whose plus sign is not escaped, because its meaning would change.
pub(super) fn refuse_unescaped(query: &str) -> Result<(), Failure> {
    for pair in query.split('&').filter(|pair| pair.contains('+')) {
        let escaped = pair.replace('+', "%2B");
        for (name, value) in form_urlencoded::parse(escaped.as_bytes()) {
            if value.contains('+') && value.parse::<Timestamp>().is_ok() {
                return Err(Failure::parameter(
                    Code::InvalidParameter,
                    &name,
                    "is invalid: '+' in a query must be written %2B",
                    format!("Send {}.", value.replace('+', "%2B")),
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_time_with_an_unescaped_plus_is_refused() {
        for query in [
            "from=2026-12-01T00:00:00+11:00",
            "limit=5&to=2026-12-01T00%3A00%3A00+11%3A00",
            "from=2026-12-01T00:00:00%2B11:00&to=2026-12-02T00:00:00+11:00",
        ] {
            assert!(refuse_unescaped(query).is_err(), "{query}");
        }
        for query in [
            "",
            "q=north+newton",
            "q=1+1",
            "from=2026-12-01T00:00:00%2B11:00&q=a+b",
            "from=2026-12-01T00:00:00Z",
            "from=2026-12-01T00:00:00-05:00",
        ] {
            assert!(refuse_unescaped(query).is_ok(), "{query}");
        }
    }
}
