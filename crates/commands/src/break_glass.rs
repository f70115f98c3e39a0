//! Break-glass grants.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::break_glass::{self as rules, NewBreakGlassGrant, NewReview};
use fieldhouse_domain::ids::{BreakGlassGrantId, Id};
use fieldhouse_store::break_glass::{self, Listed};
use fieldhouse_store::{Tx, restrictions};
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::actor;
use crate::{Command, Error, WriteContext};

/// A grant that the user may see.
async fn known<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: BreakGlassGrantId,
) -> Result<Listed, Error> {
    let found = break_glass::read(tx, cx.organization()?, cx.moment.now(), id).await?;
    found.ok_or_else(Error::not_found)
}

/// Opens a child's data in an emergency.
#[derive(Debug)]
pub struct Create(pub NewBreakGlassGrant);

impl Command for Create {
    const OPERATION: Operation = Operation::BreakGlassGrantCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (proof, now, user, child) = (cx.organization()?, cx.moment.now(), cx.user()?, self.0.child_id);
        // To someone whom a restriction keeps away, the child does not exist.
        let is_restricted = restrictions::named(tx, proof, child, now).await?.contains(&user);
        if is_restricted || !tx.has_child(proof, child).await? {
            return Err(Error::not_found());
        }
        let earlier = break_glass::earlier(tx, proof, now).await?;
        let tells = break_glass::has_guardian(tx, proof, child, now).await?;
        let grant = cx.create(tx, rules::grant(cx.moment, user, &self.0, &earlier, tells)?).await?;
        known(tx, cx, grant.id).await
    }

    again! { |self, tx, cx, id| known(tx, cx, id) }
}

/// Ends a grant early.
#[derive(Debug)]
pub struct End(pub BreakGlassGrantId);

impl Command for End {
    const OPERATION: Operation = Operation::BreakGlassGrantEnd;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = cx.check(known(tx, cx, self.0).await?.grant)?;
        let after = rules::ended(cx.moment, &before)?;
        cx.update(tx, before, after).await?;
        known(tx, cx, self.0).await
    }

    again! { |self, tx, cx| known(tx, cx, self.0) }
}

/// Reviews a grant.
#[derive(Debug)]
pub struct Review {
    /// The grant.
    pub id: BreakGlassGrantId,
    /// The review.
    pub review: NewReview,
}

impl Command for Review {
    const OPERATION: Operation = Operation::BreakGlassGrantReview;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = cx.check(known(tx, cx, self.id).await?.grant)?;
        let after = rules::reviewed(cx.moment, actor(tx, cx).await?, &before, &self.review)?;
        cx.update(tx, before, after).await?;
        known(tx, cx, self.id).await
    }

    again! { |self, tx, cx| known(tx, cx, self.id) }
}
