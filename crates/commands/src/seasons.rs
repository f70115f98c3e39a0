//! Seasons.

use fieldhouse_api::Operation;
use fieldhouse_domain::Moment;
use fieldhouse_domain::effects::{AnyRecord, Effect};
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_domain::record::Shared;
use fieldhouse_domain::seasons::contents::{Contents, SeasonCounts};
use fieldhouse_domain::seasons::{self as rules, ChangeSeason, NewSeason, Season};
use fieldhouse_store::Tx;
use fieldhouse_store::seasons::{self, Listed};
use uuid::Uuid;

use crate::hold::refuse_long;
use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Creates a season.
#[derive(Debug)]
pub struct Create(pub NewSeason);

impl Command for Create {
    const OPERATION: Operation = Operation::SeasonCreate;
    type Output = Shared<Season>;

    fn creates(&self, moment: &Moment) -> Option<AnyRecord> {
        Some(Season::create(moment, self.0.clone()).into())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Shared<Season>, Error> {
        cx.create_new(tx, self).await
    }
}

/// Changes a season.
#[derive(Debug)]
pub struct Change {
    /// The season.
    pub id: SeasonId,
    /// The change.
    pub change: ChangeSeason,
}

impl Command for Change {
    const OPERATION: Operation = Operation::SeasonChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Season = cx.target(tx, self.id).await?;
        let after = rules::changed(&before, self.change.clone())?;
        cx.update(tx, before, after).await?;
        // The response includes its divisions.
        seasons::read(tx, cx.organization()?, self.id).await?.ok_or_else(Error::not_found)
    }
}

/// Deletes a season that has no contents.
#[derive(Debug)]
pub struct Delete(pub SeasonId);

impl Command for Delete {
    const OPERATION: Operation = Operation::SeasonDelete;
    type Output = SeasonId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<SeasonId, Error> {
        let season: Season = cx.target(tx, self.0).await?;
        let contents = contents(tx, cx, season).await?;
        contents.refuse_unless_empty()?;
        cx.delete(tx, contents.season).await?;
        Ok(self.0)
    }
}

/// Brings a deleted season back, for an undo. It is given as it was before its deletion.
#[derive(Debug)]
pub struct Restore(pub Season);

impl Command for Restore {
    const OPERATION: Operation = Operation::SeasonCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let season = cx.create(tx, restored(cx.moment, &self.0)).await?;
        Ok(Listed { season, divisions: Vec::new() })
    }
}

/// Deletes a season with everything that belongs to it, which the caller confirms by its digest.
#[derive(Debug)]
pub struct Purge {
    /// The season.
    pub id: SeasonId,
    /// The digest of what is deleted.
    pub confirm: String,
}

impl Command for Purge {
    const OPERATION: Operation = Operation::SeasonPurge;
    type Output = SeasonCounts;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<SeasonCounts, Error> {
        let season: Season = cx.target(tx, self.id).await?;
        let contents = contents(tx, cx, season).await?;
        let effects = contents.purge(&self.confirm)?;
        let all: Vec<Effect> = contents.records.iter().cloned().map(Effect::delete).collect();
        refuse_long(&all, "this purge", "Delete some of its games first")?;
        cx.apply(tx, &effects).await?;
        Ok(contents.counts())
    }
}

async fn contents<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    season: Season,
) -> Result<Contents, Error> {
    let records = seasons::contents(tx, cx.organization()?, season.id).await?;
    Ok(Contents { season, records })
}
