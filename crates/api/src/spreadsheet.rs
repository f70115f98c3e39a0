//! Lists as CSV (RFC 4180), for spreadsheets. The row of an operation names the columns.

use std::borrow::Cow;

use csv::{Terminator, WriterBuilder};
use fieldhouse_domain::record::enumeration;
use fieldhouse_domain::spreadsheet::escape;
use serde_json::Value;

enumeration! {
    /// How a list is returned.
    ListFormat {
        /// As JSON.
        Json "json",
        /// As CSV, with a heading and a line for each record.
        Csv "csv",
    }
}

/// The media type of CSV.
pub const CSV: &str = "text/csv";

/// How the JSON of a response becomes CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// The place of the records, as a JSON pointer.
    pub records: &'static str,
    /// The columns: the fields of a record, and fields of an object in it, as `home.name`. In the heading, the dot is an underscore.
    pub columns: &'static [&'static str],
}

impl Sheet {
    /// The columns of a list.
    pub const fn of_page(columns: &'static [&'static str]) -> Self {
        Self { records: "/data", columns }
    }

    /// The records of a response as CSV. Null is an empty cell, a list stays JSON, and text that a spreadsheet would run as a formula is
    /// escaped.
    pub fn csv(&self, body: &Value, line_end: LineEnd) -> csv::Result<String> {
        let records = body.pointer(self.records).and_then(Value::as_array).map(Vec::as_slice);
        let mut writer = WriterBuilder::new().terminator(line_end.terminator()).from_writer(Vec::new());
        writer.write_record(self.columns.iter().map(|column| column.replace('.', "_")))?;
        for record in records.unwrap_or_default() {
            writer
                .write_record(self.columns.iter().map(|column| cell(field(record, column)).into_owned()))?;
        }
        let bytes = writer.into_inner().map_err(|error| error.into_error())?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// How lines of CSV end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnd {
    /// CR LF, as RFC 4180 requires on the wire.
    CrLf,
    /// LF, as the tools of a shell expect.
    Lf,
}

impl LineEnd {
    const fn terminator(self) -> Terminator {
        match self {
            Self::CrLf => Terminator::CRLF,
            Self::Lf => Terminator::Any(b'\n'),
        }
    }
}

/// The value of a column.
fn field<'a>(record: &'a Value, column: &str) -> &'a Value {
    column.split('.').try_fold(record, |value, name| value.get(name)).unwrap_or(&Value::Null)
}

/// A value as a cell.
pub fn cell(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => escape(text),
        other => Cow::Owned(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use fieldhouse_domain::spreadsheet::unescape;
    use serde_json::json;
    use utoipa::openapi::{RefOr, Schema};

    use super::*;
    use crate::operations::rows;

    const SHEET: Sheet = Sheet::of_page(&["name", "fields", "home.name", "open", "points"]);

    #[test]
    fn values_are_read_back_from_their_cells() {
        let names = ["=SUM(A1)", "-3", "a, \"b\"", "två\r\nrader", "'=1", "", "ＡＢ＝", "@x"];
        let record = |name: &&str| json!({"name": name, "fields": ["Court 1", "=2"], "home": {"name": name}, "open": true, "points": -3.5});
        let body = json!({"data": names.iter().map(record).collect::<Vec<_>>()});
        for line_end in [LineEnd::CrLf, LineEnd::Lf] {
            let text = SHEET.csv(&body, line_end).expect("CSV");
            let mut reader = csv::Reader::from_reader(text.as_bytes());
            assert_eq!(
                reader.headers().expect("a heading"),
                ["name", "fields", "home_name", "open", "points"].as_slice()
            );
            for (name, row) in names.iter().zip(reader.records()) {
                let row = row.expect("a row");
                let read: Vec<_> = row.iter().map(unescape).collect();
                assert_eq!(read, [*name, r#"["Court 1","=2"]"#, name, "true", "-3.5"]);
            }
        }
    }

    #[test]
    fn absent_values_are_empty_cells_and_an_empty_list_has_a_heading() {
        let text = SHEET.csv(&json!({"data": [{"name": null, "home": null}]}), LineEnd::CrLf).expect("CSV");
        assert_eq!(text, "name,fields,home_name,open,points\r\n,,,,\r\n");
        assert_eq!(SHEET.csv(&json!({}), LineEnd::Lf).expect("CSV"), "name,fields,home_name,open,points\n");
    }

    /// A new field of a record needs a column, unless it is a list of other records.
    #[test]
    fn every_field_of_a_record_has_a_column() {
        const OTHER_LISTS: [&str; 2] = ["divisions", "my_children"];
        for row in rows() {
            let Some(sheet) = row.answer.sheet else { continue };
            let mut schemas = Vec::new();
            (row.answer.schemas)(&mut schemas);
            let first: BTreeSet<_> =
                sheet.columns.iter().map(|column| column.split('.').next().unwrap_or_default()).collect();
            let fits = |schema: &RefOr<Schema>| match schema {
                RefOr::T(Schema::Object(object)) => {
                    let fields = object.properties.keys().map(String::as_str);
                    fields.filter(|field| !OTHER_LISTS.contains(field)).collect::<BTreeSet<_>>() == first
                }
                _ => false,
            };
            assert!(schemas.iter().any(|(_, schema)| fits(schema)), "{}: {first:?}", row.id);
        }
    }

    #[test]
    fn the_parameter_format_is_there_exactly_if_there_is_csv() {
        for row in rows() {
            let takes = row.query.names().iter().any(|name| name == "format");
            assert_eq!(takes, row.answer.sheet.is_some(), "{}", row.id);
        }
    }
}
