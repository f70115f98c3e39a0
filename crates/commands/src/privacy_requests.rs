//! Requests of families about a child's data, and the erasure of a child.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::children::relations::Relation;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, Id, PrivacyRequestId, UserId};
use fieldhouse_domain::privacy_requests::{
    self as rules, Erasing, NewPrivacyDecision, NewPrivacyRequest, PrivacyRequest,
};
use fieldhouse_store::access::children::{ChildAccess, Records, Write};
use fieldhouse_store::privacy_requests::{self, Erasure};
use fieldhouse_store::{Tx, cases, relations, restrictions};
use jiff::Timestamp;
use uuid::Uuid;

use crate::repeated::again;
use crate::second_person::{self, actor};
use crate::{Command, Error, WriteContext};

/// Creates a request. All owners are told by mail.
#[derive(Debug)]
pub struct Create(pub NewPrivacyRequest);

impl Command for Create {
    const OPERATION: Operation = Operation::PrivacyRequestCreate;
    type Output = PrivacyRequest;

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<PrivacyRequest, Error> {
        let _: ChildAccess<'tx, Records, Write> = cx.open(tx, self.0.child_id).await?;
        cx.create(tx, rules::request(cx.moment, cx.user()?, &self.0)?).await
    }

    // The same caller has created it, so it is their own.
    again! { |self, tx, cx, id| stored(tx, cx, id) }
}

/// Decides a request, as a second person. The requester is told by mail. An erasure that is granted erases the child.
///
/// On PostgreSQL, the waiting entries of the organization must have been posted before.
#[derive(Debug)]
pub struct Decide {
    /// The request.
    pub id: PrivacyRequestId,
    /// The decision.
    pub new: NewPrivacyDecision,
}

impl Command for Decide {
    const OPERATION: Operation = Operation::PrivacyRequestDecide;
    type Output = PrivacyRequest;

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<PrivacyRequest, Error> {
        let before = cx.check(stored(tx, cx, self.id).await?)?;
        let kept_out = kept_out(tx, cx, &before).await?;
        let actor = actor(tx, cx).await?;
        let others = second_person::exists_except(tx, cx, &rules::proposal(&before), &kept_out).await?;
        let after = rules::decided(cx.moment, actor, &before, &self.new, others)?;
        let is_erased = after.is_erased();
        if is_erased {
            rules::refuse_erasure(&erasing(tx, cx, &before).await?)?;
        }
        let child = after.child_id;
        let decision = (after.decided_by, cx.moment.now());
        let mut effects: Vec<Effect> = Effect::update(cx.moment, before, after).into_iter().collect();
        if is_erased {
            effects.extend(finished(tx, cx, child, Some(self.id), decision).await?);
        }
        cx.apply(tx, &effects).await?;
        if is_erased {
            cx.erase_child(tx, child).await?;
        }
        stored(tx, cx, self.id).await
    }

    again! { |self, tx, cx| stored(tx, cx, self.id) }
}

/// Those who do not decide about a child: its family, and the people whom restrictions name. To one of the latter no request exists. An
/// owner who asks for a copy or a correction may decide it alone where no one else can.
async fn kept_out<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    request: &PrivacyRequest,
) -> Result<Vec<UserId>, Error> {
    let (proof, child) = (cx.organization()?, request.child_id);
    let named = restrictions::named(tx, proof, child, cx.moment.now()).await?;
    let user = cx.user()?;
    if named.contains(&user) {
        return Err(Error::not_found());
    }
    let family = relations::family(tx, proof, child).await?;
    if family.contains(&user) && user != request.requested_by {
        let why = "someone of the child's family cannot decide about a request. Ask an admin who is not of the family";
        return Err(Refusal::Forbidden(why.to_owned()).into());
    }
    Ok([family, named].concat())
}

/// What forbids an erasure now.
async fn erasing<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    request: &PrivacyRequest,
) -> Result<Erasing, Error> {
    let (proof, now, child) = (cx.organization()?, cx.moment.now(), request.child_id);
    let related = relations::of_child(tx, proof, child).await?;
    let asks =
        |it: &Relation| it.user_id == request.requested_by && it.kind.is_family() && it.is_open_at(now);
    Ok(Erasing {
        is_decided_by_family: request.requested_by == cx.user()?,
        is_still_family: related.iter().any(asks),
        is_restricted: !restrictions::named(tx, proof, child, now).await?.is_empty(),
        has_open_case: cases::is_open_about(tx, proof, child).await?,
    })
}

/// Erases a child whose erasure was granted, in a database that was restored from an older copy. Its requests are finished. Returns whether
/// anything was left to erase.
#[derive(Debug)]
pub struct EraseAgain(pub Erasure);

impl Command for EraseAgain {
    const OPERATION: Operation = Operation::ChildEraseAgain;
    type Output = bool;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<bool, Error> {
        let Erasure { child, at, .. } = self.0;
        let effects = finished(tx, cx, child, None, (None, at)).await?;
        cx.apply(tx, &effects).await?;
        cx.erase_child(tx, child).await
    }
}

/// Finishes the open requests about a child that is erased, except the one that is decided.
async fn finished<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
    decided: Option<PrivacyRequestId>,
    decision: (Option<UserId>, Timestamp),
) -> Result<Vec<Effect>, Error> {
    let mut requests = privacy_requests::of_child(tx, cx.organization()?, child).await?;
    requests.retain(|it| Some(it.id) != decided);
    let finished = rules::erased(decision, &requests).into_iter();
    Ok(finished.filter_map(|(before, after)| Effect::update(cx.moment, before, after)).collect())
}

/// A request as it is now.
async fn stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: PrivacyRequestId,
) -> Result<PrivacyRequest, Error> {
    privacy_requests::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}
