//! Invitations, and accepting them.

use fieldhouse_api::Operation;
use fieldhouse_domain::Refusal;
use fieldhouse_domain::effects::Effect;
use fieldhouse_domain::ids::{Id, InvitationId, RelationId, UserId};
use fieldhouse_domain::invitations::{self as rules, Invitation, Invited, NewInvitation};
use fieldhouse_domain::members::{Member, MemberSource};
use fieldhouse_domain::policy::Denial;
use fieldhouse_domain::roles::Role;
use fieldhouse_domain::sessions::{Client, Session};
use fieldhouse_domain::users::User;
use fieldhouse_store::invitations::{self, Listed};
use fieldhouse_store::{Tx, members, records};
use uuid::Uuid;

use crate::auth::{MintToken, SignedIn};
use crate::{Command, Error, WriteContext, guardian_invitations};

/// Invites a person.
#[derive(Debug)]
pub struct Create(pub NewInvitation);

impl Command for Create {
    const OPERATION: Operation = Operation::InvitationCreate;
    type Output = Listed;

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let proof = cx.organization()?;
        if invitations::is_member(tx, proof, &self.0.email).await? {
            return Err(Refusal::Duplicate("a member of the organization has this address".to_owned()).into());
        }
        let open = invitations::open(tx, proof).await?;
        let invitation = rules::invite(cx.moment, cx.role()?, cx.user()?, self.0.clone(), open)?;
        let invitation = cx.create(tx, invitation).await?;
        listed(tx, cx, invitation.id).await
    }
}

async fn listed<'tx>(
    tx: &mut Tx<'tx>,
    cx: &WriteContext<'_, 'tx>,
    id: InvitationId,
) -> Result<Listed, Error> {
    invitations::read(tx, cx.organization()?, id).await?.ok_or_else(Error::not_found)
}

/// Sends an invitation again, with a new link.
#[derive(Debug)]
pub struct Resend(pub InvitationId);

impl Command for Resend {
    const OPERATION: Operation = Operation::InvitationResend;
    type Output = Listed;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Listed, Error> {
        let before: Invitation = cx.target(tx, self.0).await?;
        let after = rules::sent_again(cx.moment, cx.role()?, cx.user()?, &before)?;
        cx.update(tx, before, after).await?;
        listed(tx, cx, self.0).await
    }
}

/// Revokes an invitation.
#[derive(Debug)]
pub struct Revoke(pub InvitationId);

impl Command for Revoke {
    const OPERATION: Operation = Operation::InvitationRevoke;
    type Output = InvitationId;

    fn target(&self) -> Option<Uuid> {
        Some(self.0.uuid())
    }

    async fn run<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &mut WriteContext<'_, 'tx>,
    ) -> Result<InvitationId, Error> {
        let invitation: Invitation = cx.target(tx, self.0).await?;
        let revoked = rules::revoke(cx.moment, cx.role()?, invitation)?;
        cx.apply(tx, revoked.as_slice()).await?;
        Ok(self.0)
    }
}

/// Marks an invitation whose message was given up.
#[derive(Debug)]
pub struct MailFailed {
    /// The invitation.
    pub id: InvitationId,
    /// Its version when the message was caused.
    pub version: i64,
}

impl Command for MailFailed {
    const OPERATION: Operation = Operation::InvitationMailFailed;
    type Output = ();

    fn target(&self) -> Option<Uuid> {
        Some(self.id.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<(), Error> {
        let found: Option<Invitation> = records::read(tx, cx.organization()?, self.id).await?;
        let failed = found.and_then(|invitation| rules::mail_failed(cx.moment, invitation, self.version));
        cx.apply(tx, failed.as_slice()).await.map(drop)
    }
}

/// The user that the invited person is, or becomes.
#[derive(Clone, PartialEq)]
pub struct Invitee {
    /// The user as they were when they proved their identity. `None` if they are new.
    pub before: Option<User>,
    /// The user afterwards: new, with a first password, or unchanged.
    pub after: User,
    /// Whether they have a session, so that they need no other one.
    pub is_signed_in: bool,
}

/// Accepts an invitation: creates the membership, the user if they are new, and a session unless they have one. An invitation to be a child's
/// guardian proposes the relation, and creates a membership only for someone who is no member.
pub struct Accept {
    /// The invitation.
    pub invitation: Invited,
    /// The person.
    pub invitee: Invitee,
    /// Their client.
    pub client: Client,
    /// Creates the refresh token.
    pub mint: MintToken,
}

/// The result of accepting an invitation.
#[derive(Debug)]
pub struct Accepted {
    /// The member.
    pub member: members::Listed,
    /// The proposed relation, if they were invited to be a child's guardian.
    pub relation: Option<RelationId>,
    /// The session, unless the person has one.
    pub signed_in: Option<SignedIn>,
}

impl Command for Accept {
    const OPERATION: Operation = Operation::InvitationAccept;
    type Output = Accepted;

    fn target(&self) -> Option<Uuid> {
        Some(self.invitation.uuid())
    }

    async fn run<'tx>(&self, tx: &mut Tx<'tx>, cx: &mut WriteContext<'_, 'tx>) -> Result<Accepted, Error> {
        let mut effects: Vec<Effect> = self.user_effect(tx, cx).await?.into_iter().collect();
        let (member, relation) = match self.invitation {
            Invited::Member(id) => {
                let before: Invitation = cx.target(tx, id).await?;
                let member = self.joined(cx, before.role, before.invited_by);
                let (accepted_at, member_id) = (Some(cx.moment.now()), Some(member.id));
                let accepted = Invitation { accepted_at, member_id, ..before.clone() };
                effects.push(Effect::create(member.clone()));
                effects.extend(Effect::update(cx.moment, before, accepted));
                (member, None)
            }
            Invited::Guardian(id) => {
                let user = self.invitee.after.id;
                let (before, relation, of_child) = guardian_invitations::accepted(tx, cx, id, user).await?;
                let member = match members::of_user(tx, cx.organization()?, user).await? {
                    Some(member) if member.suspended_at.is_some() => return Err(Denial::LinkExpired.into()),
                    Some(member) => member,
                    // Someone whom the club removed returns only with an invitation of an admin.
                    None if members::is_known(tx, cx.organization()?, user).await? => {
                        return Err(Denial::LinkExpired.into());
                    }
                    None => {
                        let member = self.joined(cx, cx.role()?, before.invited_by);
                        effects.push(Effect::create(member.clone()));
                        member
                    }
                };
                effects.extend(of_child);
                (member, Some(relation.id))
            }
        };
        let signed_in = self.session(cx, &member);
        effects.extend(signed_in.iter().map(|signed_in| Effect::create(signed_in.session.clone())));
        cx.apply(tx, &effects).await?;
        let listed = members::read(tx, cx.organization()?, member.id).await?;
        Ok(Accepted { member: listed.ok_or_else(Error::not_found)?, relation, signed_in })
    }
}

impl Accept {
    /// The membership of the person, with a role from the one who invited them.
    fn joined(&self, cx: &WriteContext<'_, '_>, role: Role, invited_by: UserId) -> Member {
        let joined = Member::new(cx.moment, self.invitee.after.id, role);
        let (role_given_by, role_given_at) = (Some(invited_by), Some(cx.moment.now()));
        Member { source: MemberSource::Invited, role_given_by, role_given_at, ..joined }
    }

    /// What changes about the user. Their password was verified before this transaction and may have been changed since.
    async fn user_effect<'tx>(
        &self,
        tx: &mut Tx<'tx>,
        cx: &WriteContext<'_, 'tx>,
    ) -> Result<Option<Effect>, Error> {
        let Invitee { before, after, .. } = &self.invitee;
        let Some(before) = before else { return Ok(Some(Effect::create(after.clone()))) };
        let effect = Effect::update(cx.moment, before.clone(), after.clone());
        let current: Option<User> = records::read(tx, cx.organization()?, before.id).await?;
        let unchanged = |current: User| {
            current.suspended_at.is_none()
                && current.password_hash == before.password_hash
                && current.email == before.email
        };
        if current.is_some_and(unchanged) { Ok(effect) } else { Err(Denial::Unknown.into()) }
    }

    fn session(&self, cx: &WriteContext<'_, '_>, member: &Member) -> Option<SignedIn> {
        if self.invitee.is_signed_in {
            return None;
        }
        let session = Session::open(cx.moment, member.user_id, "password", self.client.clone());
        let (refresh_token, digest) = (self.mint)(session.id, session.generation);
        Some(SignedIn { session: session.with_token(digest), refresh_token, role: member.role })
    }
}
