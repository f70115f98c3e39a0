//! Invitations to be a child's guardian. They are accepted like every invitation (`invitations.rs`).

use fieldhouse_api::Operation;
use fieldhouse_domain::children::guardian_invitations::{
    self as rules, GuardianInvitation, Inviting, NewGuardianInvitation,
};
use fieldhouse_domain::children::relations::{self as relation_rules, Relation, RelationKind};
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{ChildId, GuardianInvitationId, Id, UserId};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::text::Email;
use fieldhouse_store::access::children::{ChildAccess, Contact, Write};
use fieldhouse_store::guardian_invitations::{self, Listed};
use fieldhouse_store::{Tx, records, relations, users};
use jiff::Timestamp;
use uuid::Uuid;

use crate::relations::{created, restricted};
use crate::repeated::again;
use crate::{Command, Error, WriteContext};

/// The permission to invite: who may change how the child's family is reached.
type Opened<'tx> = ChildAccess<'tx, Contact, Write>;

/// Opens a child to someone who invites a guardian, except those whom a restriction names.
async fn open<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
) -> Result<Opened<'tx>, Error> {
    let access: Opened<'tx> = cx.open(tx, child).await?;
    restricted(tx, cx, child).await?;
    if !rules::INVITERS.contains(&access.capacity()) {
        return Err(Denial::RelationshipInsufficient.into());
    }
    Ok(access)
}

/// The person who invites.
async fn inviting<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    access: &Opened<'tx>,
) -> Result<Inviting, Error> {
    let user = cx.user()?;
    let found = users::read(tx, user).await?.ok_or_else(Error::not_found)?;
    let since = cx.moment.now().saturating_sub(rules::A_DAY).unwrap_or(Timestamp::MIN);
    let sent = guardian_invitations::sent(tx, cx.organization()?, user, since).await?;
    Ok(Inviting { user, email: found.email, capacity: access.capacity(), sent })
}

/// The invitations about a child that the person sees.
async fn seen<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    access: &Opened<'tx>,
) -> Result<Vec<Listed>, Error> {
    let (user, mut all) = (cx.user()?, guardian_invitations::of_child(tx, access).await?);
    all.retain(|it| rules::is_seen(user, access.capacity(), &it.invitation));
    Ok(all)
}

/// One of them, as it is now.
async fn found<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    access: &Opened<'tx>,
    id: GuardianInvitationId,
) -> Result<Listed, Error> {
    let found = seen(tx, cx, access).await?.into_iter().find(|it| it.invitation.id == id);
    found.ok_or_else(Error::not_found)
}

/// Whether the user with an address is a guardian of a child, or is proposed.
async fn is_guardian<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    child: ChildId,
    email: &Email,
) -> Result<bool, Error> {
    let Some(user) = users::by_email(tx, email).await? else { return Ok(false) };
    let now = cx.moment.now();
    let is_theirs = |it: &Relation| {
        it.user_id == user.id && it.kind == RelationKind::Guardian && !it.state_at(now).is_over()
    };
    Ok(relations::of_child(tx, cx.organization()?, child).await?.iter().any(is_theirs))
}

fn invitations(listed: &[Listed]) -> Vec<GuardianInvitation> {
    listed.iter().map(|it| it.invitation.clone()).collect()
}

/// An invitation in the path: the child and the invitation.
type Place = (ChildId, GuardianInvitationId);

/// The invitation as it is now.
async fn stored<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    (child, id): Place,
) -> Result<Listed, Error> {
    let access = open(tx, cx, child).await?;
    found(tx, cx, &access, id).await
}

/// Invites a person to be a child's guardian. The link is mailed to them.
#[derive(Debug)]
pub struct Create {
    /// The child.
    pub child: ChildId,
    /// The person.
    pub new: NewGuardianInvitation,
}

impl Command for Create {
    const OPERATION: Operation = Operation::GuardianInvitationCreate;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.child.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let access = open(tx, cx, self.child).await?;
        let by = inviting(tx, cx, &access).await?;
        let all = invitations(&seen(tx, cx, &access).await?);
        let is_guardian = is_guardian(tx, cx, self.child, &self.new.email).await?;
        let invited = rules::invite(cx.moment, &by, self.child, self.new.clone(), &all, is_guardian)?;
        let invited = cx.create(tx, invited).await?;
        found(tx, cx, &access, invited.id).await
    }

    again! { |self, tx, cx, id| stored(tx, cx, (self.child, id)) }
}

/// Sends an invitation again, with a new link.
#[derive(Debug)]
pub struct Resend(pub Place);

impl Command for Resend {
    const OPERATION: Operation = Operation::GuardianInvitationResend;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let (child, id) = self.0;
        let access = open(tx, cx, child).await?;
        let by = inviting(tx, cx, &access).await?;
        let all = invitations(&seen(tx, cx, &access).await?);
        let before = all.iter().find(|it| it.id == id).cloned().ok_or_else(Error::not_found)?;
        let after = rules::sent_again(cx.moment, &by, &before, &all)?;
        cx.update(tx, before, after).await?;
        found(tx, cx, &access, id).await
    }

    again! { |self, tx, cx| stored(tx, cx, self.0) }
}

/// Revokes an invitation.
#[derive(Debug)]
pub struct Revoke(pub Place);

impl Command for Revoke {
    const OPERATION: Operation = Operation::GuardianInvitationRevoke;
    type Output = GuardianInvitationId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.0.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<GuardianInvitationId, Error> {
        let invitation = cx.check(stored(tx, cx, self.0).await?.invitation)?;
        let revoked = rules::revoke(cx.moment, invitation)?;
        cx.apply(tx, revoked.as_slice()).await?;
        Ok(self.0.1)
    }
}

/// Marks an invitation whose message was given up.
#[derive(Debug)]
pub struct MailFailed {
    /// The invitation.
    pub id: GuardianInvitationId,
    /// Its version when the message was caused.
    pub version: i64,
}

impl Command for MailFailed {
    const OPERATION: Operation = Operation::GuardianInvitationMailFailed;
    type Output = ();

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<(), Error> {
        let found: Option<GuardianInvitation> = records::read(tx, cx.organization()?, self.id).await?;
        let failed = found.and_then(|invitation| rules::mail_failed(cx.moment, invitation, self.version));
        cx.apply(tx, failed.as_slice()).await.map(drop)
    }
}

/// What accepting an invitation changes about it and the child: the proposed relation, which a second person has to confirm.
pub(crate) async fn accepted<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: GuardianInvitationId,
    user: UserId,
) -> Result<(GuardianInvitation, Relation, Vec<Effect>), Error> {
    let proof = cx.organization()?;
    let found = guardian_invitations::read(tx, proof, id).await?.ok_or(Denial::LinkExpired)?;
    let (before, now) = (found.invitation, cx.moment.now());
    let all = relations::of_child(tx, proof, before.child_id).await?;
    let relation = relation_rules::accepted_by_invitation(cx.moment, &before, user, &all)?;
    let mut effects = created(cx, &relation, &all);
    effects.extend(Effect::update(cx.moment, before.clone(), before.accepted(now, relation.id)));
    Ok((before, relation, effects))
}
