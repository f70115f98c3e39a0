//! Fields: how a value is read from a request, and its schema.

use std::net::IpAddr;

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use serde::Serialize;
use serde_json::Value as Json;
use utoipa::openapi::{KnownFormat, RefOr, Schema};

use crate::moment::whole_microseconds;

use super::body::{self, At, Input, Schemas};

/// A type that a field of a body, or a query parameter, can have.
pub trait Field: Serialize + Sized {
    /// Reads a value. Returns `None` if it is wrong; `at` has the error.
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self>;
    /// The schema.
    fn schema() -> RefOr<Schema>;
    /// The named schemas that the schema refers to.
    fn schemas(_: &mut Schemas) {}
    /// The number that bounds apply to: the value itself, or the length of a list.
    fn measure(&self) -> Option<f64> {
        None
    }
    /// Whether it is a list.
    fn is_list(&self) -> bool {
        false
    }
}

impl Field for String {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let text = at.text(input)?;
        // PostgreSQL stores and compares no such text.
        if text.contains('\0') {
            return at.refuse("control_character", "contains the control character U+0000", "Leave it out.");
        }
        Some(text.to_owned())
    }
    fn schema() -> RefOr<Schema> {
        body::plain::<Self>()
    }
}

impl Field for bool {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match input {
            Input::Json(Json::Bool(value)) => Some(*value),
            Input::Text("true") => Some(true),
            Input::Text("false") => Some(false),
            _ => at.expected("true or false"),
        }
    }
    fn schema() -> RefOr<Schema> {
        body::plain::<Self>()
    }
}

macro_rules! integers {
    ($($type:ty: $measure:expr;)+) => { $(
        impl Field for $type {
            fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
                let value: Option<i64> = match input {
                    Input::Json(json) => json.as_i64(),
                    Input::Text(text) => text.parse().ok(),
                };
                let Some(value) = value else { return at.expected("an integer") };
                let (message, fix) = if value < 0 {
                    ("is too small", "Send a larger integer.")
                } else {
                    ("is too large", "Send a smaller integer.")
                };
                value.try_into().ok().or_else(|| at.refuse("invalid", message, fix))
            }
            fn schema() -> RefOr<Schema> { body::plain::<Self>() }
            fn measure(&self) -> Option<f64> { Some($measure(*self)) }
        }
    )+ };
}
integers! { i64: whole; u32: f64::from; i16: f64::from; }

#[expect(clippy::cast_precision_loss, reason = "bounds are small")]
fn whole(value: i64) -> f64 {
    value as f64
}

impl Field for f64 {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let value = match input {
            Input::Json(json) => json.as_f64(),
            Input::Text(text) => text.parse().ok().filter(|value: &Self| value.is_finite()),
        };
        value.or_else(|| at.expected("a number"))
    }
    fn schema() -> RefOr<Schema> {
        body::plain::<Self>()
    }
    fn measure(&self) -> Option<f64> {
        Some(*self)
    }
}

/// A time, truncated to microseconds, the stored precision.
impl Field for Timestamp {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        input
            .as_text()
            .and_then(|text| text.parse().ok())
            .map(whole_microseconds)
            .or_else(|| at.refuse("invalid", "is not a time", "Send a time such as 2026-05-01T09:15:00Z."))
    }
    fn schema() -> RefOr<Schema> {
        body::text(KnownFormat::DateTime)
    }
}

/// The years that are accepted in dates.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2199;

/// A date is `YYYY-MM-DD` (the full-date of RFC 3339) and nothing else: dates are stored and sorted as strings.
impl Field for Date {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let day = input.as_text().and_then(|text| {
            let day: Option<Self> = text.parse().ok();
            day.filter(|day| day.to_string() == text && YEARS.contains(&day.year()))
        });
        let fix = "Send a date such as 2026-05-31, in the years 1900 to 2199.";
        day.or_else(|| at.refuse("invalid", "is not a date", fix))
    }
    fn schema() -> RefOr<Schema> {
        body::text(KnownFormat::Date)
    }
}

/// A local time, without a zone: `YYYY-MM-DDTHH:MM:SS`.
impl Field for DateTime {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let time = input.as_text().and_then(|text| text.parse().ok());
        time.or_else(|| {
            at.refuse("invalid", "is not a local time", "Send a time such as 2026-05-31T09:15:00.")
        })
    }
    fn schema() -> RefOr<Schema> {
        body::plain::<String>()
    }
}

/// An IP address. An IPv4 address mapped to IPv6 is read as IPv4, because the addresses of clients are.
impl Field for IpAddr {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match at.text(input)?.parse::<Self>() {
            Ok(address) => Some(address.to_canonical()),
            Err(_) => {
                at.refuse("not_an_address", "is not an IP address", "Send an address such as 203.0.113.7.")
            }
        }
    }
    fn schema() -> RefOr<Schema> {
        body::plain::<String>()
    }
}

impl<F: Field> Field for Option<F> {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        match input {
            Input::Json(Json::Null) => Some(None),
            input => F::read(input, at).map(Some),
        }
    }
    fn schema() -> RefOr<Schema> {
        body::nullable(F::schema())
    }
    fn schemas(schemas: &mut Schemas) {
        F::schemas(schemas);
    }
    fn measure(&self) -> Option<f64> {
        self.as_ref().and_then(F::measure)
    }
    fn is_list(&self) -> bool {
        self.as_ref().is_some_and(F::is_list)
    }
}

impl<F: Field> Field for Vec<F> {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let Input::Json(Json::Array(items)) = input else { return at.expected("a list") };
        let read: Vec<Option<F>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| F::read(Input::Json(item), &mut at.item(index)))
            .collect();
        read.into_iter().collect()
    }
    fn schema() -> RefOr<Schema> {
        body::list(F::schema())
    }
    fn schemas(schemas: &mut Schemas) {
        F::schemas(schemas);
    }
    #[expect(clippy::cast_precision_loss, reason = "lists are short")]
    fn measure(&self) -> Option<f64> {
        Some(self.len() as f64)
    }
    fn is_list(&self) -> bool {
        true
    }
}
