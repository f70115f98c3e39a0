//! Saved college programs of users and guests.

use fieldhouse_api::Operation;
use fieldhouse_api::favorites::WantedProgram;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::favorites::{self as rules, ChangeFavorite, Favorite, ListOwner, SavedProgram};
use fieldhouse_domain::ids::{FavoriteId, Id};
use fieldhouse_domain::text::InvalidValue;
use fieldhouse_store::colleges::{self, Program};
use fieldhouse_store::favorites::{self, Listed};
use fieldhouse_store::{Tx, guests};
use uuid::Uuid;

use crate::{Authority, Command, Error, WriteContext};

/// The caller's list.
async fn list<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>) -> Result<Vec<Listed>, Error> {
    Ok(match cx.authority() {
        Authority::Organization(proof) => favorites::list(tx, proof).await?,
        Authority::Guest(proof) | Authority::NewGuest(proof) => guests::list(tx, proof.guest()).await?,
        Authority::User(_) => return Err(Error::not_found()),
    })
}

/// The owner of the list.
fn owner(cx: &WriteContext<'_, '_>) -> Result<ListOwner, Error> {
    Ok(match cx.authority() {
        Authority::Organization(_) => ListOwner::User(cx.user()?),
        Authority::Guest(proof) | Authority::NewGuest(proof) => ListOwner::Guest(proof.guest()),
        Authority::User(_) => return Err(Error::not_found()),
    })
}

/// One program of the list, with its version checked against the request.
async fn target<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, id: FavoriteId) -> Result<Listed, Error> {
    let found = list(tx, cx).await?.into_iter().find(|listed| listed.favorite.id == id);
    let Listed { favorite, program } = found.ok_or_else(Error::not_found)?;
    Ok(Listed { favorite: cx.check(favorite)?, program })
}

fn records(list: Vec<Listed>) -> Vec<Favorite> {
    list.into_iter().map(|listed| listed.favorite).collect()
}

/// Saves a program.
#[derive(Debug)]
pub struct Save {
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
        let (program, catalogued) = find(tx, &self.program).await?;
        let present = records(list(tx, cx).await?);
        let details = self.details.clone();
        let (favorite, effect) = rules::save(cx.moment, owner(cx)?, &present, program, details)?;
        cx.apply(tx, effect.as_slice()).await?;
        let whole = if self.whole { Some(list(tx, cx).await?) } else { None };
        let saved = Listed { favorite, program: catalogued };
        Ok(Saved { saved, is_new: effect.is_some(), is_new_guest: cx.is_new_guest(), list: whole })
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
        let Listed { favorite, program } = target(tx, cx, self.id).await?;
        let effect = rules::change(cx.moment, owner(cx)?, favorite.clone(), self.change.clone())?;
        cx.apply(tx, effect.as_slice()).await?;
        let favorite = match effect.and_then(|effect| effect.after) {
            Some(AnyRecord::Favorite(after)) => after,
            _ => favorite,
        };
        Ok(Listed { favorite, program })
    }
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
        let removed = target(tx, cx, self.0).await?;
        cx.apply(tx, &[Effect::delete(removed.favorite.clone())]).await?;
        Ok(removed)
    }
}

/// Changes the order of the whole list.
#[derive(Debug)]
pub struct Order(pub Vec<FavoriteId>);

impl Command for Order {
    const OPERATION: Operation = Operation::FavoriteOrder;
    type Output = Vec<Listed>;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Vec<Listed>, Error> {
        let present = records(list(tx, cx).await?);
        let effects = rules::reorder(cx.moment, present, &self.0)?;
        cx.apply(tx, &effects).await?;
        list(tx, cx).await
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
        let own = records(list(tx, cx).await?);
        let claimed = rules::claim(cx.moment, cx.user()?, theirs, &own)?;
        cx.apply(tx, &claimed.copied).await?;
        cx.apply_by(tx, &guest, &claimed.removed).await?;
        tx.end_guest(guest).await?;
        Ok(Claimed { copied: claimed.copied.len(), merged: claimed.merged })
    }
}
