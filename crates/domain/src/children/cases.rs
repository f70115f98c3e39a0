//! Safeguarding cases: while a case is open, it opens some data of the children whom it names to the safeguarding leads who work on it.
//!
//! A lead proposes a case and a second person confirms it: an admin, or a lead who does not work on it. No one of the children's families
//! sees, confirms or works on a case. It ends by itself; confirming it again opens it for longer.

use jiff::{SignedDuration, Timestamp};

use super::unprinted;
use crate::ids::{ChildId, SafeguardingCaseId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::roles::Role;
use crate::second_person::{Actor, Proposal};
use crate::text::{Name, Reason};
use crate::{Moment, Refusal};

/// How long a case is open after it was last confirmed.
pub const CASE_LIFE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// How long after the end of a case that was not closed its family does not see who has read the child's data. A case that is confirmed
/// again in the meantime stays hidden.
pub const HIDDEN_AFTER_END: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The maximum number of children, and of leads, of a case.
pub const MAX_NAMED: usize = 20;

enumeration! {
    /// The state of a safeguarding case.
    CaseState {
        /// A second person has not confirmed it yet.
        Proposed "proposed",
        /// Open: it opens data of its children to its leads.
        Open "open",
        /// Its end has passed. It can be confirmed again.
        Ended "ended",
        /// Closed for good.
        Closed "closed",
    }
}

/// A safeguarding case.
#[derive(Clone, PartialEq, Record)]
#[record(table = "safeguarding_cases", alias = "sc")]
pub struct SafeguardingCase {
    /// The id.
    #[field(server)]
    pub id: SafeguardingCaseId,
    /// What it is called, without a child's name.
    #[field(server, personal)]
    pub title: Name,
    /// The children whom it opens.
    #[field(server)]
    pub child_ids: Vec<ChildId>,
    /// The safeguarding leads to whom it opens them.
    #[field(server)]
    pub lead_ids: Vec<UserId>,
    /// The state.
    #[field(server)]
    pub state: CaseState,
    /// Who proposed it.
    #[field(server)]
    pub opened_by: Option<UserId>,
    /// When it was proposed.
    #[field(server)]
    pub opened_at: Timestamp,
    /// Who confirmed it last.
    #[field(server)]
    pub confirmed_by: Option<UserId>,
    /// When it was confirmed last.
    #[field(server)]
    pub confirmed_at: Option<Timestamp>,
    /// Whether an owner confirmed it because no other member could.
    #[field(server)]
    pub confirmed_alone: bool,
    /// When it ends.
    #[field(server)]
    pub ends_at: Option<Timestamp>,
    /// Who closed it.
    #[field(server)]
    pub closed_by: Option<UserId>,
    /// When it was closed.
    #[field(server)]
    pub closed_at: Option<Timestamp>,
    /// How it was closed, without a child's name.
    #[field(server, personal)]
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

/// The fields of a new safeguarding case.
#[derive(Clone, PartialEq, Body)]
#[body(title = "SafeguardingCaseCreate")]
pub struct NewSafeguardingCase {
    /// What it is called. Do not name a child: admins read it.
    pub title: Name,
    /// The children whose data it opens. Name only those whom the case is about.
    #[body(max = 20)]
    pub child_ids: Vec<ChildId>,
    /// The safeguarding leads to whom it opens them. By default: the caller.
    #[body(default = Vec::new(), max = 20)]
    pub lead_ids: Vec<UserId>,
}

unprinted! { NewSafeguardingCase }

/// How a case is closed.
#[derive(Clone, PartialEq, Body)]
#[body(title = "SafeguardingCaseClose")]
pub struct CloseSafeguardingCase {
    /// How it was closed. Do not name a child: other leads read it.
    #[body(default = None)]
    pub note: Option<Reason>,
}

unprinted! { CloseSafeguardingCase }

/// What the body of a new case names.
#[derive(Clone, Debug)]
pub struct Named {
    /// For each child, whether it exists.
    pub children: Vec<bool>,
    /// For each lead, whether they have the duty now and are not of the family of a child.
    pub leads: Vec<bool>,
}

/// Proposes a case. The caller works on it, unless the body names others.
pub fn open(
    moment: &Moment,
    actor: Actor,
    new: &NewSafeguardingCase,
    named: &Named,
) -> Result<SafeguardingCase, Refusal> {
    let mut check = Check::default();
    if new.child_ids.is_empty() {
        check.refuse("/child_ids", "required", "is empty", "Send the children whom the case is about.");
    }
    refuse_twice(&mut check, "/child_ids", &new.child_ids);
    refuse_twice(&mut check, "/lead_ids", &new.lead_ids);
    for (index, _) in named.children.iter().enumerate().filter(|(_, exists)| !**exists) {
        check.missing(&format!("/child_ids/{index}"));
    }
    for (index, _) in named.leads.iter().enumerate().filter(|(_, may)| !**may) {
        let (pointer, why) = (format!("/lead_ids/{index}"), "cannot work on this case");
        let fix = "Send people who have the duty safeguarding_lead now and are not of the family of a child.";
        check.refuse(&pointer, "not_eligible", why, fix);
    }
    check.finish(Some(()))?;
    let now = moment.now();
    let lead_ids =
        if new.lead_ids.is_empty() { actor.user.into_iter().collect() } else { new.lead_ids.clone() };
    Ok(SafeguardingCase {
        id: moment.id(),
        title: new.title.clone(),
        child_ids: new.child_ids.clone(),
        lead_ids,
        state: CaseState::Proposed,
        opened_by: actor.user,
        opened_at: now,
        confirmed_by: None,
        confirmed_at: None,
        confirmed_alone: false,
        ends_at: None,
        closed_by: None,
        closed_at: None,
        note: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

fn refuse_twice<T: PartialEq>(check: &mut Check, at: &str, ids: &[T]) {
    for (index, id) in ids.iter().enumerate() {
        if ids[..index].contains(id) {
            let pointer = format!("{at}/{index}");
            check.refuse(&pointer, "duplicate", "is in the list already", "Send each id once.");
        }
    }
}

/// A case as a second person has to confirm it. A case that is open or has ended is proposed again each time.
pub fn proposal(case: &SafeguardingCase) -> Proposal {
    let SafeguardingCase { opened_by: proposed_by, opened_at: proposed_at, .. } = *case;
    Proposal { about: None, proposed_by, proposed_at, role: Role::Admin }
}

/// The confirmed case, which is open from now on. Who works on it cannot confirm it, except an owner alone. `others` says whether another
/// member than the actor could.
pub fn confirmed(
    moment: &Moment,
    actor: Actor,
    case: &SafeguardingCase,
    others: bool,
) -> Result<SafeguardingCase, Refusal> {
    case.refuse_closed()?;
    let now = moment.now();
    // Its family sees by then who has read for it, and must not see that disappear again.
    let is_shown = |end: Timestamp| end.saturating_add(HIDDEN_AFTER_END).is_ok_and(|shown| shown <= now);
    if case.ends_at.is_some_and(is_shown) {
        return Err(Refusal::State(
            "the case ended more than 30 days ago. Close it, and open a new one".to_owned(),
        ));
    }
    let works_on_it = actor.user.is_some_and(|user| case.lead_ids.contains(&user));
    if works_on_it && actor.user != case.opened_by && others {
        return Err(Refusal::SelfGrant);
    }
    // Someone who works on a case is as little a second person as its proposer.
    let proposed_by = if works_on_it { actor.user } else { case.opened_by };
    let confirmed_alone = Proposal { proposed_by, ..proposal(case) }.confirm(now, actor, others)?;
    Ok(SafeguardingCase {
        state: CaseState::Open,
        confirmed_by: actor.user,
        confirmed_at: Some(now),
        confirmed_alone,
        ends_at: Some(now.saturating_add(CASE_LIFE).unwrap_or(Timestamp::MAX)),
        ..case.clone()
    })
}

/// The closed case, which opens nothing from now on.
pub fn closed(
    moment: &Moment,
    actor: Actor,
    case: &SafeguardingCase,
    close: &CloseSafeguardingCase,
) -> Result<SafeguardingCase, Refusal> {
    case.refuse_closed()?;
    Ok(SafeguardingCase {
        state: CaseState::Closed,
        closed_by: actor.user,
        closed_at: Some(moment.now()),
        note: close.note.clone(),
        ..case.clone()
    })
}

impl SafeguardingCase {
    /// The state at a time: an open case is over from its end on.
    pub fn state_at(&self, now: Timestamp) -> CaseState {
        let has_ended = self.state == CaseState::Open && self.ends_at.is_some_and(|end| end <= now);
        if has_ended { CaseState::Ended } else { self.state }
    }

    /// Whether it opens its children's data to its leads at a time.
    pub fn is_open_at(&self, now: Timestamp) -> bool {
        self.state_at(now) == CaseState::Open
    }

    fn refuse_closed(&self) -> Result<(), Refusal> {
        if self.state != CaseState::Closed {
            return Ok(());
        }
        Err(Refusal::State("the case is closed; open a new one".to_owned()))
    }
}

#[cfg(test)]
mod tests;
