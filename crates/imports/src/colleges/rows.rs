//! Parses rows of the three layouts.

use super::{CollegeRow, Facts, ProgramRow, divisions};
use crate::table::{Row, Table, count, name};
use crate::{BadFile, BadRow};
use fieldhouse_domain::colleges::{ProgramGender, zip};
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{self, InvalidValue, Name};

/// The layout of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// One row for each college.
    Colleges,
    /// One row for each college, sport and gender.
    Programs,
    /// One row for each institution and sport, with the participants of each gender in columns: the EADA's `Schools`.
    Schools,
}

/// The names of columns with the same meaning in two layouts.
struct Columns {
    name: &'static str,
    city: &'static str,
    state: &'static str,
    zip: &'static str,
    sector: &'static str,
    division: &'static str,
    division_other: [&'static str; 2],
    enrollment: [&'static str; 3],
}

const COLLEGES: Columns = Columns {
    name: "institution",
    city: "city",
    state: "state",
    zip: "zip",
    sector: "sector",
    division: "division",
    division_other: ["division_other", "division_other"],
    enrollment: ["enrollment_men", "enrollment_women", "enrollment_total"],
};

/// Some years of the Department's files have these columns without underscores.
const SCHOOLS: Columns = Columns {
    name: "institution_name",
    city: "city_txt",
    state: "state_cd",
    zip: "zip_text",
    sector: "sector_name",
    division: "classification_name",
    division_other: ["classification_other", "classificationother"],
    enrollment: ["efmalecount", "effemalecount", "eftotalcount"],
};

impl Layout {
    /// The layout of a header, if it has all required columns.
    pub(super) fn of(table: &Table<'_>) -> Result<Self, BadFile> {
        let layout = if table.has("sportscode") || table.has("institution_name") {
            Self::Schools
        } else if table.has("sport") {
            Self::Programs
        } else {
            Self::Colleges
        };
        let (name, columns): (_, &[_]) = match layout {
            Self::Colleges => {
                ("table of colleges", &["unitid", "institution", "city", "state", "zip", "division"])
            }
            Self::Programs => {
                ("table of college programs", &["unitid", "institution", "city", "state", "sport", "gender"])
            }
            Self::Schools => (
                "EADA table of schools",
                &[
                    "unitid",
                    "institution_name",
                    "city_txt",
                    "state_cd",
                    "zip_text",
                    "classification_name",
                    "sports",
                    "partic_men",
                    "partic_women",
                    "partic_coed_men",
                    "partic_coed_women",
                ],
            ),
        };
        table.require(name, columns)?;
        Ok(layout)
    }

    /// Parses a row.
    pub(super) fn read(self, row: &Row<'_>, year: Option<&str>) -> Result<Facts, BadRow> {
        match self {
            Self::Colleges => Ok(Facts { college: Some(college(row, &COLLEGES)?), programs: Vec::new() }),
            Self::Programs => Ok(Facts { college: None, programs: vec![program(row, year)?] }),
            Self::Schools => schools(row, year),
        }
    }
}

fn college(row: &Row<'_>, columns: &Columns) -> Result<CollegeRow, BadRow> {
    let [men, women, total] = columns.enrollment;
    let state = row.optional(columns.state, state)?;
    Ok(CollegeRow {
        line: row.line,
        unitid: row.required("unitid", unitid)?,
        name: row.required(columns.name, name)?,
        city: row.optional(columns.city, line)?,
        zip: postal_code(row, columns.zip, state.is_some())?,
        state,
        sector: row.optional(columns.sector, line)?,
        division: division(row, columns)?,
        enrollment_men: row.optional(men, count)?,
        enrollment_women: row.optional(women, count)?,
        enrollment_total: row.optional(total, count)?,
    })
}

/// The division. For `Other`, the institution's own words, which are ignored beside any other division.
fn division(row: &Row<'_>, columns: &Columns) -> Result<Option<String>, BadRow> {
    let division = row.optional(columns.division, line)?;
    if division.as_deref().is_none_or(|division| text::fold(division) != "other") {
        return Ok(division);
    }
    let [spelling, other_spelling] = columns.division_other;
    let words = row.optional(spelling, line)?;
    Ok(words.or(row.optional(other_spelling, line)?).or(division))
}

/// A foreign postal code is ignored: without a state there is no ZIP code.
fn postal_code(row: &Row<'_>, column: &'static str, in_state: bool) -> Result<Option<String>, BadRow> {
    let parse = |text: &str| match zip(text) {
        None if in_state => Err(InvalidValue::new(
            "not_a_zip",
            "is not a ZIP code",
            "Write five or nine digits, as text so that leading zeros stay.",
        )),
        zip => Ok(zip),
    };
    Ok(row.optional(column, parse)?.flatten())
}

fn program(row: &Row<'_>, year: Option<&str>) -> Result<ProgramRow, BadRow> {
    Ok(ProgramRow {
        line: row.line,
        unitid: row.required("unitid", unitid)?,
        college_name: row.required("institution", name)?,
        city: row.optional("city", line)?,
        state: row.optional("state", state)?,
        sport: row.required("sport", Sport::parse)?,
        gender: row.optional("gender", gender)?.unwrap_or(ProgramGender::Unknown),
        division: row.optional("division", line)?,
        participants: row.optional("participants", count)?,
        academic_year: row.optional("academic_year", academic_year)?.or(year.map(str::to_owned)),
    })
}

/// A program exists for each gender with at least one athlete. Athletes of a mixed team are in two columns.
fn schools(row: &Row<'_>, year: Option<&str>) -> Result<Facts, BadRow> {
    let college = college(row, &SCHOOLS)?;
    let sport = row.required("sports", Sport::parse)?;
    let number = |column| row.optional(column, count).map(Option::unwrap_or_default);
    let programs = [
        (ProgramGender::Men, number("partic_men")?),
        (ProgramGender::Women, number("partic_women")?),
        (ProgramGender::Coed, number("partic_coed_men")? + number("partic_coed_women")?),
    ];
    let division = row.optional(SCHOOLS.division, line)?.map(|division| divisions::short(&division));
    let program = |(gender, participants)| ProgramRow {
        line: row.line,
        unitid: college.unitid,
        college_name: college.name.clone(),
        city: college.city.clone(),
        state: college.state.clone(),
        sport: sport.clone(),
        gender,
        division: division.clone(),
        participants: Some(participants),
        academic_year: year.map(str::to_owned),
    };
    let programs = programs.into_iter().filter(|(_, participants)| *participants > 0).map(program).collect();
    Ok(Facts { college: Some(college), programs })
}

fn unitid(text: &str) -> Result<i64, InvalidValue> {
    count(text).ok().filter(|unitid| *unitid > 0).ok_or_else(|| {
        InvalidValue::new(
            "not_a_unitid",
            "is not a UNITID",
            "Write the number that IPEDS gives the institution.",
        )
    })
}

fn line(text: &str) -> Result<String, InvalidValue> {
    text::line(text, Name::MAX_LENGTH)
}

fn state(text: &str) -> Result<String, InvalidValue> {
    if text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Ok(text.to_ascii_uppercase());
    }
    Err(InvalidValue::new(
        "not_a_state",
        "is not a USPS code",
        "Write two letters such as CA, or leave it empty for a college abroad.",
    ))
}

fn gender(text: &str) -> Result<ProgramGender, InvalidValue> {
    text::fold(text).replace(' ', "").parse().map_err(|_| {
        InvalidValue::new("unknown_gender", "is not a gender", "Write men, women, coed or unknown.")
    })
}

/// Parses an academic year, written `2024-25`.
pub fn academic_year(text: &str) -> Result<String, InvalidValue> {
    let digits = |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
    let years = text.trim().split_once('-').filter(|(one, next)| digits(one, 4) && digits(next, 2));
    years
        .and_then(|(one, next)| Some((one.parse::<u16>().ok()?, next.parse::<u16>().ok()?)))
        .filter(|(one, next)| (one + 1) % 100 == *next)
        .map(|(one, next)| format!("{one:04}-{next:02}"))
        .ok_or_else(|| {
            InvalidValue::new("not_an_academic_year", "is not an academic year", "Write it like 2024-25.")
        })
}
