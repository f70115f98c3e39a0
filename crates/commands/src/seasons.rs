//! Seasons.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::{Id, SeasonId};
use fieldhouse_domain::seasons::{self as rules, ChangeSeason, NewSeason, Season};
use fieldhouse_store::Tx;
use fieldhouse_store::seasons::{self, Listed};
use uuid::Uuid;

use crate::{Command, Error, WriteContext};

/// Creates a season.
#[derive(Debug)]
pub struct Create(pub NewSeason);

impl Command for Create {
    const OPERATION: Operation = Operation::SeasonCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let season = cx.create(tx, Season::create(cx.moment, self.0.clone())).await?;
        Ok(Listed { season, divisions: Vec::new() })
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

/// Deletes a season that is not in use.
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
        let dependents = seasons::dependents(tx, cx.organization()?, self.0).await?;
        let kinds = ["division, team or game", "divisions, teams and games"];
        let advice = "Delete them first, or archive the season";
        Refusal::unless_unused(dependents, kinds, advice)?;
        cx.delete(tx, season).await?;
        Ok(self.0)
    }
}
