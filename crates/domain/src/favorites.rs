//! Saved college programs: a user's, or a guest's.

use jiff::Timestamp;

use crate::colleges::ProgramGender;
use crate::effects::{Effect, Record};
use crate::ids::{FavoriteId, GuestId, ProgramId, UserId};
use crate::record::{enumeration, record};
use crate::refusal::Check;
use crate::sports::Sport;
use crate::text::{Name, Tag, fold};
use crate::{Moment, Refusal};

/// How many programs a caller may save.
pub const MOST: usize = 200;
/// The longest notes, in bytes.
pub const NOTES_MOST: usize = 10_000;
/// How many tags a saved program may have.
pub const TAGS_MOST: usize = 20;

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

/// Whose list a saved program stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOwner {
    /// A user's in one organization.
    User(UserId),
    /// A guest's, outside of every organization.
    Guest(GuestId),
}

/// A program that the catalogue does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomProgram {
    /// The college.
    pub college_name: Name,
    /// USPS code of the state.
    pub state: Option<String>,
    /// The sport.
    pub sport: Sport,
    /// For whom the program is.
    pub gender: ProgramGender,
}

impl CustomProgram {
    /// What makes two of them the same.
    pub fn folded(&self) -> String {
        let state = self.state.as_deref().map(fold).unwrap_or_default();
        format!("{}|{state}|{}|{}", self.college_name.folded(), self.sport, self.gender)
    }
}

/// What was saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedProgram {
    /// A program of the catalogue.
    Catalogue(ProgramId),
    /// One that the catalogue does not hold.
    Custom(CustomProgram),
}

record! {
    /// A saved college program.
    Favorite {
        /// The id.
        id: FavoriteId,
        /// Whose list it stands on.
        owner: ListOwner,
        /// What was saved.
        program: SavedProgram,
        /// How far the athlete is with it.
        stage: Stage,
        /// How likely a place is.
        fit: Fit,
        /// How much the athlete wants it, 1 to 5.
        interest: Option<i64>,
        /// Its place on the list, from 1.
        rank: i64,
        /// Notes.
        notes: Option<String>,
        /// Tags.
        tags: Vec<Tag>,
        /// When it was saved.
        created_at: Timestamp,
        /// When it last changed.
        updated_at: Timestamp,
        /// Counts its changes, from 1.
        version: i64,
    }
}

/// What is asked of a program to be saved, beside the program itself.
#[derive(Clone, Debug, Default)]
pub struct Details {
    /// How far the athlete is with it.
    pub stage: Option<Stage>,
    /// How likely a place is.
    pub fit: Option<Fit>,
    /// How much the athlete wants it: none leaves it, an inner none takes it away.
    pub interest: Option<Option<i64>>,
    /// Notes, likewise.
    pub notes: Option<Option<String>>,
    /// Tags.
    pub tags: Option<Vec<Tag>>,
}

impl Details {
    /// Notes what cannot be taken, whoever's the list is.
    pub fn check(&self, check: &mut Check) {
        if self.interest.flatten().is_some_and(|interest| !(1..=5).contains(&interest)) {
            check.refuse("/interest", "out_of_range", "is not within 1 to 5", "write 1 (little) to 5 (most)");
        }
        if let Some(tags) = self.tags.as_ref().filter(|tags| tags.len() > TAGS_MOST) {
            check.refuse("/tags", "too_many", format!("has {} tags", tags.len()), "at most 20");
        }
    }

    fn check_for(&self, owner: ListOwner) -> Result<(), Refusal> {
        let mut check = Check::default();
        self.check(&mut check);
        if matches!(self.notes, Some(Some(_))) && matches!(owner, ListOwner::Guest(_)) {
            check.refuse("/notes", "not_for_guests", "cannot be kept for a guest", "sign in to write notes");
        }
        check.finish(Some(()))
    }
}

/// Saves a program on a list that holds `list` now. One that is saved already is given back as it is, without an effect.
pub fn save(
    moment: &Moment,
    owner: ListOwner,
    list: &[Favorite],
    program: SavedProgram,
    details: Details,
) -> Result<(Favorite, Option<Effect>), Refusal> {
    details.check_for(owner)?;
    if let Some(saved) = list.iter().find(|saved| same(&saved.program, &program)) {
        return Ok((saved.clone(), None));
    }
    if list.len() >= MOST {
        return Err(Refusal::LimitReached(format!("a list holds at most {MOST} programs: remove one first")));
    }
    let blank = Favorite {
        id: moment.id(),
        owner,
        program,
        stage: Stage::Saved,
        fit: Fit::Unset,
        interest: None,
        rank: list.iter().map(|saved| saved.rank).max().unwrap_or(0) + 1,
        notes: None,
        tags: Vec::new(),
        created_at: moment.now(),
        updated_at: moment.now(),
        version: 1,
    };
    let favorite = with_details(blank, details);
    Ok((favorite.clone(), Some(Effect::create(Record::Favorite(favorite)))))
}

/// Changes a saved program; none where nothing differs.
pub fn change(moment: &Moment, favorite: Favorite, details: Details) -> Result<Option<Effect>, Refusal> {
    details.check_for(favorite.owner)?;
    let after = with_details(favorite.clone(), details);
    Ok(Effect::update(moment, Record::Favorite(favorite), Record::Favorite(after)))
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
        let details = Details {
            stage: Some(guest.stage),
            fit: Some(guest.fit),
            interest: Some(guest.interest),
            notes: None,
            tags: Some(guest.tags.clone()),
        };
        let (favorite, effect) = save(moment, ListOwner::User(user), &list, guest.program.clone(), details)?;
        match effect {
            Some(effect) => {
                list.push(favorite);
                claimed.copied.push(effect);
            }
            None => claimed.merged += 1,
        }
        claimed.removed.push(Effect::delete(Record::Favorite(guest)));
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
            Effect::update(moment, Record::Favorite(saved), Record::Favorite(after))
        })
        .collect())
}

fn same(one: &SavedProgram, other: &SavedProgram) -> bool {
    match (one, other) {
        (SavedProgram::Custom(one), SavedProgram::Custom(other)) => one.folded() == other.folded(),
        _ => one == other,
    }
}

fn with_details(favorite: Favorite, details: Details) -> Favorite {
    Favorite {
        stage: details.stage.unwrap_or(favorite.stage),
        fit: details.fit.unwrap_or(favorite.fit),
        interest: details.interest.unwrap_or(favorite.interest),
        notes: details.notes.unwrap_or(favorite.notes),
        tags: details.tags.unwrap_or(favorite.tags),
        ..favorite
    }
}
