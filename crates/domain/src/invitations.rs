//! Invitations to join an organization. The link is mailed only to the invited address, because its holder joins as that person. Invitations to be
//! a child's guardian are in `children/guardian_invitations.rs`.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::effects::Effect;
use crate::ids::{GuardianInvitationId, Id as _, InvitationId, MemberId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::roles::Role;
use crate::text::Email;
use crate::{Moment, Refusal};

/// How long an invitation can be accepted after its link was last mailed.
pub const INVITATION_LIFE: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The maximum number of invitations of an organization that are neither accepted nor revoked.
pub const MAX_OPEN: i64 = 1_000;

enumeration! {
    /// What an invitation is for.
    InvitationKind {
        /// Membership of the organization.
        Member "member",
        /// To be the guardian of a child. The person also becomes a member, unless they are one.
        Guardian "guardian",
    }
}

/// The invitation that a link is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invited {
    /// To join the organization.
    Member(InvitationId),
    /// To be the guardian of a child.
    Guardian(GuardianInvitationId),
}

impl Invited {
    /// What it is for.
    pub const fn kind(self) -> InvitationKind {
        match self {
            Self::Member(_) => InvitationKind::Member,
            Self::Guardian(_) => InvitationKind::Guardian,
        }
    }

    /// The UUID of the invitation.
    pub fn uuid(self) -> Uuid {
        match self {
            Self::Member(id) => id.uuid(),
            Self::Guardian(id) => id.uuid(),
        }
    }
}

enumeration! {
    /// The status of an invitation.
    InvitationStatus {
        /// It can be accepted.
        Open "open",
        /// It was accepted.
        Accepted "accepted",
        /// It was not accepted in time. It can be sent again.
        Expired "expired",
        /// It was revoked.
        Revoked "revoked",
        /// Its message could not be delivered. It can be sent again.
        MailFailed "mail_failed",
    }
}

/// An invitation.
#[derive(Clone, PartialEq, Record)]
#[record(table = "invitations", alias = "i", derived(email_folded = self.email.folded()))]
pub struct Invitation {
    /// The id.
    #[field(server)]
    pub id: InvitationId,
    /// What it is for.
    #[field(server)]
    pub kind: InvitationKind,
    /// The invited address.
    #[field(server)]
    pub email: Email,
    /// The role that the person will have.
    #[field(server)]
    pub role: Role,
    /// The user who invited them.
    #[field(server)]
    pub invited_by: UserId,
    /// When its link was last mailed.
    #[field(server)]
    pub sent_at: Timestamp,
    /// When it expires.
    #[field(server)]
    pub expires_at: Timestamp,
    /// When it was accepted.
    #[field(server)]
    pub accepted_at: Option<Timestamp>,
    /// The membership that it led to.
    #[field(server)]
    pub member_id: Option<MemberId>,
    /// When it was revoked.
    #[field(server)]
    pub revoked_at: Option<Timestamp>,
    /// When its message was given up.
    #[field(server)]
    pub mail_failed_at: Option<Timestamp>,
    /// When it was created.
    #[field(server, moment)]
    pub created_at: Timestamp,
    /// When it last changed.
    #[field(server, bookkeeping)]
    pub updated_at: Timestamp,
    /// The version: 1 at first, and one more with every change.
    #[field(server, bookkeeping)]
    pub version: i64,
}

/// The person to invite.
#[derive(Clone, Debug, PartialEq, Body)]
pub struct NewInvitation {
    /// The address to which the link is mailed.
    pub email: Email,
    /// The role in the organization. Callers cannot give a role higher than their own.
    pub role: Role,
}

/// What has happened to an invitation, from which its status follows.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_field_names, reason = "they are named as in the records")]
pub(crate) struct Course {
    pub(crate) expires_at: Timestamp,
    pub(crate) accepted_at: Option<Timestamp>,
    pub(crate) revoked_at: Option<Timestamp>,
    pub(crate) mail_failed_at: Option<Timestamp>,
}

impl Course {
    /// The status at a time.
    pub(crate) fn status(self, now: Timestamp) -> InvitationStatus {
        match self {
            Self { accepted_at: Some(_), .. } => InvitationStatus::Accepted,
            Self { revoked_at: Some(_), .. } => InvitationStatus::Revoked,
            Self { mail_failed_at: Some(_), .. } => InvitationStatus::MailFailed,
            Self { expires_at, .. } if expires_at <= now => InvitationStatus::Expired,
            _ => InvitationStatus::Open,
        }
    }

    /// Refuses an invitation that was accepted or revoked.
    pub(crate) fn refuse_closed(self) -> Result<(), Refusal> {
        let closed = match self {
            Self { accepted_at: Some(_), .. } => "accepted",
            Self { revoked_at: Some(_), .. } => "revoked",
            _ => return Ok(()),
        };
        Err(Refusal::State(format!("the invitation was {closed}")))
    }
}

impl Invitation {
    /// The status at a time.
    pub fn status(&self, now: Timestamp) -> InvitationStatus {
        self.course().status(now)
    }

    fn course(&self) -> Course {
        let Self { expires_at, accepted_at, revoked_at, mail_failed_at, .. } = *self;
        Course { expires_at, accepted_at, revoked_at, mail_failed_at }
    }
}

/// Creates an invitation. `open` is the number of invitations that are neither accepted nor revoked.
pub fn invite(
    moment: &Moment,
    actor: Role,
    invited_by: UserId,
    wanted: NewInvitation,
    open: i64,
) -> Result<Invitation, Refusal> {
    refuse_higher_role(actor, wanted.role)?;
    if open >= MAX_OPEN {
        let what = format!("{MAX_OPEN} invitations are open. Revoke those that are no longer needed");
        return Err(Refusal::LimitReached(what));
    }
    let now = moment.now();
    Ok(Invitation {
        id: moment.id(),
        kind: InvitationKind::Member,
        email: wanted.email,
        role: wanted.role,
        invited_by,
        sent_at: now,
        expires_at: expiry(now),
        accepted_at: None,
        member_id: None,
        revoked_at: None,
        mail_failed_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// When an invitation expires whose link is mailed now.
pub(crate) fn expiry(now: Timestamp) -> Timestamp {
    now.saturating_add(INVITATION_LIFE).unwrap_or(Timestamp::MAX)
}

/// The invitation with a new link, which replaces the earlier one. The caller becomes the person who invites.
pub fn sent_again(
    moment: &Moment,
    actor: Role,
    invited_by: UserId,
    invitation: &Invitation,
) -> Result<Invitation, Refusal> {
    refuse_higher_role(actor, invitation.role)?;
    invitation.course().refuse_closed()?;
    let now = moment.now();
    Ok(Invitation {
        invited_by,
        sent_at: now,
        expires_at: expiry(now),
        mail_failed_at: None,
        ..invitation.clone()
    })
}

/// Revokes an invitation. Returns `None` if it was revoked before.
pub fn revoke(moment: &Moment, actor: Role, invitation: Invitation) -> Result<Option<Effect>, Refusal> {
    refuse_higher_role(actor, invitation.role)?;
    if invitation.accepted_at.is_some() {
        return Err(Refusal::State("the invitation was accepted; remove the member instead".to_owned()));
    }
    let revoked_at = invitation.revoked_at.or(Some(moment.now()));
    Ok(Effect::update(moment, invitation.clone(), Invitation { revoked_at, ..invitation }))
}

/// The invitation after its message was given up. `None` if it no longer waits for an answer, or was sent again.
pub fn mail_failed(moment: &Moment, invitation: Invitation, sent_version: i64) -> Option<Effect> {
    if invitation.course().refuse_closed().is_err() || invitation.version != sent_version {
        return None;
    }
    let mail_failed_at = Some(moment.now());
    Effect::update(moment, invitation.clone(), Invitation { mail_failed_at, ..invitation })
}

fn refuse_higher_role(actor: Role, role: Role) -> Result<(), Refusal> {
    if role > actor {
        let why = format!("the role {actor} cannot invite, or change an invitation, to a higher role");
        return Err(Refusal::Forbidden(why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::AnyRecord;
    use crate::record::Shared;

    fn at(second: i64) -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400 + second).expect("a time"), 7)
    }

    fn invitation(role: Role) -> Invitation {
        let wanted = NewInvitation { email: Email::parse("coach@a.example").expect("an address"), role };
        invite(&at(0), Role::Owner, at(0).id(), wanted, 0).expect("an invitation")
    }

    fn after(effect: Option<Effect>) -> Invitation {
        match effect.and_then(|effect| effect.after) {
            Some(AnyRecord::Invitation(invitation)) => Shared::into_record(invitation),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_one_invites_to_a_higher_role_than_their_own() {
        for actor in Role::ALL {
            for role in Role::ALL {
                let wanted = NewInvitation { role, ..wanted() };
                let permitted = role <= actor;
                assert_eq!(
                    invite(&at(0), actor, at(0).id(), wanted, 0).is_ok(),
                    permitted,
                    "{actor}, {role}"
                );
                let again = sent_again(&at(1), actor, at(0).id(), &invitation(role));
                assert_eq!(again.is_ok(), permitted, "{actor} sends {role} again");
                assert_eq!(revoke(&at(1), actor, invitation(role)).is_ok(), permitted, "{actor} revokes");
            }
        }
    }

    fn wanted() -> NewInvitation {
        NewInvitation { email: Email::parse("a@a.example").expect("an address"), role: Role::Member }
    }

    #[test]
    fn the_status_follows_from_what_happened() {
        let open = invitation(Role::Coach);
        let end = at(INVITATION_LIFE.as_secs()).now();
        assert_eq!(open.status(at(0).now()), InvitationStatus::Open);
        assert_eq!(open.status(end), InvitationStatus::Expired);
        let failed = after(mail_failed(&at(1), open.clone(), 1));
        assert_eq!(failed.status(end), InvitationStatus::MailFailed);
        let again = sent_again(&at(2), Role::Owner, at(0).id(), &failed).expect("it is sent again");
        assert_eq!(again.status(at(2).now()), InvitationStatus::Open);
        assert_eq!(again.expires_at, at(INVITATION_LIFE.as_secs() + 2).now());
        let revoked = after(revoke(&at(3), Role::Owner, again).expect("it is revoked"));
        assert_eq!(revoked.status(end), InvitationStatus::Revoked);
        let accepted = Invitation { accepted_at: Some(at(4).now()), ..open };
        assert_eq!(accepted.status(end), InvitationStatus::Accepted);
    }

    #[test]
    fn a_closed_invitation_stays_closed() {
        let open = invitation(Role::Coach);
        let revoked = Invitation { revoked_at: Some(at(1).now()), ..open.clone() };
        let accepted = Invitation { accepted_at: Some(at(1).now()), ..open.clone() };
        for closed in [&revoked, &accepted] {
            let again = sent_again(&at(2), Role::Owner, at(0).id(), closed);
            assert!(matches!(again, Err(Refusal::State(_))), "{again:?}");
            assert_eq!(mail_failed(&at(2), closed.clone(), 1), None);
        }
        assert_eq!(revoke(&at(2), Role::Owner, revoked), Ok(None));
        assert!(matches!(revoke(&at(2), Role::Owner, accepted), Err(Refusal::State(_))));
        assert_eq!(mail_failed(&at(2), open, 2), None, "the message of an earlier version");
    }

    #[test]
    fn the_number_of_open_invitations_is_limited() {
        let refused = invite(&at(0), Role::Owner, at(0).id(), wanted(), MAX_OPEN);
        assert!(matches!(refused, Err(Refusal::LimitReached(_))), "{refused:?}");
    }
}
