//! Saved college programs in requests and responses.

use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::favorites::{Fit, Stage, WrittenGender};
use fieldhouse_domain::ids::{ChildId, FavoriteId, ProgramId, UserId};
use fieldhouse_domain::record::{Body, Fields, enumeration};
use fieldhouse_domain::sports::Sport;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use fieldhouse_domain::favorites::{ChangeFavorite, CustomProgram};

use crate::spreadsheet::{ListFormat, Sheet};

/// The columns of the export of saved programs as CSV.
pub const SHEET: Sheet = Sheet::of_page(&[
    "rank",
    "program.college_name",
    "program.sport",
    "program.gender",
    "program.division",
    "program.city",
    "program.state",
    "program.unitid",
    "stage",
    "fit",
    "interest",
    "notes",
    "tags",
    "id",
    "program.id",
    "child_id",
    "saved_by",
    "created_at",
    "updated_at",
    "version",
]);

/// Which list of saved programs to export, and its format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct FavoriteExportQuery {
    /// The list of this child. By default: the caller's own list.
    pub child_id: Option<ChildId>,
    /// `csv` returns CSV instead of JSON, as `Accept: text/csv` does; it takes precedence over that header.
    pub format: Option<ListFormat>,
}

/// A saved college program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Favorite {
    /// The id.
    pub id: FavoriteId,
    /// The program.
    pub program: FavoriteProgram,
    /// The child on whose list it is. Null if it is on the caller's own.
    pub child_id: Option<ChildId>,
    /// The user who saved it on the child's list. Null if it is on the caller's own.
    pub saved_by: Option<UserId>,
    /// How far the athlete is in recruiting.
    pub stage: Stage,
    /// How likely the athlete is to get a place.
    pub fit: Fit,
    /// How much the athlete wants it, 1 to 5.
    pub interest: Option<i64>,
    /// Its position on the list, from 1.
    pub rank: i64,
    /// Notes. Guests cannot store notes.
    pub notes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    pub version: i64,
}

/// The program behind a favorite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoriteProgram {
    /// The catalogue's id. Null if the program is not in the catalogue.
    pub id: Option<ProgramId>,
    /// The college's `UNITID`. Null if the program is not in the catalogue.
    pub unitid: Option<i64>,
    /// The college's name.
    pub college_name: String,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// Who competes in the program.
    pub gender: ProgramGender,
    /// The division in this sport.
    pub division: Option<String>,
    /// City.
    pub city: Option<String>,
    /// USPS code of the state or territory.
    pub state: Option<String>,
}

/// Saves a program: exactly one of `program_id`, `unitid` with `sport` and `gender`, or `custom`.
#[derive(Clone, Debug, Default, PartialEq, Body)]
#[body(rules = one_program)]
pub struct FavoriteSave {
    /// The child on whose list it is saved. By default: the caller's own list.
    pub child_id: Option<ChildId>,
    /// A program of the catalogue.
    pub program_id: Option<ProgramId>,
    /// A college of the catalogue by its `UNITID`, with `sport` and `gender`.
    pub unitid: Option<i64>,
    /// The sport, with `unitid`.
    pub sport: Option<Sport>,
    /// Who competes in it, with `unitid`; in upper or lower case.
    pub gender: Option<WrittenGender>,
    /// A program that is not in the catalogue.
    pub custom: Option<CustomProgram>,
    /// The details of the saved program.
    #[body(flatten)]
    pub details: ChangeFavorite,
}

/// A new order of the whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct FavoriteOrder {
    /// The child whose list it is. By default: the caller's own list.
    pub child_id: Option<ChildId>,
    /// The id of every saved program once, in the new order.
    pub ids: Vec<FavoriteId>,
}

/// Which list of saved programs to read, and its paging.
#[derive(Clone, Debug, Default, PartialEq, Eq, Body)]
pub struct FavoriteListQuery {
    /// The list of this child. By default: the caller's own list.
    pub child_id: Option<ChildId>,
    /// The maximum number of records: 1 to 200; default 200.
    #[body(min = 1, max = 200)]
    pub limit: Option<u32>,
    /// The `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The options of saving a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Body)]
pub struct FavoriteSaveQuery {
    /// `list` returns the whole list instead of the saved record.
    #[body(rename = "return")]
    pub return_: Option<FavoriteReturn>,
}

enumeration! {
    /// What saving a program returns.
    FavoriteReturn {
        /// The saved record.
        Record "record",
        /// The whole list.
        List "list",
    }
}

/// The response to saving a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SavedFavorite {
    /// The saved record, or with `return=list` the whole list.
    pub data: RecordOrList,
    /// More about the result.
    pub meta: SavedMeta,
}

/// One saved program, or all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(untagged)]
pub enum RecordOrList {
    /// The saved record.
    Record(Box<Favorite>),
    /// The whole list.
    List(Vec<Favorite>),
}

/// More about the result of saving a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SavedMeta {
    /// False if it was saved before.
    pub created: bool,
    /// A guest's token, on their first save: send it as `X-Guest-Token` in later requests.
    pub guest_token: Option<String>,
}

/// A saved program was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoriteRemoved {
    /// Always true.
    pub success: bool,
    /// A message to show to the user.
    pub message: String,
}

/// The result of claiming a guest's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoritesClaimed {
    /// The number of programs added to the caller's list.
    pub copied: u32,
    /// The number of programs that were already on the caller's list.
    pub merged: u32,
}

/// The program to save.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedProgram {
    /// A program of the catalogue by its id.
    Id(ProgramId),
    /// A program of the catalogue by college, sport and gender.
    Natural(i64, Sport, ProgramGender),
    /// A program that is not in the catalogue.
    Custom(CustomProgram),
}

impl FavoriteSave {
    /// The program that the body identifies. `None` if it identifies none, which reading the body refuses.
    pub fn program(&self) -> Option<WantedProgram> {
        if let Some(id) = self.program_id {
            return Some(WantedProgram::Id(id));
        }
        if let Some(custom) = &self.custom {
            return Some(WantedProgram::Custom(custom.clone()));
        }
        Some(WantedProgram::Natural(self.unitid?, self.sport.clone()?, self.gender?.0))
    }
}

/// Refuses a body that does not identify exactly one program.
fn one_program(fields: &mut Fields<'_, '_>) {
    let by_college = ["unitid", "sport", "gender"];
    let some = by_college.iter().any(|name| fields.has(name));
    match (fields.has("program_id"), some, fields.has("custom")) {
        (true, false, false) | (false, false, true) => {}
        (false, true, false) => {
            for name in by_college {
                if !fields.has(name) {
                    let fix = "Send unitid, sport and gender together.";
                    fields.check().refuse(&format!("/{name}"), "required", "is missing", fix);
                }
            }
        }
        _ => {
            let fix = "Send exactly one of program_id, unitid with sport and gender, or custom.";
            fields.check().refuse("", "one_of", "must identify one program", fix);
        }
    }
}
