//! Compares a whole file with the catalogue.

use std::collections::HashMap;

use super::{Catalogue, Merge, merge_college, merge_college_of_program, merge_program};
use crate::BadRow;
use crate::tally::Tally;
use fieldhouse_domain::Moment;
use fieldhouse_domain::colleges::{College, Program, ProgramGender};
use fieldhouse_domain::ids::CollegeId;
use fieldhouse_domain::sports::Sport;

/// The existing records: at least the colleges in a file, and their programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Existing {
    /// The colleges.
    pub colleges: Vec<College>,
    /// The programs.
    pub programs: Vec<Program>,
}

/// The changes that an import makes.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The changes of colleges.
    pub colleges: Changes<College>,
    /// The changes of programs.
    pub programs: Changes<Program>,
    /// Their numbers.
    pub counts: CollegeCounts,
    /// The skipped rows, in the order of the file.
    pub bad: Vec<BadRow>,
}

/// The changes of records of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Changes<T> {
    /// New records.
    pub created: Vec<T>,
    /// Changed records.
    pub updated: Vec<T>,
}

/// The numbers of created, changed and unchanged colleges and programs, and of rows. A college is counted once, even if the file contains
/// it only with a program.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema,
)]
pub struct CollegeCounts {
    /// Created colleges.
    pub colleges_created: u64,
    /// Changed colleges.
    pub colleges_updated: u64,
    /// Unchanged colleges.
    pub colleges_unchanged: u64,
    /// Created programs.
    pub programs_created: u64,
    /// Changed programs.
    pub programs_updated: u64,
    /// Unchanged programs.
    pub programs_unchanged: u64,
    /// Rows of the file, without the header and blank rows.
    pub rows: u64,
    /// Bad rows, which were skipped.
    pub bad_rows: u64,
}

/// Compares a file with the catalogue and returns the changes. Importing the same file again changes nothing.
pub fn plan(moment: &Moment, catalogue: Catalogue, existing: &Existing) -> Plan {
    let (colleges, college_tally, ids) = colleges(moment, &catalogue, &existing.colleges);
    let (programs, program_tally) = programs(moment, &catalogue, &existing.programs, &ids);
    let counts = CollegeCounts {
        colleges_created: college_tally.created,
        colleges_updated: college_tally.updated,
        colleges_unchanged: college_tally.unchanged,
        programs_created: program_tally.created,
        programs_updated: program_tally.updated,
        programs_unchanged: program_tally.unchanged,
        rows: catalogue.rows,
        bad_rows: u64::try_from(catalogue.bad.len()).unwrap_or(u64::MAX),
    };
    Plan { colleges, programs, counts, bad: catalogue.bad }
}

type Ids = HashMap<i64, CollegeId>;

/// Plans the colleges with rows of their own, then those that only programs refer to. Returns the ids of both.
fn colleges(moment: &Moment, catalogue: &Catalogue, existing: &[College]) -> (Changes<College>, Tally, Ids) {
    let existing: HashMap<i64, &College> = existing.iter().map(|college| (college.unitid, college)).collect();
    let mut ids = Ids::new();
    let mut all = Gathered::default();
    for row in &catalogue.colleges {
        let before = existing.get(&row.unitid).copied();
        let merge = merge_college(moment, before, row);
        ids.extend(id(before, &merge).map(|id| (row.unitid, id)));
        all.add(merge);
    }
    for row in &catalogue.programs {
        if !ids.contains_key(&row.unitid) {
            let before = existing.get(&row.unitid).copied();
            let merge = merge_college_of_program(moment, before, row);
            ids.extend(id(before, &merge).map(|id| (row.unitid, id)));
            all.add(merge);
        }
    }
    (all.changes, all.tally, ids)
}

fn id(before: Option<&College>, merge: &Merge<College>) -> Option<CollegeId> {
    match merge {
        Merge::Created(college) | Merge::Updated(college) => Some(college.id),
        Merge::Unchanged => before.map(|college| college.id),
    }
}

fn programs(
    moment: &Moment,
    catalogue: &Catalogue,
    existing: &[Program],
    ids: &Ids,
) -> (Changes<Program>, Tally) {
    let key = |program: &Program| (program.college_id, program.sport.clone(), program.gender);
    let existing: HashMap<(CollegeId, Sport, ProgramGender), &Program> =
        existing.iter().map(|program| (key(program), program)).collect();
    let mut all = Gathered::default();
    for row in &catalogue.programs {
        if let Some(college_id) = ids.get(&row.unitid).copied() {
            let before = existing.get(&(college_id, row.sport.clone(), row.gender)).copied();
            all.add(merge_program(moment, college_id, before, row));
        }
    }
    (all.changes, all.tally)
}

struct Gathered<T> {
    changes: Changes<T>,
    tally: Tally,
}

impl<T> Default for Gathered<T> {
    fn default() -> Self {
        Self { changes: Changes { created: Vec::new(), updated: Vec::new() }, tally: Tally::default() }
    }
}

impl<T> Gathered<T> {
    fn add(&mut self, merge: Merge<T>) {
        match merge {
            Merge::Created(record) => {
                self.tally.created += 1;
                self.changes.created.push(record);
            }
            Merge::Updated(record) => {
                self.tally.updated += 1;
                self.changes.updated.push(record);
            }
            Merge::Unchanged => self.tally.unchanged += 1,
        }
    }
}
