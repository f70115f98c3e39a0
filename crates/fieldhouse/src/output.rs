//! Output: tables for people, JSON for programs. Messages go to standard error, so that piped output contains only results.

use std::io::{self, Write};

use clap::ValueEnum;
use comfy_table::Table;
use serde::Serialize;

use crate::tables;
pub(crate) use crate::tables::{Column, Width};

/// The format of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Table,
    Json,
}

/// Prints in the chosen format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Whether the output is JSON.
    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Prints records, one in each line; the last column is their id.
    pub(crate) fn list<T: Serialize>(self, records: &[T], columns: &[Column<T>]) -> io::Result<()> {
        if self.is_json() {
            return json(&records);
        }
        if records.is_empty() {
            note("Nothing found.");
            return Ok(());
        }
        let (table, left_out) = tables::list(records, columns, Table::new().width());
        line(&table)?;
        if !left_out.is_empty() {
            note(&format!(
                "Columns that did not fit: {}. A pipe or --output json shows all of them.",
                left_out.join(", ")
            ));
        }
        Ok(())
    }

    /// Prints one record, one column in each line.
    pub(crate) fn one<T: Serialize>(self, record: &T, columns: &[Column<T>]) -> io::Result<()> {
        let rows: Vec<_> = columns.iter().map(|(heading, _, show)| (*heading, show(record))).collect();
        self.record(record, &rows)
    }

    /// Prints one record, one field in each line.
    pub(crate) fn record<T: Serialize>(self, record: &T, rows: &[(&str, String)]) -> io::Result<()> {
        if self.is_json() {
            return json(record);
        }
        line(&tables::fields(rows, Table::new().width()))
    }

    /// Prints counts, one in each line, including any new ones.
    pub(crate) fn counts<T: Serialize>(self, counts: &T) -> io::Result<()> {
        let named: serde_json::Map<String, serde_json::Value> =
            serde_json::from_value(serde_json::to_value(counts)?)?;
        let named: Vec<_> =
            named.into_iter().map(|(name, count)| (name.replace('_', " "), count.to_string())).collect();
        let rows: Vec<_> = named.iter().map(|(name, count)| (name.as_str(), count.clone())).collect();
        self.record(counts, &rows)
    }

    /// Prints a sentence, or the JSON behind it.
    pub(crate) fn sentence<T: Serialize>(self, record: &T, sentence: &str) -> io::Result<()> {
        if self.is_json() { json(record) } else { line(&clean(sentence)) }
    }
}

/// Prints indented JSON.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    line(&text)
}

/// Prints a line.
pub(crate) fn line(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

/// Prints a message to standard error.
pub(crate) fn note(text: &str) {
    // If standard error is closed, there is no reader.
    let _ = writeln!(io::stderr(), "{}", clean(text));
}

/// Prints a list of problems to standard error.
pub(crate) fn note_list<T>(records: &[T], columns: &[Column<T>]) {
    let _ =
        writeln!(io::stderr(), "{}", tables::wrapped(records, columns, Table::new().use_stderr().width()));
}

/// The text of an optional value.
pub(crate) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

/// Text from elsewhere, without terminal control characters.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed() {
        assert_eq!(clean("a\u{1b}[31mb\nc\td\u{9b}"), "a [31mb c d ");
    }
}
