//! Relations of people to children.

use fieldhouse_api::Operation;
use fieldhouse_domain::children::classes::Capacity;
use fieldhouse_domain::children::relations::{
    self as rules, Facts, NewRelation, Relation, RelationState, Revoking,
};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, Id, RelationId, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_store::access::children::{ChildAccess, Records, Write};
use fieldhouse_store::relations::{self, Listed};
use fieldhouse_store::{Tx, members, restrictions};
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::{self, actor};
use crate::{Command, Error, WriteContext};

/// In what capacity the user may change the records of a child's family, or why they may not.
async fn opened<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Result<Capacity, Denial>, Error> {
    let access: Result<ChildAccess<'tx, Records, Write>, Denial> = tx.open(cx.organization()?, child).await?;
    Ok(access.map(|access| access.capacity()))
}

/// A relation as it was written, with the name in the response.
async fn with_name<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: RelationId,
) -> Result<Listed, Error> {
    relations::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}

/// The relation that an operation is about.
async fn target<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: RelationId,
) -> Result<Relation, Error> {
    cx.check(with_name(tx, cx, id).await?.relation)
}

/// The people to whom a restriction closes data of a child. Refuses them: they do not decide who else sees the child.
pub(crate) async fn restricted<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Vec<UserId>, Error> {
    let proof = cx.organization()?;
    let restricted = restrictions::named(tx, proof, child, cx.moment.now()).await?;
    match proof.actor().user {
        Some(user) if restricted.contains(&user) => Err(tx.denial(proof, child).await?.into()),
        _ => Ok(restricted),
    }
}

/// Creates a relation in place of those that have ended and are not recorded so.
pub(crate) fn created(cx: &WriteContext<'_, '_>, relation: &Relation, all: &[Relation]) -> Vec<Effect> {
    let replaced = rules::replaced(cx.moment.now(), relation, all).into_iter();
    let ended = replaced.filter_map(|(before, after)| Effect::update(cx.moment, before, after));
    ended.chain([Effect::create(relation.clone())]).collect()
}

/// Proposes a relation of a member to a child. All owners are told by mail.
#[derive(Debug)]
pub struct Add {
    /// The child.
    pub child: ChildId,
    /// The relation.
    pub new: NewRelation,
}

impl Command for Add {
    const OPERATION: Operation = Operation::ChildRelationAdd;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.child.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let actor = actor(tx, cx).await?;
        restricted(tx, cx, self.child).await?;
        let capacities = opened(tx, cx, self.child).await?.into_iter().collect();
        let is_member = members::of_user(tx, cx.organization()?, self.new.user_id).await?.is_some();
        let mut relations = relations::of_child(tx, cx.organization()?, self.child).await?;
        let of_person = relations::of_user(tx, cx.organization()?, self.new.user_id).await?;
        relations.extend(of_person.into_iter().filter(|it| it.child_id != self.child));
        let facts = Facts { capacities, is_member, relations };
        let relation = rules::propose(cx.moment, actor, self.child, &self.new, &facts)?;
        cx.apply(tx, &created(cx, &relation, &facts.relations)).await?;
        with_name(tx, cx, relation.id).await
    }

    again! { |self, tx, cx, relation| with_name(tx, cx, relation) }
}

/// Confirms a proposed relation, as a second person. The person is told by mail.
#[derive(Debug)]
pub struct Confirm(pub RelationId);

impl Command for Confirm {
    const OPERATION: Operation = Operation::RelationConfirm;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = target(tx, cx, self.0).await?;
        let restricted = restricted(tx, cx, before.child_id).await?;
        let actor = actor(tx, cx).await?;
        // An invitation is void once its sender may no longer invite, also after it was accepted.
        if let (RelationState::Proposed, Some(_), Some(inviter)) =
            (before.state, before.accepted_at, before.proposed_by)
        {
            let by = (inviter, before.child_id);
            if !tx.invites(cx.organization()?, by, cx.moment.now()).await? {
                return Err(rules::expired_refusal().into());
            }
        }
        let proposal = rules::proposal(&before);
        let others = second_person::exists_except(tx, cx, &proposal, &restricted).await?;
        let after = rules::confirmed(cx.moment, actor, &before, others)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }

    again! { |self, tx, cx| with_name(tx, cx, self.0) }
}

/// Accepts a confirmed relation, as its person.
#[derive(Debug)]
pub struct Accept(pub RelationId);

impl Command for Accept {
    const OPERATION: Operation = Operation::RelationAccept;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before = target(tx, cx, self.0).await?;
        let after = rules::accepted(cx.moment, actor(tx, cx).await?, &before)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }

    // The same caller has accepted it, so it is their own.
    again! { |self, tx, cx| with_name(tx, cx, self.0) }
}

/// Revokes a relation: as its person, as the child or a guardian, or as a manager.
#[derive(Debug)]
pub struct Revoke(pub RelationId);

impl Revoke {
    /// Reads the relation, and whether the user is of the child's family. Refuses those to whom it does not exist.
    async fn known<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
    ) -> Result<(Listed, bool), Error> {
        let found = with_name(tx, cx, self.0).await?;
        let actor = actor(tx, cx).await?;
        if actor.user != Some(found.relation.user_id) {
            restricted(tx, cx, found.relation.child_id).await?;
        }
        match opened(tx, cx, found.relation.child_id).await? {
            Ok(_) => Ok((found, true)),
            Err(_) if rules::is_known_to(actor, &found.relation) => Ok((found, false)),
            Err(denial) => Err(denial.into()),
        }
    }
}

impl Command for Revoke {
    const OPERATION: Operation = Operation::RelationRevoke;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (found, of_family) = self.known(tx, cx).await?;
        let before = cx.check(found.relation)?;
        let relations = relations::of_child(tx, cx.organization()?, before.child_id).await?;
        let revoking = Revoking { of_family, relations: &relations };
        let after = rules::revoked(cx.moment, actor(tx, cx).await?, &before, revoking)?;
        cx.update(tx, before, after).await?;
        with_name(tx, cx, self.0).await
    }

    async fn again<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
        _: Option<&str>,
    ) -> Result<Option<Listed>, Error> {
        Ok(Some(self.known(tx, cx).await?.0))
    }
}
