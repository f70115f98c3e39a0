//! Staff of teams.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::ids::{Id, StaffId, TeamId};
use fieldhouse_domain::staff::{self as rules, ChangeStaff, NewStaff, Staff, StaffState};
use fieldhouse_domain::teams::Team;
use fieldhouse_store::staff::{self, Listed};
use fieldhouse_store::{Tx, members};
use uuid::Uuid;

use crate::restored::restored;
use crate::second_person::{self, actor};
use crate::{Command, Error, WriteContext};

/// Proposes a member as staff of a team.
#[derive(Debug)]
pub struct Add {
    /// The team.
    pub team: TeamId,
    /// The entry.
    pub new: NewStaff,
}

impl Command for Add {
    const OPERATION: Operation = Operation::StaffAdd;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let team: Option<Team> = cx.find(tx, self.team).await?;
        team.ok_or_else(Error::not_found)?;
        let actor = actor(tx, cx).await?;
        let entry = rules::propose(cx.moment, actor, self.team, &self.new)?;
        refuse_no_member(tx, cx, &entry).await?;
        let entry = cx.create(tx, entry).await?;
        with_name(tx, cx, entry.id).await
    }
}

/// An entry in the path: the team and the entry.
type Place = (TeamId, StaffId);

/// Changes a staff entry.
#[derive(Debug)]
pub struct Change {
    /// The entry.
    pub place: Place,
    /// What changes.
    pub change: ChangeStaff,
}

impl Command for Change {
    const OPERATION: Operation = Operation::StaffChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.place.1.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = entry(tx, cx, self.place).await?;
        let actor = actor(tx, cx).await?;
        let after = rules::changed(cx.moment, actor, &before, self.change.clone())?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.place.1).await
    }
}

/// Removes a staff entry.
#[derive(Debug)]
pub struct Remove(pub TeamId, pub StaffId);

impl Command for Remove {
    const OPERATION: Operation = Operation::StaffRemove;
    type Output = StaffId;

    fn target(&self) -> Option<Uuid> {
        Some(self.1.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<StaffId, Error> {
        let before = entry(tx, cx, (self.0, self.1)).await?;
        cx.delete(tx, before).await?;
        Ok(self.1)
    }
}

/// Confirms a proposed entry, as a second person.
#[derive(Debug)]
pub struct Confirm(pub TeamId, pub StaffId);

impl Command for Confirm {
    const OPERATION: Operation = Operation::StaffConfirm;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.1.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = entry(tx, cx, (self.0, self.1)).await?;
        let actor = actor(tx, cx).await?;
        let others = second_person::exists(tx, cx, &rules::proposal(&before)).await?;
        let after = rules::confirmed(cx.moment, actor, &before, others)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.1).await
    }
}

/// Brings a deleted staff entry back, for an undo. It is given as it was before its deletion. A second person
/// confirms it again.
#[derive(Debug)]
pub struct Restore(pub Staff);

impl Command for Restore {
    const OPERATION: Operation = Operation::StaffAdd;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let team: Option<Team> = cx.find(tx, self.0.team_id).await?;
        team.ok_or_else(|| Refusal::missing("/team_id"))?;
        let entry = rules::restored(cx.moment, actor(tx, cx).await?, &restored(cx.moment, &self.0))?;
        refuse_no_member(tx, cx, &entry).await?;
        cx.create(tx, entry).await?;
        with_name(tx, cx, self.0.id).await
    }
}

/// Refuses an entry that opens, or may open, a team's data to someone who is not a member.
async fn refuse_no_member<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    entry: &Staff,
) -> Result<(), Error> {
    let is_over = entry.state == StaffState::Ended;
    if !is_over && members::of_user(tx, cx.organization()?, entry.user_id).await?.is_none() {
        return Err(Refusal::missing("/user_id").into());
    }
    Ok(())
}

/// The entry in the path. An entry of another team is not found.
async fn entry<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, (team, id): Place) -> Result<Staff, Error> {
    let found: Option<Staff> = cx.find(tx, id).await?;
    cx.check(found.filter(|entry| entry.team_id == team).ok_or_else(Error::not_found)?)
}

/// An entry as it was written, with the name in the response.
async fn with_name<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, id: StaffId) -> Result<Listed, Error> {
    staff::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}
