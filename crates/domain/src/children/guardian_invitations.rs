//! Invitations to be a child's guardian. Accepting one proposes the person as a guardian, and a second person confirms it like every relation.
//! The link is mailed to the invited address and to no one else.

use jiff::{SignedDuration, Timestamp};

use super::classes::Capacity;
use super::unprinted;
use crate::effects::Effect;
use crate::ids::{ChildId, GuardianInvitationId, RelationId, UserId};
use crate::invitations::{Course, InvitationStatus, expiry};
use crate::record::{Body, Record};
use crate::text::Email;
use crate::{Moment, Refusal};

/// The maximum number of open invitations about a child, counting only those that the inviter can see.
pub const MAX_OPEN: usize = 5;
/// The maximum number of invitations that a person sends in [`A_DAY`], about all children, also those that were revoked.
pub const MAX_SENT: i64 = 10;
/// The time in which the invitations of a person are counted.
pub const A_DAY: SignedDuration = SignedDuration::from_hours(24);

/// The capacities in which people invite guardians of a child. The child itself does not.
pub const INVITERS: [Capacity; 2] = [Capacity::Guardian, Capacity::Registrar];

/// An invitation to be a child's guardian.
#[derive(Clone, PartialEq, Record)]
#[record(table = "guardian_invitations", alias = "gi")]
pub struct GuardianInvitation {
    /// The id.
    #[field(server)]
    pub id: GuardianInvitationId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// The invited address.
    #[field(server, sealed)]
    pub email: Email,
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
    /// The relation that was proposed when it was accepted.
    #[field(server)]
    pub relation_id: Option<RelationId>,
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
#[derive(Clone, PartialEq, Body)]
#[body(title = "GuardianInvitationCreate")]
pub struct NewGuardianInvitation {
    /// The address to which the link is mailed.
    pub email: Email,
}

unprinted! { NewGuardianInvitation }

/// The person who invites.
#[derive(Clone, Debug)]
pub struct Inviting {
    /// The user.
    pub user: UserId,
    /// Their address.
    pub email: Email,
    /// In what capacity they may change how the child's family is reached.
    pub capacity: Capacity,
    /// How many invitations they have sent in [`A_DAY`].
    pub sent: i64,
}

impl Inviting {
    /// Refuses an invitation of oneself.
    fn refuse_oneself(&self, invited: &Email) -> Result<(), Refusal> {
        if self.email.folded() == invited.folded() { Err(Refusal::SelfGrant) } else { Ok(()) }
    }
}

/// Whether someone sees an invitation. A registrar sees those that they sent, the family all.
pub fn is_seen(user: UserId, capacity: Capacity, invitation: &GuardianInvitation) -> bool {
    capacity != Capacity::Registrar || invitation.invited_by == user
}

/// Invites a person to be a child's guardian. `all` has the invitations about the child, and `is_guardian` says whether a user with the
/// address is its guardian or was proposed: a registrar does not learn of what others have proposed.
pub fn invite(
    moment: &Moment,
    by: &Inviting,
    child_id: ChildId,
    new: NewGuardianInvitation,
    all: &[GuardianInvitation],
    is_guardian: bool,
) -> Result<GuardianInvitation, Refusal> {
    by.refuse_oneself(&new.email)?;
    if is_guardian && by.capacity != Capacity::Registrar {
        let why = "a person with this address is already a guardian of the child, or is proposed as one";
        return Err(Refusal::Duplicate(why.to_owned()));
    }
    let now = moment.now();
    let seen: Vec<_> = all.iter().filter(|it| is_seen(by.user, by.capacity, it)).collect();
    if seen.iter().any(|it| it.waits() && it.email.folded() == new.email.folded()) {
        let why = "this address is already invited. Send that invitation again, or revoke it first";
        return Err(Refusal::Duplicate(why.to_owned()));
    }
    refuse_too_many(now, &seen)?;
    if by.sent >= MAX_SENT {
        let what = format!("you have invited {MAX_SENT} guardians within 24 hours. Invite others tomorrow");
        return Err(Refusal::LimitReached(what));
    }
    Ok(GuardianInvitation {
        id: moment.id(),
        child_id,
        email: new.email,
        invited_by: by.user,
        sent_at: now,
        expires_at: expiry(now),
        accepted_at: None,
        relation_id: None,
        revoked_at: None,
        mail_failed_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// The invitation with a new link, which replaces the earlier one. If another person sends it again, the person who invited stays the one who cannot
/// confirm the relation. `all` has the invitations about the child.
pub fn sent_again(
    moment: &Moment,
    by: &Inviting,
    invitation: &GuardianInvitation,
    all: &[GuardianInvitation],
) -> Result<GuardianInvitation, Refusal> {
    invitation.course().refuse_closed()?;
    by.refuse_oneself(&invitation.email)?;
    let now = moment.now();
    let others = all.iter().filter(|it| it.id != invitation.id && is_seen(by.user, by.capacity, it));
    refuse_too_many(now, &others.collect::<Vec<_>>())?;
    Ok(GuardianInvitation {
        sent_at: now,
        expires_at: expiry(now),
        mail_failed_at: None,
        ..invitation.clone()
    })
}

fn refuse_too_many(now: Timestamp, all: &[&GuardianInvitation]) -> Result<(), Refusal> {
    if all.iter().filter(|it| it.status(now) == InvitationStatus::Open).count() < MAX_OPEN {
        return Ok(());
    }
    let what =
        format!("this child already has {MAX_OPEN} open invitations. Revoke one that is no longer needed");
    Err(Refusal::LimitReached(what))
}

/// Revokes an invitation. Returns `None` if it was revoked before.
pub fn revoke(moment: &Moment, invitation: GuardianInvitation) -> Result<Option<Effect>, Refusal> {
    if invitation.accepted_at.is_some() {
        let why = "the invitation was accepted; revoke the relation instead";
        return Err(Refusal::State(why.to_owned()));
    }
    let revoked_at = invitation.revoked_at.or(Some(moment.now()));
    Ok(Effect::update(moment, invitation.clone(), GuardianInvitation { revoked_at, ..invitation }))
}

/// The invitation after its message was given up. `None` if it no longer waits for an answer, or was sent again.
pub fn mail_failed(moment: &Moment, invitation: GuardianInvitation, sent_version: i64) -> Option<Effect> {
    if !invitation.waits() || invitation.version != sent_version {
        return None;
    }
    let mail_failed_at = Some(moment.now());
    Effect::update(moment, invitation.clone(), GuardianInvitation { mail_failed_at, ..invitation })
}

impl GuardianInvitation {
    /// The status at a time.
    pub fn status(&self, now: Timestamp) -> InvitationStatus {
        self.course().status(now)
    }

    /// The accepted invitation, with the relation that it led to.
    #[must_use]
    pub fn accepted(&self, now: Timestamp, relation: RelationId) -> Self {
        Self { accepted_at: Some(now), relation_id: Some(relation), ..self.clone() }
    }

    /// Whether it was neither accepted nor revoked.
    fn waits(&self) -> bool {
        self.course().refuse_closed().is_ok()
    }

    fn course(&self) -> Course {
        let Self { expires_at, accepted_at, revoked_at, mail_failed_at, .. } = *self;
        Course { expires_at, accepted_at, revoked_at, mail_failed_at }
    }
}

#[cfg(test)]
mod tests;
