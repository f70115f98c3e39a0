//! Members.

use fieldhouse_api::Operation;
use fieldhouse_domain::ids::{Id, MemberId};
use fieldhouse_domain::members::{self as rules, ChangeMember, Member};
use fieldhouse_store::Tx;
use fieldhouse_store::members::{self, Listed};
use uuid::Uuid;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// Changes a member's role, or suspends them.
#[derive(Debug)]
pub struct Change {
    /// The member.
    pub id: MemberId,
    /// The change.
    pub change: ChangeMember,
}

impl Command for Change {
    const OPERATION: Operation = Operation::MemberChange;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Member = cx.target(tx, self.id).await?;
        let owners = members::owners(tx, cx.organization()?).await?;
        let after = rules::changed(cx.moment, cx.role()?, &before, self.change, owners)?;
        cx.update(tx, before, after).await?;
        members::read(tx, cx.organization()?, self.id).await?.ok_or_else(Error::not_found)
    }
}

/// Removes a member from the organization, and ends their keys and sessions in it.
#[derive(Debug)]
pub struct Remove(pub MemberId);

impl Command for Remove {
    const OPERATION: Operation = Operation::MemberRemove;
    type Output = MemberId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<MemberId, Error> {
        let member: Member = cx.target(tx, self.0).await?;
        let owners = members::owners(tx, cx.organization()?).await?;
        rules::refuse_removal(cx.role()?, &member, owners)?;
        cx.delete(tx, member).await?;
        Ok(self.0)
    }
}

/// Brings a deleted membership back, for an undo. It is given as it was before its deletion. The person's
/// keys, sessions, staff entries, duties and relations stay ended.
#[derive(Debug)]
pub struct Restore(pub Member);

impl Command for Restore {
    const OPERATION: Operation = Operation::MemberRemove;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        rules::refuse_restoring(cx.role()?, &self.0)?;
        cx.create(tx, restored(cx.moment, &self.0)).await?;
        members::read(tx, cx.organization()?, self.0.id).await?.ok_or_else(Error::not_found)
    }
}
