//! Saved college programs of users, guests and children.

use fieldhouse_api::Operation;
use fieldhouse_api::favorites::WantedProgram;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::favorites::{
    self as rules, ChangeFavorite, ChildFavorite, Favorite, ListOwner, SavedProgram,
};
use fieldhouse_domain::ids::{ChildId, FavoriteId, Id};
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_store::access::children::{ChildAccess, Read, Records, Write};
use fieldhouse_store::colleges::{self, Program};
use fieldhouse_store::favorites::{self, Listed};
use fieldhouse_store::{Tx, guests};
use uuid::Uuid;

use crate::repeated::again;
use crate::{Authority, Command, Error, WriteContext};

/// The caller's own list.
async fn own<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Vec<Listed>, Error> {
    Ok(match cx.authority() {
        Authority::Organization(proof) => favorites::list(tx, proof).await?,
        Authority::Guest(proof) | Authority::NewGuest(proof) => guests::list(tx, proof.guest()).await?,
        Authority::User(_) => return Err(Error::not_found()),
    })
}

/// The list of a child, or the caller's own, as it is now.
async fn stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: Option<ChildId>,
) -> Result<Vec<Listed>, Error> {
    let Some(child) = child else { return own(tx, cx).await };
    let access: ChildAccess<'tx, Records, Read> = cx.open(tx, child).await?;
    Ok(favorites::of_child(tx, &access).await?)
}

/// The child of a saved program that is not on the caller's own list.
async fn child_of<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: FavoriteId,
) -> Result<ChildId, Error> {
    favorites::child_of(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}

/// A saved program of a child, as it is now.
async fn of_child<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: FavoriteId,
) -> Result<Listed, Error> {
    let child = child_of(tx, cx, id).await?;
    let found = stored(tx, cx, Some(child)).await?.into_iter().find(|it| it.favorite.id == id);
    found.ok_or_else(Error::not_found)
}

/// A list, with the permission to change it.
struct List<'tx> {
    /// That of a child. Without it, the list is the caller's own.
    access: Option<ChildAccess<'tx, Records, Write>>,
    owner: ListOwner,
    entries: Vec<Listed>,
}

impl<'tx> List<'tx> {
    /// The list of a child, or the caller's own.
    async fn open(
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
        child: Option<ChildId>,
    ) -> Result<Self, Error> {
        let Some(child) = child else {
            let owner = match cx.authority() {
                Authority::Guest(proof) | Authority::NewGuest(proof) => ListOwner::Guest(proof.guest()),
                Authority::Organization(_) | Authority::User(_) => ListOwner::User(cx.user()?),
            };
            // The list of a guest whom this transaction creates is empty. On PostgreSQL, reading it would make new guests collide, because
            // the database remembers which page of the index was read, and not which key.
            let entries = if matches!(cx.authority(), Authority::NewGuest(_)) {
                Vec::new()
            } else {
                own(tx, cx).await?
            };
            return Ok(Self { access: None, owner, entries });
        };
        let access = cx.open(tx, child).await?;
        let entries = favorites::of_child(tx, &access).await?;
        Ok(Self { access: Some(access), owner: ListOwner::Child(child), entries })
    }

    /// The list that a saved program is on, and the program, with its version checked against the request.
    async fn with(
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
        id: FavoriteId,
    ) -> Result<(Self, Listed), Error> {
        let mut list = Self::open(tx, cx, None).await?;
        if list.find(id).is_none() {
            let child = child_of(tx, cx, id).await?;
            list = Self::open(tx, cx, Some(child)).await?;
        }
        let found = list.find(id).cloned().ok_or_else(Error::not_found)?;
        let favorite = cx.check(found.favorite)?;
        Ok((list, Listed { favorite, ..found }))
    }

    fn find(&self, id: FavoriteId) -> Option<&Listed> {
        self.entries.iter().find(|listed| listed.favorite.id == id)
    }

    fn records(&self) -> Vec<Favorite> {
        records(self.entries.clone())
    }

    /// Applies the effects of the rules of lists.
    async fn apply(
        self,
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
        effects: &[Effect],
    ) -> Result<(), Error> {
        let Self { access, entries, .. } = self;
        let Some(access) = access else { return cx.apply(tx, effects).await.map(drop) };
        let (child, user) = (access.child(), cx.user()?);
        let saver = |id| {
            let known = entries.iter().find(|listed| listed.favorite.id == id);
            known.and_then(|listed| listed.child).map_or(user, |(_, saved_by)| saved_by)
        };
        let effects: Vec<Effect> =
            effects.iter().map(|effect| ChildFavorite::effect(child, effect.clone(), saver)).collect();
        cx.apply_to_child(tx, access, &effects).await.map(drop)
    }
}

fn records(list: Vec<Listed>) -> Vec<Favorite> {
    list.into_iter().map(|listed| listed.favorite).collect()
}

/// Saves a program.
#[derive(Debug)]
pub struct Save {
    /// The child on whose list it is saved. By default: the caller's own list.
    pub child: Option<ChildId>,
    /// The program.
    pub program: WantedProgram,
    /// Its details.
    pub details: ChangeFavorite,
    /// Whether to return the whole list.
    pub whole: bool,
}

/// The result of saving a program.
#[derive(Debug)]
pub struct Saved {
    /// The saved program.
    pub saved: Listed,
    /// Whether it is new on the list.
    pub is_new: bool,
    /// Whether saving it created a guest.
    pub is_new_guest: bool,
    /// The whole list, if requested.
    pub list: Option<Vec<Listed>>,
}

impl Command for Save {
    const OPERATION: Operation = Operation::FavoriteSave;
    type Output = Saved;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Saved, Error> {
        let list = List::open(tx, cx, self.child).await?;
        let (program, catalogued) = find(tx, &self.program).await?;
        let details = self.details.clone();
        let (favorite, effect) = rules::save(cx.moment, list.owner, &list.records(), program, details)?;
        let known = list.find(favorite.id).cloned();
        list.apply(tx, cx, effect.as_slice()).await?;
        let saved = match (known, self.child) {
            (Some(known), _) => known,
            (None, Some(child)) => Listed { favorite, program: catalogued, child: Some((child, cx.user()?)) },
            (None, None) => Listed { favorite, program: catalogued, child: None },
        };
        let list = if self.whole { Some(stored(tx, cx, self.child).await?) } else { None };
        Ok(Saved { saved, is_new: effect.is_some(), is_new_guest: cx.is_new_guest(), list })
    }

    async fn again<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
        created: Option<&str>,
    ) -> Result<Option<Saved>, Error> {
        // The response about a guest is not stored either, because it has a secret.
        if self.child.is_none() {
            return Ok(None);
        }
        let list = stored(tx, cx, self.child).await?;
        let created: Option<FavoriteId> = created.and_then(|id| id.parse().ok());
        let (program, _) = find(tx, &self.program).await?;
        let is_it = |listed: &&Listed| match created {
            Some(id) => listed.favorite.id == id,
            None => listed.favorite.program().is_some_and(|saved| rules::same(&saved, &program)),
        };
        let saved = list.iter().find(is_it).cloned().ok_or_else(Error::not_found)?;
        let list = self.whole.then_some(list);
        Ok(Some(Saved { saved, is_new: created.is_some(), is_new_guest: false, list }))
    }
}

/// Finds the program to save, with its facts in the catalogue.
async fn find(tx: &mut Tx<'_>, wanted: &WantedProgram) -> Result<(SavedProgram, Option<Program>), Error> {
    let (found, pointer) = match wanted {
        WantedProgram::Custom(custom) => return Ok((SavedProgram::Custom(custom.clone()), None)),
        WantedProgram::Id(id) => (colleges::read_program(tx, *id).await?, "/program_id"),
        WantedProgram::Natural(unitid, sport, gender) => {
            (colleges::find_program(tx, *unitid, sport, *gender).await?, "/unitid")
        }
    };
    let fix = "Search the programs of the catalogue, or save it as a custom program.";
    let unknown = || InvalidValue::new("unknown_program", "is not in the catalogue", fix);
    let program = found.ok_or_else(|| Refusal::field(pointer, unknown()))?;
    Ok((SavedProgram::Catalogue(program.program.id), Some(program)))
}

/// Changes the details of a saved program.
#[derive(Debug)]
pub struct Change {
    /// The saved program.
    pub id: FavoriteId,
    /// The change.
    pub change: ChangeFavorite,
}

impl Command for Change {
    const OPERATION: Operation = Operation::FavoriteChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (list, found) = List::with(tx, cx, self.id).await?;
        let effect = rules::change(cx.moment, list.owner, found.favorite.clone(), self.change.clone())?;
        list.apply(tx, cx, effect.as_slice()).await?;
        Ok(match effect.and_then(|effect| effect.after).map(Favorite::try_from) {
            Some(Ok(favorite)) => Listed { favorite, ..found },
            _ => found,
        })
    }

    // Only responses about a child are not stored.
    again! { |self, tx, cx| of_child(tx, cx, self.id) }
}

/// Removes a saved program.
#[derive(Debug)]
pub struct Remove(pub FavoriteId);

impl Command for Remove {
    const OPERATION: Operation = Operation::FavoriteRemove;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (list, removed) = List::with(tx, cx, self.0).await?;
        list.apply(tx, cx, &[Effect::delete(removed.favorite.clone())]).await?;
        Ok(removed)
    }
}

/// Changes the order of the whole list.
#[derive(Debug)]
pub struct Order {
    /// The child whose list it is. By default: the caller's own list.
    pub child: Option<ChildId>,
    /// The ids in their new order.
    pub ids: Vec<FavoriteId>,
}

impl Command for Order {
    const OPERATION: Operation = Operation::FavoriteOrder;
    type Output = Vec<Listed>;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Vec<Listed>, Error> {
        let list = List::open(tx, cx, self.child).await?;
        let effects = rules::reorder(cx.moment, list.records(), &self.ids)?;
        list.apply(tx, cx, &effects).await?;
        stored(tx, cx, self.child).await
    }
}

/// Copies a guest's list to the user's, and deletes the guest.
#[derive(Debug)]
pub struct Claim {
    /// The digest of the guest's token.
    pub token: [u8; 32],
}

/// The result of claiming a list.
#[derive(Clone, Copy, Debug)]
pub struct Claimed {
    /// The number of copied programs.
    pub copied: usize,
    /// The number of programs that were already on the user's list.
    pub merged: usize,
}

impl Command for Claim {
    const OPERATION: Operation = Operation::FavoritesClaim;
    type Output = Claimed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Claimed, Error> {
        let guest = tx.permit_guest(&self.token, cx.moment.now()).await?.ok_or_else(Error::not_found)?;
        let theirs = records(guests::list(tx, guest.guest()).await?);
        let own = records(own(tx, cx).await?);
        let claimed = rules::claim(cx.moment, cx.user()?, theirs, &own)?;
        cx.apply(tx, &claimed.copied).await?;
        cx.apply_by(tx, &guest, &claimed.removed).await?;
        tx.end_guest(guest).await?;
        Ok(Claimed { copied: claimed.copied.len(), merged: claimed.merged })
    }
}
