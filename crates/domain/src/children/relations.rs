//! Relations: what opens a child's data to a person. They are recorded for one child and one person, and no one grants one to themselves.

mod rules;

use jiff::{SignedDuration, Timestamp};

use super::classes::Capacity;
use super::unprinted;
use crate::Moment;
use crate::ids::{ChildId, RelationId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::text::Reason;

pub use rules::{
    Facts, Revoking, accepted, accepted_by_invitation, confirmed, expired, expired_refusal, is_known_to,
    proposal, propose, replaced, revoked,
};

enumeration! {
    /// A kind of relation.
    RelationKind {
        /// The child itself.
        Itself "self",
        /// A parent or another guardian.
        Guardian "guardian",
        /// Registers the child. Always ends.
        Registrar "registrar",
        /// Cares for the child's health. Always ends.
        MedicalStaff "medical_staff",
        /// Helps with a problem, for at most 24 hours.
        Support "support",
    }
}

impl RelationKind {
    /// The capacity in which the person opens the child's data.
    pub const fn capacity(self) -> Capacity {
        match self {
            Self::Itself => Capacity::Child,
            Self::Guardian => Capacity::Guardian,
            Self::Registrar => Capacity::Registrar,
            Self::MedicalStaff => Capacity::MedicalStaff,
            Self::Support => Capacity::Support,
        }
    }

    /// Whether it belongs to the family, and needs no end.
    pub const fn is_family(self) -> bool {
        matches!(self, Self::Itself | Self::Guardian)
    }

    /// The longest time to its end. `None` if it needs no end.
    pub const fn max_life(self) -> Option<SignedDuration> {
        match self {
            Self::Itself | Self::Guardian => None,
            Self::Registrar | Self::MedicalStaff => Some(SignedDuration::from_hours(400 * 24)),
            Self::Support => Some(SignedDuration::from_hours(24)),
        }
    }
}

enumeration! {
    /// The state of a relation.
    RelationState {
        /// A second person has not confirmed it yet.
        Proposed "proposed",
        /// Confirmed: the person has not accepted it yet.
        Confirmed "confirmed",
        /// Active: it opens the child's data from its start to its end.
        Active "active",
        /// Over: its end has passed, or the person is no longer a member.
        Expired "expired",
        /// Revoked.
        Revoked "revoked",
    }
}

impl RelationState {
    /// Whether a relation in this state never opens anything again.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Expired | Self::Revoked)
    }
}

/// A relation of a person to a child.
#[derive(Clone, PartialEq, Record)]
#[record(table = "relations", alias = "r", derived(capacity = self.kind.capacity().bit()))]
pub struct Relation {
    /// The id.
    #[field(server)]
    pub id: RelationId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// The person, a member of the organization.
    #[field(server)]
    pub user_id: UserId,
    /// What they are to the child.
    #[field(server)]
    pub kind: RelationKind,
    /// The state.
    #[field(server)]
    pub state: RelationState,
    /// When it starts.
    #[field(server)]
    pub starts_at: Timestamp,
    /// When it ends.
    #[field(server)]
    pub expires_at: Option<Timestamp>,
    /// Why the person needs it.
    #[field(server, personal)]
    pub reason: Option<Reason>,
    /// Who proposed it.
    #[field(server)]
    pub proposed_by: Option<UserId>,
    /// When it was proposed.
    #[field(server)]
    pub proposed_at: Timestamp,
    /// Who confirmed it.
    #[field(server)]
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed.
    #[field(server)]
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    #[field(server)]
    pub confirmed_alone: bool,
    /// When the person accepted it: after it was confirmed, or before, with an invitation.
    #[field(server)]
    pub accepted_at: Option<Timestamp>,
    /// Who revoked it.
    #[field(server)]
    pub revoked_by: Option<UserId>,
    /// When it was revoked.
    #[field(server)]
    pub revoked_at: Option<Timestamp>,
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

/// The fields of a new relation.
#[derive(Clone, PartialEq, Body)]
#[body(title = "RelationCreate")]
pub struct NewRelation {
    /// The person, a member of the organization. No one proposes themselves.
    pub user_id: UserId,
    /// What they are to the child.
    pub kind: RelationKind,
    /// When it ends: at most 24 hours from now for support, at most 400 days for a registrar and for medical staff. They need an end; the
    /// child itself and guardians do not.
    #[body(default = None)]
    pub expires_at: Option<Timestamp>,
    /// Why the person needs it. Required, except for the child itself and guardians. Do not name the child: managers read it.
    #[body(default = None)]
    pub reason: Option<Reason>,
}

unprinted! { NewRelation }

impl Relation {
    /// The relation of the person who creates a child as its guardian. It is active at once: the child has no data yet that it could open.
    pub fn of_creator(moment: &Moment, child_id: ChildId, user: UserId, kind: RelationKind) -> Self {
        let now = moment.now();
        Self {
            id: moment.id(),
            child_id,
            user_id: user,
            kind,
            state: RelationState::Active,
            starts_at: now,
            expires_at: None,
            reason: None,
            proposed_by: Some(user),
            proposed_at: now,
            confirmed_by: None,
            confirmed_at: None,
            confirmed_alone: false,
            accepted_at: Some(now),
            revoked_by: None,
            revoked_at: None,
            created_at: now,
            updated_at: now,
            version: 1,
        }
    }

    /// The state at a time: a relation is over from its end on.
    pub fn state_at(&self, now: Timestamp) -> RelationState {
        let has_ended = self.expires_at.is_some_and(|end| end <= now);
        if has_ended && self.state != RelationState::Revoked { RelationState::Expired } else { self.state }
    }

    /// Whether it opens data at a time.
    pub fn is_open_at(&self, now: Timestamp) -> bool {
        self.state_at(now) == RelationState::Active && self.starts_at <= now
    }

    /// Whether it makes, or once made, the user part of the child's family. That does not change when it ends or is restricted, so that they can
    /// never act as a second person for the child. Someone who accepted and was not confirmed counts while it is proposed.
    pub fn made_family(&self, user: Option<UserId>) -> bool {
        let was_confirmed = self.confirmed_at.is_some() || self.proposed_by == Some(self.user_id);
        let counts = was_confirmed || self.state == RelationState::Proposed;
        user == Some(self.user_id) && self.kind.is_family() && self.accepted_at.is_some() && counts
    }
}
