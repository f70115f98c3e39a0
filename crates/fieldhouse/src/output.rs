//! What goes to the screen, a pipe or a file: tables for people, JSON for programs. Notes about what happened go to standard error, so that
//! what is piped is only what was asked for.

use std::io::{self, IsTerminal, Write};

use clap::ValueEnum;
use comfy_table::presets::{NOTHING, UTF8_BORDERS_ONLY};
use comfy_table::{ColumnConstraint, ContentArrangement, Table};
use serde::Serialize;

/// How records are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    Table,
    Json,
}

/// A column of a table: its heading, and what stands in it.
pub(crate) type Column<T> = (&'static str, fn(&T) -> String);

/// Writes in the format that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    format: Format,
}

impl Output {
    pub(crate) fn new(format: Format) -> Self {
        Self { format }
    }

    /// Whether programs read it.
    pub(crate) fn is_json(self) -> bool {
        self.format == Format::Json
    }

    /// Writes records, one a line; the last column is their id.
    pub(crate) fn list<T: Serialize>(self, records: &[T], columns: &[Column<T>]) -> io::Result<()> {
        if self.is_json() {
            return json(&records);
        }
        if records.is_empty() {
            note("Nothing found.");
            return Ok(());
        }
        let stdout = io::stdout();
        let mut table = table_of(stdout.is_terminal(), records, columns);
        // The id, which is to be copied in one piece.
        if let Some(last) = table.column_mut(columns.len().saturating_sub(1)) {
            last.set_constraint(ColumnConstraint::ContentWidth);
        }
        write_table(stdout.lock(), &mut table)
    }

    /// Writes one record, one field a line.
    pub(crate) fn record<T: Serialize>(self, record: &T, rows: &[(&str, String)]) -> io::Result<()> {
        if self.is_json() {
            return json(record);
        }
        let stdout = io::stdout();
        let mut table = table(stdout.is_terminal());
        table.add_rows(rows.iter().map(|(name, value)| [(*name).to_owned(), clean(value)]));
        write_table(stdout.lock(), &mut table)
    }

    /// Writes what was counted, one count a line: whatever is counted is shown, for the lists grow.
    pub(crate) fn counts<T: Serialize>(self, counts: &T) -> io::Result<()> {
        let named: serde_json::Map<String, serde_json::Value> =
            serde_json::from_value(serde_json::to_value(counts)?)?;
        let named: Vec<_> =
            named.into_iter().map(|(name, count)| (name.replace('_', " "), count.to_string())).collect();
        let rows: Vec<_> = named.iter().map(|(name, count)| (name.as_str(), count.clone())).collect();
        self.record(counts, &rows)
    }

    /// Writes a sentence, or what it is about.
    pub(crate) fn sentence<T: Serialize>(self, record: &T, sentence: &str) -> io::Result<()> {
        if self.is_json() { json(record) } else { line(&clean(sentence)) }
    }
}

/// Writes JSON, indented.
pub(crate) fn json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string_pretty(value)?;
    line(&text)
}

/// Writes a line.
pub(crate) fn line(text: &str) -> io::Result<()> {
    writeln!(io::stdout(), "{text}")
}

/// Says what happened, beside the output.
pub(crate) fn note(text: &str) {
    // Where standard error is closed, nobody wants to know.
    let _ = writeln!(io::stderr(), "{}", clean(text));
}

/// Lists what is wrong, beside the output.
pub(crate) fn note_list<T>(records: &[T], columns: &[Column<T>]) {
    let stderr = io::stderr();
    let mut table = table_of(stderr.is_terminal(), records, columns);
    let _ = write_table(stderr.lock(), &mut table);
}

/// The text of an optional value.
pub(crate) fn or_dash(value: Option<impl ToString>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn table(terminal: bool) -> Table {
    let mut table = Table::new();
    if terminal {
        table.load_style(UTF8_BORDERS_ONLY).set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        // One record is one line, however long, so that grep, sort and cut can be used.
        table.load_style(NOTHING).set_content_arrangement(ContentArrangement::Disabled).force_no_tty();
    }
    table
}

fn table_of<T>(terminal: bool, records: &[T], columns: &[Column<T>]) -> Table {
    let mut table = table(terminal);
    table.set_header(columns.iter().map(|(heading, _)| *heading));
    table.add_rows(records.iter().map(|record| columns.iter().map(|(_, show)| clean(&show(record)))));
    table
}

fn write_table(mut to: impl Write, table: &mut Table) -> io::Result<()> {
    if !table.is_tty() {
        table.column_iter_mut().for_each(|column| {
            column.set_padding((0, 2));
        });
    }
    writeln!(to, "{}", table.trim_fmt())
}

/// Text from elsewhere, without what would steer the terminal.
pub(crate) fn clean(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(clean("a\u{1b}[31mb\nc\td\u{9b}"), "a [31mb c d ");
    }
}
