//! What a child or its guardians consent to.

use jiff::Timestamp;

use super::classes::Capacity;
use super::require;
use crate::ids::{ChildId, ConsentId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::second_person::Actor;
use crate::text::Name;
use crate::{Moment, Refusal};

/// The age in years from which a child consents itself.
pub const CONSENTS_FROM: i64 = 16;

enumeration! {
    /// A purpose that needs consent. Each is given and withdrawn alone.
    Purpose {
        /// The child takes part, so that the staff of its teams see more than the line of a roster.
        Participation "participation",
        /// The staff of its teams see what someone must know in an emergency.
        MedicalCare "medical_care",
        /// Photos of the child are taken and shown.
        Photos "photos",
        /// Data of the child is disclosed to others, such as a college.
        ThirdPartyShare "third_party_share",
    }
}

enumeration! {
    /// How consent was given.
    ConsentMethod {
        /// In the app, by the signed-in person.
        Electronic "electronic",
        /// On paper.
        Paper "paper",
    }
}

enumeration! {
    /// The status of a consent.
    ConsentStatus {
        /// It is valid.
        Granted "granted",
        /// Its end has passed.
        Expired "expired",
        /// It was withdrawn.
        Withdrawn "withdrawn",
    }
}

/// A consent.
#[derive(Clone, PartialEq, Record)]
#[record(table = "consents", alias = "n")]
pub struct Consent {
    /// The id.
    #[field(server)]
    pub id: ConsentId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// What it is for.
    #[field(server)]
    pub purpose: Purpose,
    /// How it was given.
    #[field(server)]
    pub method: ConsentMethod,
    /// The version of the notice that the person read.
    #[field(server)]
    pub notice_version: Name,
    /// Who gave it.
    #[field(server)]
    pub granted_by: Option<UserId>,
    /// When it was given.
    #[field(server)]
    pub granted_at: Timestamp,
    /// When it ends.
    #[field(server)]
    pub expires_at: Option<Timestamp>,
    /// Who withdrew it.
    #[field(server)]
    pub withdrawn_by: Option<UserId>,
    /// When it was withdrawn.
    #[field(server)]
    pub withdrawn_at: Option<Timestamp>,
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

/// The fields of a new consent.
#[derive(Clone, Debug, PartialEq, Body)]
#[body(title = "ConsentCreate")]
pub struct NewConsent {
    /// What it is for.
    pub purpose: Purpose,
    /// How it is given.
    pub method: ConsentMethod,
    /// The version of the notice that the person read, such as `2026-03`.
    pub notice_version: Name,
    /// When it ends. By default, it is valid until it is withdrawn.
    #[body(default = None)]
    pub expires_at: Option<Timestamp>,
}

/// Someone who consents about a child, or withdraws consent.
#[derive(Clone, Copy, Debug)]
pub struct Consenting {
    /// The person.
    pub actor: Actor,
    /// The capacity in which they open what is recorded for the family.
    pub capacity: Capacity,
    /// The child's age in years.
    pub age: i64,
}

impl Consenting {
    /// Refuses all but guardians, and the child itself from an age on.
    fn refuse_others(&self) -> Result<(), Refusal> {
        let allowed = [Capacity::Guardian, Capacity::Child];
        let allowed = if self.age >= CONSENTS_FROM { &allowed[..] } else { &allowed[..1] };
        let why = format!(
            "only a guardian consents, or withdraws consent, and the child from {CONSENTS_FROM} years on"
        );
        require(&[self.capacity], allowed, &why)
    }
}

/// Gives consent. `earlier` are the child's consents: a purpose has one valid consent at a time, so that withdrawing it leaves none.
pub fn grant(
    moment: &Moment,
    by: &Consenting,
    child_id: ChildId,
    new: &NewConsent,
    earlier: &[Consent],
) -> Result<Consent, Refusal> {
    by.refuse_others()?;
    let now = moment.now();
    let mut check = Check::default();
    if new.expires_at.is_some_and(|end| end <= now) {
        check.refuse("/expires_at", "in_the_past", "is in the past", "Send a time to come.");
    }
    check.finish(Some(()))?;
    if earlier.iter().any(|it| it.purpose == new.purpose && it.status_at(now) == ConsentStatus::Granted) {
        let why = "this consent is granted already. To change its notice or its end, withdraw it first";
        return Err(Refusal::Duplicate(why.to_owned()));
    }
    Ok(Consent {
        id: moment.id(),
        child_id,
        purpose: new.purpose,
        method: new.method,
        notice_version: new.notice_version.clone(),
        granted_by: by.actor.user,
        granted_at: now,
        expires_at: new.expires_at,
        withdrawn_by: None,
        withdrawn_at: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// The withdrawn consent. Any guardian can withdraw it, also one who did not give it.
pub fn withdraw(moment: &Moment, by: &Consenting, consent: &Consent) -> Result<Consent, Refusal> {
    by.refuse_others()?;
    let now = moment.now();
    let why = match consent.status_at(now) {
        ConsentStatus::Granted => {
            let withdrawn_by = by.actor.user;
            return Ok(Consent { withdrawn_by, withdrawn_at: Some(now), ..consent.clone() });
        }
        ConsentStatus::Expired => "the consent has expired already",
        ConsentStatus::Withdrawn => "the consent is withdrawn already",
    };
    Err(Refusal::State(why.to_owned()))
}

impl Consent {
    /// The status at a time.
    pub fn status_at(&self, now: Timestamp) -> ConsentStatus {
        if self.withdrawn_at.is_some() {
            ConsentStatus::Withdrawn
        } else if self.expires_at.is_some_and(|end| end <= now) {
            ConsentStatus::Expired
        } else {
            ConsentStatus::Granted
        }
    }
}

#[cfg(test)]
mod tests;
