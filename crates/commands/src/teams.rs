//! Teams.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::divisions::Division;
use fieldhouse_domain::ids::{Id, TeamId};
use fieldhouse_domain::seasons::Season;
use fieldhouse_domain::teams::{self as rules, ChangeTeam, NewTeam, Team};
use fieldhouse_store::{Tx, teams};
use uuid::Uuid;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Creates a team in a division.
#[derive(Debug)]
pub struct Create(pub NewTeam);

impl Command for Create {
    const OPERATION: Operation = Operation::TeamCreate;
    type Output = Team;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Team, Error> {
        cx.read::<Season>(tx, "/season_id", self.0.season_id).await?;
        let team = Team::create(cx.moment, self.0.clone());
        refuse_wrong_division(tx, cx, &team).await?;
        cx.create(tx, team).await
    }
}

/// Changes a team.
#[derive(Debug)]
pub struct Change {
    /// The team.
    pub id: TeamId,
    /// What changes.
    pub change: ChangeTeam,
}

impl Command for Change {
    const OPERATION: Operation = Operation::TeamChange;
    type Output = Team;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Team, Error> {
        let before: Team = cx.target(tx, self.id).await?;
        let after = before.with(self.change.clone())?;
        if after.division_id != before.division_id {
            refuse_wrong_division(tx, cx, &after).await?;
        }
        cx.update(tx, before, after).await
    }
}

/// Refuses a division that does not exist or belongs to another season.
async fn refuse_wrong_division<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    team: &Team,
) -> Result<(), Error> {
    let division: Division = cx.read(tx, "/division_id", team.division_id).await?;
    Ok(rules::refuse_other_season(team, &division)?)
}

/// Deletes a team without games, staff, duties and children.
#[derive(Debug)]
pub struct Delete(pub TeamId);

impl Command for Delete {
    const OPERATION: Operation = Operation::TeamDelete;
    type Output = TeamId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<TeamId, Error> {
        let team: Team = cx.target(tx, self.0).await?;
        let dependents = teams::dependents(tx, cx.organization()?, self.0, cx.moment.now()).await?;
        let kinds =
            ["game, staff entry, duty or roster entry", "games, staff entries, duties and roster entries"];
        Refusal::unless_unused(dependents, kinds, "Move, delete, revoke or end them first")?;
        cx.delete(tx, team).await?;
        Ok(self.0)
    }
}

/// Brings a deleted team back, for an undo. It is given as it was before its deletion.
#[derive(Debug)]
pub struct Restore(pub Team);

impl Command for Restore {
    const OPERATION: Operation = Operation::TeamCreate;
    type Output = Team;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Team, Error> {
        cx.read::<Season>(tx, "/season_id", self.0.season_id).await?;
        refuse_wrong_division(tx, cx, &self.0).await?;
        cx.create(tx, restored(cx.moment, &self.0)).await
    }
}
