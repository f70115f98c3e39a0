//! Members.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::changesets::Refused;
use fieldhouse_domain::changesets::risk::Risk;
use fieldhouse_domain::ids::{Id, MemberId};
use fieldhouse_domain::members::{self as rules, ChangeMember, Member};
use fieldhouse_domain::roles::Role;
use fieldhouse_store::Tx;
use fieldhouse_store::members::{self, Listed};
use serde_json::json;
use uuid::Uuid;

use crate::changesets::approvers_suffice;

use crate::restored::restored;
use crate::{Command, Error, WriteContext};

/// The number of admins from which on a role is raised by a changeset.
const MANY_ADMINS: usize = 3;

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
        if !cx.is_in_changeset() {
            refuse_raise(tx, cx, &before, &after).await?;
        }
        cx.update(tx, before, after).await?;
        members::read(tx, cx.organization()?, self.id).await?.ok_or_else(Error::not_found)
    }
}

/// Refuses to make someone a manager or more by one person alone, where enough others could approve a changeset.
async fn refuse_raise<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    before: &Member,
    after: &Member,
) -> Result<(), Error> {
    if after.role <= before.role || after.role < Role::Manager || cx.user().is_err() {
        return Ok(());
    }
    let admins = members::active(tx, cx.organization()?, Role::Admin).await?;
    if admins.len() < MANY_ADMINS || !approvers_suffice(tx, cx, Risk::R3).await? {
        return Ok(());
    }
    let title = format!("Change a member's role to {}", after.role);
    let raise = json!({"op": "update", "resource": "members", "id": before.id, "set": {"role": after.role}});
    let template = json!({"title": title, "operations": [raise]});
    let why = format!("two others have to approve the role {}", after.role);
    Err(Refusal::from(Refused::Required { why, template }).into())
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
