//! Saved college programs of a user, a guest or a child.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, Type};
use utoipa::{PartialSchema, ToSchema};
use uuid::Uuid;

use crate::colleges::ProgramGender;
use crate::effects::Effect;
use crate::ids::{ChildId, FavoriteId, GuestId, Id, ProgramId, UserId};
use crate::record::{At, Body, Cell, CellKind, Column, Field, Input, Record, enumeration};
use crate::refusal::Check;
use crate::sports::Sport;
use crate::text::{self, InvalidValue, Name, State, Tag, texts};
use crate::{Moment, Refusal};

/// The maximum number of saved programs.
pub const MAX_SAVED: usize = 200;
/// The maximum length of notes, in bytes.
const NOTES_MAX: usize = 10_000;

enumeration! {
    /// How far an athlete has got with a program.
    Stage {
        /// Added to the list.
        Saved "saved",
        /// The athlete is reading up on the program.
        Researching "researching",
        /// The athlete has written to the coaches.
        Contacted "contacted",
        /// The athlete and the coaches are in contact.
        InConversation "in_conversation",
        /// The athlete has visited the college.
        Visited "visited",
        /// The college has made an offer.
        Offered "offered",
        /// The athlete has committed.
        Committed "committed",
        /// The athlete or the college has declined.
        Declined "declined",
        /// No longer of interest.
        Archived "archived",
    }
}

enumeration! {
    /// How likely the athlete is to get a place, in the terms of college counselling.
    Fit {
        /// Nearly certain.
        Safety "safety",
        /// Likely.
        Fit "fit",
        /// Hard to get.
        Reach "reach",
        /// Not assessed yet.
        Unset "unset",
    }
}

/// The owner of a list of saved programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOwner {
    /// A user in one organization.
    User(UserId),
    /// A guest, who belongs to no organization.
    Guest(GuestId),
    /// A child. Its family keeps the list.
    Child(ChildId),
}

/// The id of a list's owner. The table that it is stored in says whether it is a user's, a guest's or a child's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OwnerId(Uuid);

impl OwnerId {
    /// The UUID.
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<ListOwner> for OwnerId {
    fn from(owner: ListOwner) -> Self {
        match owner {
            ListOwner::User(user) => Self(user.uuid()),
            ListOwner::Guest(guest) => Self(guest.uuid()),
            ListOwner::Child(child) => Self(child.uuid()),
        }
    }
}

impl Column for OwnerId {
    const KIND: CellKind = CellKind::Uuid;
    fn cell(&self) -> Cell<'_> {
        Cell::Uuid(self.0)
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        Uuid::from_cell(cell).map(Self)
    }
}

impl Field for OwnerId {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let text = at.text(input)?;
        text.parse().ok().map(Self).or_else(|| at.expected("a UUID"))
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).into()
    }
}

/// A program that is not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "CustomProgram")]
pub struct CustomProgram {
    /// The college's name.
    pub college_name: Name,
    /// The state.
    pub state: Option<State>,
    /// The sport, in any spelling.
    pub sport: Sport,
    /// Who competes in it, in upper or lower case; `unknown` by default.
    #[body(default = WrittenGender(ProgramGender::Unknown))]
    pub gender: WrittenGender,
}

impl CustomProgram {
    /// The form that is compared: two programs with the same form are the same.
    pub fn folded(&self) -> String {
        let state = self.state.as_ref().map(State::folded).unwrap_or_default();
        format!("{}|{state}|{}|{}", self.college_name.folded(), self.sport, self.gender.0)
    }
}

/// Stored as JSON.
impl Column for CustomProgram {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::rendered::json(self)))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let json = serde_json::from_str(cell.text()?).map_err(|error| error.to_string())?;
        crate::record::read_json(&json, Vec::new()).map_err(|refusal| refusal.to_string())
    }
}

/// A program's gender in upper or lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WrittenGender(pub ProgramGender);

impl FromStr for WrittenGender {
    type Err = InvalidValue;
    fn from_str(text: &str) -> Result<Self, InvalidValue> {
        text.trim().to_lowercase().parse().map(Self).map_err(|_| {
            let names: Vec<_> = ProgramGender::ALL.iter().map(|gender| gender.name()).collect();
            let names = names.join(", ");
            InvalidValue::new(
                "unknown_gender",
                format!("must be one of: {names}"),
                format!("Send one of: {names}."),
            )
        })
    }
}

impl Field for WrittenGender {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        let text = at.text(input)?;
        at.parsed(text.parse())
    }
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).examples(["women"]).into()
    }
}

/// What is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedProgram {
    /// A program in the catalogue.
    Catalogue(ProgramId),
    /// A program that is not in the catalogue.
    Custom(CustomProgram),
}

/// Notes about a saved program: up to 10,000 bytes of text, which may have several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes(String);

impl Notes {
    /// Parses notes. They may be empty.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        text::block(text, NOTES_MAX).map(Self)
    }

    /// The notes.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

texts! { Notes: Self, ObjectBuilder::new().max_length(Some(NOTES_MAX)); }

/// The tags of a saved program. Each occurs once, regardless of case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tags(Vec<Tag>);

impl Tags {
    /// The tags, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Tag> {
        self.0.iter()
    }
}

impl FromIterator<Tag> for Tags {
    fn from_iter<I: IntoIterator<Item = Tag>>(tags: I) -> Self {
        let mut seen = std::collections::HashSet::new();
        Self(tags.into_iter().filter(|tag| seen.insert(tag.as_str().to_lowercase())).collect())
    }
}

impl Column for Tags {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        self.0.cell()
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        Vec::from_cell(cell).map(Self)
    }
}

impl Field for Tags {
    fn read(input: Input<'_>, at: &mut At<'_>) -> Option<Self> {
        Vec::<Tag>::read(input, at).map(|tags| tags.into_iter().collect())
    }
    fn schema() -> RefOr<Schema> {
        <Vec<Tag> as Field>::schema()
    }
    fn measure(&self) -> Option<f64> {
        self.0.measure()
    }
    fn is_list(&self) -> bool {
        true
    }
}

/// A saved college program. What a family writes about a child is read as one, too, so that `Debug` never shows it.
#[derive(Clone, PartialEq, Record)]
#[record(
    table = "favorites", alias = "f", owner = "owner_id", twin = "guest_favorites",
    derived(custom_folded = self.custom.as_ref().map(CustomProgram::folded))
)]
pub struct Favorite {
    /// The id.
    #[field(server)]
    pub id: FavoriteId,
    /// The owner of the list.
    #[field(server)]
    pub owner_id: OwnerId,
    /// The saved program, if it is in the catalogue.
    #[field(server)]
    pub program_id: Option<ProgramId>,
    /// The saved program, if it is not in the catalogue.
    #[field(server, personal)]
    pub custom: Option<CustomProgram>,
    /// How far the athlete is in recruiting; `saved` by default.
    #[field(client, default = Stage::Saved)]
    pub stage: Stage,
    /// How likely the athlete is to get a place; `unset` by default.
    #[field(client, default = Fit::Unset)]
    pub fit: Fit,
    /// How much the athlete wants it, 1 to 5.
    #[field(client, min = 1, max = 5)]
    pub interest: Option<i64>,
    /// Its position on the list, from 1.
    #[field(server)]
    pub rank: i64,
    /// Notes, up to 10,000 bytes. Guests cannot store notes.
    #[field(client, personal)]
    pub notes: Option<Notes>,
    /// Tags: at most 20, of 1 to 40 characters each.
    #[field(client, personal, default = Tags::default(), max = 20)]
    pub tags: Tags,
    /// When it was saved.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl Favorite {
    /// The saved program. `None` for a row without one, which the schema excludes.
    pub fn program(&self) -> Option<SavedProgram> {
        self.program_id.map(SavedProgram::Catalogue).or_else(|| self.custom.clone().map(SavedProgram::Custom))
    }
}

/// The details to store on a list, or a refusal if its owner may not store them.
fn checked_details(owner: ListOwner, details: ChangeFavorite) -> Result<ChangeFavorite, Refusal> {
    if matches!(details.notes, Some(Some(_))) && matches!(owner, ListOwner::Guest(_)) {
        let wrong =
            InvalidValue::new("not_for_guests", "cannot be stored for a guest", "Sign in to write notes.");
        return Err(Refusal::field("/notes", wrong));
    }
    Ok(details)
}

/// Saves a program on a list that now holds `list`. A program that is already on it is returned without an effect.
pub fn save(
    moment: &Moment,
    owner: ListOwner,
    list: &[Favorite],
    program: SavedProgram,
    details: ChangeFavorite,
) -> Result<(Favorite, Option<Effect>), Refusal> {
    let details = checked_details(owner, details)?;
    if let Some(saved) = list.iter().find(|saved| saved.program().is_some_and(|saved| same(&saved, &program)))
    {
        return Ok((saved.clone(), None));
    }
    if list.len() >= MAX_SAVED {
        return Err(Refusal::LimitReached(format!(
            "a list holds at most {MAX_SAVED} programs: remove one first"
        )));
    }
    let (program_id, custom) = match program {
        SavedProgram::Catalogue(program) => (Some(program), None),
        SavedProgram::Custom(custom) => (None, Some(custom)),
    };
    let blank = Favorite {
        id: moment.id(),
        owner_id: owner.into(),
        program_id,
        custom,
        stage: Stage::Saved,
        fit: Fit::Unset,
        interest: None,
        rank: list.iter().map(|saved| saved.rank).max().unwrap_or(0) + 1,
        notes: None,
        tags: Tags::default(),
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    };
    let favorite = blank.with(details)?;
    Ok((favorite.clone(), Some(Effect::create(favorite))))
}

/// Changes a saved program. Returns no effect if nothing differs.
pub fn change(
    moment: &Moment,
    owner: ListOwner,
    favorite: Favorite,
    details: ChangeFavorite,
) -> Result<Option<Effect>, Refusal> {
    let after = favorite.with(checked_details(owner, details)?)?;
    Ok(Effect::update(moment, favorite, after))
}

/// Copies a guest's list to a user's and empties the guest's. Programs that are already on the user's list stay as they are.
pub fn claim(
    moment: &Moment,
    user: UserId,
    guests: Vec<Favorite>,
    users: &[Favorite],
) -> Result<Claimed, Refusal> {
    let mut list = users.to_vec();
    let mut claimed = Claimed::default();
    for guest in guests {
        let Some(program) = guest.program() else { continue };
        let details = ChangeFavorite {
            stage: Some(guest.stage),
            fit: Some(guest.fit),
            interest: Some(guest.interest),
            notes: None,
            tags: Some(guest.tags.clone()),
        };
        let (favorite, effect) = save(moment, ListOwner::User(user), &list, program, details)?;
        match effect {
            Some(effect) => {
                list.push(favorite);
                claimed.copied.push(effect);
            }
            None => claimed.merged += 1,
        }
        claimed.removed.push(Effect::delete(guest));
    }
    Ok(claimed)
}

/// The result of claiming a guest's list.
#[derive(Debug, Default)]
pub struct Claimed {
    /// The programs added to the user's list.
    pub copied: Vec<Effect>,
    /// The number of programs that were already on the user's list.
    pub merged: usize,
    /// The programs deleted from the guest's list.
    pub removed: Vec<Effect>,
}

/// Puts a list in the order of `ids`, which must contain the id of each saved program once.
pub fn reorder(moment: &Moment, list: Vec<Favorite>, ids: &[FavoriteId]) -> Result<Vec<Effect>, Refusal> {
    let mut check = Check::default();
    let mut known: Vec<_> = list.iter().map(|saved| saved.id).collect();
    let mut named = ids.to_vec();
    known.sort_unstable();
    named.sort_unstable();
    if known != named {
        let message = format!("must contain the id of each of the {} saved programs once", known.len());
        check.refuse(
            "/ids",
            "not_a_permutation",
            message,
            "Read the list and send all its ids in the new order.",
        );
    }
    check.finish(Some(()))?;
    let place =
        |id| ids.iter().position(|other| *other == id).and_then(|place| i64::try_from(place + 1).ok());
    Ok(list
        .into_iter()
        .filter_map(|saved| {
            let after = Favorite { rank: place(saved.id)?, ..saved.clone() };
            Effect::update(moment, saved, after)
        })
        .collect())
}

/// Whether both are the same program.
pub fn same(one: &SavedProgram, other: &SavedProgram) -> bool {
    match (one, other) {
        (SavedProgram::Custom(one), SavedProgram::Custom(other)) => one.folded() == other.folded(),
        _ => one == other,
    }
}

mod of_children;

pub use of_children::ChildFavorite;

#[cfg(test)]
mod tests;
