//! Saved college programs: a user's, or a guest's.

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
use crate::ids::{FavoriteId, GuestId, Id, ProgramId, UserId};
use crate::record::{At, Body, Cell, CellKind, Column, Field, Input, Record, enumeration};
use crate::refusal::Check;
use crate::sports::Sport;
use crate::text::{self, Name, NotText, State, Tag, texts};
use crate::{Moment, Refusal};

/// How many programs a caller may save.
pub const MOST: usize = 200;
/// The longest notes, in bytes.
const NOTES_MAX: usize = 10_000;

enumeration! {
    /// How far an athlete is with a program.
    Stage {
        /// Put on the list.
        Saved "saved",
        /// Being looked into.
        Researching "researching",
        /// Written to.
        Contacted "contacted",
        /// Talking.
        InConversation "in_conversation",
        /// Seen.
        Visited "visited",
        /// An offer was made.
        Offered "offered",
        /// The athlete has committed.
        Committed "committed",
        /// One side said no.
        Declined "declined",
        /// Put away.
        Archived "archived",
    }
}

enumeration! {
    /// How likely a place is, in the words of college counselling.
    Fit {
        /// Nearly certain.
        Safety "safety",
        /// Likely.
        Fit "fit",
        /// Hard to get.
        Reach "reach",
        /// Not judged yet.
        Unset "unset",
    }
}

/// Whose list a saved program is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOwner {
    /// A user's in one organization.
    User(UserId),
    /// A guest's, outside of every organization.
    Guest(GuestId),
}

/// The id of a list's owner: a user's or a guest's, as the table says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OwnerId(Uuid);

impl OwnerId {
    /// The id without its kind.
    pub fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<ListOwner> for OwnerId {
    fn from(owner: ListOwner) -> Self {
        match owner {
            ListOwner::User(user) => Self(user.uuid()),
            ListOwner::Guest(guest) => Self(guest.uuid()),
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

/// A program that the catalogue does not hold.
#[derive(Clone, Debug, PartialEq, Eq, Body)]
#[body(title = "CustomProgram")]
pub struct CustomProgram {
    /// The college's name.
    pub college_name: Name,
    /// The state.
    pub state: Option<State>,
    /// The sport, in any spelling.
    pub sport: Sport,
    /// For whom the program is, in any case of letters; `unknown` by default.
    #[body(default = WrittenGender(ProgramGender::Unknown))]
    pub gender: WrittenGender,
}

impl CustomProgram {
    /// What makes two of them the same.
    pub fn folded(&self) -> String {
        let state = self.state.as_ref().map(State::folded).unwrap_or_default();
        format!("{}|{state}|{}|{}", self.college_name.folded(), self.sport, self.gender.0)
    }
}

/// Stored as JSON.
impl Column for CustomProgram {
    const KIND: CellKind = CellKind::Text;
    fn cell(&self) -> Cell<'_> {
        Cell::Text(Cow::Owned(crate::record::image_of(self).to_string()))
    }
    fn from_cell(cell: Cell<'_>) -> Result<Self, String> {
        let json = serde_json::from_str(cell.text()?).map_err(|error| error.to_string())?;
        crate::record::read_json(&json, Vec::new()).map_err(|refusal| refusal.to_string())
    }
}

/// A program's gender as people write it: in any case of letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct WrittenGender(pub ProgramGender);

impl FromStr for WrittenGender {
    type Err = NotText;
    fn from_str(text: &str) -> Result<Self, NotText> {
        text.trim().to_lowercase().parse().map(Self).map_err(|_| {
            let names: Vec<_> = ProgramGender::ALL.iter().map(|gender| gender.name()).collect();
            let names = names.join(", ");
            NotText::new(
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
    /// A program of the catalogue.
    Catalogue(ProgramId),
    /// One that the catalogue does not hold.
    Custom(CustomProgram),
}

/// Notes about a saved program: up to 10,000 bytes of text, which may have several lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notes(String);

impl Notes {
    /// Parses notes. They may be empty.
    pub fn parse(text: &str) -> Result<Self, NotText> {
        text::block(text, NOTES_MAX).map(Self)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

texts! { Notes: Self, ObjectBuilder::new().max_length(Some(NOTES_MAX)); }

/// The tags of a saved program, each once without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Tags(Vec<Tag>);

impl Tags {
    /// The tags, in their order.
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

/// A saved college program.
#[derive(Clone, PartialEq, Record)]
#[record(
    table = "favorites", alias = "f", owner = "owner_id", twin = "guest_favorites",
    derived(custom_folded = self.custom.as_ref().map(CustomProgram::folded))
)]
pub struct Favorite {
    /// The id.
    #[field(server)]
    pub id: FavoriteId,
    /// Whose list it is on.
    #[field(server)]
    pub owner_id: OwnerId,
    /// The program of the catalogue that was saved.
    #[field(server)]
    pub program_id: Option<ProgramId>,
    /// The program that was saved where the catalogue does not hold it.
    #[field(server)]
    pub custom: Option<CustomProgram>,
    /// How far the athlete is with it; `saved` by default.
    #[field(client, default = Stage::Saved)]
    pub stage: Stage,
    /// How likely a place is; `unset` by default.
    #[field(client, default = Fit::Unset)]
    pub fit: Fit,
    /// How much the athlete wants it, 1 to 5.
    #[field(client, min = 1, max = 5)]
    pub interest: Option<i64>,
    /// Its place on the list, from 1.
    #[field(server)]
    pub rank: i64,
    /// Notes, up to 10,000 bytes; not for guests.
    #[field(client)]
    pub notes: Option<Notes>,
    /// Tags of 1 to 40 characters, at most 20.
    #[field(client, default = Tags::default(), max = 20)]
    pub tags: Tags,
    /// When it was saved.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// Counts its changes, from 1.
    #[field(server, bookkeeping)]
    pub version: i64,
}

impl Favorite {
    /// What was saved; none for a row that names no program, which the schema excludes.
    pub fn program(&self) -> Option<SavedProgram> {
        self.program_id.map(SavedProgram::Catalogue).or_else(|| self.custom.clone().map(SavedProgram::Custom))
    }
}

/// What is to change about a saved program on somebody's list.
fn details_for(owner: ListOwner, details: ChangeFavorite) -> Result<ChangeFavorite, Refusal> {
    if matches!(details.notes, Some(Some(_))) && matches!(owner, ListOwner::Guest(_)) {
        let wrong = NotText::new("not_for_guests", "cannot be stored for a guest", "Sign in to write notes.");
        return Err(Refusal::field("/notes", wrong));
    }
    Ok(details)
}

/// Saves a program on a list that holds `list` now. One that is saved already is given back as it is, without an effect.
pub fn save(
    moment: &Moment,
    owner: ListOwner,
    list: &[Favorite],
    program: SavedProgram,
    details: ChangeFavorite,
) -> Result<(Favorite, Option<Effect>), Refusal> {
    let details = details_for(owner, details)?;
    if let Some(saved) = list.iter().find(|saved| saved.program().is_some_and(|saved| same(&saved, &program)))
    {
        return Ok((saved.clone(), None));
    }
    if list.len() >= MOST {
        return Err(Refusal::LimitReached(format!("a list holds at most {MOST} programs: remove one first")));
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

/// Changes a saved program; none where nothing differs.
pub fn change(
    moment: &Moment,
    owner: ListOwner,
    favorite: Favorite,
    details: ChangeFavorite,
) -> Result<Option<Effect>, Refusal> {
    let after = favorite.with(details_for(owner, details)?)?;
    Ok(Effect::update(moment, favorite, after))
}

/// Copies a guest's list to a user's, merging duplicates: what the user has stays as it is. Yields the effects on the user's list and
/// those that empty the guest's.
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

/// What comes of claiming a guest's list.
#[derive(Debug, Default)]
pub struct Claimed {
    /// What is added to the user's list.
    pub copied: Vec<Effect>,
    /// How many were on the user's list already.
    pub merged: usize,
    /// What goes from the guest's list.
    pub removed: Vec<Effect>,
}

/// Puts a list in the order of `ids`, which must name every saved program once.
pub fn reorder(moment: &Moment, list: Vec<Favorite>, ids: &[FavoriteId]) -> Result<Vec<Effect>, Refusal> {
    let mut check = Check::default();
    let mut known: Vec<_> = list.iter().map(|saved| saved.id).collect();
    let mut named = ids.to_vec();
    known.sort_unstable();
    named.sort_unstable();
    if known != named {
        let message = format!("does not name each of the {} saved programs once", known.len());
        check.refuse(
            "/ids",
            "not_a_permutation",
            message,
            "read the list and send all its ids in the new order",
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

fn same(one: &SavedProgram, other: &SavedProgram) -> bool {
    match (one, other) {
        (SavedProgram::Custom(one), SavedProgram::Custom(other)) => one.folded() == other.folded(),
        _ => one == other,
    }
}
