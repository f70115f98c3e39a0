//! Restrictions: a custody order or a safeguarding block closes classes of a child's data to a person or to everyone, whatever else opens
//! them.

use jiff::Timestamp;

use super::classes::DataClass;
use super::relations::Relation;
use super::unprinted;
use crate::ids::{ChildId, RestrictionId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::second_person::Actor;
use crate::text::{Name, Reason};
use crate::{Moment, Refusal};

enumeration! {
    /// Why a child's data is closed.
    RestrictionKind {
        /// A court's order.
        CustodyOrder "custody_order",
        /// A decision of the safeguarding lead.
        SafeguardingBlock "safeguarding_block",
    }
}

/// A restriction.
#[derive(Clone, PartialEq, Record)]
#[record(table = "restrictions", alias = "x", derived(class_bits = self.bits()))]
pub struct Restriction {
    /// The id.
    #[field(server)]
    pub id: RestrictionId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// The person. Everyone, if empty.
    #[field(server)]
    pub user_id: Option<UserId>,
    /// The classes that are closed. All, if empty.
    #[field(server)]
    pub classes: Vec<DataClass>,
    /// Why.
    #[field(server)]
    pub kind: RestrictionKind,
    /// The reason in words.
    #[field(server, sealed)]
    pub reason: Reason,
    /// Where the document is kept.
    #[field(server, sealed)]
    pub document_ref: Option<Name>,
    /// When it starts.
    #[field(server)]
    pub starts_at: Timestamp,
    /// Who entered it.
    #[field(server)]
    pub entered_by: Option<UserId>,
    /// When it was lifted.
    #[field(server)]
    pub lifted_at: Option<Timestamp>,
    /// Who lifted it.
    #[field(server)]
    pub lifted_by: Option<UserId>,
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

/// The fields of a new restriction.
#[derive(Clone, PartialEq, Body)]
#[body(title = "RestrictionCreate")]
pub struct NewRestriction {
    /// The person to whom it closes the child's data, also a former member. By default: everyone.
    #[body(default = None)]
    pub user_id: Option<UserId>,
    /// The classes that it closes. By default: all.
    #[body(default = Vec::new(), max = 8)]
    pub classes: Vec<DataClass>,
    /// Why.
    pub kind: RestrictionKind,
    /// The reason in words.
    pub reason: Reason,
    /// Where the document is kept, such as a folder of the office.
    #[body(default = None)]
    pub document_ref: Option<Name>,
    /// When it starts; now by default. A time in the past is the date of the order.
    #[body(default = None)]
    pub starts_at: Option<Timestamp>,
}

unprinted! { NewRestriction }

/// Refuses a safeguarding lead who is or was of the child's family: one parent does not decide about the other.
pub fn refuse_family(user: Option<UserId>, relations: &[Relation]) -> Result<(), Refusal> {
    if !relations.iter().any(|it| it.made_family(user)) {
        return Ok(());
    }
    let why = "you are or were of the child's family. Ask another safeguarding lead";
    Err(Refusal::Forbidden(why.to_owned()))
}

/// Enters a restriction. `is_known` says whether the person is or was a member of the organization, or none is named.
pub fn enter(
    moment: &Moment,
    actor: Actor,
    child_id: ChildId,
    new: &NewRestriction,
    is_known: bool,
) -> Result<Restriction, Refusal> {
    let mut check = Check::default();
    if !is_known {
        check.missing("/user_id");
    }
    for (index, class) in new.classes.iter().enumerate() {
        if new.classes[..index].contains(class) {
            let pointer = format!("/classes/{index}");
            check.refuse(&pointer, "duplicate", "is in the list already", "Send each class once.");
        }
    }
    check.finish(Some(()))?;
    let now = moment.now();
    Ok(Restriction {
        id: moment.id(),
        child_id,
        user_id: new.user_id,
        classes: new.classes.clone(),
        kind: new.kind,
        reason: new.reason.clone(),
        document_ref: new.document_ref.clone(),
        starts_at: new.starts_at.unwrap_or(now),
        entered_by: actor.user,
        lifted_at: None,
        lifted_by: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// The lifted restriction. No one lifts a restriction of their own access.
pub fn lift(moment: &Moment, actor: Actor, restriction: &Restriction) -> Result<Restriction, Refusal> {
    restriction.user_id.map_or(Ok(()), |user| actor.refuse_oneself(user))?;
    if restriction.lifted_at.is_some() {
        return Err(Refusal::State("the restriction is lifted already".to_owned()));
    }
    Ok(Restriction { lifted_at: Some(moment.now()), lifted_by: actor.user, ..restriction.clone() })
}

impl Restriction {
    /// Whether it closes a class to a person at a time.
    pub fn closes(&self, class: DataClass, user: UserId, now: Timestamp) -> bool {
        let is_for_them = self.user_id.is_none_or(|restricted| restricted == user);
        let is_in_force = self.starts_at <= now && self.lifted_at.is_none();
        is_for_them && is_in_force && self.bits() & class.bit() != 0
    }

    /// Whether it closes data to this one person at a time. What is closed to everyone says nothing about a person.
    pub fn names(&self, user: UserId, now: Timestamp) -> bool {
        self.user_id == Some(user) && self.starts_at <= now && self.lifted_at.is_none()
    }

    /// The closed classes as bits, as the store compares them.
    fn bits(&self) -> i64 {
        let closed = if self.classes.is_empty() { DataClass::ALL } else { &self.classes };
        closed.iter().fold(0, |bits, class| bits | class.bit())
    }
}

#[cfg(test)]
mod tests;
