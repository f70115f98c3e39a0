//! Organizations.

use fieldhouse_api::Operation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::OrganizationId;
use fieldhouse_domain::members::Member;
use fieldhouse_domain::organizations::Organization;
use fieldhouse_domain::users::User;
use fieldhouse_store::Tx;

use crate::{Command, Error, WriteContext};

/// Founds an organization with its first members.
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
