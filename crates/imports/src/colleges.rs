//! Imports of the college catalogue: tables of the US Department of Education's EADA data (Equity in Athletics Disclosure Act).
//!
//! The header shows which of three layouts a file has: a table of colleges, a table of programs, or the EADA's own `Schools`, with one row
//! for each institution and sport. `rows.rs` parses them, `merge.rs` merges a row into a record, `plan.rs` applies a whole file. A college
//! is identified by its `UNITID`, because names are shared and change.

mod divisions;
mod merge;
mod plan;
mod rows;

use std::collections::HashSet;

use super::table::Table;
use super::{BadFile, BadRow};
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::Name;

pub use merge::{Merge, merge_college, merge_college_of_program, merge_program};
pub use plan::{Changes, CollegeCounts, Existing, Plan, plan};
pub use rows::academic_year;

/// A parsed file of the catalogue.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The colleges, each once, in the order of the file.
    pub colleges: Vec<CollegeRow>,
    /// The programs, each once, in the order of the file.
    pub programs: Vec<ProgramRow>,
    /// The bad rows, which are skipped.
    pub bad: Vec<BadRow>,
    /// The number of rows, good and bad.
    pub rows: u64,
}

/// The facts about a college in a file. `None` means that the file does not contain the fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollegeRow {
    /// The line in the file.
    pub line: u64,
    /// The US Department of Education's `UNITID`.
    pub unitid: i64,
    /// Its name.
    pub name: Name,
    /// City.
    pub city: Option<String>,
    /// USPS code of the state or territory; `None` abroad.
    pub state: Option<String>,
    /// ZIP code, five digits or `12345-6789`.
    pub zip: Option<String>,
    /// The kind of institution.
    pub sector: Option<String>,
    /// The athletics division. For `Other`, the division in the institution's own words.
    pub division: Option<String>,
    /// Undergraduate men.
    pub enrollment_men: Option<i64>,
    /// Undergraduate women.
    pub enrollment_women: Option<i64>,
    /// All undergraduates.
    pub enrollment_total: Option<i64>,
}

/// The facts about a program in a file, with the facts to create its college if it is missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramRow {
    /// The line in the file.
    pub line: u64,
    /// The college's `UNITID`.
    pub unitid: i64,
    /// The college's name.
    pub college_name: Name,
    /// The college's city.
    pub city: Option<String>,
    /// USPS code of the college's state or territory; `None` abroad.
    pub state: Option<String>,
    /// The sport.
    pub sport: Sport,
    /// Who competes in it.
    pub gender: ProgramGender,
    /// The division in this sport.
    pub division: Option<String>,
    /// The number of athletes.
    pub participants: Option<i64>,
    /// The academic year of these facts, such as `2024-25`.
    pub academic_year: Option<String>,
}

/// Parses a file in any of the three layouts. `year` is the [`academic_year`] of its facts if the file does not contain it, as the EADA's
/// `Schools`.
pub fn read(bytes: &[u8], year: Option<&str>) -> Result<Catalogue, BadFile> {
    let table = Table::open(bytes, None)?;
    let layout = rows::Layout::of(&table)?;
    let read = table.read(|row| layout.read(row, year))?;
    let mut catalogue = Catalogue { bad: read.bad, rows: read.rows, ..Catalogue::default() };
    let mut seen = Seen::default();
    for facts in read.good {
        match seen.again(&facts, layout) {
            Some(bad) => catalogue.bad.push(bad),
            None => seen.enter(facts, &mut catalogue),
        }
    }
    catalogue.bad.sort();
    Ok(catalogue)
}

/// The content of one row: a college, programs, or a college with its programs in one sport.
struct Facts {
    college: Option<CollegeRow>,
    programs: Vec<ProgramRow>,
}

/// The colleges and programs in the rows so far.
#[derive(Default)]
struct Seen {
    colleges: HashSet<i64>,
    programs: HashSet<(i64, Sport, ProgramGender)>,
}

impl Seen {
    /// A bad row, if an earlier row has the same facts. In `Schools` an institution has one row for each sport.
    fn again(&self, facts: &Facts, layout: rows::Layout) -> Option<BadRow> {
        let again = facts.programs.iter().find(|program| self.programs.contains(&key(program)));
        if let Some(program) = again {
            let (unitid, sport) = (program.unitid, &program.sport);
            let reason = format!("repeats the program of {unitid} in {sport} ({})", program.gender);
            return Some(BadRow { line: program.line, column: None, reason });
        }
        let college = facts.college.as_ref().filter(|_| layout == rows::Layout::Colleges)?;
        let again = self.colleges.contains(&college.unitid);
        again.then(|| BadRow {
            line: college.line,
            column: Some("unitid".to_owned()),
            reason: format!("repeats the college {}", college.unitid),
        })
    }

    fn enter(&mut self, facts: Facts, catalogue: &mut Catalogue) {
        catalogue.colleges.extend(facts.college.filter(|college| self.colleges.insert(college.unitid)));
        self.programs.extend(facts.programs.iter().map(key));
        catalogue.programs.extend(facts.programs);
    }
}

fn key(program: &ProgramRow) -> (i64, Sport, ProgramGender) {
    (program.unitid, program.sport.clone(), program.gender)
}

#[cfg(test)]
mod tests;
