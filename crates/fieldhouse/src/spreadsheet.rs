//! CSV output, for spreadsheets.

use std::borrow::Cow;
use std::io;

use csv::WriterBuilder;
use fieldhouse_domain::spreadsheet::escape;
use serde_json::Value;

/// A heading and rows as CSV (RFC 4180). Absent values are empty, and text that a spreadsheet would run as a formula starts with an
/// apostrophe.
pub(crate) fn csv(headings: &[&str], rows: &[Vec<String>]) -> io::Result<String> {
    let mut writer = WriterBuilder::new().from_writer(Vec::new());
    writer.write_record(headings.iter().map(|heading| heading.to_lowercase().replace([' ', '-'], "_")))?;
    for row in rows {
        writer.write_record(
            row.iter().map(|cell| if cell == "-" { Cow::Borrowed("") } else { escape(cell) }.into_owned()),
        )?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    String::from_utf8(bytes).map(|text| text.trim_end_matches('\n').to_owned()).map_err(io::Error::other)
}

/// A JSON object as a heading and one row; lists and objects in it stay JSON.
pub(crate) fn object(value: &Value) -> io::Result<String> {
    let fields: Vec<_> = value.as_object().into_iter().flatten().collect();
    let headings: Vec<_> = fields.iter().map(|(name, _)| name.as_str()).collect();
    let cells = fields.iter().map(|(_, value)| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    });
    csv(&headings, &[cells.collect()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotes_and_commas_are_quoted_and_dashes_are_empty() {
        let rows = vec![vec!["A, \"b\"".to_owned(), "-".to_owned()]];
        assert_eq!(csv(&["NAME", "TIME ZONE"], &rows).expect("CSV"), "name,time_zone\n\"A, \"\"b\"\"\",");
        let deleted = json!({"id": "x", "deleted": true, "why": null, "list": [1]});
        assert_eq!(object(&deleted).expect("CSV"), "id,deleted,why,list\nx,true,,[1]");
    }
}
