//! The formats of league files: their names, their rules, and how a file is recognized and read.
//!
//! A format is a file beside this one with a [`Format`], a function that reads it, and a line in [`read_as`] or [`Format::row`]. A table's
//! header identifies it (`products.rs`); a calendar and JSON are identified by how they start.

use std::fmt;

use fieldhouse_domain::record::enumeration;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::Name;
use fieldhouse_domain::time::TimeZoneName;

use super::dialect::{DateOrder, Delimiter};
use super::league::Schedule;
use super::rows::{self, Row};
use super::table::Table;
use super::{BadFile, MAX_BYTES, encoding, ics, openfootball, playhq, sportsengine, teamapp, teamsnap};

enumeration! {
    /// A format of league files.
    LeagueFormat {
        /// The format is recognized from the file.
        Auto "auto",
        /// PlayHQ's fixture export (CSV).
        Playhq "playhq",
        /// A season of openfootball (JSON).
        Openfootball "openfootball",
        /// SportsEngine's schedule template of 2026 (CSV).
        Sportsengine "sportsengine",
        /// SportsEngine's older schedule upload, with ids of teams (CSV).
        SportsengineLegacy "sportsengine-legacy",
        /// SportsEngine's season management (CSV).
        SportsengineSeason "sportsengine-season",
        /// TeamSnap's schedule of an organization (CSV).
        Teamsnap "teamsnap",
        /// Team App's schedule (CSV).
        Teamapp "teamapp",
        /// A calendar (iCalendar, RFC 5545).
        Ics "ics",
    }
}

/// What there is to know about a format before using it.
#[derive(Debug)]
pub struct Format {
    /// Its name.
    pub name: LeagueFormat,
    /// What the product calls it.
    pub title: &'static str,
    /// The columns that a file must have, in lower case. Empty if it is not a table.
    pub required: &'static [&'static str],
    /// The columns that are read if the file has them.
    pub optional: &'static [&'static str],
    /// The column with the date, and the order of its dates if none of them reveals it.
    pub date: Option<(&'static str, DateOrder)>,
    /// The sport, if all such files have the same.
    pub sport: Option<&'static str>,
    /// Whether files name their season.
    pub names_season: bool,
    /// Whether files name their divisions.
    pub names_division: bool,
    /// How its values are read.
    pub rules: &'static [&'static str],
}

/// Every format that can be imported.
pub const FORMATS: [&Format; 8] = [
    &playhq::FORMAT,
    &openfootball::FORMAT,
    &sportsengine::template::FORMAT,
    &sportsengine::legacy::FORMAT,
    &sportsengine::season::FORMAT,
    &teamsnap::FORMAT,
    &teamapp::FORMAT,
    &ics::FORMAT,
];

/// What the caller says about a file. `None` is detected, or taken from the file.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reading {
    /// Its format; [`LeagueFormat::Auto`] if it is to be recognized.
    pub format: LeagueFormat,
    /// The delimiter of a table.
    pub delimiter: Option<Delimiter>,
    /// The order of dates in a table.
    pub date_order: Option<DateOrder>,
    /// The name of the season.
    pub season: Option<Name>,
    /// The name of the division.
    pub division: Option<Name>,
    /// The zone of local times.
    pub time_zone: Option<TimeZoneName>,
    /// The zone of local times if neither the caller nor the file names one.
    pub home_zone: TimeZoneName,
}

/// A file that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// Its format.
    pub format: LeagueFormat,
    /// The delimiter, of a table.
    pub delimiter: Option<Delimiter>,
    /// The order of its dates, of a table.
    pub date_order: Option<DateOrder>,
    /// The zone of its local times.
    pub time_zone: TimeZoneName,
    /// The sport, if the format is of one sport.
    pub sport: Option<Sport>,
    /// What the caller should check.
    pub notes: Vec<String>,
    /// Its content.
    pub schedule: Schedule,
}

/// Reads a file. Bad rows are listed separately; only a file of another format is refused.
pub fn read(bytes: &[u8], reading: &Reading) -> Result<Read, BadFile> {
    if bytes.len() > MAX_BYTES {
        return Err(BadFile::TooLarge { bytes: bytes.len() });
    }
    let text = encoding::utf8(bytes)?;
    if text.trim().is_empty() {
        return Err(BadFile::Empty);
    }
    let format = recognised(text, reading)?;
    let mut read = read_as(format, text, reading)?;
    read.sport = format.sport.map(|sport| Sport::stored(sport.to_owned()));
    let mut unused = |set: bool, names: bool, what: &str| {
        if set && names {
            read.notes.push(format!("The {what} was not used, because the file names its own."));
        }
    };
    unused(reading.season.is_some(), format.names_season && format.name == LeagueFormat::Playhq, "season");
    unused(reading.division.is_some(), format.names_division, "division");
    Ok(read)
}

/// The format of a file. A file of another format than the caller named is refused.
fn recognised(text: &str, reading: &Reading) -> Result<&'static Format, BadFile> {
    let start = text.trim_start();
    let found = if ics::starts(start) {
        Ok(&ics::FORMAT)
    } else if start.starts_with(['{', '[']) {
        Ok(&openfootball::FORMAT)
    } else {
        of_table(&Table::open(text.as_bytes(), reading.delimiter)?)
    };
    let Some(wanted) = FORMATS.into_iter().find(|format| format.name == reading.format) else { return found };
    match found {
        Ok(found) if found.name != wanted.name => {
            Err(BadFile::OtherProduct { table: wanted.title, product: found.title })
        }
        Err(BadFile::Unsupported { product }) => Err(BadFile::OtherProduct { table: wanted.title, product }),
        Err(bad @ BadFile::Roster { .. }) => Err(bad),
        // A table without the columns that identify it: the reader says which ones it lacks.
        Ok(_) | Err(_) => Ok(wanted),
    }
}

fn of_table(table: &Table<'_>) -> Result<&'static Format, BadFile> {
    let Some(product) = table.product() else {
        let found = format!("its columns are {}", table.listed().join(", "));
        return Err(BadFile::Unknown { found });
    };
    match FORMATS.into_iter().find(|format| format.title == product.title) {
        Some(format) => Ok(format),
        None if product.roster => Err(BadFile::Roster { product: product.title }),
        None => Err(BadFile::Unsupported { product: product.title }),
    }
}

fn read_as(format: &'static Format, text: &str, reading: &Reading) -> Result<Read, BadFile> {
    match format.row() {
        Some(row) => rows::read(format, row, text, reading),
        None if format.name == LeagueFormat::Openfootball => openfootball::read(text, reading),
        None => ics::read(text, reading),
    }
}

impl Format {
    /// Reads a row of it, if it is a table.
    fn row(&self) -> Option<Row> {
        match self.name {
            LeagueFormat::Playhq => Some(playhq::row),
            LeagueFormat::Sportsengine => Some(sportsengine::template::row),
            LeagueFormat::SportsengineLegacy => Some(sportsengine::legacy::row),
            LeagueFormat::SportsengineSeason => Some(sportsengine::season::row),
            LeagueFormat::Teamsnap => Some(teamsnap::row),
            LeagueFormat::Teamapp => Some(teamapp::row),
            LeagueFormat::Auto | LeagueFormat::Openfootball | LeagueFormat::Ics => None,
        }
    }
}

impl Reading {
    /// A reading in which everything is detected.
    pub fn auto(home_zone: TimeZoneName) -> Self {
        Self {
            format: LeagueFormat::Auto,
            delimiter: None,
            date_order: None,
            season: None,
            division: None,
            time_zone: None,
            home_zone,
        }
    }

    /// The zone of local times in a file that names none.
    pub(super) fn zone(&self) -> &TimeZoneName {
        self.time_zone.as_ref().unwrap_or(&self.home_zone)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.title)
    }
}

#[cfg(test)]
mod tests;
