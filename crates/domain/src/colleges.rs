//! The college catalogue: colleges and their programs. It belongs to no organization; the operator imports it.

use jiff::Timestamp;

use crate::ids::{CollegeId, ProgramId};
use crate::record::{enumeration, record};
use crate::sports::Sport;
use crate::text::Name;

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

record! {
    /// A college.
    College {
        /// The id.
        id: CollegeId,
        /// The US Department of Education's `UNITID`: the key, for names are shared.
        unitid: i64,
        /// Its name.
        name: Name,
        /// City.
        city: Option<String>,
        /// USPS code of the state or territory; none abroad.
        state: Option<String>,
        /// ZIP code as text, five digits or `12345-6789`.
        zip: Option<String>,
        /// What kind of institution: `Public, 4-year or above`.
        sector: Option<String>,
        /// The athletics division: `NCAA Division II without football`.
        division: Option<String>,
        /// Undergraduate men.
        enrollment_men: Option<i64>,
        /// Undergraduate women.
        enrollment_women: Option<i64>,
        /// All undergraduates.
        enrollment_total: Option<i64>,
        /// When the record was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

record! {
    /// A college's program in one sport and gender.
    Program {
        /// The id.
        id: ProgramId,
        /// The college.
        college_id: CollegeId,
        /// The sport.
        sport: Sport,
        /// For whom it is.
        gender: ProgramGender,
        /// The division in this sport.
        division: Option<String>,
        /// How many athletes take part.
        participants: Option<i64>,
        /// The academic year of these facts: `2024-25`.
        academic_year: Option<String>,
        /// When the record was made.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// A search is answered by at most this many words of it.
pub const MOST_SEARCH_WORDS: usize = 6;

/// A ZIP code as it is kept: five digits, or nine with a hyphen before the last four. None for anything else.
pub fn zip(text: &str) -> Option<String> {
    let digits: String = text.trim().chars().filter(|letter| *letter != '-').collect();
    let right = matches!(digits.len(), 5 | 9) && digits.bytes().all(|byte| byte.is_ascii_digit());
    right.then(|| if digits.len() == 9 { format!("{}-{}", &digits[..5], &digits[5..]) } else { digits })
}
