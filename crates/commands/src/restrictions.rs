//! Restrictions on children's data, entered and lifted by safeguarding leads.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::restrictions::{self as rules, NewRestriction};
use fieldhouse_domain::ids::{ChildId, Id, RestrictionId};
use fieldhouse_store::restrictions::{self, Listed};
use fieldhouse_store::{Tx, members, relations};
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::actor;
use crate::{Command, Error, WriteContext};

/// Refuses a safeguarding lead who is of the child's family.
async fn refuse_family<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<(), Error> {
    let proof = cx.organization()?;
    let related = relations::of_child(tx, proof, child).await?;
    Ok(rules::refuse_family(proof.actor().user, &related)?)
}

/// A restriction as it was written, with the name in the response, for a safeguarding lead who is not of the child's family.
async fn with_name<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: RestrictionId,
) -> Result<Listed, Error> {
    let found = restrictions::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)?;
    // To someone of the child's family it does not exist, so that its id tells them nothing.
    refuse_family(tx, cx, found.restriction.child_id).await.map_err(|_| Error::not_found())?;
    Ok(found)
}

/// Enters a restriction.
#[derive(Debug)]
pub struct Enter {
    /// The child.
    pub child: ChildId,
    /// The restriction.
    pub new: NewRestriction,
}

impl Command for Enter {
    const OPERATION: Operation = Operation::RestrictionEnter;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.child.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let proof = cx.organization()?;
        if !tx.has_child(proof, self.child).await? {
            return Err(Error::not_found());
        }
        refuse_family(tx, cx, self.child).await?;
        let is_known = match self.new.user_id {
            Some(user) => members::is_known(tx, proof, user).await?,
            None => true,
        };
        let actor = actor(tx, cx).await?;
        let restriction = rules::enter(cx.moment, actor, self.child, &self.new, is_known)?;
        let restriction = cx.create(tx, restriction).await?;
        with_name(tx, cx, restriction.id).await
    }

    again! { |self, tx, cx, id| with_name(tx, cx, id) }
}

/// Lifts a restriction.
#[derive(Debug)]
pub struct Lift(pub RestrictionId);

impl Command for Lift {
    const OPERATION: Operation = Operation::RestrictionLift;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = cx.check(with_name(tx, cx, self.0).await?.restriction)?;
        let after = rules::lift(cx.moment, actor(tx, cx).await?, &before)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }

    again! { |self, tx, cx| with_name(tx, cx, self.0) }
}
