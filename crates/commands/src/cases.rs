//! Safeguarding cases.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::cases::{
    self as rules, CloseSafeguardingCase, Named, NewSafeguardingCase, SafeguardingCase,
};
use fieldhouse_domain::duties::DutyKind;
use fieldhouse_domain::ids::{Id, SafeguardingCaseId, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_store::{Tx, cases, members, relations};
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::actor;
use crate::{Command, Error, WriteContext};

/// A case that the user may see.
async fn known<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: SafeguardingCaseId,
) -> Result<SafeguardingCase, Error> {
    let found = cases::read(tx, cx.organization()?, cx.moment.now(), id).await?;
    found.ok_or(Denial::NotOnDuty(DutyKind::SafeguardingLead))?.ok_or_else(Error::not_found)
}

/// Proposes a case.
#[derive(Debug)]
pub struct Open(pub NewSafeguardingCase);

impl Command for Open {
    const OPERATION: Operation = Operation::SafeguardingCaseOpen;
    type Output = SafeguardingCase;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<SafeguardingCase, Error> {
        let (proof, actor) = (cx.organization()?, actor(tx, cx).await?);
        let leads = cases::leads(tx, proof, cx.moment.now()).await?;
        let (mut children, mut families) = (Vec::new(), Vec::new());
        for child in &self.0.child_ids {
            children.push(tx.has_child(proof, *child).await?);
            families.extend(relations::family(tx, proof, *child).await?);
        }
        if actor.user.is_some_and(|user| families.contains(&user)) {
            return Err(Denial::NotOnDuty(DutyKind::SafeguardingLead).into());
        }
        let may = |lead: &UserId| leads.contains(lead) && !families.contains(lead);
        let named = Named { children, leads: self.0.lead_ids.iter().map(may).collect() };
        cx.create(tx, rules::open(cx.moment, actor, &self.0, &named)?).await
    }

    again! { |self, tx, cx, id| known(tx, cx, id) }
}

/// Confirms a case, as a second person.
#[derive(Debug)]
pub struct Confirm(pub SafeguardingCaseId);

/// Whether someone else than who works on a case could confirm it: an admin or another lead, who is not of a child's family.
async fn others<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    case: &SafeguardingCase,
) -> Result<bool, Error> {
    let proof = cx.organization()?;
    let leads = cases::leads(tx, proof, cx.moment.now()).await?;
    let mut except = case.lead_ids.clone();
    for child in &case.child_ids {
        except.extend(relations::family(tx, proof, *child).await?);
    }
    let proposal = rules::proposal(case);
    let everyone = members::active(tx, proof, Role::Member).await?;
    Ok(everyone.iter().any(|member| {
        // A lead confirms with their duty, whatever their role.
        let role = if leads.contains(&member.user_id) { Role::Owner } else { member.role };
        !except.contains(&member.user_id)
            && proposal.may_be_confirmed_by(member.user_id, role, member.role_given_by)
    }))
}

impl Command for Confirm {
    const OPERATION: Operation = Operation::SafeguardingCaseConfirm;
    type Output = SafeguardingCase;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<SafeguardingCase, Error> {
        let before = cx.check(known(tx, cx, self.0).await?)?;
        let others = others(tx, cx, &before).await?;
        let after = rules::confirmed(cx.moment, actor(tx, cx).await?, &before, others)?;
        cx.update(tx, before, after).await
    }

    again! { |self, tx, cx| known(tx, cx, self.0) }
}

/// Closes a case.
#[derive(Debug)]
pub struct Close {
    /// The case.
    pub id: SafeguardingCaseId,
    /// How it is closed.
    pub close: CloseSafeguardingCase,
}

impl Command for Close {
    const OPERATION: Operation = Operation::SafeguardingCaseClose;
    type Output = SafeguardingCase;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<SafeguardingCase, Error> {
        let before = cx.check(known(tx, cx, self.id).await?)?;
        let after = rules::closed(cx.moment, actor(tx, cx).await?, &before, &self.close)?;
        cx.update(tx, before, after).await
    }

    again! { |self, tx, cx| known(tx, cx, self.id) }
}
