//! CSV tables (RFC 4180), as all imports share them: the header, the rows, and their errors.
//!
//! A table is UTF-8 with or without a byte order mark, its lines end in LF, CRLF or CR, its columns are separated by a comma, a semicolon or a
//! tab, and its first row has their names. They are compared trimmed and regardless of case; unknown columns and blank rows are ignored. The
//! readers know the meaning of columns.

use std::collections::HashMap;

use csv::{ByteRecord, StringRecord};

use super::clock;
use super::dialect::{DateClues, Delimiter};
use super::faults::{BadFile, BadRow, MAX_BYTES, MAX_ROWS};
use super::products::{self, Product};
use fieldhouse_domain::spreadsheet::unescape;
use fieldhouse_domain::text::{InvalidValue, Name, fold};

/// The maximum length of a quoted value in a message, in characters.
const MAX_QUOTED: usize = 60;
/// The maximum number of columns listed in a message.
const MAX_LISTED: usize = 40;

/// A file with its parsed header.
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    delimiter: Delimiter,
    reader: csv::Reader<&'a [u8]>,
    header: Header,
    lines: Lines<'a>,
}

/// The rows of a table.
pub(super) struct Read<T> {
    pub(super) good: Vec<T>,
    pub(super) bad: Vec<BadRow>,
    pub(super) rows: u64,
}

struct Header {
    names: Vec<String>,
    places: HashMap<String, usize>,
}

/// One row of a table, with as many fields as the header.
pub(super) struct Row<'t> {
    pub(super) line: u64,
    header: &'t Header,
    record: StringRecord,
}

impl<'a> Table<'a> {
    /// Parses the header. The delimiter is detected if it is not given.
    pub(super) fn open(bytes: &'a [u8], delimiter: Option<Delimiter>) -> Result<Self, BadFile> {
        if bytes.len() > MAX_BYTES {
            return Err(BadFile::TooLarge { bytes: bytes.len() });
        }
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let delimiter = delimiter.unwrap_or_else(|| Delimiter::detect(bytes));
        let mut reader = delimiter.reader(bytes);
        let mut first = ByteRecord::new();
        if !next(&mut reader, &mut first) {
            return Err(BadFile::Empty);
        }
        let first =
            StringRecord::from_byte_record(first).map_err(|_| match super::encoding::utf8(bytes) {
                Err(bad) => bad,
                Ok(_) => BadFile::Empty,
            })?;
        let lines = Lines { bytes, at: 0, line: 1 };
        Ok(Self { bytes, delimiter, reader, header: Header::new(&first)?, lines })
    }

    /// Its delimiter.
    pub(super) fn delimiter(&self) -> Delimiter {
        self.delimiter
    }

    /// What the dates of a column reveal about their order.
    pub(super) fn date_clues(&self, column: &str) -> DateClues {
        let mut clues = DateClues::default();
        let Some(place) = self.header.places.get(column) else { return clues };
        let mut reader = self.delimiter.reader(self.bytes);
        let mut record = ByteRecord::new();
        while next(&mut reader, &mut record) {
            if let Some(Ok(text)) = record.get(*place).map(str::from_utf8) {
                clues.add(text.trim());
            }
        }
        clues
    }

    /// Whether there is a column with this name.
    pub(super) fn has(&self, column: &str) -> bool {
        self.header.places.contains_key(column)
    }

    /// Refuses a file without one of `columns`.
    pub(super) fn require(&self, table: &'static str, columns: &[&'static str]) -> Result<(), BadFile> {
        let missing: Vec<_> = columns.iter().copied().filter(|column| !self.has(column)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        if let Some(product) =
            products::recognise(&self.header.names).filter(|product| product.title != table)
        {
            return Err(BadFile::OtherProduct { table, product: product.title });
        }
        Err(BadFile::MissingColumns { table, missing, found: self.listed() })
    }

    /// The names of its columns, for a message.
    pub(super) fn listed(&self) -> Vec<String> {
        self.header.names.iter().take(MAX_LISTED).map(|name| shortened(name)).collect()
    }

    /// The product with this header.
    pub(super) fn product(&self) -> Option<&'static Product> {
        products::recognise(&self.header.names)
    }

    /// Parses every row with `parse`.
    pub(super) fn read<T>(
        mut self,
        mut parse: impl FnMut(&Row<'_>) -> Result<T, BadRow>,
    ) -> Result<Read<T>, BadFile> {
        let mut read = Read { good: Vec::new(), bad: Vec::new(), rows: 0 };
        let mut record = ByteRecord::new();
        while next(&mut self.reader, &mut record) {
            let start = record.position().map_or(0, csv::Position::byte);
            let line = self.lines.of_record(start);
            if record.iter().all(|field| field.trim_ascii().is_empty()) {
                continue;
            }
            read.rows += 1;
            if read.rows > MAX_ROWS {
                return Err(BadFile::TooManyRows);
            }
            let end = self.reader.position().byte();
            let parsed = self.header.check(line, &record, || self.last_line(line, start, end));
            match parsed.and_then(|record| parse(&Row { line, header: &self.header, record })) {
                Ok(value) => read.good.push(value),
                Err(bad) => read.bad.push(bad),
            }
        }
        if read.rows == 0 {
            return Err(BadFile::NoRows);
        }
        Ok(read)
    }

    /// The last line of the record from `start` to `end`, which starts on `line`.
    fn last_line(&self, line: u64, start: u64, end: u64) -> u64 {
        let record = self.bytes.get(place(start)..place(end)).unwrap_or_default().trim_ascii();
        let mut lines = Lines { bytes: record, at: 0, line };
        lines.forward(record.len());
        lines.line
    }
}

/// Reading from memory cannot fail, and rows of any width are accepted: every other error of `csv` means the end.
fn next(reader: &mut csv::Reader<&[u8]>, record: &mut ByteRecord) -> bool {
    reader.read_byte_record(record).unwrap_or(false)
}

fn place(byte: u64) -> usize {
    usize::try_from(byte).unwrap_or(usize::MAX)
}

impl Header {
    fn new(record: &StringRecord) -> Result<Self, BadFile> {
        let names: Vec<String> = record.iter().map(|name| name.trim().to_lowercase()).collect();
        if names.iter().all(String::is_empty) {
            return Err(BadFile::Empty);
        }
        let mut places = HashMap::new();
        for (place, name) in names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if places.insert(name.clone(), place).is_some() {
                return Err(BadFile::RepeatedColumn(shortened(name)));
            }
        }
        Ok(Self { names, places })
    }

    /// The row as text, with as many fields as the header. Additional fields may only be blank.
    fn check(
        &self,
        line: u64,
        record: &ByteRecord,
        last_line: impl Fn() -> u64,
    ) -> Result<StringRecord, BadRow> {
        let extra = record.iter().skip(self.names.len()).any(|field| !field.trim_ascii().is_empty());
        if record.len() < self.names.len() || extra {
            let mut reason =
                format!("has {} field(s), but the header has {}", record.len(), self.names.len());
            let last = last_line();
            if last > line {
                reason = format!("{reason}; an open quotation mark joins the lines {line} to {last}");
            }
            return Err(BadRow { line, column: None, reason });
        }
        StringRecord::from_byte_record(record.clone()).map_err(|wrong| BadRow {
            line,
            column: self.names.get(wrong.utf8_error().field()).cloned(),
            reason: "is not UTF-8: save the file as CSV UTF-8".to_owned(),
        })
    }
}

/// Finds the line on which each record starts. `csv` counts line feeds only, and assigns the one of a CRLF to the next record.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
}

impl Lines<'_> {
    /// The line of the record that starts at `byte`. Line ends before its first character do not belong to it.
    fn of_record(&mut self, byte: u64) -> u64 {
        let start = place(byte).min(self.bytes.len());
        let ends = self.bytes[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.forward(start + ends);
        self.line
    }

    fn forward(&mut self, to: usize) {
        while self.at < to.min(self.bytes.len()) {
            let crlf = self.bytes[self.at] == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
            self.line += u64::from(matches!(self.bytes[self.at], b'\r' | b'\n') && !crlf);
            self.at += 1;
        }
    }
}

impl Row<'_> {
    /// The value of a column, without the escape of a spreadsheet; `None` if it is blank or missing.
    pub(super) fn text(&self, column: &str) -> Option<&str> {
        let place = *self.header.places.get(column)?;
        self.record.get(place).map(|cell| unescape(cell.trim()).trim()).filter(|text| !text.is_empty())
    }

    /// The parsed value of a column.
    pub(super) fn optional<T>(
        &self,
        column: &'static str,
        parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
    ) -> Result<Option<T>, BadRow> {
        self.text(column).map(|text| parse(text).map_err(|wrong| self.wrong(column, text, wrong))).transpose()
    }

    /// The parsed value of a column that must not be blank.
    pub(super) fn required<T>(
        &self,
        column: &'static str,
        parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
    ) -> Result<T, BadRow> {
        self.optional(column, parse)?.ok_or_else(|| self.bad(Some(column), "is blank"))
    }

    /// The parsed value of a column; `None` if it is blank or not known yet (`TBD`).
    pub(super) fn settled<T>(
        &self,
        column: &'static str,
        parse: impl FnOnce(&str) -> Result<T, InvalidValue>,
    ) -> Result<Option<T>, BadRow> {
        if self.text(column).is_some_and(clock::is_open) { Ok(None) } else { self.optional(column, parse) }
    }

    /// Creates a bad row.
    pub(super) fn bad(&self, column: Option<&str>, reason: impl Into<String>) -> BadRow {
        BadRow { line: self.line, column: column.map(str::to_owned), reason: reason.into() }
    }

    fn wrong(&self, column: &str, text: &str, wrong: InvalidValue) -> BadRow {
        let fix = wrong.fix.map(|fix| format!(". {fix}")).unwrap_or_default();
        self.bad(Some(column), format!("\"{}\" {}{fix}", shortened(text), wrong.message))
    }
}

/// A name that identifies records: it has a letter or a digit.
pub(super) fn name(text: &str) -> Result<Name, InvalidValue> {
    let name = Name::parse(text)?;
    if fold(name.as_str()).is_empty() {
        return Err(InvalidValue::new("required", "has no letter and no digit", ""));
    }
    Ok(name)
}

/// An integer that is not negative.
pub(super) fn count(text: &str) -> Result<i64, InvalidValue> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse::<u32>()
        .ok()
        .filter(|_| plain)
        .map(i64::from)
        .ok_or_else(|| InvalidValue::new("not_a_count", "must be an integer of 0 or more", ""))
}

/// Text from a file, shortened for a message.
pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests;
