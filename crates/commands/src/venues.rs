//! Venues.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{Id, VenueId};
use fieldhouse_domain::venues::{ChangeVenue, NewVenue, Venue};
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::{Tx, venues};
use uuid::Uuid;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Creates a venue.
#[derive(Debug)]
pub struct Create(pub NewVenue);

impl Command for Create {
    const OPERATION: Operation = Operation::VenueCreate;
    type Output = Venue;

    fn creates(&self, moment: &Moment) -> Option<AnyRecord> {
        Some(Venue::create(moment, self.0.clone()).into())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Venue, Error> {
        cx.create_new(tx, self).await
    }
}

/// Changes a venue.
#[derive(Debug)]
pub struct Change {
    /// The venue.
    pub id: VenueId,
    /// What changes.
    pub change: ChangeVenue,
}

impl Command for Change {
    const OPERATION: Operation = Operation::VenueChange;
    type Output = Venue;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Venue, Error> {
        let before: Venue = cx.target(tx, self.id).await?;
        let after = before.with(self.change.clone())?;
        cx.update(tx, before, after).await
    }
}

/// Deletes a venue that no game refers to.
#[derive(Debug)]
pub struct Delete(pub VenueId);

impl Command for Delete {
    const OPERATION: Operation = Operation::VenueDelete;
    type Output = VenueId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<VenueId, Error> {
        let venue: Venue = cx.target(tx, self.0).await?;
        let games = venues::games(tx, cx.organization()?, self.0).await?;
        Refusal::unless_unused(games, ["game", "games"], "Move them to another venue first")?;
        cx.delete(tx, venue).await?;
        Ok(self.0)
    }
}

/// Brings a deleted venue back, for an undo. It is given as it was before its deletion.
#[derive(Debug)]
pub struct Restore(pub Venue);

impl Command for Restore {
    const OPERATION: Operation = Operation::VenueCreate;
    type Output = Venue;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Venue, Error> {
        cx.create(tx, restored(cx.moment, &self.0)).await
    }
}
