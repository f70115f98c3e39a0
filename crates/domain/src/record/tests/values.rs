//! Values of each type, in bodies and in query parameters.

use std::net::IpAddr;

use jiff::civil::Date;
use serde_json::json;

use super::*;

/// Query parameters of every type.
#[derive(Clone, Debug, Default, PartialEq, Body)]
struct Query {
    /// An integer with a minimum.
    #[body(min = 1)]
    low: Option<i64>,
    /// An integer with a maximum.
    #[body(max = 9)]
    high: Option<u32>,
    /// A small integer.
    year: Option<i16>,
    /// A switch.
    open: Option<bool>,
    /// A list.
    names: Option<Vec<String>>,
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

fn query(given: &[(&str, &str)]) -> Result<Query, Refusal> {
    read_pairs(&pairs(given), "")
}

/// The value of a JSON body's field, or the only error.
fn of_json<F: Field>(value: &Json) -> Result<F, String> {
    read_at(Input::Json(value))
}

/// The value of a query parameter, or the only error.
fn of_text<F: Field>(text: &str) -> Result<F, String> {
    read_at(Input::Text(text))
}

fn read_at<F: Field>(input: Input<'_>) -> Result<F, String> {
    let mut check = crate::refusal::Check::default();
    let read = F::read(input, &mut At::new(&mut check, "/it"));
    let finished = check.finish(read.map(Some));
    match finished {
        Ok(value) => value.ok_or_else(|| "no error".to_owned()),
        Err(refused) => Err(errors(Err::<(), _>(refused)).join("\n")),
    }
}

#[test]
fn query_parameters_are_read_by_type() {
    let read = query(&[("open", "true"), ("low", "1"), ("high", "9"), ("year", "-5")]);
    let expected =
        Query { low: Some(1), high: Some(9), year: Some(-5), open: Some(true), ..Query::default() };
    assert_eq!(read, Ok(expected));
    assert_eq!(query(&[]), Ok(Query::default()));
}

#[test]
fn every_error_of_a_query_is_in_one_refusal_under_the_name_of_its_parameter() {
    let given =
        [("lwo", "1"), ("open", "1"), ("high", "10"), ("low", "0"), ("year", "32768"), ("names", "a")];
    let fields = "low, high, year, open, names";
    assert_eq!(
        errors(query(&given)),
        [
            "low out_of_range: is too small. Send at least 1.",
            "high out_of_range: is too large. Send at most 9.",
            "year invalid: is too large. Send a smaller integer.",
            "open invalid: is not true or false. Send true or false.",
            "names invalid: is not a list. Send a list.",
            &format!("lwo unknown_field: is not a known parameter. Leave it out, or use one of: {fields}."),
        ]
    );
}

#[test]
fn a_repeated_parameter_is_refused_once() {
    let given = [("low", "0"), ("low", "7"), ("a/b", "1"), ("a/b", "2")];
    let repeated = |place| format!("{place} repeated: is given twice. Send it once.");
    assert_eq!(errors(query(&given)), ["low", "a~1b"].map(repeated));
    let form = read_pairs::<Query>(&pairs(&given[..2]), "/");
    assert_eq!(errors(form), [repeated("/low")], "parts of a form are named like fields");
}

#[test]
fn integers_are_whole_and_in_range() {
    let wrong = "/it invalid: is not an integer. Send an integer.";
    let (small, large) = (
        "/it invalid: is too small. Send a larger integer.",
        "/it invalid: is too large. Send a smaller integer.",
    );
    for value in [json!(1.5), json!(1.0), json!("1"), json!(true), json!(null), json!(u64::MAX)] {
        assert_eq!(of_json::<i64>(&value), Err(wrong.to_owned()), "{value}");
    }
    assert_eq!(of_json(&json!(i64::MIN)), Ok(i64::MIN));
    assert_eq!(of_json(&json!(i64::MAX)), Ok(i64::MAX));
    assert_eq!(of_json::<u32>(&json!(-1)), Err(small.to_owned()));
    assert_eq!(of_json::<i16>(&json!(32_768)), Err(large.to_owned()));
    for text in ["", "1.0", " 1", "9223372036854775808", "0x1", "1e3"] {
        assert_eq!(of_text::<i64>(text), Err(wrong.to_owned()), "{text}");
    }
}

#[test]
fn numbers_are_finite() {
    for text in ["NaN", "inf", "-infinity", "1e999", "", "1,5"] {
        let wrong = "/it invalid: is not a number. Send a number.";
        assert_eq!(of_text::<f64>(text), Err(wrong.to_owned()), "{text}");
    }
    assert_eq!((of_text("-37.5"), of_json(&json!(3))), (Ok(-37.5), Ok(3.0)));
    assert!(of_json::<f64>(&json!("3")).is_err(), "a string in a body");
    assert!(of_json::<bool>(&json!("true")).is_err() && of_json::<bool>(&json!(1)).is_err());
}

#[test]
fn dates_have_one_spelling_and_years_from_1900_to_2199() {
    for text in ["1900-01-01", "2199-12-31", "2024-02-29"] {
        assert_eq!(of_json::<Date>(&json!(text)).map(|day| day.to_string()).as_deref(), Ok(text));
        assert_eq!(of_text::<Date>(text).map(|day| day.to_string()).as_deref(), Ok(text));
    }
    let wrong = "/it invalid: is not a date. Send a date such as 2026-05-31, in the years 1900 to 2199.";
    let impossible = ["2026-02-29", "2026-13-01", "2026-00-10", "1899-12-31", "2200-01-01", "0000-01-01"];
    let other_spellings = [
        "2026-5-1",
        "20260501",
        "2026-05-01T00:00",
        "2026-05-01T00:00:00Z",
        "+002026-05-01",
        " 2026-05-01",
        "2026-05-01 ",
        "01/05/2026",
        "",
    ];
    for text in impossible.iter().chain(&other_spellings) {
        assert_eq!(of_json::<Date>(&json!(text)), Err(wrong.to_owned()), "{text}");
    }
    assert_eq!(of_json::<Date>(&json!(20_260_501)), Err(wrong.to_owned()), "a number");
}

#[test]
fn a_time_needs_an_offset() {
    let shown = |text: &str| of_json::<Timestamp>(&json!(text)).map(|time| time.to_string());
    assert_eq!(shown("2026-05-01T09:15:00Z").as_deref(), Ok("2026-05-01T09:15:00Z"));
    assert_eq!(shown("2026-05-01T09:15:00+10:00").as_deref(), Ok("2026-04-30T23:15:00Z"));
    let wrong = "/it invalid: is not a time. Send a time such as 2026-05-01T09:15:00Z.";
    for text in ["2026-05-01T09:15:00", "2026-05-01", "09:15", "2026-05-01T25:00:00Z", "tomorrow", ""] {
        assert_eq!(shown(text), Err(wrong.to_owned()), "{text}");
    }
    assert_eq!(of_json::<Timestamp>(&json!(1_772_366_400)), Err(wrong.to_owned()), "a number");
}

#[test]
fn an_ipv4_address_mapped_to_ipv6_is_read_as_ipv4() {
    let read = |text: &str| of_json::<IpAddr>(&json!(text)).map(|address| address.to_string());
    assert_eq!(read("::ffff:203.0.113.7").as_deref(), Ok("203.0.113.7"));
    assert_eq!(read("2001:DB8::1").as_deref(), Ok("2001:db8::1"));
    for text in ["203.0.113", "203.0.113.0/24", "localhost", ""] {
        assert!(read(text).is_err_and(|error| error.starts_with("/it not_an_address")), "{text}");
    }
}

#[test]
fn a_list_in_a_column_is_read_as_written() {
    let lists: [&[&str]; 6] = [
        &[],
        &["one"],
        &["one", "two three", ""],
        &["with, comma", "[x]"],
        &["\"quoted\"", "a\\b"],
        &["Zoë\n"],
    ];
    for list in lists {
        let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
        assert_eq!(Vec::<String>::from_cell(list.cell()), Ok(list));
    }
    for wrong in ["", "one", "{\"one\": 2}", "[1]", "[\"a\",1,\"b\"]", "[\"a\" \"b\"]"] {
        assert!(Vec::<String>::from_cell(Cell::from(wrong)).is_err(), "{wrong}");
    }
}
