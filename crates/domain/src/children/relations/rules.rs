//! Who proposes, confirms, accepts and revokes relations.

use jiff::Timestamp;

use super::{NewRelation, Relation, RelationKind, RelationState};
use crate::children::classes::Capacity;
use crate::children::guardian_invitations::GuardianInvitation;
use crate::children::require;
use crate::ids::{ChildId, UserId};
use crate::refusal::Check;
use crate::roles::Role;
use crate::second_person::{Actor, Proposal};
use crate::{Moment, Refusal};

/// What is known when a relation is proposed.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The capacities in which the actor may change the child's records now, without those that a restriction closes.
    pub capacities: Vec<Capacity>,
    /// Whether the person is a member of the organization.
    pub is_member: bool,
    /// All relations of the child, and those of the person to other children.
    pub relations: Vec<Relation>,
}

/// Proposes a relation. The child, its guardians and managers propose relations of others. A child has at most one person as itself, and a
/// person is at most one child.
pub fn propose(
    moment: &Moment,
    actor: Actor,
    child: ChildId,
    new: &NewRelation,
    facts: &Facts,
) -> Result<Relation, Refusal> {
    if actor.role < Role::Manager {
        let why = "only the child, its guardians and managers can propose a relation";
        require(&facts.capacities, &[Capacity::Child, Capacity::Guardian], why)?;
    }
    actor.refuse_oneself(new.user_id)?;
    let now = moment.now();
    let mut check = Check::default();
    if !facts.is_member {
        check.missing("/user_id");
    }
    if let Some(end) = new.expires_at {
        check_end(&mut check, new.kind, now, end);
    }
    if !new.kind.is_family() && new.reason.is_none() {
        let fix = "Send why the person needs it.";
        check.refuse("/reason", "required", "is required for this kind of relation", fix);
    }
    check.finish(Some(()))?;
    if new.kind.max_life().is_some() && new.expires_at.is_none() {
        return Err(Refusal::ExpiryRequired { pointer: "/expires_at" });
    }
    refuse_equal(now, child, (new.user_id, new.kind), &facts.relations)?;
    Ok(Relation {
        state: RelationState::Proposed,
        expires_at: new.expires_at,
        reason: new.reason.clone(),
        proposed_by: actor.user,
        accepted_at: None,
        ..Relation::of_creator(moment, child, new.user_id, new.kind)
    })
}

/// The guardianship that someone accepts with an invitation, as proposed by the person who invited them. It opens nothing until a second
/// person confirms it. `all` has the relations of the child.
pub fn accepted_by_invitation(
    moment: &Moment,
    invitation: &GuardianInvitation,
    user: UserId,
    all: &[Relation],
) -> Result<Relation, Refusal> {
    if invitation.invited_by == user {
        return Err(Refusal::SelfGrant);
    }
    let child = invitation.child_id;
    refuse_equal(moment.now(), child, (user, RelationKind::Guardian), all)?;
    Ok(Relation {
        state: RelationState::Proposed,
        proposed_by: Some(invitation.invited_by),
        ..Relation::of_creator(moment, child, user, RelationKind::Guardian)
    })
}

fn check_end(check: &mut Check, kind: RelationKind, now: Timestamp, end: Timestamp) {
    let at = "/expires_at";
    if end <= now {
        check.refuse(at, "in_the_past", "is in the past", "Send a time to come.");
    } else if kind.max_life().is_some_and(|max| end.duration_since(now) > max) {
        let (message, fix) = match kind {
            RelationKind::Support => ("is more than 24 hours from now", "Send a time within 24 hours."),
            _ => ("is more than 400 days from now", "Send a time within 400 days."),
        };
        check.refuse(at, "too_late", message, fix);
    }
}

/// Refuses a relation that exists already, a second person as the child itself, and a person who is another child.
fn refuse_equal(
    now: Timestamp,
    child: ChildId,
    (user, kind): (UserId, RelationKind),
    all: &[Relation],
) -> Result<(), Refusal> {
    let is_same = |it: &&Relation| it.child_id == child && it.user_id == user;
    let is_near = |it: &&Relation| it.child_id == child || it.user_id == user;
    let of_kind = || all.iter().filter(|it| it.kind == kind && !it.state_at(now).is_over());
    let why = if of_kind().any(|it| is_same(&it)) {
        "the person already has this relation to the child, or is proposed for it. Revoke that relation first"
    } else if kind == RelationKind::Itself && of_kind().any(|it| is_near(&it)) {
        "a child has one person as itself, and a person is one child. Revoke the other relation of the kind self first"
    } else {
        return Ok(());
    };
    Err(Refusal::Duplicate(why.to_owned()))
}

/// A relation as a second person has to confirm it.
pub fn proposal(relation: &Relation) -> Proposal {
    let Relation { user_id: about, proposed_by, proposed_at, .. } = *relation;
    Proposal { about: Some(about), proposed_by, proposed_at, role: Role::Manager }
}

/// The confirmed relation, which is active at once if its person has accepted it. `others` says whether another member than the actor could confirm it.
pub fn confirmed(
    moment: &Moment,
    actor: Actor,
    relation: &Relation,
    others: bool,
) -> Result<Relation, Refusal> {
    let now = moment.now();
    relation.refuse_over(now)?;
    if relation.state != RelationState::Proposed {
        return Err(Refusal::State("it is confirmed already".to_owned()));
    }
    let confirmed_alone = proposal(relation).confirm(now, actor, others)?;
    Ok(Relation {
        state: if relation.accepted_at.is_some() { RelationState::Active } else { RelationState::Confirmed },
        confirmed_by: actor.user,
        confirmed_at: Some(now),
        confirmed_alone,
        ..relation.clone()
    })
}

/// The accepted relation, which opens the child's data. Only the person can accept it. To others below the role manager it does not exist.
pub fn accepted(moment: &Moment, actor: Actor, relation: &Relation) -> Result<Relation, Refusal> {
    let now = moment.now();
    if actor.user != Some(relation.user_id) {
        let why = "only the person whose relation it is can accept it".to_owned();
        return Err(if actor.role >= Role::Manager { Refusal::Forbidden(why) } else { Refusal::NotFound });
    }
    relation.refuse_over(now)?;
    let refused = |why: &str| Err(Refusal::State(why.to_owned()));
    match relation.state {
        RelationState::Confirmed => {
            Ok(Relation { state: RelationState::Active, accepted_at: Some(now), ..relation.clone() })
        }
        RelationState::Proposed => refused("a second person has to confirm it first"),
        _ => refused("it is accepted already"),
    }
}

/// Whether a relation is known to someone who need not be of the child's family: the person whose it is, and managers.
pub fn is_known_to(actor: Actor, relation: &Relation) -> bool {
    actor.user == Some(relation.user_id) || actor.role >= Role::Manager
}

/// What is known when a relation is revoked.
#[derive(Clone, Copy, Debug)]
pub struct Revoking<'a> {
    /// Whether the actor may change the child's records now, as the child or its guardian.
    pub of_family: bool,
    /// All relations of the child.
    pub relations: &'a [Relation],
}

/// The revoked relation. People give up their own relations. The family and managers revoke those of others, except a guardian's: a manager
/// decides, who is not of the family. What someone of the family has proposed, they withdraw until it is accepted.
pub fn revoked(
    moment: &Moment,
    actor: Actor,
    relation: &Relation,
    Revoking { of_family, relations }: Revoking<'_>,
) -> Result<Relation, Refusal> {
    let now = moment.now();
    if !is_known_to(actor, relation) && !of_family {
        return Err(Refusal::NotFound);
    }
    relation.refuse_over(now)?;
    let is_oneself = actor.user == Some(relation.user_id);
    if relation.kind == RelationKind::Guardian && !is_oneself {
        let is_of_family = of_family || relations.iter().any(|it| it.made_family(actor.user));
        let withdraws = relation.state != RelationState::Active && relation.proposed_by == actor.user;
        if is_of_family && !withdraws {
            let why = "the child and its guardians cannot revoke another guardian's relation. Ask a manager who is not of the family";
            return Err(Refusal::Forbidden(why.to_owned()));
        }
    }
    Ok(Relation {
        state: RelationState::Revoked,
        revoked_by: actor.user,
        revoked_at: Some(now),
        ..relation.clone()
    })
}

/// The relations of a person to a child that have ended and are not recorded so. A new one of the kind takes their place.
pub fn replaced(now: Timestamp, new: &Relation, all: &[Relation]) -> Vec<(Relation, Relation)> {
    let is_same = |it: &&Relation| {
        (it.child_id, it.user_id, it.kind) == (new.child_id, new.user_id, new.kind)
            && it.state_at(now).is_over()
    };
    all.iter().filter(is_same).filter_map(|it| Some((it.clone(), expired(it)?))).collect()
}

/// The relation after the person is no longer a member, or after its end has passed. `None` if it is recorded as over already.
pub fn expired(relation: &Relation) -> Option<Relation> {
    (!relation.state.is_over()).then(|| Relation { state: RelationState::Expired, ..relation.clone() })
}

/// The refusal of a relation that has expired, or whose proposal no longer counts.
pub fn expired_refusal() -> Refusal {
    Refusal::State("the relation has expired; propose a new one".to_owned())
}

impl Relation {
    fn refuse_over(&self, now: Timestamp) -> Result<(), Refusal> {
        match self.state_at(now) {
            RelationState::Expired => Err(expired_refusal()),
            RelationState::Revoked => {
                Err(Refusal::State("the relation was revoked; propose a new one".to_owned()))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
