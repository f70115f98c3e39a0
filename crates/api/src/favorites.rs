//! Saved college programs on the wire.

use fieldhouse_domain::Refusal;
use fieldhouse_domain::colleges::ProgramGender;
use fieldhouse_domain::favorites::{CustomProgram, Details, Fit, NOTES_MOST, Stage};
use fieldhouse_domain::ids::{ChildId, FavoriteId, ProgramId};
use fieldhouse_domain::refusal::Check;
use fieldhouse_domain::sports::Sport;
use fieldhouse_domain::text::{self, Name, NotText, Tag};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::patch::{self, Patch};

/// A saved college program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Favorite {
    /// The id, which removing it needs.
    pub id: FavoriteId,
    /// What was saved.
    pub program: FavoriteProgram,
    /// For which child it was saved; null: for the caller himself.
    pub child_id: Option<ChildId>,
    /// How far the athlete is with it.
    pub stage: Stage,
    /// How likely a place is.
    pub fit: Fit,
    /// How much the athlete wants it, 1 to 5.
    pub interest: Option<i64>,
    /// Its place on the list.
    pub rank: i64,
    /// Notes.
    pub notes: Option<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// When it was saved.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    pub version: i64,
}

/// The program behind a favorite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoriteProgram {
    /// The catalogue's id; null for a program that the catalogue does not hold.
    pub id: Option<ProgramId>,
    /// The college's `UNITID`; null likewise.
    pub unitid: Option<i64>,
    /// The college's name.
    pub college_name: String,
    /// The sport, in `snake_case`.
    pub sport: String,
    /// For whom the program is.
    pub gender: ProgramGender,
    /// The division in this sport.
    pub division: Option<String>,
    /// City.
    pub city: Option<String>,
    /// USPS code of the state or territory.
    pub state: Option<String>,
}

/// Saves a program: exactly one of `program_id`, `unitid` with `sport` and `gender`, or `custom`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FavoriteSave {
    /// A program of the catalogue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program_id: Option<ProgramId>,
    /// A college of the catalogue by its `UNITID`, with `sport` and `gender`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unitid: Option<i64>,
    /// The sport, with `unitid`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sport: Option<String>,
    /// For whom, with `unitid`; in any case of letters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<String>,
    /// A program that the catalogue does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<CustomSave>,
    /// How far the athlete is with it; `saved` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// How likely a place is; `unset` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// How much the athlete wants it, 1 to 5.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interest: Option<i64>,
    /// Notes, at most 10,000 bytes; not for guests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Tags of 1 to 40 characters, at most 20.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

/// A program that the catalogue does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CustomSave {
    /// The college's name.
    pub college_name: String,
    /// The state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// The sport.
    pub sport: String,
    /// For whom the program is; in any case of letters, `unknown` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gender: Option<String>,
}

/// What is to change about a saved program. Absent fields stay; null empties those that may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FavoriteChange {
    /// How far the athlete is with it.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub stage: Option<Stage>,
    /// How likely a place is.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub fit: Option<Fit>,
    /// How much the athlete wants it, 1 to 5.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schema(value_type = Option<i64>)]
    pub interest: Patch<i64>,
    /// Notes, at most 10,000 bytes; not for guests.
    #[serde(default, skip_serializing_if = "Patch::is_absent")]
    #[schema(value_type = Option<String>)]
    pub notes: Patch<String>,
    /// Tags of 1 to 40 characters, at most 20.
    #[serde(default, deserialize_with = "patch::present", skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

/// A new order of the whole list.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FavoriteOrder {
    /// Every saved program's id once, the first one first.
    pub ids: Vec<FavoriteId>,
}

/// Paging of the list of saved programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FavoriteListQuery {
    /// How many records at most: 1 to 200, 200 unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 200)]
    pub limit: Option<u32>,
    /// Where to go on: the `next_cursor` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// What saving a program answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct FavoriteSaveQuery {
    /// `list` answers with the whole list rather than the saved record.
    #[serde(default, rename = "return", skip_serializing_if = "Option::is_none")]
    pub return_: Option<FavoriteReturn>,
}

/// What saving a program answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FavoriteReturn {
    /// The saved record.
    Record,
    /// The whole list.
    List,
}

/// The answer to saving a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SavedFavorite {
    /// The saved record, or with `return=list` the whole list.
    pub data: RecordOrList,
    /// What else there is to know.
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

/// What else there is to know about a saved program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SavedMeta {
    /// False where it was saved already.
    pub created: bool,
    /// A guest's token, on his first save: send it as `X-Guest-Token` from now on.
    pub guest_token: Option<String>,
}

/// A saved program was removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoriteRemoved {
    /// Always true.
    pub success: bool,
    /// A sentence for a person.
    pub message: String,
}

/// What came of claiming a guest's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FavoritesClaimed {
    /// How many programs were added to the caller's list.
    pub copied: u32,
    /// How many were on it already.
    pub merged: u32,
}

/// Which program is to be saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WantedProgram {
    /// A program of the catalogue by its id.
    Id(ProgramId),
    /// A program of the catalogue by college, sport and gender.
    Natural(i64, Sport, ProgramGender),
    /// One that the catalogue does not hold.
    Custom(CustomProgram),
}

impl FavoriteSave {
    /// The domain's command: which program, and its details.
    pub fn command(&self) -> Result<(WantedProgram, Details), Refusal> {
        let mut check = Check::default();
        let program = self.wanted(&mut check);
        let notes = check.optional("/notes", self.notes.as_deref().map(notes));
        let tags = tags(&mut check, self.tags.as_deref());
        let details = notes.map(|notes| Details {
            stage: self.stage,
            fit: self.fit,
            interest: self.interest.map(Some),
            notes: notes.map(Some),
            tags,
        });
        if let Some(details) = &details {
            details.check(&mut check);
        }
        check.finish(program.zip(details))
    }

    fn wanted(&self, check: &mut Check) -> Option<WantedProgram> {
        let by_college = self.unitid.is_some() || self.sport.is_some() || self.gender.is_some();
        match (self.program_id, by_college, &self.custom) {
            (Some(id), false, None) => Some(WantedProgram::Id(id)),
            (None, true, None) => {
                let missing = |check: &mut Check, pointer| {
                    check.refuse(pointer, "required", "is missing", "send unitid, sport and gender together");
                };
                if self.unitid.is_none() {
                    missing(check, "/unitid");
                }
                let sport = if let Some(text) = &self.sport {
                    check.field("/sport", Sport::parse(text))
                } else {
                    missing(check, "/sport");
                    None
                };
                let gender = if let Some(text) = &self.gender {
                    check.field("/gender", gender(text))
                } else {
                    missing(check, "/gender");
                    None
                };
                Some(WantedProgram::Natural(self.unitid?, sport?, gender?))
            }
            (None, false, Some(custom)) => custom.wanted(check).map(WantedProgram::Custom),
            _ => {
                let fix = "send exactly one of program_id, unitid with sport and gender, or custom";
                check.refuse("", "one_of", "does not say which program", fix);
                None
            }
        }
    }
}

impl CustomSave {
    fn wanted(&self, check: &mut Check) -> Option<CustomProgram> {
        let college_name = check.field("/custom/college_name", Name::parse(&self.college_name));
        let sport = check.field("/custom/sport", Sport::parse(&self.sport));
        let state = check.optional("/custom/state", self.state.as_deref().map(|state| text::line(state, 60)));
        let gender = check.optional("/custom/gender", self.gender.as_deref().map(gender));
        Some(CustomProgram {
            college_name: college_name?,
            state: state?,
            sport: sport?,
            gender: gender?.unwrap_or(ProgramGender::Unknown),
        })
    }
}

impl FavoriteChange {
    /// The domain's command.
    pub fn command(&self) -> Result<Details, Refusal> {
        let mut check = Check::default();
        let text = match self.notes.as_ref() {
            Patch::Absent => Some(None),
            Patch::Null => Some(Some(None)),
            Patch::Value(text) => check.field("/notes", notes(text)).map(|notes| Some(Some(notes))),
        };
        let tags = tags(&mut check, self.tags.as_deref());
        let details = text.map(|notes| Details {
            stage: self.stage,
            fit: self.fit,
            interest: self.interest.into_option(),
            notes,
            tags,
        });
        if let Some(details) = &details {
            details.check(&mut check);
        }
        check.finish(details)
    }
}

fn notes(text: &str) -> Result<String, NotText> {
    text::block(text, NOTES_MOST)
}

fn gender(text: &str) -> Result<ProgramGender, NotText> {
    text.trim().to_lowercase().parse().map_err(|names: text::NotOneOf| {
        NotText::new("unknown_gender", "is not a program's gender", names.to_string())
    })
}

fn tags(check: &mut Check, texts: Option<&[String]>) -> Option<Vec<Tag>> {
    let texts = texts?;
    let tag = |(at, text): (usize, &String)| check.field(&format!("/tags/{at}"), Tag::parse(text));
    let mut tags: Vec<Tag> = texts.iter().enumerate().filter_map(tag).collect();
    let mut seen = std::collections::HashSet::new();
    tags.retain(|tag| seen.insert(tag.as_str().to_lowercase()));
    Some(tags)
}
