//! Merges rows into records.
//!
//! Colleges: the file that is imported last wins, also for names. A new name for the same `UNITID` renames the college, and blank cells
//! change nothing. Tables of programs contain a college's name only as a reference, and may be of another year: they create a missing
//! college and never change one.
//!
//! Programs: likewise, but a row of an earlier academic year than the record's changes nothing, so that years can be imported in any order.
//! A program that a later file does not contain stays.

use super::{CollegeRow, ProgramRow};
use fieldhouse_domain::Moment;
use fieldhouse_domain::colleges::{College, Program};
use fieldhouse_domain::ids::CollegeId;
use fieldhouse_domain::record::Record;

/// The result of merging a row into a record.
#[derive(Clone, Debug, PartialEq)]
pub enum Merge<T> {
    /// A new record.
    Created(T),
    /// The changed record.
    Updated(T),
    /// No change.
    Unchanged,
}

/// Merges a college's own row.
pub fn merge_college(moment: &Moment, existing: Option<&College>, row: &CollegeRow) -> Merge<College> {
    let Some(before) = existing else { return Merge::Created(new_college(moment, row)) };
    let after = College {
        name: row.name.clone(),
        city: row.city.clone().or_else(|| before.city.clone()),
        state: row.state.clone().or_else(|| before.state.clone()),
        zip: row.zip.clone().or_else(|| before.zip.clone()),
        sector: row.sector.clone().or_else(|| before.sector.clone()),
        division: row.division.clone().or_else(|| before.division.clone()),
        enrollment_men: row.enrollment_men.or(before.enrollment_men),
        enrollment_women: row.enrollment_women.or(before.enrollment_women),
        enrollment_total: row.enrollment_total.or(before.enrollment_total),
        ..before.clone()
    };
    if after.changed(before).is_empty() {
        return Merge::Unchanged;
    }
    Merge::Updated(College { version: before.version + 1, updated_at: moment.now(), ..after })
}

/// Creates the college of a program if it is missing.
pub fn merge_college_of_program(
    moment: &Moment,
    existing: Option<&College>,
    row: &ProgramRow,
) -> Merge<College> {
    if existing.is_some() {
        return Merge::Unchanged;
    }
    let college = CollegeRow {
        line: row.line,
        unitid: row.unitid,
        name: row.college_name.clone(),
        city: row.city.clone(),
        state: row.state.clone(),
        zip: None,
        sector: None,
        division: None,
        enrollment_men: None,
        enrollment_women: None,
        enrollment_total: None,
    };
    Merge::Created(new_college(moment, &college))
}

/// Merges a program of the college `college_id`.
pub fn merge_program(
    moment: &Moment,
    college_id: CollegeId,
    existing: Option<&Program>,
    row: &ProgramRow,
) -> Merge<Program> {
    let Some(before) = existing else { return Merge::Created(new_program(moment, college_id, row)) };
    let after = Program {
        division: row.division.clone().or_else(|| before.division.clone()),
        participants: row.participants.or(before.participants),
        academic_year: row.academic_year.clone().or_else(|| before.academic_year.clone()),
        ..before.clone()
    };
    let earlier = after.academic_year < before.academic_year;
    if earlier || after.changed(before).is_empty() {
        return Merge::Unchanged;
    }
    Merge::Updated(Program { version: before.version + 1, updated_at: moment.now(), ..after })
}

fn new_college(moment: &Moment, row: &CollegeRow) -> College {
    College {
        id: moment.id(),
        unitid: row.unitid,
        name: row.name.clone(),
        city: row.city.clone(),
        state: row.state.clone(),
        zip: row.zip.clone(),
        sector: row.sector.clone(),
        division: row.division.clone(),
        enrollment_men: row.enrollment_men,
        enrollment_women: row.enrollment_women,
        enrollment_total: row.enrollment_total,
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    }
}

fn new_program(moment: &Moment, college_id: CollegeId, row: &ProgramRow) -> Program {
    Program {
        id: moment.id(),
        college_id,
        sport: row.sport.clone(),
        gender: row.gender,
        division: row.division.clone(),
        participants: row.participants,
        academic_year: row.academic_year.clone(),
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    }
}
