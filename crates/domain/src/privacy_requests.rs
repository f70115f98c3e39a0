//! Requests of families about a child's data: to export, to correct or to erase it. A second person of the club decides.

use jiff::{SignedDuration, Timestamp};

use crate::children::unprinted;
use crate::ids::{ChildId, PrivacyRequestId, UserId};
use crate::record::{Body, Record, enumeration};
use crate::refusal::Check;
use crate::roles::Role;
use crate::second_person::{Actor, Proposal};
use crate::text::Reason;
use crate::{Moment, Refusal};

/// How long a club has to decide.
pub const DUE_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);

enumeration! {
    /// What a family requests.
    PrivacyRequestKind {
        /// A copy of what the club stores about the child.
        Export "export",
        /// A correction of what is wrong.
        Correction "correction",
        /// The erasure of everything about the child.
        Erasure "erasure",
    }
}

enumeration! {
    /// The state of a privacy request.
    PrivacyRequestState {
        /// No one has decided yet.
        Open "open",
        /// Granted: the club has to do it.
        Granted "granted",
        /// Refused.
        Refused "refused",
        /// Done.
        Done "done",
    }
}

enumeration! {
    /// A decision about a privacy request.
    PrivacyDecision {
        /// It is granted. An erasure is done at once and cannot be undone.
        Granted "granted",
        /// It is refused, with a reason.
        Refused "refused",
        /// What was granted is done.
        Done "done",
    }
}

/// A request about a child's data.
#[derive(Clone, PartialEq, Record)]
#[record(table = "privacy_requests", alias = "q")]
pub struct PrivacyRequest {
    /// The id.
    #[field(server)]
    pub id: PrivacyRequestId,
    /// The child.
    #[field(server)]
    pub child_id: ChildId,
    /// What is requested.
    #[field(server)]
    pub kind: PrivacyRequestKind,
    /// What is wrong, or what else the club should know.
    #[field(server, personal)]
    pub details: Option<Reason>,
    /// Who requests it.
    #[field(server)]
    pub requested_by: UserId,
    /// When the club must have decided.
    #[field(server)]
    pub due_at: Timestamp,
    /// The state.
    #[field(server)]
    pub state: PrivacyRequestState,
    /// Who decided.
    #[field(server)]
    pub decided_by: Option<UserId>,
    /// When they decided.
    #[field(server)]
    pub decided_at: Option<Timestamp>,
    /// Whether an owner decided because no other member could.
    #[field(server)]
    pub decided_alone: bool,
    /// Why it was decided so.
    #[field(server, personal)]
    pub reason: Option<Reason>,
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

/// The fields of a new privacy request.
#[derive(Clone, PartialEq, Body)]
#[body(title = "PrivacyRequestCreate")]
pub struct NewPrivacyRequest {
    /// The child.
    pub child_id: ChildId,
    /// What is requested.
    pub kind: PrivacyRequestKind,
    /// What is wrong, for a correction; what else the club should know, for others. Do not name the child: admins read it.
    #[body(default = None)]
    pub details: Option<Reason>,
}

/// A decision about a privacy request.
#[derive(Clone, PartialEq, Body)]
#[body(title = "PrivacyRequestDecide")]
pub struct NewPrivacyDecision {
    /// The decision: `granted` or `refused` for an open request, `done` for a granted one.
    pub decision: PrivacyDecision,
    /// Why, for the person who requested it. Required if it is refused; not stored if an erasure is granted. Do not name the child.
    #[body(default = None)]
    pub reason: Option<Reason>,
}

unprinted! { NewPrivacyRequest, NewPrivacyDecision }

impl PrivacyRequest {
    /// Whether nothing more will happen to it.
    pub const fn is_finished(&self) -> bool {
        matches!(self.state, PrivacyRequestState::Refused | PrivacyRequestState::Done)
    }

    /// Whether it is the erasure that a decision of this transaction granted.
    pub fn is_erased(&self) -> bool {
        self.kind == PrivacyRequestKind::Erasure && self.state == PrivacyRequestState::Done
    }
}

/// Creates a request of a user who may change what is recorded for the child's family.
pub fn request(
    moment: &Moment,
    requested_by: UserId,
    new: &NewPrivacyRequest,
) -> Result<PrivacyRequest, Refusal> {
    let mut check = Check::default();
    if new.kind == PrivacyRequestKind::Correction && new.details.is_none() {
        let fix = "Send what is wrong, and what is right.";
        check.refuse("/details", "required", "is required for a correction", fix);
    }
    check.finish(Some(()))?;
    let now = moment.now();
    Ok(PrivacyRequest {
        id: moment.id(),
        child_id: new.child_id,
        kind: new.kind,
        details: new.details.clone(),
        requested_by,
        due_at: now.saturating_add(DUE_AFTER).unwrap_or(Timestamp::MAX),
        state: PrivacyRequestState::Open,
        decided_by: None,
        decided_at: None,
        decided_alone: false,
        reason: None,
        created_at: now,
        updated_at: now,
        version: 1,
    })
}

/// A request as a second person has to decide it.
pub fn proposal(request: &PrivacyRequest) -> Proposal {
    let PrivacyRequest { requested_by, created_at, .. } = *request;
    Proposal { about: None, proposed_by: Some(requested_by), proposed_at: created_at, role: Role::Admin }
}

/// What may forbid an erasure.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "answers that are given together")]
pub struct Erasing {
    /// Whether the requester decides it alone.
    pub is_decided_by_family: bool,
    /// Whether the requester is still the child or its guardian.
    pub is_still_family: bool,
    /// Whether a restriction that names a person is effective.
    pub is_restricted: bool,
    /// Whether a safeguarding case about the child is not closed.
    pub has_open_case: bool,
}

/// Refuses an erasure that would end a court's order or a safeguarding case, or that someone requested who is no longer of the family.
pub fn refuse_erasure(erasing: &Erasing) -> Result<(), Refusal> {
    let why = if erasing.is_decided_by_family {
        "no one erases a child of their own family. Make an admin who is not of the family"
    } else if !erasing.is_still_family {
        "the person who requested it is no longer the child or its guardian. Refuse it"
    } else if erasing.is_restricted {
        "a restriction on the child's data is effective. A safeguarding lead has to lift it first"
    } else if erasing.has_open_case {
        "a safeguarding case about the child is not closed. A safeguarding lead has to close it first"
    } else {
        return Ok(());
    };
    Err(Refusal::State(why.to_owned()))
}

/// The decided request. `others` says whether another member than the actor could decide it.
pub fn decided(
    moment: &Moment,
    actor: Actor,
    request: &PrivacyRequest,
    new: &NewPrivacyDecision,
    others: bool,
) -> Result<PrivacyRequest, Refusal> {
    use PrivacyRequestState as State;
    let state = match (request.state, new.decision) {
        (State::Open, PrivacyDecision::Granted) if request.kind == PrivacyRequestKind::Erasure => State::Done,
        (State::Open, PrivacyDecision::Granted) => State::Granted,
        (State::Open, PrivacyDecision::Refused) => State::Refused,
        (State::Granted, PrivacyDecision::Done) => State::Done,
        (state, _) => return Err(Refusal::State(why_not(state).to_owned())),
    };
    if new.decision == PrivacyDecision::Refused && new.reason.is_none() {
        let mut check = Check::default();
        check.refuse("/reason", "required", "is required to refuse a request", "Send why it is refused.");
        check.finish(Some(()))?;
    }
    let decided_alone = proposal(request).confirm(moment.now(), actor, others)?;
    let after = PrivacyRequest {
        state,
        decided_by: actor.user,
        decided_at: Some(moment.now()),
        decided_alone,
        reason: new.reason.clone().or_else(|| request.reason.clone()),
        ..request.clone()
    };
    Ok(if after.is_erased() { without_texts(&after) } else { after })
}

fn why_not(state: PrivacyRequestState) -> &'static str {
    match state {
        PrivacyRequestState::Open => "it is not granted yet. Grant or refuse it first",
        PrivacyRequestState::Granted => "it is already granted. After it is carried out, decide `done`",
        PrivacyRequestState::Refused => "it is refused already. The family can request it again",
        PrivacyRequestState::Done => "it is done already",
    }
}

/// The requests of a child after its erasure: none is left to decide, and their texts are gone. Erasures that were not decided are done by
/// the same decision.
pub fn erased(
    decision: (Option<UserId>, Timestamp),
    requests: &[PrivacyRequest],
) -> Vec<(PrivacyRequest, PrivacyRequest)> {
    let (decided_by, decided_at) = decision;
    let after = |request: &PrivacyRequest| {
        let after = without_texts(request);
        if request.is_finished() {
            return after;
        }
        let state = PrivacyRequestState::Done;
        PrivacyRequest { state, decided_by, decided_at: Some(decided_at), ..after }
    };
    requests.iter().map(|request| (request.clone(), after(request))).collect()
}

/// Texts could name the child.
fn without_texts(request: &PrivacyRequest) -> PrivacyRequest {
    PrivacyRequest { details: None, reason: None, ..request.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{Id as _, UserId};
    use uuid::Uuid;

    const PARENT: u128 = 1;
    const ADMIN: u128 = 2;

    fn user(number: u128) -> UserId {
        UserId::from_uuid(Uuid::from_u128(number))
    }

    fn moment(hours: i64) -> Moment {
        Moment::new(Timestamp::from_second(1_772_366_400 + hours * 3600).expect("a time"), 7)
    }

    fn actor(number: u128, role: Role) -> Actor {
        Actor { user: Some(user(number)), role, role_given_by: None }
    }

    fn reason(text: &str) -> Reason {
        Reason::stored(text.to_owned())
    }

    fn requested(kind: PrivacyRequestKind) -> PrivacyRequest {
        let child_id = ChildId::from_uuid(Uuid::from_u128(9));
        let new = NewPrivacyRequest { child_id, kind, details: Some(reason("wrong")) };
        request(&moment(0), user(PARENT), &new).expect("a request")
    }

    fn decide(request: &PrivacyRequest, decision: PrivacyDecision) -> Result<PrivacyRequest, Refusal> {
        let new = NewPrivacyDecision { decision, reason: Some(reason("because")) };
        decided(&moment(1), actor(ADMIN, Role::Admin), request, &new, true)
    }

    #[test]
    fn a_request_is_due_after_30_days_and_a_correction_says_what_is_wrong() {
        let due = moment(30 * 24).now();
        assert_eq!(requested(PrivacyRequestKind::Export).due_at, due);
        let child_id = ChildId::from_uuid(Uuid::from_u128(9));
        let new = |kind| NewPrivacyRequest { child_id, kind, details: None };
        assert!(request(&moment(0), user(PARENT), &new(PrivacyRequestKind::Erasure)).is_ok());
        let refused = request(&moment(0), user(PARENT), &new(PrivacyRequestKind::Correction));
        assert!(matches!(refused, Err(Refusal::Invalid(fields)) if fields[0].pointer == "/details"));
    }

    #[test]
    fn decisions_follow_each_other_and_an_erasure_is_done_at_once() {
        use PrivacyDecision::{Done, Granted, Refused};
        let open = requested(PrivacyRequestKind::Correction);
        let granted = decide(&open, Granted).expect("granted");
        assert_eq!((granted.state, granted.decided_by), (PrivacyRequestState::Granted, Some(user(ADMIN))));
        let done = decide(&granted, Done).expect("done");
        assert!(done.is_finished() && done.details.is_some());
        let refused = decide(&open, Refused).expect("refused");
        for (request, decision) in [
            (&open, Done),
            (&granted, Granted),
            (&granted, Refused),
            (&done, Granted),
            (&done, Done),
            (&refused, Granted),
        ] {
            assert!(matches!(decide(request, decision), Err(Refusal::State(_))), "{decision}");
        }
        let erased = decide(&requested(PrivacyRequestKind::Erasure), Granted).expect("erased");
        assert!(erased.is_erased() && erased.is_finished());
        assert_eq!((erased.details, erased.reason), (None, None));
        let silent = NewPrivacyDecision { decision: Refused, reason: None };
        let refused = decided(&moment(1), actor(ADMIN, Role::Admin), &open, &silent, true);
        assert!(matches!(refused, Err(Refusal::Invalid(fields)) if fields[0].pointer == "/reason"));
    }

    #[test]
    fn no_one_decides_their_own_request_unless_they_are_alone_for_a_day() {
        let request = requested(PrivacyRequestKind::Erasure);
        let own = |hours, others| {
            let new = NewPrivacyDecision { decision: PrivacyDecision::Granted, reason: None };
            decided(&moment(hours), actor(PARENT, Role::Owner), &request, &new, others)
        };
        assert!(matches!(own(99, true), Err(Refusal::SamePerson { alone_from: None, .. })));
        assert!(matches!(own(23, false), Err(Refusal::SamePerson { alone_from: Some(_), .. })));
        assert!(own(24, false).expect("alone").decided_alone);
    }

    #[test]
    fn an_erasure_finishes_every_request_of_the_child_and_removes_its_texts() {
        let (open, refused) = (
            requested(PrivacyRequestKind::Export),
            decide(&requested(PrivacyRequestKind::Export), PrivacyDecision::Refused),
        );
        let refused = refused.expect("refused");
        let by = (Some(user(ADMIN)), moment(2).now());
        let after: Vec<_> =
            erased(by, &[open, refused.clone()]).into_iter().map(|(_, after)| after).collect();
        assert_eq!(after[0].state, PrivacyRequestState::Done);
        assert_eq!((after[1].state, after[1].decided_at), (refused.state, refused.decided_at));
        assert!(after.iter().all(|it| it.details.is_none() && it.reason.is_none()));
    }
}
