//! The college catalogue: colleges and their programs. It belongs to no organization; the operator imports it.

use jiff::Timestamp;

use crate::ids::{CollegeId, ProgramId};
use crate::record::{Record, enumeration};
use crate::sports::Sport;
use crate::text::{self, Name};

enumeration! {
    /// For whom a program is.
    ProgramGender {
        /// Men.
        Men "men",
        /// Women.
        Women "women",
        /// Both in one team.
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
    /// The US Department of Education's `UNITID`: the key, because names are shared.
    #[field(server)]
    pub unitid: i64,
    /// Its name.
    #[field(server)]
    pub name: Name,
    /// City.
    #[field(server)]
    pub city: Option<String>,
    /// USPS code of the state or territory; none abroad.
    #[field(server)]
    pub state: Option<String>,
    /// ZIP code: five digits or `12345-6789`.
    #[field(server)]
    pub zip: Option<String>,
    /// What kind of institution: `Public, 4-year or above`.
    #[field(server)]
    pub sector: Option<String>,
    /// The athletics division: `NCAA Division II without football`.
    #[field(server)]
    pub division: Option<String>,
    /// Undergraduate men.
    #[field(server)]
    pub enrollment_men: Option<i64>,
    /// Undergraduate women.
    #[field(server)]
    pub enrollment_women: Option<i64>,
    /// All undergraduates.
    #[field(server)]
    pub enrollment_total: Option<i64>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
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
    /// For whom it is.
    #[field(server)]
    pub gender: ProgramGender,
    /// The division in this sport.
    #[field(server)]
    pub division: Option<String>,
    /// How many athletes take part.
    #[field(server)]
    pub participants: Option<i64>,
    /// The academic year of these facts: `2024-25`.
    #[field(server)]
    pub academic_year: Option<String>,
    /// When the record was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// A text as it is compared; empty where there is none.
fn folded(text: Option<&str>) -> String {
    text.map(text::fold).unwrap_or_default()
}

/// A ZIP code as it is kept: five digits, or nine with a hyphen before the last four. None for anything else.
pub fn zip(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|letter| *letter != '-').collect();
    let right = matches!(digits.len(), 5 | 9) && digits.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| if digits.len() == 9 { format!("{}-{}", &digits[..5], &digits[5..]) } else { digits })
}
