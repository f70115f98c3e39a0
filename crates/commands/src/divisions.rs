//! Divisions.

use fieldhouse_api::Operation;
use fieldhouse_domain::divisions::{ChangeDivision, Division, NewDivision};
use fieldhouse_domain::effects::AnyRecord;
use fieldhouse_domain::ids::{DivisionId, Id};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::{Moment, Refusal};
use fieldhouse_store::{Tx, divisions};
use uuid::Uuid;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Creates a division of a season.
#[derive(Debug)]
pub struct Create(pub NewDivision);

impl Command for Create {
    const OPERATION: Operation = Operation::DivisionCreate;
    type Output = Division;

    fn creates(&self, moment: &Moment) -> Option<AnyRecord> {
        Some(Division::create(moment, self.0.clone()).into())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Division, Error> {
        cx.read::<Season>(tx, "/season_id", self.0.season_id).await?;
        cx.create_new(tx, self).await
    }
}

/// Changes a division.
#[derive(Debug)]
pub struct Change {
    /// The division.
    pub id: DivisionId,
    /// What changes.
    pub change: ChangeDivision,
}

impl Command for Change {
    const OPERATION: Operation = Operation::DivisionChange;
    type Output = Division;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Division, Error> {
        let before: Division = cx.target(tx, self.id).await?;
        let after = before.with(self.change.clone())?;
        cx.update(tx, before, after).await
    }
}

/// Deletes a division without teams, games and registrations.
#[derive(Debug)]
pub struct Delete(pub DivisionId);

impl Command for Delete {
    const OPERATION: Operation = Operation::DivisionDelete;
    type Output = DivisionId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<DivisionId, Error> {
        let division: Division = cx.target(tx, self.0).await?;
        let dependents = divisions::dependents(tx, cx.organization()?, self.0).await?;
        let advice = "Move them to another division, delete or withdraw them first";
        let kinds = ["team, game or registration", "teams, games and registrations"];
        Refusal::unless_unused(dependents, kinds, advice)?;
        cx.delete(tx, division).await?;
        Ok(self.0)
    }
}

/// Brings a deleted division back, for an undo. It is given as it was before its deletion.
#[derive(Debug)]
pub struct Restore(pub Division);

impl Command for Restore {
    const OPERATION: Operation = Operation::DivisionCreate;
    type Output = Division;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Division, Error> {
        cx.read::<Season>(tx, "/season_id", self.0.season_id).await?;
        cx.create(tx, restored(cx.moment, &self.0)).await
    }
}
