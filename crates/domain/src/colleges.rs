//! The college catalogue: colleges and their programs. It belongs to no organization; the operator imports it.

use jiff::Timestamp;

use crate::ids::{CollegeId, ProgramId};
use crate::record::{Record, enumeration};
use crate::sports::Sport;
use crate::text::{self, Name};

enumeration! {
    /// Who competes in a program.
    ProgramGender {
        /// Men.
        Men "men",
        /// Women.
        Women "women",
        /// Men and women in one team.
        Coed "coed",
        /// The source does not say.
        Unknown "unknown",
    }
}

/// A college.
#[derive(Clone, PartialEq, Record)]
#[record(
    table = "colleges", alias = "c", shared,
    derived(name_folded = self.name.folded(), division_folded = folded(self.division.as_deref()))
)]
pub struct College {
    /// The id.
    #[field(server)]
    pub id: CollegeId,
    /// The US Department of Education's `UNITID`. It is the key because several colleges may share a name.
    #[field(server)]
    pub unitid: i64,
    /// Its name.
    #[field(server)]
    pub name: Name,
    /// City.
    #[field(server)]
    pub city: Option<String>,
    /// USPS code of the state or territory; null abroad.
    #[field(server)]
    pub state: Option<String>,
    /// ZIP code: five digits or `12345-6789`.
    #[field(server)]
    pub zip: Option<String>,
    /// The kind of institution, such as `Public, 4-year or above`.
    #[field(server)]
    pub sector: Option<String>,
    /// The athletics division, such as `NCAA Division II without football`.
    #[field(server)]
    pub division: Option<String>,
    /// The number of undergraduate men.
    #[field(server)]
    pub enrollment_men: Option<i64>,
    /// The number of undergraduate women.
    #[field(server)]
    pub enrollment_women: Option<i64>,
    /// The number of all undergraduates.
    #[field(server)]
    pub enrollment_total: Option<i64>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// A college's program in one sport and gender.
#[derive(Clone, PartialEq, Record)]
#[record(table = "programs", alias = "p", shared, derived(division_folded = folded(self.division.as_deref())))]
pub struct Program {
    /// The id.
    #[field(server)]
    pub id: ProgramId,
    /// The college.
    #[field(server)]
    pub college_id: CollegeId,
    /// The sport.
    #[field(server)]
    pub sport: Sport,
    /// Who competes in it.
    #[field(server)]
    pub gender: ProgramGender,
    /// The division in this sport.
    #[field(server)]
    pub division: Option<String>,
    /// The number of athletes.
    #[field(server)]
    pub participants: Option<i64>,
    /// The academic year of these facts, such as `2024-25`.
    #[field(server)]
    pub academic_year: Option<String>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The form of a string that is compared; empty for none.
fn folded(text: Option<&str>) -> String {
    text.map(text::fold).unwrap_or_default()
}

/// A ZIP code in the stored form: five digits, or nine with a hyphen before the last four. Returns `None` for anything else.
pub fn zip(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|letter| *letter != '-').collect();
    let right = matches!(digits.len(), 5 | 9) && digits.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| if digits.len() == 9 { format!("{}-{}", &digits[..5], &digits[5..]) } else { digits })
}
