//! Output: tables for people, JSON and CSV for programs. Messages go to standard error, so that piped output contains only results.

use std::io::{self, Write};

use comfy_table::Table;
use fieldhouse_client::api::changesets::text::{Line, Mark, Span};
use fieldhouse_client::api::spreadsheet::{LineEnd, Sheet};
use serde::Serialize;
use serde_json::Value;

use crate::failure::Failure;
use crate::global::{Format, Printing};
use crate::jq::Expression;
use crate::json_fields::select;
use crate::tables::Grid;
pub(crate) use crate::tables::{Column, Width};
use crate::terminal::Terminal;
use crate::zone::Zone;
use crate::{pager, spreadsheet, tables};

/// Prints in the chosen format.
#[derive(Debug)]
pub(crate) struct Output {
    format: Format,
    fields: Vec<String>,
    jq: Option<Expression>,
    terminal: Terminal,
    zone: Zone,
}

impl Output {
    pub(crate) fn new(printing: Printing, zone: Zone) -> Self {
        let mut terminal = Terminal::stdout();
        terminal.pager &= !printing.no_pager;
        let (format, fields) = (printing.format(), printing.fields().unwrap_or_default());
        Self { format, fields, jq: printing.jq, terminal, zone }
    }

    /// Whether the output is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether the output is CSV.
    pub(crate) fn is_csv(&self) -> bool {
        self.format == Format::Csv
    }

    /// The expression of --jq.
    pub(crate) fn jq(&self) -> Option<&Expression> {
        self.jq.as_ref()
    }

    /// Prints records, one in each line; the last column is their id.
    pub(crate) fn list<T: Serialize>(&self, records: &[T], columns: &[Column<T>]) -> io::Result<()> {
        let mut grid = Grid::of(records, columns);
        match self.format {
            Format::Json => self.json(&records),
            Format::Csv => line(&spreadsheet::csv(&grid.headings, &grid.rows)?),
            Format::Table if records.is_empty() => {
                note("Nothing found.");
                Ok(())
            }
            Format::Table => self.table(&mut grid),
        }
    }

    /// Prints several tables, each below its title. The records of JSON and CSV have no titles, so that other functions print them.
    pub(crate) fn tables<T>(&self, titled: &[(String, Vec<T>)], columns: &[Column<T>]) -> io::Result<()> {
        let (mut texts, mut left_out) = (Vec::new(), Vec::new());
        for (title, records) in titled {
            let (table, without) = self.rendered(&mut Grid::of(records, columns));
            texts.push(format!("{}\n{table}", clean(title)));
            left_out.extend(without);
        }
        left_out.sort_unstable();
        left_out.dedup();
        self.paged(&texts.join("\n\n"), &left_out)
    }

    fn table(&self, grid: &mut Grid) -> io::Result<()> {
        let (table, left_out) = self.rendered(grid);
        self.paged(&table, &left_out)
    }

    /// A table, and the headings of the columns that were left out.
    fn rendered(&self, grid: &mut Grid) -> (String, Vec<&'static str>) {
        if self.terminal.width.is_some() {
            self.zone.localize(grid.rows.iter_mut().flatten());
        }
        tables::list(grid, self.terminal.width, self.terminal.color)
    }

    fn paged(&self, text: &str, left_out: &[&str]) -> io::Result<()> {
        if self.terminal.pager { pager::show(text) } else { line(text) }?;
        if !left_out.is_empty() {
            note(&format!(
                "Columns that did not fit: {}. A pipe or --output json shows all of them.",
                left_out.join(", ")
            ));
        }
        Ok(())
    }

    /// Prints the records of a response as CSV, with the columns of the API.
    pub(crate) fn csv(&self, sheet: Sheet, body: &Value) -> io::Result<()> {
        let text = sheet.csv(body, LineEnd::Lf).map_err(io::Error::other)?;
        let text = text.trim_end_matches('\n');
        match self.terminal.width {
            // Text of others must not control the terminal.
            Some(_) => text.lines().try_for_each(|row| line(&clean(row))),
            None => line(text),
        }
    }

    /// Prints one record, one column in each line.
    pub(crate) fn one<T: Serialize>(&self, record: &T, columns: &[Column<T>]) -> io::Result<()> {
        let rows: Vec<_> = columns.iter().map(|(heading, _, show)| (*heading, show(record))).collect();
        self.record(record, &rows)
    }

    /// Prints one record, one field in each line.
    pub(crate) fn record<T: Serialize>(&self, record: &T, rows: &[(&str, String)]) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(record),
            Format::Csv => {
                let (names, values): (Vec<_>, Vec<_>) =
                    rows.iter().map(|(name, value)| (*name, clean(value))).unzip();
                line(&spreadsheet::csv(&names, &[values])?)
            }
            Format::Table => {
                let mut rows = rows.to_vec();
                if self.terminal.width.is_some() {
                    self.zone.localize(rows.iter_mut().map(|(_, value)| value));
                }
                line(&tables::fields(&rows, self.terminal.width))
            }
        }
    }

    /// Prints counts, one in each line, including any new ones.
    pub(crate) fn counts<T: Serialize>(&self, counts: &T) -> io::Result<()> {
        let named: serde_json::Map<String, Value> = serde_json::from_value(serde_json::to_value(counts)?)?;
        let named: Vec<_> =
            named.into_iter().map(|(name, count)| (name.replace('_', " "), count.to_string())).collect();
        let rows: Vec<_> = named.iter().map(|(name, count)| (name.as_str(), count.clone())).collect();
        self.record(counts, &rows)
    }

    /// Prints lines of text, coloured on a terminal, or the data behind them.
    pub(crate) fn lines<T: Serialize>(&self, record: &T, lines: &[Line]) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(record),
            Format::Csv => line(&spreadsheet::object(&serde_json::to_value(record)?)?),
            Format::Table => {
                let lines: Vec<_> = lines.iter().map(|line| painted(line, self.terminal.color)).collect();
                self.paged(&lines.join("\n"), &[])
            }
        }
    }

    /// Prints a sentence, or the data behind it.
    pub(crate) fn sentence<T: Serialize>(&self, record: &T, sentence: &str) -> io::Result<()> {
        match self.format {
            Format::Json => self.json(record),
            Format::Csv => line(&spreadsheet::object(&serde_json::to_value(record)?)?),
            Format::Table => line(&clean(sentence)),
        }
    }

    /// Prints a value as JSON: its selected fields, through the jq expression.
    pub(crate) fn json(&self, value: &impl Serialize) -> io::Result<()> {
        self.selected(&self.select(value)?)
    }

    /// A record or records with the selected fields.
    pub(crate) fn select(&self, value: &impl Serialize) -> io::Result<Value> {
        let value = serde_json::to_value(value)?;
        Ok(if self.fields.is_empty() { value } else { select(value, &self.fields) })
    }

    /// Prints JSON whose fields are already selected.
    pub(crate) fn selected(&self, value: &Value) -> io::Result<()> {
        match &self.jq {
            Some(jq) => self.evaluated(jq, value.to_string().as_bytes()),
            None => line(&serde_json::to_string_pretty(value)?),
        }
    }

    /// Prints what the jq expression makes of this JSON.
    pub(crate) fn evaluated(&self, jq: &Expression, json: &[u8]) -> io::Result<()> {
        let (lines, result) = jq.apply(json);
        match self.terminal.width {
            // Text of others must not control the terminal.
            Some(_) => String::from_utf8_lossy(&lines).lines().try_for_each(|text| line(&clean(text)))?,
            None => io::stdout().write_all(&lines)?,
        }
        result.map_err(io::Error::other::<Failure>)
    }

    /// A time for people: in the organization's zone on a terminal, exact otherwise.
    pub(crate) fn time(&self, time: jiff::Timestamp) -> String {
        if self.terminal.width.is_some() { self.zone.show(time) } else { time.to_string() }
    }
}

/// A line with the colours of its parts.
fn painted(line: &Line, color: bool) -> String {
    if !color {
        return line.to_string();
    }
    let paint = |span: &Span| {
        let code = match span.mark {
            Mark::Plain => return span.text.clone(),
            Mark::Strong => "1",
            Mark::Added => "32",
            Mark::Removed => "31",
            Mark::Changed => "33",
            Mark::Faint => "2",
            Mark::Warning => "1;33",
        };
        format!("\u{1b}[{code}m{}\u{1b}[0m", span.text)
    };
    line.0.iter().map(paint).collect()
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
