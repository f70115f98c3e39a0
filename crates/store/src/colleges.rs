//! The college catalogue in the store. It belongs to no organization: everyone reads it, only the operator writes it.

use constcat::concat;
use fieldhouse_domain::colleges::{College, Program as Catalogued, ProgramGender};
use fieldhouse_domain::ids::{CollegeId, ProgramId};
use fieldhouse_domain::record::Record as _;
use fieldhouse_domain::sports::Sport;
use uuid::Uuid;

use crate::access::Operator;
use crate::engine::{Reader, Tx, first};
use crate::error::Result;
use crate::query::queries;
use crate::row::{Row, record};
use crate::search::optional_patterns;
use crate::value::{Value, id, values};

/// The columns of a program and of its college's name and location.
pub(crate) const PROGRAM_COLUMNS: &str = concat!(Catalogued::COLUMNS, ", c.unitid, c.name, c.city, c.state");

/// The condition that a college's name contains words that start with those in the parameters. Absent words are null.
macro_rules! has_words {
    ($($parameter:literal)+) => {
        constcat::concat!($(
            " AND (CAST($", $parameter, " AS TEXT) IS NULL OR (' ' || c.name_folded) LIKE $", $parameter, ")"
        ),+)
    };
}

/// Programs after the position $1 to $4 that match the filters $5 to $8 and the words $10 to $15. The colleges come first (SQLite reads a
/// CROSS JOIN in this order), because the list is sorted by their names: their index has all that filters them, and reading ends with the
/// page.
macro_rules! program_page {
    ($sport:literal $and:literal) => {
        concat!(
            "SELECT ", PROGRAM_COLUMNS, " FROM colleges c CROSS JOIN programs p
            WHERE p.college_id = c.id AND c.name_folded >= $1 AND (c.name_folded, p.sport, p.gender, p.id) > ($1, $2, $3, $4)
                AND (CAST($5 AS TEXT) IS NULL OR c.state = $5)", has_words!("10" "11" "12" "13" "14" "15"),
            " AND (CAST($6 AS TEXT) IS NULL OR p.division_folded = $6) AND ", $sport,
            " AND (CAST($8 AS TEXT) IS NULL OR p.gender = $8)", $and,
            " ORDER BY c.name_folded, p.sport, p.gender, p.id LIMIT $9"
        )
    };
}

queries! {
    /// After the position $1, $2, that match the filters $3 to $6 and the words $8 to $13.
    LIST "colleges.list" @planned_each_time concat!("SELECT ", College::COLUMNS, " FROM colleges c
        WHERE (c.name_folded, c.id) > ($1, $2) AND (CAST($3 AS TEXT) IS NULL OR c.state = $3)
            AND (CAST($4 AS TEXT) IS NULL OR c.division_folded = $4)", has_words!("8" "9" "10" "11" "12" "13"), "
            AND (CAST($5 AS TEXT) IS NULL AND CAST($6 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM programs p
                WHERE p.college_id = c.id AND (CAST($5 AS TEXT) IS NULL OR p.sport = $5)
                    AND (CAST($6 AS TEXT) IS NULL OR p.gender = $6)))
        ORDER BY c.name_folded, c.id LIMIT $7");
    READ "colleges.read" College::TABLE.read;
    BY_UNITID "colleges.by_unitid" concat!("SELECT ", College::COLUMNS, " FROM colleges c WHERE c.unitid = $1");
    PROGRAMS "programs.list" @planned_each_time program_page!("CAST($7 AS TEXT) IS NULL" "");
    PROGRAMS_OF_SPORT "programs.of_sport" @planned_each_time program_page!("p.sport = $7" "");
    PROGRAMS_OF_COLLEGE "programs.of_college" program_page!("(CAST($7 AS TEXT) IS NULL OR p.sport = $7)" " AND c.id = $16");
    PROGRAM "programs.read" concat!("SELECT ", PROGRAM_COLUMNS, " FROM programs p JOIN colleges c ON c.id = p.college_id
        WHERE p.id = $1");
    NATURAL "programs.by_college" concat!("SELECT ", PROGRAM_COLUMNS, " FROM programs p JOIN colleges c ON c.id = p.college_id
        WHERE c.unitid = $1 AND p.sport = $2 AND p.gender = $3");
    ALL "colleges.all" concat!("SELECT ", College::COLUMNS, " FROM colleges c");
    ALL_PROGRAMS "programs.all" concat!("SELECT ", PROGRAM_COLUMNS, " FROM programs p JOIN colleges c ON c.id = p.college_id");
    INSERT "colleges.insert" College::TABLE.insert;
    UPDATE "colleges.update" College::TABLE.update;
    INSERT_PROGRAM "programs.insert" Catalogued::TABLE.insert;
    UPDATE_PROGRAM "programs.update" Catalogued::TABLE.update;
}

/// A program with its college's name and location.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The program.
    pub program: Catalogued,
    /// The college's `UNITID`.
    pub unitid: i64,
    /// The college's name.
    pub college_name: String,
    /// City.
    pub city: Option<String>,
    /// State.
    pub state: Option<String>,
}

/// Filters of colleges and programs.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// Only those whose college's folded name contains words that start with these.
    pub words: Vec<String>,
    /// Only programs of this college.
    pub college: Option<CollegeId>,
    /// Only in this state.
    pub state: Option<String>,
    /// Only of this division, folded.
    pub division: Option<String>,
    /// Only those with, or of, this sport.
    pub sport: Option<Sport>,
    /// Only those of this gender.
    pub gender: Option<ProgramGender>,
}

/// The position in a list of programs: the folded name of the college, sport, gender and id of the last one.
pub type ProgramPoint = (String, String, String, Uuid);

/// Colleges by name, after a position: the folded name and id of the last one.
pub async fn list(
    reader: &mut impl Reader,
    filter: &Filter,
    after: Option<(String, Uuid)>,
    limit: u32,
) -> Result<Vec<College>> {
    let (name, last) = after.unwrap_or_default();
    let (state, division) = (filter.state.as_ref(), filter.division.as_ref());
    let (sport, gender) = (filter.sport.as_ref().map(Sport::as_str), filter.gender.map(ProgramGender::name));
    let mut values = values![name, last, state, division, sport, gender, limit].to_vec();
    values.extend(optional_patterns(&filter.words).map(Value::from));
    reader.rows(LIST, &values, record).await
}

/// One college.
pub async fn read(reader: &mut impl Reader, college_id: CollegeId) -> Result<Option<College>> {
    first(reader, READ, values![id(college_id)], record).await
}

/// The college with a `UNITID`.
pub async fn by_unitid(reader: &mut impl Reader, unitid: i64) -> Result<Option<College>> {
    first(reader, BY_UNITID, values![unitid], record).await
}

/// Programs by college, sport and gender, after a position.
pub async fn programs(
    reader: &mut impl Reader,
    filter: &Filter,
    after: Option<ProgramPoint>,
    limit: u32,
) -> Result<Vec<Program>> {
    let (name, after_sport, after_gender, last) = after.unwrap_or_default();
    let (state, division) = (filter.state.as_ref(), filter.division.as_ref());
    let (sport, gender) = (filter.sport.as_ref().map(Sport::as_str), filter.gender.map(ProgramGender::name));
    let mut values: Vec<Value<'_>> =
        values![name, after_sport, after_gender, last, state, division, sport, gender, limit].to_vec();
    values.extend(optional_patterns(&filter.words).map(Value::from));
    let query = match (filter.college, sport) {
        (Some(college_id), _) => {
            values.push(id(college_id));
            PROGRAMS_OF_COLLEGE
        }
        (None, Some(_)) => PROGRAMS_OF_SPORT,
        (None, None) => PROGRAMS,
    };
    reader.rows(query, &values, program).await
}

/// The whole catalogue, for an import to compare with.
pub async fn everything(reader: &mut impl Reader) -> Result<(Vec<College>, Vec<Catalogued>)> {
    let colleges = reader.rows(ALL, values![], record).await?;
    let programs = reader.rows(ALL_PROGRAMS, values![], |row| Ok(program(row)?.program)).await?;
    Ok((colleges, programs))
}

/// One program.
pub async fn read_program(reader: &mut impl Reader, program_id: ProgramId) -> Result<Option<Program>> {
    first(reader, PROGRAM, values![id(program_id)], program).await
}

/// The program of a college in a sport and gender.
pub async fn find_program(
    reader: &mut impl Reader,
    unitid: i64,
    sport: &Sport,
    gender: ProgramGender,
) -> Result<Option<Program>> {
    first(reader, NATURAL, values![unitid, sport.as_str(), gender.name()], program).await
}

fn program(row: &mut Row<'_>) -> Result<Program> {
    let program = row.record()?;
    of_college(row, program)
}

/// The last columns of a row as a program. `None` if all are null.
pub(crate) fn optional_program(row: &mut Row<'_>) -> Result<Option<Program>> {
    row.optional_record()?.map(|program| of_college(row, program)).transpose()
}

fn of_college(row: &mut Row<'_>, program: Catalogued) -> Result<Program> {
    Ok(Program {
        program,
        unitid: row.next()?,
        college_name: row.next()?,
        city: row.next()?,
        state: row.next()?,
    })
}

/// Writes a new or changed college.
pub async fn write(tx: &mut Tx<'_>, _: &Operator, new: bool, college: &College) -> Result<()> {
    let values: Vec<Value<'_>> = college.cells().into_iter().map(Value::from).collect();
    tx.run(if new { INSERT } else { UPDATE }, &values).await.map(drop)
}

/// Writes a new or changed program.
pub async fn write_program(tx: &mut Tx<'_>, _: &Operator, new: bool, program: &Catalogued) -> Result<()> {
    let values: Vec<Value<'_>> = program.cells().into_iter().map(Value::from).collect();
    tx.run(if new { INSERT_PROGRAM } else { UPDATE_PROGRAM }, &values).await.map(drop)
}
