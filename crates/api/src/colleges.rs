//! The college catalogue on the wire.

use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::ids::{CollegeId, ProgramId};
use fieldhouse_domain::record::Body;
use fieldhouse_domain::sports::Sport;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A college.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct College {
    /// The id.
    pub id: CollegeId,
    /// The US Department of Education's `UNITID`.
    pub unitid: i64,
    /// Its name. Several colleges may share one.
    pub name: String,
    /// City.
    pub city: Option<String>,
    /// USPS code of the state or territory.
    pub state: Option<String>,
    /// ZIP code.
    pub zip: Option<String>,
    /// What kind of institution.
    pub sector: Option<String>,
    /// The athletics division.
    pub division: Option<String>,
    /// How many undergraduates.
    pub enrollment: Enrollment,
    /// When the record was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// How many undergraduates a college has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Enrollment {
    /// Men.
    pub men: Option<i64>,
    /// Women.
    pub women: Option<i64>,
    /// All.
    pub total: Option<i64>,
}

/// A college's program in one sport and gender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Program {
    /// The id.
    pub id: ProgramId,
    /// The college.
    pub college: CollegeRef,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// For whom it is.
    pub gender: ProgramGender,
    /// The division in this sport.
    pub division: Option<String>,
    /// How many athletes take part.
    pub participants: Option<i64>,
    /// The academic year of these facts.
    pub academic_year: Option<String>,
    /// When the record was made.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// A college, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CollegeRef {
    /// The id.
    pub id: CollegeId,
    /// The US Department of Education's `UNITID`.
    pub unitid: i64,
    /// Its name.
    pub name: String,
    /// City.
    pub city: Option<String>,
    /// USPS code of the state or territory.
    pub state: Option<String>,
}

/// Filters of the list of colleges.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct CollegeSearch {
    /// Only colleges whose name holds these words or starts of words, in any order; six words at most.
    pub q: Option<String>,
    /// Only colleges of this state: a USPS code.
    pub state: Option<String>,
    /// Only colleges of this athletics division, matched without regard to case.
    pub division: Option<String>,
    /// Only colleges with a program in this sport.
    pub sport: Option<Sport>,
    /// Only colleges with a program for these.
    pub gender: Option<ProgramGender>,
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// Filters of the list of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ProgramSearch {
    /// Only programs of colleges whose name holds these words or starts of words, in any order; six words at most.
    pub q: Option<String>,
    /// Only programs of this college.
    pub college_id: Option<CollegeId>,
    /// Only programs in this state: a USPS code.
    pub state: Option<String>,
    /// Only programs of this division, matched without regard to case.
    pub division: Option<String>,
    /// Only programs in this sport.
    pub sport: Option<Sport>,
    /// Only programs for these.
    pub gender: Option<ProgramGender>,
    /// How many records at most: 1 to 100, 25 unless said otherwise.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    pub cursor: Option<String>,
}
