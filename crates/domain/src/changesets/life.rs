//! The life of a changeset: from which state it comes into which, and what guards each step. The guards are a table, so that a test can
//! remove each of them in turn and see that the model of the states notices.

use jiff::Timestamp;

use super::risk::Risk;
use super::{
    APPROVED_LIFE, Approval, Changeset, ChangesetState, REDUCED_WAIT, REVIEW_LIFE, Refused, SCHEDULE_GRACE,
    SCHEDULE_MAX, SIMULATION_LIFE,
};
use crate::Refusal;
use crate::ids::{EntryId, SimulationId, UserId};
use crate::record::enumeration;
use crate::roles::Role;

enumeration! {
    /// What is checked before a step.
    Guard {
        /// The state permits the step.
        State "state",
        /// The caller is the author.
        Author "author",
        /// The caller is a person in a session, not a key.
        Session "session",
        /// The caller is not the author.
        NotOwn "not_own",
        /// The caller has not approved it yet.
        Once "once",
        /// The caller has the role that approvals need.
        ApproverRole "approver_role",
        /// The author did not give the approver their role a short time ago.
        NotNew "not_new",
        /// The approver may see and do all of it.
        Entitled "entitled",
        /// The caller names the hash of the current simulation.
        CurrentHash "current_hash",
        /// The simulation is not too old.
        FreshSimulation "fresh_simulation",
        /// As many people have approved it as it needs.
        Enough "enough",
        /// The wait of a reduced approval is over.
        Waited "waited",
        /// It has not expired.
        InTime "in_time",
    }
}

/// The guards that are checked: all of them, except in tests.
#[derive(Clone, Copy, Debug)]
pub struct Guards(Option<Guard>);

/// All guards.
pub const ALL: Guards = Guards(None);

impl Guards {
    /// All guards but one, to show that it is needed.
    pub const fn without(guard: Guard) -> Self {
        Self(Some(guard))
    }

    fn holds(self, guard: Guard, holds: bool) -> bool {
        holds || self.0 == Some(guard)
    }

    fn require(self, guard: Guard, holds: bool, refusal: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
        if self.holds(guard, holds) { Ok(()) } else { Err(refusal()) }
    }

    /// Sets the state by the number of approvals.
    fn settle(self, changeset: &mut Changeset, now: Timestamp) {
        let has = i64::try_from(changeset.approvals.0.len()).unwrap_or(i64::MAX);
        let is_enough = changeset.required_approvals.is_some_and(|needed| has >= needed);
        (changeset.state, changeset.expires_at) = if self.holds(Guard::Enough, is_enough) {
            let from = changeset.not_before.map_or(now, |until| until.max(now));
            (Approved, Some(later(from, APPROVED_LIFE)))
        } else {
            (InReview, Some(later(now, REVIEW_LIFE)))
        };
    }
}

/// Who takes a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Person {
    /// The user.
    pub user: UserId,
    /// Their role now.
    pub role: Role,
    /// Whether they use an API key.
    pub by_key: bool,
}

/// What a simulation found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// The simulation.
    pub id: SimulationId,
    /// Its hash. `None` if it found problems.
    pub hash: Option<String>,
    /// How many operations were simulated.
    pub operations: i64,
}

/// What a submission requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The risk.
    pub risk: Risk,
    /// How many approvals are needed.
    pub approvals: i64,
    /// The minimum role of approvers.
    pub role: Role,
    /// Whether fewer people approve it than the risk asks for.
    pub reduced: bool,
}

/// What is known about someone who wants to approve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Approver {
    /// The person.
    pub person: Person,
    /// Whether the author gave them their role a short time ago.
    pub is_new: bool,
}

fn wrong_state(changeset: &Changeset, wanted: &str) -> Refusal {
    Refusal::State(format!("the changeset is {}. {wanted}", changeset.state))
}

use ChangesetState::{
    Approved, Draft, Executed, Expired, InReview, Rejected, Simulated as Ready, Stale, Withdrawn,
};

impl Guards {
    /// The state that counts now: one whose time is over has expired, even if no one has written it down.
    fn in_time(self, changeset: &Changeset, now: Timestamp) -> Result<(), Refusal> {
        let is_over = matches!(changeset.state, InReview | Approved)
            && changeset.expires_at.is_some_and(|expires_at| expires_at <= now);
        let expired = || Refusal::State("the changeset has expired. Create it again".to_owned());
        self.require(Guard::InTime, !is_over, expired)
    }

    fn is(self, changeset: &Changeset, states: &[ChangesetState], wanted: &str) -> Result<(), Refusal> {
        let holds = states.contains(&changeset.state);
        self.require(Guard::State, holds, || wrong_state(changeset, wanted))
    }

    fn in_session(self, person: Person) -> Result<(), Refusal> {
        let why = "this needs a session: sign in. A key cannot do it";
        self.require(Guard::Session, !person.by_key, || Refusal::Forbidden(why.to_owned()))
    }

    fn current(self, changeset: &Changeset, hash: &str) -> Result<(), Refusal> {
        let holds = changeset.simulation_hash.as_deref() == Some(hash);
        let changed = || Refused::SimulationChanged { hash: changeset.simulation_hash.clone() }.into();
        self.require(Guard::CurrentHash, holds, changed)
    }

    fn fresh(self, changeset: &Changeset, now: Timestamp) -> Result<(), Refusal> {
        let holds = changeset.simulated_at.is_some_and(|at| now.duration_since(at) < SIMULATION_LIFE);
        self.require(Guard::FreshSimulation, holds, || Refused::SimulationExpired.into())
    }

    /// May its author change what it does? Returns it as a draft without approvals.
    pub fn edited(self, changeset: &Changeset, person: Person, now: Timestamp) -> Result<Changeset, Refusal> {
        self.in_time(changeset, now)?;
        self.is(changeset, &[Draft, Ready, InReview, Approved, Stale], "It can no longer be changed")?;
        let why = "only the author can change a changeset";
        self.require(Guard::Author, person.user == changeset.author_id, || {
            Refusal::Forbidden(why.to_owned())
        })?;
        Ok(reset(changeset))
    }

    /// The changeset after a simulation.
    pub fn simulated(
        self,
        changeset: &Changeset,
        simulated: &Simulated,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        self.in_time(changeset, now)?;
        self.is(changeset, &[Draft, Ready, InReview, Approved, Stale], "It can no longer be simulated")?;
        let mut after = changeset.clone();
        let is_same = changeset.simulation_hash.is_some() && changeset.simulation_hash == simulated.hash;
        after.state = match (changeset.state, &simulated.hash) {
            (state @ (InReview | Approved), _) if is_same => state,
            (_, None) => Draft,
            (InReview | Approved, Some(_)) => InReview,
            (_, Some(_)) => Ready,
        };
        if !is_same {
            after.approvals.0.clear();
            after.schedule_at = None;
            // People have the whole wait for what they have not seen before.
            after.not_before = after.not_before.map(|_| later(now, REDUCED_WAIT));
            after.expires_at = (after.state == InReview).then(|| later(now, REVIEW_LIFE));
        }
        after.simulation_id = Some(simulated.id);
        after.simulation_hash.clone_from(&simulated.hash);
        after.simulated_at = Some(now);
        after.operation_count = simulated.operations;
        Ok(after)
    }

    /// The changeset after its submission, on terms.
    pub fn submitted(
        self,
        changeset: &Changeset,
        person: Person,
        terms: Terms,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        if matches!(changeset.state, Draft | Stale) {
            self.require(Guard::State, false, || Refused::NotSimulated.into())?;
        }
        self.is(changeset, &[Draft, Stale, Ready], "It can no longer be submitted")?;
        let why = "only the author can submit a changeset";
        self.require(Guard::Author, person.user == changeset.author_id, || {
            Refusal::Forbidden(why.to_owned())
        })?;
        self.fresh(changeset, now)?;
        let mut after = changeset.clone();
        (after.risk, after.required_approvals) = (Some(terms.risk), Some(terms.approvals));
        after.approver_role = Some(terms.role);
        after.reduced_approval |= terms.reduced;
        after.submitted_at = Some(now);
        after.not_before = terms.reduced.then(|| later(now, REDUCED_WAIT));
        after.approvals.0.clear();
        self.settle(&mut after, now);
        Ok(after)
    }

    /// The changeset after an approval. `entitled` says whether the approver may see and do all of it.
    pub fn approved(
        self,
        changeset: &Changeset,
        approver: Approver,
        entitled: Result<(), Refusal>,
        hash: &str,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        let person = approver.person;
        self.in_session(person)?;
        self.in_time(changeset, now)?;
        self.is(changeset, &[InReview], "Only one that is in_review can be approved")?;
        self.current(changeset, hash)?;
        self.fresh(changeset, now)?;
        self.require(Guard::NotOwn, person.user != changeset.author_id, || Refused::Own.into())?;
        let again = || Refusal::State("you have approved it before".to_owned());
        self.require(Guard::Once, !changeset.approvals.has(person.user), again)?;
        let least = changeset.approver_role.unwrap_or(Role::Owner);
        self.require(Guard::ApproverRole, person.role >= least, || {
            Refusal::Forbidden(format!("approving this changeset needs the role {least} or higher"))
        })?;
        self.require(Guard::NotNew, !approver.is_new, || Refused::ApproverTooNew.into())?;
        if let Err(refusal) = entitled {
            self.require(Guard::Entitled, false, || refusal)?;
        }
        let mut after = changeset.clone();
        after.approvals.0.push(Approval { user_id: person.user, at: now, hash: hash.to_owned() });
        self.settle(&mut after, now);
        Ok(after)
    }

    /// The changeset without the approval of a person.
    pub fn unapproved(
        self,
        changeset: &Changeset,
        person: Person,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        self.in_session(person)?;
        self.in_time(changeset, now)?;
        self.is(changeset, &[InReview, Approved], "There is no approval to withdraw")?;
        let never = || Refusal::State("you have not approved it".to_owned());
        self.require(Guard::State, changeset.approvals.has(person.user), never)?;
        let mut after = changeset.clone();
        after.approvals.0.retain(|approval| approval.user_id != person.user);
        (after.state, after.schedule_at) = (InReview, None);
        after.expires_at = Some(later(now, REVIEW_LIFE));
        Ok(after)
    }

    /// The changeset after its rejection.
    pub fn rejected(
        self,
        changeset: &Changeset,
        person: Person,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        self.in_session(person)?;
        self.in_time(changeset, now)?;
        self.is(changeset, &[InReview, Approved], "Only one that was submitted can be rejected")?;
        self.require(Guard::NotOwn, person.user != changeset.author_id, || Refused::Own.into())?;
        Ok(ended(changeset, Rejected))
    }

    /// The changeset after its author or an admin has withdrawn it.
    pub fn withdrawn(
        self,
        changeset: &Changeset,
        person: Person,
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        self.in_time(changeset, now)?;
        self.is(changeset, &[Draft, Ready, InReview, Approved, Stale], "It can no longer be withdrawn")?;
        let may = person.user == changeset.author_id || person.role >= Role::Admin && !person.by_key;
        let why = "only its author or an admin can withdraw a changeset";
        self.require(Guard::Author, may, || Refusal::Forbidden(why.to_owned()))?;
        Ok(ended(changeset, Withdrawn))
    }

    /// The changeset after its time is over. `None` if it is not.
    pub fn expired(self, changeset: &Changeset, now: Timestamp) -> Option<Changeset> {
        let is_waiting = matches!(changeset.state, InReview | Approved);
        let is_over = changeset.expires_at.is_some_and(|expires_at| expires_at <= now);
        (is_waiting && is_over).then(|| ended(changeset, Expired))
    }

    /// The changeset with the time at which the server executes it.
    pub fn scheduled(
        self,
        changeset: &Changeset,
        person: Person,
        (hash, at): (&str, Timestamp),
        now: Timestamp,
    ) -> Result<Changeset, Refusal> {
        self.executable(changeset, Some(person), hash, at.max(now), now)?;
        // Otherwise an approval would stay valid for as long as someone schedules it again.
        let from = changeset.submitted_at.unwrap_or(now);
        if at <= now || at.duration_since(from) > SCHEDULE_MAX {
            let fix = "Send a time in the future, at most 30 days after the changeset was submitted.";
            let wrong = crate::text::InvalidValue::new(
                "out_of_range",
                "is not in the 30 days after the submission",
                fix,
            );
            return Err(Refusal::field("/at", wrong));
        }
        let mut after = changeset.clone();
        (after.schedule_at, after.expires_at) = (Some(at), Some(later(at, SCHEDULE_GRACE)));
        Ok(after)
    }

    /// Refuses to execute a changeset that is not approved, or not by this person. `at` is the time of the execution. The server has no
    /// person, and executes what is scheduled.
    pub fn executable(
        self,
        changeset: &Changeset,
        person: Option<Person>,
        hash: &str,
        at: Timestamp,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        if let Some(person) = person {
            self.in_session(person)?;
            let may = person.user == changeset.author_id
                || changeset.approvals.has(person.user)
                || person.role >= Role::Manager;
            let why = "only its author, an approver or a manager can execute a changeset";
            self.require(Guard::Author, may, || Refusal::Forbidden(why.to_owned()))?;
        }
        self.in_time(changeset, now)?;
        self.is(changeset, &[Approved], "Only one that is approved can be executed")?;
        self.current(changeset, hash)?;
        let approvals = &changeset.approvals.0;
        let valid = approvals.iter().filter(|approval| approval.hash == hash).count();
        let needed = changeset.required_approvals.and_then(|count| usize::try_from(count).ok());
        let few = || Refusal::State("it has too few approvals".to_owned());
        self.require(Guard::Enough, needed.is_some_and(|needed| valid >= needed), few)?;
        let until = changeset.not_before.unwrap_or(at);
        self.require(Guard::Waited, until <= at, || Refused::Waiting { until }.into())
    }

    /// An approved changeset that is in review again, because its risk has grown since its submission.
    pub fn reassessed(self, changeset: &Changeset, terms: Terms, now: Timestamp) -> Changeset {
        let mut after = changeset.clone();
        (after.risk, after.required_approvals) = (Some(terms.risk), Some(terms.approvals));
        after.approver_role = Some(terms.role);
        after.schedule_at = None;
        if terms.reduced {
            after.reduced_approval = true;
            after.not_before = Some(later(now, REDUCED_WAIT));
        }
        // Who approved it may not have the role that approvals need now.
        after.approvals.0.clear();
        self.settle(&mut after, now);
        after
    }

    /// The changeset after its execution.
    pub fn executed(
        self,
        changeset: &Changeset,
        by: Option<UserId>,
        entry: EntryId,
        now: Timestamp,
    ) -> Changeset {
        let mut after = changeset.clone();
        (after.state, after.executed_at, after.executed_by) = (Executed, Some(now), by);
        (after.entry_id, after.expires_at, after.schedule_at) = (Some(entry), None, None);
        after
    }

    /// The changeset after its execution found other effects.
    pub fn drifted(self, changeset: &Changeset) -> Changeset {
        let mut after = reset(changeset);
        after.state = Stale;
        after
    }
}

/// A draft with nothing that rests on what it was before.
fn reset(changeset: &Changeset) -> Changeset {
    let mut after = ended(changeset, Draft);
    (after.simulation_hash, after.simulation_id) = (None, None);
    (after.risk, after.required_approvals, after.approver_role) = (None, None, None);
    (after.not_before, after.submitted_at) = (None, None);
    after.approvals.0.clear();
    after
}

fn ended(changeset: &Changeset, state: ChangesetState) -> Changeset {
    let mut after = changeset.clone();
    (after.state, after.expires_at, after.schedule_at) = (state, None, None);
    after
}

fn later(time: Timestamp, by: jiff::SignedDuration) -> Timestamp {
    time.saturating_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
