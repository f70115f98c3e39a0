//! Dates and times of day as products write them.

use jiff::SignedDuration;
use jiff::civil::{Date, Time};

use super::dialect::DateOrder;
use fieldhouse_domain::text::{self, InvalidValue};

/// The valid years of games. Any other year is a typo.
const YEARS: std::ops::RangeInclusive<i16> = 1970..=2199;
/// The longest game. A longer one is a typo.
const LONGEST: i64 = 24 * 60;
const DAY: SignedDuration = SignedDuration::from_hours(24);

/// Parses a date. One that starts with the year is accepted in every order.
pub(crate) fn date(text: &str, order: DateOrder) -> Result<Date, InvalidValue> {
    let wrong =
        || InvalidValue::new("not_a_date", "is not a date", format!("Write it as {}.", order.pattern()));
    let separator = text.chars().find(|letter| matches!(letter, '/' | '.' | '-')).ok_or_else(wrong)?;
    let order = if text.find(separator) == Some(4) { DateOrder::Ymd } else { order };
    let parts: [i16; 3] =
        numbers(text, separator).and_then(|parts| parts.try_into().ok()).ok_or_else(wrong)?;
    let (day, month, year) = match (order, parts) {
        (DateOrder::Dmy, [day, month, year])
        | (DateOrder::Mdy, [month, day, year])
        | (DateOrder::Ymd, [year, month, day]) => (i8::try_from(day), i8::try_from(month), year),
    };
    let (Ok(day), Ok(month), true) = (day, month, YEARS.contains(&year)) else { return Err(wrong()) };
    Date::new(year, month, day).map_err(|_| wrong())
}

/// Parses a time of day: of 24 hours, or of 12 with AM or PM.
pub(crate) fn time(text: &str) -> Result<Time, InvalidValue> {
    let wrong = || {
        let fix = "Write it as HH:MM or HH:MM:SS, with AM or PM if needed.";
        InvalidValue::new("not_a_time", "is not a time of day", fix)
    };
    let upper = text.trim().to_ascii_uppercase().replace('.', "");
    let (clock, half) = match (upper.strip_suffix("AM"), upper.strip_suffix("PM")) {
        (Some(clock), _) => (clock.trim_end(), Some(0)),
        (_, Some(clock)) => (clock.trim_end(), Some(12)),
        (None, None) => (upper.as_str(), None),
    };
    let parts = numbers(clock, ':').ok_or_else(wrong)?;
    let parts: Option<Vec<i8>> = parts.into_iter().map(|part| part.try_into().ok()).collect();
    let (hour, minute, second) = match parts.as_deref() {
        Some([hour, minute]) => (*hour, *minute, 0),
        Some([hour, minute, second]) => (*hour, *minute, *second),
        _ => return Err(wrong()),
    };
    let hour = match half {
        None => hour,
        Some(half) if (1..=12).contains(&hour) => hour % 12 + half,
        Some(_) => return Err(wrong()),
    };
    Time::new(hour, minute, second, 0).map_err(|_| wrong())
}

/// Parses a duration in minutes. Zero means that it is not known.
pub(crate) fn minutes(text: &str) -> Result<Option<SignedDuration>, InvalidValue> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    let minutes = text.parse::<i64>().ok().filter(|minutes| plain && *minutes <= LONGEST);
    let fix = "Write an integer of at most 1440.";
    let minutes =
        minutes.ok_or_else(|| InvalidValue::new("not_minutes", "is not a number of minutes", fix))?;
    Ok((minutes > 0).then(|| SignedDuration::from_mins(minutes)))
}

/// The time from a start to an end, which is on the next day if it is earlier. `None` if both are the same.
pub(crate) fn between(start: Time, end: Time) -> Option<SignedDuration> {
    let length = start.duration_until(end);
    match length {
        SignedDuration::ZERO => None,
        length if length.is_negative() => Some(length + DAY),
        length => Some(length),
    }
}

/// Whether a value means that it is not known yet.
pub(crate) fn is_open(text: &str) -> bool {
    matches!(text::fold(text).as_str(), "tbc" | "tbd" | "tba" | "to be determined" | "to be announced")
}

/// Integers between separators; `None` if there is anything else.
fn numbers(text: &str, separator: char) -> Option<Vec<i16>> {
    let plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    text.split(separator).map(|part| part.parse().ok().filter(|_| plain(part))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil;

    #[test]
    fn dates_are_parsed_in_their_order() {
        let third_of_may = Ok(civil::date(2026, 5, 3));
        for (text, order) in [
            ("03/05/2026", DateOrder::Dmy),
            ("3.5.2026", DateOrder::Dmy),
            ("05/03/2026", DateOrder::Mdy),
            ("5-3-2026", DateOrder::Mdy),
            ("2026-05-03", DateOrder::Mdy),
            ("2026/05/03", DateOrder::Dmy),
        ] {
            assert_eq!(date(text, order), third_of_may, "{text}");
        }
        for text in
            ["03/05/26", "31/04/2026", "03/05-2026", "+3/05/2026", "1/2", "", "3/5/0026", "03/05/2026"]
        {
            assert!(date(text, DateOrder::Ymd).is_err(), "{text}");
        }
        let wrong = date("13/13/2026", DateOrder::Mdy).expect_err("no date");
        assert_eq!(wrong.fix.as_deref(), Some("Write it as MM/DD/YYYY."));
    }

    #[test]
    fn times_are_parsed_with_12_or_24_hours() {
        for (text, hour, minute) in [
            ("9:05", 9, 5),
            ("21:05:00", 21, 5),
            ("09:05 PM", 21, 5),
            ("9:05am", 9, 5),
            ("12:30 a.m.", 0, 30),
            ("12:30 PM", 12, 30),
        ] {
            assert_eq!(time(text), Ok(civil::time(hour, minute, 0, 0)), "{text}");
        }
        for text in ["9", "9am", "13:00 PM", "0:30 AM", "24:00", "9:5:0:0", "", "noon"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_end_on_the_next_day_if_they_must() {
        let at = |hour| civil::time(hour, 0, 0, 0);
        assert_eq!(between(at(23), at(0)), Some(SignedDuration::from_hours(1)));
        assert_eq!(between(at(9), at(10)), Some(SignedDuration::from_hours(1)));
        assert_eq!(between(at(9), at(9)), None);
        assert_eq!(minutes("60"), Ok(Some(SignedDuration::from_mins(60))));
        assert_eq!(minutes("0"), Ok(None));
        for text in ["-60", "1441", "an hour", "+5"] {
            assert!(minutes(text).is_err(), "{text}");
        }
    }
}
