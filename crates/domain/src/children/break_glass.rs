//! Break-glass grants: someone opens the little of a child's data that helps in an emergency, for an hour and without waiting for anyone. The
//! guardians are told at once, and another person reviews it.

use jiff::{SignedDuration, Timestamp};

use super::unprinted;
use crate::ids::{BreakGlassGrantId, ChildId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::second_person::Actor;
use crate::text::Reason;
use crate::{Moment, Refusal};

/// How long a grant is open.
pub const GRANT_LIFE: SignedDuration = SignedDuration::from_mins(60);
/// The maximum number of grants of a person within [`COUNTED`].
pub const MAX_GRANTS: usize = 3;
/// How long a grant counts against the maximum.
pub const COUNTED: SignedDuration = SignedDuration::from_hours(24);
/// How long after its start a grant is reviewed. Until an overdue one is, its holder gets no new one.
pub const REVIEWED_WITHIN: SignedDuration = SignedDuration::from_hours(72);

enumeration! {
    /// Why someone opens a child's data in an emergency.
    EmergencyReason {
        /// The child is ill or hurt.
        Medical "medical",
        /// The child is missing.
        Missing "missing",
        /// The child was not collected.
        NotCollected "not_collected",
        /// Another emergency.
        Other "other",
    }
}

enumeration! {
    /// The result of a review.
    ReviewOutcome {
        /// There was an emergency.
        Justified "justified",
        /// There was none.
        Unjustified "unjustified",
    }
}

/// A break-glass grant.
#[derive(Clone, PartialEq, Record)]
#[record(table = "break_glass_grants", alias = "bg")]
pub struct BreakGlassGrant {
    /// The id.
    #[field(server)]
    pub id: BreakGlassGrantId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// Its holder.
    #[field(server)]
    pub user_id: UserId,
    /// Why.
    #[field(server)]
    pub reason_code: EmergencyReason,
    /// The reason in words.
    #[field(server, sealed)]
    pub reason: Reason,
    /// When it starts.
    #[field(server)]
    pub starts_at: Timestamp,
    /// When it ends by itself.
    #[field(server)]
    pub ends_at: Timestamp,
    /// When it was ended early.
    #[field(server)]
    pub ended_at: Option<Timestamp>,
    /// When the guardians were told. `None` if there is none whom the server can tell.
    #[field(server)]
    pub told_at: Option<Timestamp>,
    /// Who reviewed it.
    #[field(server)]
    pub reviewed_by: Option<UserId>,
    /// When it was reviewed.
    #[field(server)]
    pub reviewed_at: Option<Timestamp>,
    /// The result of the review.
    #[field(server)]
    pub outcome: Option<ReviewOutcome>,
    /// What the reviewer noted.
    #[field(server, sealed)]
    pub note: Option<Reason>,
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

/// The fields of a new break-glass grant.
#[derive(Clone, PartialEq, Body)]
#[body(title = "BreakGlassGrantCreate")]
pub struct NewBreakGlassGrant {
    /// The child.
    pub child_id: ChildId,
    /// Why. The guardians are told this.
    pub reason_code: EmergencyReason,
    /// The reason in words, for the reviewer.
    pub reason: Reason,
}

unprinted! { NewBreakGlassGrant }

/// The review of a break-glass grant.
#[derive(Clone, PartialEq, Body)]
#[body(title = "BreakGlassReviewCreate")]
pub struct NewReview {
    /// The result.
    pub outcome: ReviewOutcome,
    /// What the reviewer notes.
    #[body(default = None)]
    pub note: Option<Reason>,
}

unprinted! { NewReview }

/// An earlier grant of the same person.
#[derive(Clone, Copy, Debug)]
pub struct Earlier {
    /// When it started.
    pub starts_at: Timestamp,
    /// Whether it was reviewed.
    pub is_reviewed: bool,
}

/// Grants it. `earlier` are the person's grants that count or are not reviewed, earliest first. `tells` says whether there is a guardian whom
/// the server tells.
pub fn grant(
    moment: &Moment,
    user: UserId,
    new: &NewBreakGlassGrant,
    earlier: &[Earlier],
    tells: bool,
) -> Result<BreakGlassGrant, Refusal> {
    let now = moment.now();
    let age = |it: &Earlier| now.duration_since(it.starts_at);
    if earlier.iter().any(|it| !it.is_reviewed && age(it) >= REVIEWED_WITHIN) {
        let why = "an earlier grant was not reviewed within 72 hours. Ask a safeguarding lead or an admin to review it";
        return Err(Refusal::State(why.to_owned()));
    }
    let counted: Vec<_> = earlier.iter().map(age).filter(|age| *age < COUNTED).collect();
    if let Some(oldest) = counted.len().checked_sub(MAX_GRANTS).and_then(|at| counted.get(at)) {
        let wait = COUNTED.saturating_sub(*oldest).as_secs() + 1;
        return Err(Refusal::BreakGlassLimit { wait });
    }
    Ok(BreakGlassGrant {
        id: moment.id(),
        child_id: new.child_id,
        user_id: user,
        reason_code: new.reason_code,
        reason: new.reason.clone(),
        starts_at: now,
        ends_at: now.saturating_add(GRANT_LIFE).unwrap_or(Timestamp::MAX),
        ended_at: None,
        told_at: tells.then_some(now),
        reviewed_by: None,
        reviewed_at: None,
        outcome: None,
        note: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// The grant, ended early.
pub fn ended(moment: &Moment, grant: &BreakGlassGrant) -> Result<BreakGlassGrant, Refusal> {
    if !grant.is_open_at(moment.now()) {
        return Err(Refusal::State("the grant has ended already".to_owned()));
    }
    Ok(BreakGlassGrant { ended_at: Some(moment.now()), ..grant.clone() })
}

/// The reviewed grant. No one reviews their own.
pub fn reviewed(
    moment: &Moment,
    actor: Actor,
    grant: &BreakGlassGrant,
    review: &NewReview,
) -> Result<BreakGlassGrant, Refusal> {
    actor.refuse_oneself(grant.user_id)?;
    if grant.reviewed_at.is_some() {
        return Err(Refusal::State("the grant is reviewed already".to_owned()));
    }
    Ok(BreakGlassGrant {
        reviewed_by: actor.user,
        reviewed_at: Some(moment.now()),
        outcome: Some(review.outcome),
        note: review.note.clone(),
        ..grant.clone()
    })
}

impl BreakGlassGrant {
    /// Whether it opens data at a time.
    pub fn is_open_at(&self, now: Timestamp) -> bool {
        self.ended_at.is_none() && self.starts_at <= now && now < self.ends_at
    }
}

#[cfg(test)]
mod tests;
