//! The college catalogue in requests and responses.

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
    /// The kind of institution.
    pub sector: Option<String>,
    /// The athletics division.
    pub division: Option<String>,
    /// The number of undergraduates.
    pub enrollment: Enrollment,
    /// When the record was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
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
    /// Who competes in it.
    pub gender: ProgramGender,
    /// The division in this sport.
    pub division: Option<String>,
    /// The number of athletes.
    pub participants: Option<i64>,
    /// The academic year of these facts.
    pub academic_year: Option<String>,
    /// When the record was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
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
    /// Only colleges whose name contains these words or prefixes of words, in any order; at most six words.
    pub q: Option<String>,
    /// Only colleges of this state: a USPS code.
    pub state: Option<String>,
    /// Only colleges of this athletics division, in upper or lower case.
    pub division: Option<String>,
    /// Only colleges with a program in this sport.
    pub sport: Option<Sport>,
    /// Only colleges with a program of this gender.
    pub gender: Option<ProgramGender>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// Filters of the list of programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct ProgramSearch {
    /// Only programs of colleges whose name contains these words or prefixes of words, in any order; at most six words.
    pub q: Option<String>,
    /// Only programs of this college.
    pub college_id: Option<CollegeId>,
    /// Only programs in this state: a USPS code.
    pub state: Option<String>,
    /// Only programs of this division, in upper or lower case.
    pub division: Option<String>,
    /// Only programs in this sport.
    pub sport: Option<Sport>,
    /// Only programs of this gender.
    pub gender: Option<ProgramGender>,
    /// The maximum number of records: 1 to 100; default 25.
    #[body(min = 1, max = 100)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}
