//! Duties of members.

use fieldhouse_api::Operation;
use fieldhouse_domain::duties::{self as rules, Duty, Named, NewDuty};
use fieldhouse_domain::ids::{DutyId, Id};
use fieldhouse_domain::seasons::Season;
use fieldhouse_store::duties::{self, Listed};
use fieldhouse_store::{Tx, members};
use uuid::Uuid;

use crate::second_person::{self, actor};
use crate::{Command, Error, WriteContext};

/// Proposes a duty of a member. All owners are told by mail.
#[derive(Debug)]
pub struct Add(pub NewDuty);

impl Command for Add {
    const OPERATION: Operation = Operation::DutyAdd;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let actor = actor(tx, cx).await?;
        let named = named(tx, cx, &self.0).await?;
        let duty = cx.create(tx, rules::propose(cx.moment, actor, &self.0, &named)?).await?;
        with_name(tx, cx, duty.id).await
    }
}

/// Reads what the body of a new duty names.
async fn named<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, new: &NewDuty) -> Result<Named, Error> {
    let is_member = members::of_user(tx, cx.organization()?, new.user_id).await?.is_some();
    let has_season = match new.season_id {
        Some(season) => cx.find::<Season>(tx, season).await?.is_some(),
        None => true,
    };
    let mut teams = Vec::new();
    for team in &new.team_ids {
        teams.push(cx.find(tx, *team).await?);
    }
    Ok(Named { is_member, has_season, teams })
}

/// Confirms a proposed duty, as a second person.
#[derive(Debug)]
pub struct Confirm(pub DutyId);

impl Command for Confirm {
    const OPERATION: Operation = Operation::DutyConfirm;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Duty = cx.target(tx, self.0).await?;
        let actor = actor(tx, cx).await?;
        let others = second_person::exists(tx, cx, &rules::proposal(&before)).await?;
        let after = rules::confirmed(cx.moment, actor, &before, others)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }
}

/// Accepts a confirmed duty, as its holder.
#[derive(Debug)]
pub struct Accept(pub DutyId);

impl Command for Accept {
    const OPERATION: Operation = Operation::DutyAccept;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Duty = cx.target(tx, self.0).await?;
        let after = rules::accepted(cx.moment, actor(tx, cx).await?, &before)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }
}

/// Revokes a duty, as an admin or its holder.
#[derive(Debug)]
pub struct Revoke(pub DutyId);

impl Command for Revoke {
    const OPERATION: Operation = Operation::DutyRevoke;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Duty = cx.target(tx, self.0).await?;
        let after = rules::revoked(cx.moment, actor(tx, cx).await?, &before)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }
}

/// A duty as it was written, with the name in the response.
async fn with_name<'tx>(tx: &mut Tx<'tx>, cx: &WriteContext<'_, 'tx>, id: DutyId) -> Result<Listed, Error> {
    duties::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}
