//! Organizations: founded, suspended and resumed by the operator, changed by their admins.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{Id, OrganizationId};
use fieldhouse_domain::mail::OPERATOR_RESET_LIFE;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::{ChangeOrganization, Organization};
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::users::User;
use fieldhouse_store::access::Operator;
use fieldhouse_store::mail::Mail;
use fieldhouse_store::{Tx, users};
use uuid::Uuid;

use crate::{Command, Error, WriteContext};

/// Founds an organization with its first members, who have no account yet.
#[derive(Debug)]
pub struct Found {
    /// The organization.
    pub organization: Organization,
    /// Its first users with their memberships.
    pub people: Vec<(User, Member)>,
}

impl Command for Found {
    const OPERATION: Operation = Operation::OperatorFound;
    type Output = OrganizationId;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<OrganizationId, Error> {
        let mut effects = vec![Effect::create(self.organization.clone())];
        for (user, member) in &self.people {
            effects.extend([Effect::create(user.clone()), Effect::create(member.clone())]);
        }
        cx.apply(tx, &effects).await?;
        Ok(self.organization.id)
    }
}

/// Founds an organization with one owner, who may have an account already.
#[derive(Debug)]
pub struct FoundWithOwner {
    /// The organization.
    pub organization: Organization,
    /// The owner, if no user has this address.
    pub owner: User,
    /// The permission to create a link with which the owner sets a password.
    pub operator: Operator,
}

/// A founded organization.
#[derive(Debug)]
pub struct Founded {
    /// The organization.
    pub organization: Organization,
    /// Its owner.
    pub owner: User,
    /// The message whose link sets the owner's password. `None` if they have one.
    pub reset: Option<Mail>,
}

impl Command for FoundWithOwner {
    const OPERATION: Operation = Operation::OperatorOrganizationCreate;
    type Output = Founded;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Founded, Error> {
        let known = users::by_email(tx, &self.owner.email).await?;
        let owner = known.clone().unwrap_or_else(|| self.owner.clone());
        let member = Member::new(cx.moment, owner.id, Role::Owner);
        let mut effects = vec![Effect::create(self.organization.clone())];
        effects.extend(known.is_none().then(|| Effect::create(owner.clone())));
        effects.push(Effect::create(member));
        cx.apply(tx, &effects).await?;
        let reset = match owner.password_hash {
            Some(_) => None,
            None => {
                Some(tx.create_reset(&self.operator, &owner.email, cx.moment, OPERATOR_RESET_LIFE).await?)
            }
        };
        Ok(Founded { organization: self.organization.clone(), owner, reset })
    }
}

/// Suspends or resumes an organization.
#[derive(Debug)]
pub struct Suspend {
    /// The organization.
    pub id: OrganizationId,
    /// Whether it is suspended. `None` changes nothing.
    pub suspended: Option<bool>,
}

impl Command for Suspend {
    const OPERATION: Operation = Operation::OperatorOrganizationChange;
    type Output = Organization;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Organization, Error> {
        let before: Organization = cx.target(tx, self.id).await?;
        let Some(suspended) = self.suspended else { return Ok(before) };
        let after = before.suspended(cx.moment, suspended);
        cx.update(tx, before, after).await
    }
}

/// Changes the caller's organization.
#[derive(Debug)]
pub struct Change(pub ChangeOrganization);

impl Command for Change {
    const OPERATION: Operation = Operation::OrganizationChange;
    type Output = Organization;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<Organization, Error> {
        let id = cx.organization()?.organization();
        let before: Organization = cx.target(tx, id).await?;
        let after = before.with(self.0.clone())?;
        cx.update(tx, before, after).await
    }
}
